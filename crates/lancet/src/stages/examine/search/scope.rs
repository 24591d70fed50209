//! Defines where a search looks: converts the paths, globs and types of a call to the start folders and the filter of a
//! walk, under the same policy as every other tool.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::Duration;

use lancet_search::{
    FileFilter, Gate as _, HiddenFiles, IgnoreFiles, ListedFile, LiteralNames, PageNeed, PageUnit,
    Pattern, ResultOrder, SearchExtent, SearchSummary, Walk, WalkStart, WalkedFile, count_matches,
    count_resident, list_files, list_resident,
};
use lancet_workspace::{EntryKind, FileType, LocateError};

use super::filter_refusals::{bad_glob_refusal, unknown_type_refusal};
use super::gate::WalkGuard;
use super::lead;
use super::resident;
use super::rules_of_files::{configured_encoding, global_excludes};
use super::search_limit::SearchLimit;
use crate::arguments::{GlobArguments, GrepArguments};
use crate::engine::EngineView;
use crate::refusal::Refusal;
use crate::stages::context::CallContext;
use crate::stages::locate::{Intent, LinkIndex, locate, root_moved_refusal};
use crate::stages::open;
use crate::wording::{on_one_line, quote_path};

/// How long a search in memory continues to count once its page is full. A search may take up to 10 ms; the first 250
/// lines of a common word take less than one, so counting for longer would be most of the answer's time.
const EXTRA_COUNTING_TIME: Duration = Duration::from_micros(300);
/// More threads than these only wait for the same disk.
const MAX_THREADS: usize = 12;

/// The start folders and the filter of a search.
pub(super) struct Scope {
    pub(super) starts: Vec<WalkStart>,
    pub(super) notices: Vec<String>,
    filter: FileFilter,
    named: LiteralNames,
    ignoring: IgnoreFiles,
}

impl Scope {
    pub(super) fn for_glob(
        context: &CallContext<'_>,
        arguments: &GlobArguments,
    ) -> Result<Self, Refusal> {
        let (starts, notices) = start_folders(context, arguments.path.as_deref())?;
        let (starts, pattern) = glob_starts(context.engine(), starts, &arguments.pattern)?;
        let bases: Vec<&Path> = starts.iter().map(WalkStart::path).collect();
        let filter = FileFilter::default()
            .with_globs(&bases, &[&pattern])
            .map_err(|error| bad_glob_refusal("pattern", &error.why))?;
        Ok(Scope {
            named: LiteralNames::new([pattern.as_str()]),
            filter,
            starts,
            notices,
            ignoring: ignore_files(arguments.include_ignored),
        })
    }

    pub(super) fn for_grep(
        context: &CallContext<'_>,
        arguments: &GrepArguments,
    ) -> Result<Self, Refusal> {
        let (starts, notices) = start_folders(context, arguments.path.as_deref())?;
        let mut filter = FileFilter::default();
        let mut named = LiteralNames::default();
        if let Some(glob) = &arguments.glob {
            let glob = glob.strip_prefix("./").unwrap_or(glob);
            let mut bases: Vec<&Path> = starts.iter().map(WalkStart::path).collect();
            for root in context.engine().roots() {
                if !bases.contains(&root.as_path()) {
                    bases.push(root);
                }
            }
            filter = filter
                .with_globs(&bases, &[glob])
                .map_err(|error| bad_glob_refusal("glob", &error.why))?;
            named = LiteralNames::new([glob]);
        }
        if let Some(kind) = &arguments.kind {
            filter = filter
                .with_type(kind)
                .map_err(|_| unknown_type_refusal(kind))?;
        }
        Ok(Scope {
            starts,
            notices,
            filter,
            named,
            ignoring: ignore_files(arguments.include_ignored),
        })
    }

    /// Returns the same scope with ignored files included.
    pub(super) fn with_ignored(&self) -> Self {
        Scope {
            starts: self.starts.clone(),
            notices: Vec::new(),
            filter: self.filter.clone(),
            named: self.named.clone(),
            ignoring: IgnoreFiles::Include,
        }
    }

