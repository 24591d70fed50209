//! The same searches, run by lancet.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use lancet_search::{
    AllowAll, ExcerptRange, Excludes, FileFilter, FileSearcher, HiddenFiles, IgnoreFiles, LineRole,
    LiteralNames, Pattern, ResultOrder, SearchProgress, SearchSummary, Walk, WalkStart,
    count_matches, list_files,
};
use lancet_workspace::{RealDisk, Workspace};

use crate::judge::ShownLines;
use crate::tree::Tree;

/// The scope of a search.
#[derive(Clone, Debug)]
pub(crate) struct Scope {
    /// The path from the root; empty for the root itself.
    pub(crate) path: PathBuf,
    pub(crate) ignoring: IgnoreFiles,
    pub(crate) glob: Option<String>,
    pub(crate) kind: Option<String>,
}

/// The result of a search, by path from the root.
pub(crate) struct Answer {
    pub(crate) files: Vec<PathBuf>,
    pub(crate) counts: BTreeMap<PathBuf, u64>,
    pub(crate) lines: BTreeMap<PathBuf, ShownLines>,
}

/// The pattern to search for; without one the files are listed.
pub(crate) struct Wanted<'p> {
    pub(crate) pattern: &'p Pattern,
    pub(crate) before: usize,
    pub(crate) after: usize,
}

/// Creates the walk of a scope and passes it on, with the workspace and the start's path.
pub(crate) fn with_walk<T>(
    tree: &Tree,
    scope: &Scope,
    work: impl FnOnce(&Walk<'_>, &Workspace, &Path) -> T,
) -> T {
    let workspace =
        Workspace::open(std::slice::from_ref(&tree.root), Arc::new(RealDisk), None).expect("opens");
    let start = tree.root.join(&scope.path);
    let located = workspace.locate(&start).expect("it is there");
    let starts = [WalkStart::new(located)];
    let globs: Vec<&str> = scope.glob.as_deref().into_iter().collect();
    let mut filter = FileFilter::default();
    if !globs.is_empty() {
        filter = filter
            .with_globs(&[&tree.root], &globs)
            .expect("understood");
    }
    if let Some(kind) = &scope.kind {
        filter = filter.with_type(kind).expect("a known type");
    }
    let excludes = excludes(tree);
    let walk = Walk {
        starts: &starts,
        ignoring: scope.ignoring,
        hidden: HiddenFiles::Skip,
        excludes: Some(&excludes),
        filter: &filter,
        named: &LiteralNames::new(globs),
        gate: &AllowAll,
        stop: &|| false,
        progress: &SearchProgress::default(),
        threads: 2,
    };
    work(&walk, &workspace, &start)
}

pub(crate) fn excludes(tree: &Tree) -> Excludes {
    Excludes {
        file: tree.home.join("git/ignore"),
        relative_to: tree.root.clone(),
    }
}

pub(crate) fn answer(tree: &Tree, scope: &Scope, wanted: Option<&Wanted<'_>>) -> Answer {
    with_walk(tree, scope, |walk, workspace, start| {
        answer_of(tree, walk, workspace, start, wanted)
    })
}

fn answer_of(
    tree: &Tree,
    walk: &Walk<'_>,
    workspace: &Workspace,
    start: &Path,
    wanted: Option<&Wanted<'_>>,
) -> Answer {
    let Some(wanted) = wanted else {
        let mut survey = list_files(walk, ResultOrder::Path, &|_, _| true);
        return Answer {
            files: paths(tree, start, &mut survey),
            counts: BTreeMap::new(),
            lines: BTreeMap::new(),
        };
    };
    let mut survey = count_matches(
        walk,
        wanted.pattern,
        ResultOrder::Path,
        &|_| None,
        &|_, _| true,
    );
    assert_eq!(survey.total, survey.files.len() as u64);
    assert_eq!(
        survey.matches,
        survey
            .files
            .all_entries()
            .iter()
            .map(|file| file.matches)
            .sum::<u64>()
    );
    let files = paths(tree, start, &mut survey);
    let counts = files
        .iter()
        .cloned()
        .zip(survey.files.all_entries().iter().map(|file| file.matches))
        .collect();
    let mut lines = BTreeMap::new();
    let from_memory = FileSearcher::new(wanted.pattern, &|| false);
    for path in &files {
        let located = workspace
            .locate(&tree.root.join(path))
            .expect("it is there");
        let extent = ExcerptRange {
            skip: 0,
            take: u64::MAX,
            before: wanted.before,
            after: wanted.after,
            most_bytes: usize::MAX,
        };
        let excerpt = FileSearcher::new(wanted.pattern, &|| false)
            .excerpt_of_file(located.open_reader(), None, extent)
            .expect("it was searched before");
        let bytes = std::fs::read(tree.root.join(path)).expect("read");
        assert_eq!(
            from_memory.excerpt_of_bytes(&bytes, None, extent).as_ref(),
            Ok(&excerpt),
            "{path:?} in memory"
        );
        let shown = excerpt.lines.into_iter().map(|line| {
            let cut = line.left_out != (0, 0);
            let bytes = if cut { b"(cut)".to_vec() } else { line.bytes };
            (line.number, line.role == LineRole::Match, bytes)
        });
        lines.insert(path.clone(), shown.collect());
    }
    Answer {
        files,
        counts,
        lines,
    }
}

fn paths(tree: &Tree, start: &Path, survey: &mut SearchSummary) -> Vec<PathBuf> {
    survey
        .files
        .all_entries()
        .iter()
        .map(|file| {
            let path = if file.relative.as_os_str().is_empty() {
                start.to_path_buf()
            } else {
                start.join(&file.relative)
            };
            path.strip_prefix(&tree.root)
                .expect("below the root")
                .to_path_buf()
        })
        .collect()
}
