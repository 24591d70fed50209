//! Only `workspace` touches the user's files. Every other file that accesses the disk is listed here, with the reason.

use super::Finding;
use crate::repository::Repository;

/// Texts in source code that access the disk: modules and types of file access, and the methods of `Path` that make a
/// system call. They are searched as plain text, so a method of that name on another type is reported, too.
const WAYS: [&str; 14] = [
    "std::fs",
    "rustix::fs",
    "File::open",
    "File::create",
    "OpenOptions",
    ".canonicalize()",
    ".exists()",
    ".is_dir()",
    ".is_file()",
    ".is_symlink()",
    ".metadata()",
    ".read_dir()",
    ".read_link()",
    ".try_exists()",
];

/// Source files, or folders with everything below them, that may access the disk, and why.
const EXCEPTIONS: [(&str, &str); 12] = [
    ("crates/workspace/src/", "the door to the disk"),
    (
        "crates/search/src/rules.rs",
        "ignore files and git's own excludes, read for their rules and never shown",
    ),
    (
        "crates/search/src/index/rule_files.rs",
        "whether these ignore files are as they were",
    ),
    (
        "crates/history/src/",
        "the state folder, never a file of the user",
    ),
    (
        "crates/local-state/src/",
        "the state folder, never a file of the user",
    ),
    (
        "crates/cli/src/",
        "settings, the state folder, and texts handed over with --old-file and its like",
    ),
    (
        "crates/pdf/src/worker/confinement.rs",
        "its test tries to open files, which the confined worker cannot",
    ),
    (
        "crates/serving/src/",
        "the terminal, programs that the settings name, the folders made for them, and the tokens in the state folder",
    ),
    (
        "crates/testing/src/",
        "fixtures of tests, which write files past lancet",
    ),
    (
        "crates/language/src/entry.rs",
        "which version a program on the person's path has: the `package.json` around it",
    ),
    (
        "crates/lancet/src/engine/permissions.rs",
        "whether the folders of `read_roots` exist, before a workspace is opened on them",
    ),
    (
        "crates/settings/src/keep.rs",
        "which folder above the settings file exists, before a workspace is opened on it",
    ),
];

/// Checks that no other source file accesses the disk.
pub(super) fn only_workspace(repository: &Repository) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in repository.rust() {
        let free = file.crate_folder().is_none()
            || !file.is_source()
            || EXCEPTIONS
                .iter()
                .any(|(start, _)| file.path.starts_with(start));
        if free {
            continue;
        }
        for (number, line) in file.outside_tests().lines().enumerate() {
            if line.trim_start().starts_with("//") {
                continue;
            }
            if let Some(way) = WAYS.iter().find(|way| line.contains(**way)) {
                findings.push(Finding::at(
                    file.path,
                    number + 1,
                    format!("{way}: only crates/workspace touches the disk; go through it, or state the reason in xtask/src/tidy/disk.rs"),
                ));
            }
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_way_to_the_disk_in_the_core_is_found_with_its_line() {
        let repository = Repository::with_files(&[(
            "crates/lancet/src/examine.rs",
            "//! Examine.\nfn read() {\n    let _ = std::fs::read(\"a\");\n}\n",
        )]);
        let found = only_workspace(&repository);
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].line, 3);
    }

    #[test]
    fn a_method_of_path_that_makes_a_system_call_is_found() {
        let repository = Repository::with_files(&[(
            "crates/lancet/src/examine.rs",
            "//! Examine.\nfn is_there(path: &Path) -> bool {\n    path.is_dir() || path.exists()\n}\n",
        )]);
        let found = only_workspace(&repository);
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].line, 3);
    }

    #[test]
    fn workspace_tests_and_comments_are_free() {
        let repository = Repository::with_files(&[
            ("crates/workspace/src/disk.rs", "//! Disk.\nuse std::fs;\n"),
            ("crates/lancet/tests/laws.rs", "//! Laws.\nuse std::fs;\n"),
            (
                "crates/model/src/reply.rs",
                "//! Reply.\n// Not std::fs.\n\n#[cfg(test)]\nmod tests {\n    use std::fs;\n}\n",
            ),
        ]);
        assert_eq!(only_workspace(&repository), []);
    }
}
