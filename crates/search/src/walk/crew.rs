//! The threads of a walk: one stack of work, the deepest folder first, so that few folders are held open at once; each
//! thread takes what is on top. A large folder's files are handed out in batches.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use lancet_workspace::Kind;

use super::folder::{Batch, Folder, Inside, below};
use super::{Ended, File, Place, Visitor, Walk};
use crate::tally::Tally;

/// Files of one folder that a thread looks at before others get their share.
const BATCH: usize = 128;

enum Job {
    /// Index of a start.
    Start(usize),
    /// A folder, by its parent.
    Enter(Arc<Folder>, OsString),
    Files(Batch),
}

#[derive(Default)]
struct Stack {
    jobs: Vec<Job>,
    /// Threads at work, which may still add jobs.
    busy: usize,
    stopped_at: Option<PathBuf>,
}

struct Crew<'w, 'a> {
    walk: &'w Walk<'a>,
    stack: Mutex<Stack>,
    more: Condvar,
}

pub(super) fn run<V: Visitor>(walk: &Walk<'_>, make: &(impl Fn() -> V + Sync)) -> (Vec<V>, Ended) {
    let crew = Crew {
        walk,
        stack: Mutex::new(Stack {
            jobs: (0..walk.starts.len()).rev().map(Job::Start).collect(),
            ..Stack::default()
        }),
        more: Condvar::new(),
    };
    let mut visitors = Vec::new();
    let mut tally = Tally::default();
    std::thread::scope(|scope| {
        let helper = || {
            let mut visitor = make();
            let counted = crew.work(&mut visitor);
            (visitor, counted)
        };
        let helpers: Vec<_> = (1..walk.threads)
            .filter_map(|_| {
                std::thread::Builder::new()
                    .name("lancet-search".to_owned())
                    .spawn_scoped(scope, helper)
                    .ok()
            })
            .collect();
        let (visitor, counted) = helper();
        visitors.push(visitor);
        tally += counted;
        for thread in helpers {
            match thread.join() {
                Ok((visitor, counted)) => {
                    visitors.push(visitor);
                    tally += counted;
                }
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
    });
    let stack = crew
        .stack
        .into_inner()
        .unwrap_or_else(PoisonError::into_inner);
    let ended = Ended {
        tally,
        stopped_at: stack.stopped_at,
    };
    (visitors, ended)
}

/// A thread that is at work; however it ends, the others hear of it.
struct AtWork<'c, 'w, 'a>(&'c Crew<'w, 'a>);

impl Drop for AtWork<'_, '_, '_> {
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

impl<'w, 'a> Crew<'w, 'a> {
    fn lock(&self) -> MutexGuard<'_, Stack> {
        self.stack.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn work(&self, visitor: &mut impl Visitor) -> Tally {
        let mut tally = Tally::default();
        while let Some((job, _at_work)) = self.next() {
            match job {
                Job::Start(at) => self.begin(at, visitor, &mut tally),
                Job::Enter(parent, name) => match parent.enter(&name) {
                    Ok(folder) => {
                        drop(parent);
                        self.look(folder, visitor, &mut tally);
                    }
                    // Gone, or put elsewhere by a link, since it was listed.
                    Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
                    Err(_) => tally.unreadable += 1,
                },
                Job::Files(batch) => self.visit(&batch, visitor, &mut tally),
            }
        }
        tally
    }

    /// The next job; none when all is done or nobody wants more.
    fn next(&self) -> Option<(Job, AtWork<'_, 'w, 'a>)> {
        let mut stack = self.lock();
        loop {
            if !stack.jobs.is_empty() && self.walk.stop.is_over() {
                self.stop(&mut stack);
            }
            if let Some(job) = stack.jobs.pop() {
                stack.busy += 1;
                return Some((job, AtWork(self)));
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

    /// Leaves the rest undone and remembers where.
    fn stop(&self, stack: &mut Stack) {
        let at = stack.jobs.pop().map(|job| match job {
            Job::Start(at) => self.walk.starts[at].path().to_path_buf(),
            Job::Enter(parent, name) => parent.path.join(name),
            Job::Files(batch) => batch.folder.path.clone(),
        });
        stack.jobs.clear();
        stack.stopped_at = stack.stopped_at.take().or(at);
        self.more.notify_all();
    }

    fn add(&self, jobs: impl IntoIterator<Item = Job>) {
        let mut stack = self.lock();
        let before = stack.jobs.len();
        stack.jobs.extend(jobs);
        let added = stack.jobs.len() - before;
        drop(stack);
        match added {
            0 => {}
            1 => self.more.notify_one(),
            _ => self.more.notify_all(),
        }
    }

    fn begin(&self, at: usize, visitor: &mut impl Visitor, tally: &mut Tally) {
        let located = &self.walk.starts[at].located;
        match located.kind() {
            Kind::Directory => match located.branch() {
                Ok(branch) => {
                    let folder = Folder::start(self.walk, at, branch, located.path());
                    self.look(folder, visitor, tally);
                }
                Err(_) => tally.unreadable += 1,
            },
            Kind::File => {
                let file = File {
                    start: at,
                    path: located.path(),
                    relative: Path::new(""),
                    place: Place::Named(located),
                };
                visitor.visit(&file, tally);
            }
            _ => {}
        }
    }

    fn look(&self, mut folder: Folder, visitor: &mut impl Visitor, tally: &mut Tally) {
        let Inside { mut files, folders } = folder.look(self.walk, tally);
        let folder = Arc::new(folder);
        let mut jobs: Vec<Job> = folders
            .into_iter()
            .map(|name| Job::Enter(Arc::clone(&folder), name))
            .collect();
        while files.len() > BATCH {
            let names = files.split_off(files.len() - BATCH);
            let folder = Arc::clone(&folder);
            jobs.push(Job::Files(Batch { folder, names }));
        }
        self.add(jobs);
        let batch = Batch {
            folder,
            names: files,
        };
        self.visit(&batch, visitor, tally);
    }

    fn visit(&self, batch: &Batch, visitor: &mut impl Visitor, tally: &mut Tally) {
        let mut path = batch.folder.path.clone();
        for name in &batch.names {
            if self.walk.stop.is_over() {
                let mut stack = self.lock();
                self.stop(&mut stack);
                let here = Some(batch.folder.path.clone());
                stack.stopped_at = stack.stopped_at.take().or(here);
                return;
            }
            path.push(name);
            let file = File {
                start: batch.folder.start,
                path: &path,
                relative: below(&path, batch.folder.base),
                place: Place::In(&batch.folder.branch, name),
            };
            visitor.visit(&file, tally);
            path.pop();
        }
    }
}
