//! The worker threads of a walk. They share one stack of jobs, the deepest folder on top, so that few folders are
//! open at once. The entries of a large folder are distributed in batches.

mod linked;

use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use lancet_workspace::{EntryKind, FileType};

use super::folder::{WalkedFolder, relative_to_start};
use super::names::{EntryNames, EntryPath};
use super::{EnteredFolder, FileSource, Visitor, Walk, WalkEnd, WalkedFile};
use crate::tally::Tally;

/// Entries of a folder that one thread processes before the rest is shared.
const BATCH_ENTRIES: usize = 128;
/// Entries that are processed between two checks of [`Stop`](crate::Stop).
const ENTRIES_BETWEEN_CHECKS: usize = 8;
/// With this many folders or batches waiting, other threads are started. A thread costs some 50 microseconds, and on a
/// busy machine milliseconds, since its end is awaited even where it had nothing to do: a Glob among five files took
/// 230 microseconds, 150 of them for its second thread.
const MIN_JOBS_FOR_HELP: usize = 4;
/// With this many jobs waiting, a thread that lists a large folder keeps its entries.
const MAX_WAITING_JOBS: usize = 256;

enum Job {
    /// Begin at the start with this index.
    Start(usize),
    /// Enter these folders of a folder.
    Enter(Arc<WalkedFolder>, EntryNames),
    /// Process these entries of a folder.
    Entries(Arc<WalkedFolder>, EntryNames),
}

impl Job {
    /// Returns how much work there is, in folders; a batch counts as several.
    fn weight(&self) -> usize {
        match self {
            Job::Start(_) => 1,
            Job::Enter(_, names) => names.len(),
            Job::Entries(..) => MIN_JOBS_FOR_HELP,
        }
    }
}

#[derive(Default)]
struct JobStack {
    jobs: Vec<Job>,
    /// Threads that are processing a job and may add others.
    busy: usize,
    /// The number of jobs that were taken.
    taken: usize,
    stopped_at: Option<PathBuf>,
}

impl JobStack {
    /// Takes the top job; of a job with several folders, the last folder.
    fn take_job(&mut self) -> Option<Job> {
        let job = self.jobs.pop()?;
        let Job::Enter(parent, mut names) = job else {
            return Some(job);
        };
        let mut last = EntryNames::default();
        last.push(names.last()?, EntryKind::Folder);
        names.drop_last();
        if !names.is_empty() {
            self.jobs.push(Job::Enter(Arc::clone(&parent), names));
        }
        Some(Job::Enter(parent, last))
    }
}

struct Workers<'w, 'a> {
    walk: &'w Walk<'a>,
    stack: Mutex<JobStack>,
    more: Condvar,
}

pub(super) fn run<V: Visitor>(
    walk: &Walk<'_>,
    make: &(impl Fn() -> V + Sync),
) -> (Vec<V>, WalkEnd) {
    let workers = Workers {
        walk,
        stack: Mutex::new(JobStack {
            jobs: (0..walk.starts.len()).rev().map(Job::Start).collect(),
            ..JobStack::default()
        }),
        more: Condvar::new(),
    };
    let mut visitors = Vec::new();
    let mut tally = Tally::default();
    std::thread::scope(|scope| {
        let helper = || {
            let mut visitor = make();
            let counted = workers.process_jobs(&mut visitor, &|| ());
            (visitor, counted)
        };
        let helpers = RefCell::new(Vec::new());
        let help = || {
            let mut helpers = helpers.borrow_mut();
            if walk.threads > 1 && helpers.is_empty() && workers.has_work_for_helper() {
                helpers.extend((1..walk.threads).filter_map(|_| {
                    std::thread::Builder::new()
                        .name("lancet-search".to_owned())
                        .spawn_scoped(scope, helper)
                        .ok()
                }));
            }
        };
        let mut visitor = make();
        tally += workers.process_jobs(&mut visitor, &help);
        visitors.push(visitor);
        for thread in helpers.into_inner() {
            match thread.join() {
                Ok((visitor, counted)) => {
                    visitors.push(visitor);
                    tally += counted;
                }
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
    });
    let stack = workers
        .stack
        .into_inner()
        .unwrap_or_else(PoisonError::into_inner);
    let ended = WalkEnd {
        tally,
        stopped_at: stack.stopped_at,
    };
    (visitors, ended)
}

/// Marks a thread as busy until it is dropped, also by a panic.
struct BusyGuard<'c, 'w, 'a>(&'c Workers<'w, 'a>);

impl Drop for BusyGuard<'_, '_, '_> {
    fn drop(&mut self) {
        let mut stack = self.0.lock();
        stack.busy -= 1;
        if std::thread::panicking() {
            stack.jobs.clear();
        }
        if stack.busy == 0 && stack.jobs.is_empty() {
            self.0.more.notify_all();
        }
    }
}

