//! Import cycles: files of a crate that use each other, directly or through others. A file in a cycle cannot be
//! understood before the rest of the cycle, so the largest cycle of each crate may not grow.
//!
//! Imports are read from the code: `use` declarations, and paths that begin with `crate`, `super`, `self` or a child,
//! such as `child::run()` in the parent. An import of a name that a module only re-exports counts as an import from the
//! file that defines it, and does not count if that is another crate.

mod code;
mod declaration;
mod imports;

use std::collections::BTreeMap;

use super::Finding;
use crate::repository::Repository;
use imports::Modules;

/// The maximum number of files in a cycle, for each crate. Lower a number when a change makes the cycle smaller.
const LARGEST: [(&str, usize); 14] = [
    ("cli", 7),
    ("formats", 3),
    ("history", 3),
    ("lancet", 7),
    ("language", 2),
    ("mcp", 2),
    ("model", 7),
    ("policy", 2),
    ("search", 5),
    ("settings", 7),
    ("text", 4),
    ("tools", 5),
    ("web", 4),
    ("workspace", 6),
];

/// Checks that no crate has a larger cycle than the table allows.
pub(super) fn largest(repository: &Repository) -> Vec<Finding> {
    let mut crates: BTreeMap<&str, Vec<(&str, &str)>> = BTreeMap::new();
    for file in repository.rust().filter(|file| file.is_source()) {
        if let Some(name) = file.crate_folder() {
            let files = crates.entry(name).or_default();
            files.push((file.path, file.outside_tests()));
        }
    }
    let mut findings = Vec::new();
    for (name, files) in crates {
        let circle = largest_circle(&files);
        let allowed = LARGEST.iter().find(|(known, _)| *known == name);
        let allowed = allowed.map_or(1, |(_, size)| *size);
        if circle.len() > allowed {
            findings.push(Finding::of_file(
                circle[0],
                format!(
                    "this file is in an import circle of {} files, and crates/{name} may have {allowed}: move what they share into a file that none of them owns ({})",
                    circle.len(),
                    circle.join(" ")
                ),
            ));
        }
    }
    findings
}

/// Returns the largest set of files that all reach each other by imports, in the order of their paths.
fn largest_circle<'f>(files: &[(&'f str, &str)]) -> Vec<&'f str> {
    let modules = Modules::with_files(files);
    let arrows: Vec<Vec<usize>> = (0..files.len()).map(|at| modules.imports(at)).collect();
    let mut largest = Vec::new();
    for circle in strongly_connected(&arrows) {
        if circle.len() > largest.len() {
            largest = circle;
        }
    }
    largest.sort_unstable();
    largest.into_iter().map(|at| files[at].0).collect()
}