    /// Returns the ignored files of this scope, and possibly others: where the folders are resident, the ignored
    /// entries are known, and only those are searched, without the ones that are known not to match a pattern.
    pub(super) fn ignored_files(
        &self,
        context: &CallContext<'_>,
        pattern: Option<&Pattern>,
    ) -> Self {
        let whole = self.with_ignored();
        let ignored =
            resident::ignored_entries_below(context.shared_engine(), &self.starts, pattern);
        let Some(ignored) = ignored else {
            return whole;
        };
        let engine = context.engine();
        let gate = WalkGuard::new(engine);
        let starts = ignored.iter().filter_map(|path| {
            // Hidden entries are excluded here, because a start is searched whatever gate and filter say.
            let name = path.file_name()?.as_encoded_bytes();
            let located = (name.first() != Some(&b'.'))
                .then(|| engine.full_workspace().locate_as_spelled(path).ok())
                .flatten()?;
            let (kind, wanted) = match located.kind() {
                FileType::Directory => (EntryKind::Folder, true),
                FileType::File => (EntryKind::File, self.filter.wants_file(path)),
                _ => return None,
            };
            (wanted && located.path() == path && gate.may_read(path, kind))
                .then(|| WalkStart::new(located))
        });
        Scope {
            starts: starts.collect(),
            ..whole
        }
    }

    /// Returns the same scope without a filter on names.
    pub(super) fn with_all_names(&self) -> Self {
        Scope {
            filter: FileFilter::default(),
            ignoring: self.ignoring,
            ..self.with_ignored()
        }
    }

    pub(super) fn paths(&self) -> Vec<PathBuf> {
        self.starts
            .iter()
            .map(|start| start.path().to_path_buf())
            .collect()
    }

    pub(super) fn respects_rules(&self) -> bool {
        self.ignoring == IgnoreFiles::Respect
    }

