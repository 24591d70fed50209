//! Answers searches from resident trees where they can, and has trees built and maintained in the background.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Weak};
use std::time::Duration;

use lancet_search::{
    Index, IndexScope, NotResident, Pattern, ResidentTree, SearchSummary, Start, Unanswered, Walk,
};

use super::gate::Guard;
use super::rules_of_files::{encoding, excludes};
use crate::engine::{BuildOrder, EngineState, EngineView, RefillOrder};

/// How often the maintenance thread checks idle trees.
const LOOKED_AFTER_EVERY: Duration = Duration::from_secs(30);

/// Answers from resident trees, else by the walk.
pub(super) fn search(
    view: &Arc<EngineView>,
    walk: &Walk<'_>,
    ask: impl FnOnce(&[Arc<ResidentTree>], &IndexScope<'_>) -> Result<SearchSummary, Unanswered>,
    by_walk: impl FnOnce() -> SearchSummary,
) -> SearchSummary {
    let roots = &view.base().resident;
    let starts: Vec<&Path> = walk.starts.iter().map(Start::path).collect();
    let rules = view.rules_in_force();
    if let Some(trees) = roots.trees(&rules, &starts) {
        let scope = IndexScope {
            excludes: walk.excludes,
            gate: walk.gate,
            encodings: &|path| encoding(view, path),
            stop: walk.stop,
        };
        match ask(&trees, &scope) {
            Ok(summary) => {
                if let Some(order) = roots.answered(&trees) {
                    refill(view, order);
                }
                return summary;
            }
            Err(Unanswered::Walk) => return by_walk(),
            Err(Unanswered::Lost(at, why)) => roots.lost(&trees[at], why),
        }
    }
    let summary = by_walk();
    let tally = &summary.tally;
    let files = tally.searched + tally.binary + tally.unreadable;
    if let Some(order) = roots.walked(&rules, view.all_roots(), &starts, files) {
        build(view, order);
    }
    summary
}

/// With more ignored entries, a walk finds them as quickly.
const MOST_IGNORED: usize = 1_000;

/// Returns the entries below some folders that ignore files exclude, where all these folders are resident; without
/// files that cannot match a pattern.
pub(super) fn ignored_below(
    view: &EngineView,
    starts: &[Start],
    pattern: Option<&Pattern>,
) -> Option<Vec<PathBuf>> {
    let found = with_scope(view, |scope| {
        in_trees(view, starts, |tree, start| {
            tree.ignored_below(scope, start, pattern)
        })
    })?;
    (found.len() <= MOST_IGNORED).then_some(found)
}

/// Files below some folders whose names contain a text, where all these folders are resident.
pub(super) fn named_like(
    view: &EngineView,
    starts: &[Start],
    text: &str,
    most: usize,
) -> Option<Vec<PathBuf>> {
    in_trees(view, starts, |tree, start| {
        tree.named_like(start, text, most)
    })
}

fn in_trees<T>(
    view: &EngineView,
    starts: &[Start],
    ask: impl Fn(&ResidentTree, &Path) -> Option<Vec<T>>,
) -> Option<Vec<T>> {
    let paths: Vec<&Path> = starts.iter().map(Start::path).collect();
    let trees = view.base().resident.trees(&view.rules_in_force(), &paths)?;
    let mut all = Vec::new();
    for path in paths {
        all.extend(trees.iter().find_map(|tree| ask(tree, path))?);
    }
    Some(all)
}

/// Builds a tree on a thread of the lowest priority.
fn build(view: &Arc<EngineView>, order: BuildOrder) {
    let root = order.root.clone();
    let shared = Arc::clone(view);
    let begun = std::thread::Builder::new()
        .name("lancet-index".to_owned())
        .spawn(move || {
            lancet_workspace::lower_priority();
            let built = read(&shared, &order);
            let roots = &shared.base().resident;
            roots.built(order, built);
            if roots.needs_caretaker() {
                let (base, view) = (shared.weak_base(), Arc::downgrade(&shared));
                drop(shared);
                look_after(&base, &view);
            }
        });
    if begun.is_err() {
        view.base().resident.not_begun(&root);
    }
}

/// Reads contents into memory again, on a thread of the lowest priority, unless the settings change in the meantime.
fn refill(view: &Arc<EngineView>, order: RefillOrder) {
    let view = Arc::downgrade(view);
    // If the system cannot start a thread, searches continue to read from the disk.
    let _ = std::thread::Builder::new()
        .name("lancet-index".to_owned())
        .spawn(move || {
            lancet_workspace::lower_priority();
            let is_over = || view.strong_count() == 0;
            order.tree.take_contents_back(order.contents, &is_over);
        });
}

fn read(view: &EngineView, order: &BuildOrder) -> Result<Index, NotResident> {
    let located = view
        .ceiling()
        .locate_as_spelled(&order.root)
        .map_err(|_| NotResident::Unreadable)?;
    with_scope(view, |scope| {
        Index::build(
            scope,
            &Start::new(located),
            order.contents,
            &order.budget,
            &order.watches,
        )
    })
}

fn with_scope<T>(view: &EngineView, work: impl FnOnce(&IndexScope<'_>) -> T) -> T {
    let excludes = excludes(view);
    work(&IndexScope {
        excludes: excludes.as_ref(),
        gate: &Guard::new(view),
        encodings: &|path| encoding(view, path),
        stop: &|| false,
    })
}

/// Maintains idle trees until none is left, the settings change, or the engine is closed.
fn look_after(base: &Weak<EngineState>, view: &Weak<EngineView>) {
    loop {
        std::thread::park_timeout(LOOKED_AFTER_EVERY);
        let Some(base) = base.upgrade() else { return };
        let Some(view) = view.upgrade() else {
            // The trees were built under settings that no longer apply.
            base.resident.give_back();
            return;
        };
        let Some(due) = base.resident.due() else {
            return;
        };
        for tree in due {
            sweep(&view, &tree);
        }
    }
}

fn sweep(view: &EngineView, tree: &Arc<ResidentTree>) {
    let swept = with_scope(view, |scope| tree.sweep(scope));
    if let Err(why) = swept {
        view.base().resident.lost(tree, why);
    }
}
