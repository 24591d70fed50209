//! Answers searches from resident trees where they can, and has trees built and maintained in the background.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Weak};
use std::time::Duration;

use lancet_search::{
    CannotAnswer, IndexScope, NotResident, Pattern, ResidentTree, SearchSummary, TreeIndex, Walk,
    WalkStart,
};

use super::gate::WalkGuard;
use super::rules_of_files::{configured_encoding, global_excludes};
use crate::engine::{BuildOrder, EngineState, EngineView, RefillOrder};

/// How often the maintenance thread checks idle trees.
const MAINTENANCE_INTERVAL: Duration = Duration::from_secs(30);

/// Answers from resident trees, else by the walk.
pub(super) fn search(
    view: &Arc<EngineView>,
    walk: &Walk<'_>,
    ask: impl FnOnce(&[Arc<ResidentTree>], &IndexScope<'_>) -> Result<SearchSummary, CannotAnswer>,
    by_walk: impl FnOnce() -> SearchSummary,
) -> SearchSummary {
    let roots = &view.base().resident;
    let starts: Vec<&Path> = walk.starts.iter().map(WalkStart::path).collect();
    let rules = view.rules_in_force();
    if let Some(trees) = roots.resident_trees(&rules, &starts) {
        let scope = IndexScope {
            excludes: walk.excludes,
            gate: walk.gate,
            encodings: &|path| configured_encoding(view, path),
            stop: walk.stop,
        };
        match ask(&trees, &scope) {
            Ok(summary) => {
                if let Some(order) = roots.count_answer(&trees) {
                    refill_contents(view, order);
                }
                return summary;
            }
            Err(CannotAnswer::Walk) => return by_walk(),
            Err(CannotAnswer::Lost(at, why)) => roots.drop_tree(&trees[at], why),
        }
    }
    let summary = by_walk();
    let tally = &summary.tally;
    let files = tally.searched + tally.binary + tally.unreadable;
    if let Some(order) = roots.count_walk(&rules, view.all_roots(), &starts, files) {
        build_tree(view, order);
    }
    summary
}

/// With more ignored entries, a walk finds them as quickly.
const MAX_IGNORED_ENTRIES: usize = 1_000;

/// Returns the entries below some folders that ignore files exclude, where all these folders are resident; without
/// files that cannot match a pattern.
pub(super) fn ignored_entries_below(
    view: &EngineView,
    starts: &[WalkStart],
    pattern: Option<&Pattern>,
) -> Option<Vec<PathBuf>> {
    let found = with_scope(view, |scope| {
        collect_from_trees(view, starts, |tree, start| {
            tree.ignored_below(scope, start, pattern)
        })
    })?;
    (found.len() <= MAX_IGNORED_ENTRIES).then_some(found)
}

/// Files below some folders whose names contain a text, where all these folders are resident.
pub(super) fn files_with_similar_name(
    view: &EngineView,
    starts: &[WalkStart],
    text: &str,
    most: usize,
) -> Option<Vec<PathBuf>> {
    collect_from_trees(view, starts, |tree, start| {
        tree.files_named_like(start, text, most)
    })
}

fn collect_from_trees<T>(
    view: &EngineView,
    starts: &[WalkStart],
    ask: impl Fn(&ResidentTree, &Path) -> Option<Vec<T>>,
) -> Option<Vec<T>> {
    let paths: Vec<&Path> = starts.iter().map(WalkStart::path).collect();
    let trees = view
        .base()
        .resident
        .resident_trees(&view.rules_in_force(), &paths)?;
    let mut all = Vec::new();
    for path in paths {
        all.extend(trees.iter().find_map(|tree| ask(tree, path))?);
    }
    Some(all)
}

/// Builds a tree on a thread of the lowest priority.
fn build_tree(view: &Arc<EngineView>, order: BuildOrder) {
    let root = order.root.clone();
    let shared = Arc::clone(view);
    let begun = std::thread::Builder::new()
        .name("lancet-index".to_owned())
        .spawn(move || {
            lancet_workspace::lower_priority();
            let built = read_index(&shared, &order);
            let roots = &shared.base().resident;
            roots.record_build(order, built);
            if roots.needs_caretaker() {
                let (base, view) = (shared.weak_base(), Arc::downgrade(&shared));
                drop(shared);
                maintain_trees(&base, &view);
            }
        });
    if begun.is_err() {
        view.base().resident.record_build_start_failure(&root);
    }
}

/// Reads contents into memory again, on a thread of the lowest priority, unless the settings change in the meantime.
fn refill_contents(view: &Arc<EngineView>, order: RefillOrder) {
    let view = Arc::downgrade(view);
    // If the system cannot start a thread, searches continue to read from the disk.
    let _ = std::thread::Builder::new()
        .name("lancet-index".to_owned())
        .spawn(move || {
            lancet_workspace::lower_priority();
            let is_over = || view.strong_count() == 0;
            order.tree.reload_contents(order.contents, &is_over);
        });
}

fn read_index(view: &EngineView, order: &BuildOrder) -> Result<TreeIndex, NotResident> {
    let located = view
        .full_workspace()
        .locate_as_spelled(&order.root)
        .map_err(|_| NotResident::Unreadable)?;
    with_scope(view, |scope| {
        TreeIndex::build_index(
            scope,
            &WalkStart::new(located),
            order.contents,
            &order.budget,
            &order.watches,
        )
    })
}

fn with_scope<T>(view: &EngineView, work: impl FnOnce(&IndexScope<'_>) -> T) -> T {
    let excludes = global_excludes(view);
    work(&IndexScope {
        excludes: excludes.as_ref(),
        gate: &WalkGuard::new(view),
        encodings: &|path| configured_encoding(view, path),
        stop: &|| false,
    })
}

/// Maintains idle trees until none is left, the settings change, or the engine is closed.
fn maintain_trees(base: &Weak<EngineState>, view: &Weak<EngineView>) {
    loop {
        std::thread::park_timeout(MAINTENANCE_INTERVAL);
        let Some(base) = base.upgrade() else { return };
        let Some(view) = view.upgrade() else {
            // The trees were built under settings that no longer apply.
            base.resident.release_all();
            return;
        };
        let Some(due) = base.resident.release_idle() else {
            return;
        };
        for tree in due {
            sweep_tree(&view, &tree);
        }
    }
}

fn sweep_tree(view: &EngineView, tree: &Arc<ResidentTree>) {
    let swept = with_scope(view, |scope| tree.compare_with_disk(scope));
    if let Err(why) = swept {
        view.base().resident.drop_tree(tree, why);
    }
}