/// Returns the strongly connected components of a graph by Tarjan's algorithm, without recursion.
fn strongly_connected(arrows: &[Vec<usize>]) -> Vec<Vec<usize>> {
    const UNSEEN: usize = usize::MAX;
    let (mut index, mut low) = (vec![UNSEEN; arrows.len()], vec![0; arrows.len()]);
    let (mut stack, mut on_stack) = (Vec::new(), vec![false; arrows.len()]);
    let (mut next, mut found) = (0, Vec::new());
    for root in 0..arrows.len() {
        if index[root] != UNSEEN {
            continue;
        }
        // Each frame is a node and the number of its edges that were followed.
        let mut frames = vec![(root, 0)];
        while let Some((node, followed)) = frames.pop() {
            if followed == 0 {
                (index[node], low[node]) = (next, next);
                next += 1;
                stack.push(node);
                on_stack[node] = true;
            }
            if let Some(&to) = arrows[node].get(followed) {
                frames.push((node, followed + 1));
                if index[to] == UNSEEN {
                    frames.push((to, 0));
                } else if on_stack[to] {
                    low[node] = low[node].min(index[to]);
                }
                continue;
            }
            if let Some(&(parent, _)) = frames.last() {
                low[parent] = low[parent].min(low[node]);
            }
            if low[node] == index[node] {
                let start = stack.iter().rposition(|&at| at == node).unwrap_or(0);
                let component = stack.split_off(start);
                for &at in &component {
                    on_stack[at] = false;
                }
                found.push(component);
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn circle(files: &[(&'static str, &str)]) -> Vec<&'static str> {
        largest_circle(files)
    }

    #[test]
    fn files_that_use_each_other_are_a_circle() {
        let found = circle(&[
            ("crates/x/src/a.rs", "use crate::b::B;\n"),
            ("crates/x/src/b.rs", "use super::c::{self, C};\n"),
            ("crates/x/src/c.rs", "fn f() { crate::a::run() }\n"),
            ("crates/x/src/d.rs", "use crate::a::A;\n"),
            ("crates/x/src/lib.rs", "mod a;\nmod b;\nmod c;\nmod d;\n"),
        ]);
        assert_eq!(
            found,
            [
                "crates/x/src/a.rs",
                "crates/x/src/b.rs",
                "crates/x/src/c.rs"
            ]
        );
    }

    #[test]
    fn an_import_of_a_re_exported_name_goes_to_its_file() {
        let found = circle(&[
            (
                "crates/x/src/lib.rs",
                "mod stages;\nmod plan;\npub use stages::run;\n",
            ),
            (
                "crates/x/src/stages.rs",
                "mod desk;\npub(crate) use desk::Desk;\nuse crate::plan::Plan;\nfn run() {}\n",
            ),
            ("crates/x/src/stages/desk.rs", "pub(crate) struct Desk;\n"),
            ("crates/x/src/plan.rs", "use crate::stages::Desk;\n"),
        ]);
        assert_eq!(found.len(), 1, "{found:?}");
    }

    #[test]
    fn a_call_into_a_child_is_an_import() {
        let found = circle(&[
            (
                "crates/x/src/page.rs",
                "mod list;\npub struct Page;\nfn f() { list::routes() }\n",
            ),
            (
                "crates/x/src/page/list.rs",
                "use super::Page;\npub fn routes() {}\n",
            ),
            ("crates/x/src/lib.rs", "mod page;\n"),
        ]);
        assert_eq!(found, ["crates/x/src/page.rs", "crates/x/src/page/list.rs"]);
    }

    #[test]
    fn a_path_of_a_visibility_is_no_import() {
        let found = circle(&[
            (
                "crates/x/src/page.rs",
                "mod list;\nfn f() { list::routes() }\n",
            ),
            (
                "crates/x/src/page/list.rs",
                "pub(in crate::page) fn routes() {}\n",
            ),
        ]);
        assert_eq!(found.len(), 1, "{found:?}");
    }

    #[test]
    fn an_inline_module_of_re_exports_is_no_file_of_its_names() {
        let found = circle(&[
            (
                "crates/x/src/lib.rs",
                "mod engine;\nmod plan;\npub mod formats {\n    pub use below::Format;\n    pub use crate::plan::Plan;\n    pub use more::*;\n}\npub fn open() { engine::open() }\n",
            ),
            (
                "crates/x/src/engine.rs",
                "use crate::formats::{Format, Other, Plan};\npub fn open() {}\n",
            ),
            (
                "crates/x/src/plan.rs",
                "use crate::engine::open;\npub struct Plan;\n",
            ),
        ]);
        assert_eq!(found, ["crates/x/src/engine.rs", "crates/x/src/plan.rs"]);
    }

    #[test]
    fn comments_and_strings_import_nothing() {
        let found = circle(&[
            (
                "crates/x/src/a.rs",
                "// crate::b::B\nconst S: &str = \"crate::b::B\";\n",
            ),
            ("crates/x/src/b.rs", "use crate::a::A;\n"),
        ]);
        assert_eq!(found.len(), 1, "{found:?}");
    }

    #[test]
    fn a_crate_that_is_not_in_the_table_has_no_circle() {
        let repository = Repository::with_files(&[
            ("crates/new/src/a.rs", "use crate::b::B;\n"),
            ("crates/new/src/b.rs", "use crate::a::A;\n"),
        ]);
        assert_eq!(largest(&repository).len(), 1);
    }
}