    /// Runs the walk, and passes the parts of each thread to `work`.
    fn with_walk<T>(
        &self,
        context: &CallContext<'_>,
        limit: &SearchLimit<'_>,
        work: impl FnOnce(&Walk<'_>) -> T,
    ) -> T {
        let engine = context.engine();
        let gate = WalkGuard::new(engine);
        let excludes = global_excludes(engine);
        work(&Walk {
            starts: &self.starts,
            ignoring: self.ignoring,
            hidden: HiddenFiles::Skip,
            excludes: excludes.as_ref(),
            filter: &self.filter,
            named: &self.named,
            gate: &gate,
            stop: limit,
            progress: context.cancel.progress(),
            threads: thread_count(),
        })
    }

    /// Lists the files. A walk always runs to its end.
    pub(super) fn list_all_files(
        &self,
        context: &CallContext<'_>,
        limit: &SearchLimit<'_>,
        order: ResultOrder,
        _extent: SearchExtent,
    ) -> SearchSummary {
        let engine = context.engine();
        let links = LinkIndex::new(engine, engine.permissions.policy());
        let linked = |file: &WalkedFile<'_>, _: u64| links.may_show(file.path);
        self.with_walk(context, limit, |walk| {
            resident::search(
                context.shared_engine(),
                walk,
                |trees, scope| list_resident(trees, scope, walk, order, &linked),
                || list_files(walk, order, &linked),
            )
        })
    }

    /// Lists the files in which a pattern matches, with the number of matches. A walk always runs to its end.
    pub(super) fn list_matching_files(
        &self,
        context: &CallContext<'_>,
        limit: &SearchLimit<'_>,
        pattern: &Pattern,
        order: ResultOrder,
        extent: SearchExtent,
    ) -> SearchSummary {
        let engine = context.engine();
        // A hard link of a file that may not be shown is left out. It is not counted, because this check runs only on
        // files that match: the count would reveal their text.
        let links = LinkIndex::new(engine, engine.permissions.policy());
        let linked = |file: &WalkedFile<'_>, _: u64| links.may_show(file.path);
        let page = page_need(extent, order);
        self.with_walk(context, limit, |walk| {
            resident::search(
                context.shared_engine(),
                walk,
                |trees, scope| count_resident(trees, scope, walk, pattern, order, &linked, page),
                || {
                    let encodings = |path: &Path| configured_encoding(engine, path);
                    count_matches(walk, pattern, order, &encodings, &linked)
                },
            )
        })
    }
}

/// Returns what a search in memory must find before it may stop counting. Lists by path are paged by match, and those
/// by time by file.
fn page_need(extent: SearchExtent, order: ResultOrder) -> PageNeed {
    match extent {
        SearchExtent::Whole => PageNeed::ALL,
        SearchExtent::FirstEntries(entries) => PageNeed {
            entries,
            unit: match order {
                ResultOrder::Path => PageUnit::Matches,
                ResultOrder::Newest => PageUnit::Files,
            },
            counting: Some(EXTRA_COUNTING_TIME),
        },
    }
}

/// Returns the folders that a glob starts from, and the rest of the glob.
pub(super) fn glob_starts(
    engine: &EngineView,
    mut starts: Vec<WalkStart>,
    mut pattern: &str,
) -> Result<(Vec<WalkStart>, String), Refusal> {
    while let Some(rest) = pattern.strip_prefix("./") {
        pattern = rest;
    }
    // A pattern that is an absolute path starts at the folder that it names.
    let below = starts.iter().enumerate().find_map(|(at, start)| {
        let rest = pattern.strip_prefix(start.path().to_str()?)?;
        Some((at, rest.strip_prefix('/')?.to_owned()))
    });
    let pattern = match below {
        Some((at, rest)) => {
            starts = vec![starts.swap_remove(at)];
            format!("/{rest}")
        }
        None => match lead::split_off_outside_folder(engine, &starts, pattern)? {
            Some((start, rest)) => {
                starts = vec![start];
                format!("/{rest}")
            }
            None => pattern.to_owned(),
        },
    };
    Ok((starts, pattern))
}

/// Returns a path as answers name it, on one line.
pub(super) fn display_path(engine: &EngineView, path: &Path) -> String {
    let shown = engine
        .audience()
        .shorten_path(path, &engine.workspace.roots()[0]);
    match shown.to_str() {
        Some(name) => on_one_line(name),
        None => on_one_line(&shown.to_string_lossy()),
    }
}

/// Returns the absolute path of an entry of a list.
pub(super) fn path_of(starts: &[PathBuf], entry: &ListedFile) -> PathBuf {
    let start = &starts[entry.start.min(starts.len() - 1)];
    if entry.relative.as_os_str().is_empty() {
        return start.clone();
    }
    // `join` would reallocate the path that it has copied, and this is done for every file of a page.
    let length = start.as_os_str().len() + 1 + entry.relative.as_os_str().len();
    let mut path = PathBuf::with_capacity(length);
    path.push(start);
    path.push(&entry.relative);
    path
}

fn start_folders(
    context: &CallContext<'_>,
    path: Option<&str>,
) -> Result<(Vec<WalkStart>, Vec<String>), Refusal> {
    let engine = context.engine();
    let Some(path) = path.filter(|path| !path.is_empty()) else {
        let mut starts = Vec::with_capacity(engine.roots().len());
        let (mut notices, mut refusal) = (Vec::new(), None);
        for root in engine.roots() {
            // A root inside another root is searched with it.
            let inside = |other: &PathBuf| other != root && root.starts_with(other);
            if engine.roots().iter().any(inside) {
                continue;
            }
            // The start is located from the roots that lancet was opened on, so that ignore files above a narrowed root
            // still apply.
            match engine.full_workspace().locate_as_spelled(root) {
                Ok(located) => starts.push(WalkStart::new(located)),
                Err(LocateError::RootMoved { root }) => {
                    notices.push(format!(
                        "{} was not searched: it was moved, or removed and made again, after lancet had opened it",
                        quote_path(&root)
                    ));
                    refusal.get_or_insert_with(|| root_moved_refusal(&root));
                }
                Err(_) => {}
            }
        }
        return match refusal {
            Some(refusal) if starts.is_empty() => Err(refusal),
            _ => Ok((starts, notices)),
        };
    };
    let target = locate(engine, path, Intent::Show)?;
    match target.located.kind() {
        FileType::File | FileType::Directory => {}
        FileType::Missing | FileType::Special(_) => open::require_file(engine, &target)?,
    }
    // Answers name paths relative to the root anyway, so a relative path needs no notice.
    let notices = if target.located.is_respelled() {
        vec![format!("searched {}", quote_path(target.path()))]
    } else {
        Vec::new()
    };
    Ok((vec![WalkStart::new(target.located)], notices))
}

fn ignore_files(include_ignored: bool) -> IgnoreFiles {
    if include_ignored {
        IgnoreFiles::Include
    } else {
        IgnoreFiles::Respect
    }
}

/// Returns the number of threads of a walk. The system is queried once, because that takes eighteen system calls, among
/// them reads of the control group's files.
pub(super) fn thread_count() -> usize {
    static THREADS: OnceLock<usize> = OnceLock::new();
    *THREADS.get_or_init(|| {
        std::thread::available_parallelism().map_or(1, |cores| cores.get().min(MAX_THREADS))
    })
}