impl<'w, 'a> Workers<'w, 'a> {
    fn lock(&self) -> MutexGuard<'_, JobStack> {
        self.stack.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Does jobs until there are none. `help` is called whenever jobs may have been added.
    fn process_jobs(&self, visitor: &mut impl Visitor, help: &dyn Fn()) -> Tally {
        let mut tally = Tally::default();
        while let Some((job, _at_work)) = self.next_job() {
            match job {
                Job::Start(at) => self.begin_start(at, visitor, help, &mut tally),
                Job::Enter(parent, names) => {
                    self.enter_folder(parent, &names, visitor, help, &mut tally)
                }
                Job::Entries(folder, names) => self.visit(&folder, &names, visitor, &mut tally),
            }
            help();
        }
        tally
    }

    /// Returns whether there is enough work for another thread.
    fn has_work_for_helper(&self) -> bool {
        let stack = self.lock();
        let waiting: usize = stack.jobs.iter().map(Job::weight).sum();
        waiting >= MIN_JOBS_FOR_HELP || (waiting > 0 && stack.taken >= MIN_JOBS_FOR_HELP)
    }

    /// Waits for the next job; `None` when all jobs are done or the walk is stopped.
    fn next_job(&self) -> Option<(Job, BusyGuard<'_, 'w, 'a>)> {
        let mut stack = self.lock();
        loop {
            if !stack.jobs.is_empty() && self.walk.stop.should_stop() {
                self.stop_walk(&mut stack);
            }
            if let Some(job) = stack.take_job() {
                stack.busy += 1;
                stack.taken += 1;
                return Some((job, BusyGuard(self)));
            }
            if stack.busy == 0 {
                return None;
            }
            stack = self
                .more
                .wait(stack)
                .unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Drops all jobs and records where the walk stopped.
    fn stop_walk(&self, stack: &mut JobStack) {
        let at = stack.jobs.pop().map(|job| match job {
            Job::Start(at) => self.walk.starts[at].path().to_path_buf(),
            Job::Enter(parent, names) => names
                .last()
                .map_or_else(|| parent.path.clone(), |name| parent.path.join(name)),
            Job::Entries(folder, _) => folder.path.clone(),
        });
        stack.jobs.clear();
        stack.stopped_at = stack.stopped_at.take().or(at);
        self.more.notify_all();
    }

    /// Stops the walk in the middle of a folder.
    fn stop_in_folder(&self, folder: &WalkedFolder) {
        let mut stack = self.lock();
        self.stop_walk(&mut stack);
        let here = Some(folder.path.clone());
        stack.stopped_at = stack.stopped_at.take().or(here);
    }

    fn add_jobs(&self, jobs: impl IntoIterator<Item = Job>) {
        let mut added = 0;
        let mut stack = self.lock();
        for job in jobs {
            added += match &job {
                Job::Enter(_, names) => names.len(),
                _ => 1,
            };
            stack.jobs.push(job);
        }
        drop(stack);
        match added {
            0 => {}
            1 => self.more.notify_one(),
            _ => self.more.notify_all(),
        }
    }

    fn begin_start(
        &self,
        at: usize,
        visitor: &mut impl Visitor,
        help: &dyn Fn(),
        tally: &mut Tally,
    ) {
        let located = &self.walk.starts[at].located;
        match located.kind() {
            FileType::Directory => match located.open_folder() {
                Ok(branch) => {
                    let folder = WalkedFolder::from_start(self.walk, at, branch, located.path());
                    self.list(folder, visitor, help, tally);
                }
                Err(_) => {
                    tally.unreadable += 1;
                    visitor.miss_folder(at, Path::new(""));
                }
            },
            FileType::File => {
                let file = WalkedFile {
                    start: at,
                    path: located.path(),
                    relative: Path::new(""),
                    place: FileSource::Start(located),
                };
                visitor.visit(&file, tally);
            }
            _ => {}
        }
    }

    fn enter_folder(
        &self,
        parent: Arc<WalkedFolder>,
        names: &EntryNames,
        visitor: &mut impl Visitor,
        help: &dyn Fn(),
        tally: &mut Tally,
    ) {
        let Some(name) = names.last() else { return };
        match parent.enter(name) {
            Ok(folder) => {
                drop(parent);
                self.list(folder, visitor, help, tally);
            }
            // The folder was removed, or replaced by a link, since it was listed.
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
            Err(_) => {
                tally.unreadable += 1;
                let path = parent.path.join(name);
                visitor.miss_folder(parent.start, relative_to_start(&path, parent.base));
            }
        }
    }

    fn list(
        &self,
        folder: WalkedFolder,
        visitor: &mut impl Visitor,
        help: &dyn Fn(),
        tally: &mut Tally,
    ) {
        let folder = Arc::new(folder);
        let names = folder.list(self.walk, tally, &mut |names, tally| {
            if self.lock().jobs.len() < MAX_WAITING_JOBS {
                self.add_jobs(
                    names
                        .split_into_parts(BATCH_ENTRIES)
                        .map(|part| Job::Entries(Arc::clone(&folder), part)),
                );
                help();
            } else {
                self.visit(&folder, &names, visitor, tally);
            }
        });
        if names.len() <= BATCH_ENTRIES {
            return self.visit(&folder, &names, visitor, tally);
        }
        self.add_jobs(
            names
                .split_into_parts(BATCH_ENTRIES)
                .map(|part| Job::Entries(Arc::clone(&folder), part)),
        );
    }

    /// Applies the rules to entries of a folder, visits the files among them and queues the folders.
    fn visit(
        &self,
        folder: &Arc<WalkedFolder>,
        names: &EntryNames,
        visitor: &mut impl Visitor,
        tally: &mut Tally,
    ) {
        let mut path = EntryPath::new(&folder.path);
        let mut files = Vec::with_capacity(names.len());
        let mut folders = EntryNames::default();
        let mut linked = Vec::new();
        for (at, (name, kind)) in names.iter().enumerate() {
            if at.is_multiple_of(ENTRIES_BETWEEN_CHECKS) && self.walk.stop.should_stop() {
                return self.stop_in_folder(folder);
            }
            let path = path.join_name(name);
            if kind == EntryKind::Link
                && let Some(target) = self.walk.gate.follow(path)
            {
                linked.push((name, target));
            } else if folder.accepts(self.walk, path, name, kind, tally) {
                if kind == EntryKind::File {
                    files.push(name);
                } else if self.walk.filter.may_enter(path) {
                    visitor.visit_folder(&EnteredFolder {
                        start: folder.start,
                        path,
                        relative: relative_to_start(path, folder.base),
                    });
                    folders.push(name, kind);
                }
            }
        }
        for (name, target) in linked {
            self.visit_linked(folder, name, &target, visitor, tally);
        }
        // Queue the folders before visiting files, so that other threads have work.
        if !folders.is_empty() {
            self.add_jobs([Job::Enter(Arc::clone(folder), folders)]);
        }
        for (at, name) in files.into_iter().enumerate() {
            // A visitor that reads files checks as well, within large ones.
            if at.is_multiple_of(ENTRIES_BETWEEN_CHECKS) && self.walk.stop.should_stop() {
                return self.stop_in_folder(folder);
            }
            let path = path.join_name(name);
            let file = WalkedFile {
                start: folder.start,
                path,
                relative: relative_to_start(path, folder.base),
                place: FileSource::InFolder(&folder.branch, name),
            };
            visitor.visit(&file, tally);
        }
    }
}
