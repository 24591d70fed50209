//! Words that do not belong in the repository: notes about unfinished work, registry hosts, disabled tests. The words
//! are assembled from halves here, so that this file does not break its own rules.

use super::Finding;
use crate::repository::Repository;

const UNFINISHED: [&str; 3] = [
    concat!("TO", "DO"),
    concat!("FIX", "ME"),
    concat!("XX", "X:"),
];

/// Hosts of package registries. The machine decides where packages come from, because it may have a mirror.
const REGISTRIES: [&str; 8] = [
    concat!("npm", "js.org"),
    concat!("npm", "js.com"),
    concat!("yarn", "pkg.com"),
    concat!("py", "pi.org"),
    concat!("python", "hosted.org"),
    concat!("index.", "crates.io"),
    concat!("static.", "crates.io"),
    concat!("deb.", "debian.org"),
];

const IGNORED: &str = concat!("#[ig", "nore");

/// Checks that no file contains a note about unfinished work.
pub(super) fn unfinished(repository: &Repository) -> Vec<Finding> {
    search(
        repository,
        &UNFINISHED,
        "finish it or leave it out",
        |path| !is_data(path),
    )
}

/// Checks that no file names the host of a package registry.
pub(super) fn registries(repository: &Repository) -> Vec<Finding> {
    search(
        repository,
        &REGISTRIES,
        "names a registry's host; packages are named, hosts are not",
        |_| true,
    )
}

/// Checks that no test is switched off.
pub(super) fn ignored_tests(repository: &Repository) -> Vec<Finding> {
    search(
        repository,
        &[IGNORED],
        "a test that is there runs",
        |path| path.ends_with(".rs"),
    )
}

/// Returns whether a path is test data, in which such words are not notes. Unit tests, which contain such words as
/// data, are excluded by [`search`].
fn is_data(path: &str) -> bool {
    path.starts_with("acceptance/cases/")
        || path
            .split('/')
            .any(|part| matches!(part, "tests" | "tests.rs"))
        || path.starts_with("fuzz/corpus/")
        || path.ends_with(".lock")
        || path.ends_with("-lock.json")
}

fn search(
    repository: &Repository,
    words: &[&str],
    advice: &str,
    looked_at: impl Fn(&str) -> bool,
) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in repository.texts().filter(|file| looked_at(file.path)) {
        let text = if words == UNFINISHED {
            file.outside_tests()
        } else {
            file.text
        };
        for (number, line) in text.lines().enumerate() {
            if let Some(word) = words.iter().find(|word| line.contains(**word)) {
                findings.push(Finding::at(
                    file.path,
                    number + 1,
                    format!("`{word}`: {advice}"),
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
    fn unfinished_work_is_found_but_not_in_test_material() {
        let note = format!("//! A.\n// {} soon\n", UNFINISHED[0]);
        let repository = Repository::with_files(&[
            ("crates/text/src/a.rs", &note),
            ("acceptance/cases/01.json", &note),
        ]);
        let found = unfinished(&repository);
        assert_eq!(found.len(), 1);
        assert_eq!(
            (found[0].path.as_str(), found[0].line),
            ("crates/text/src/a.rs", 2)
        );
    }

    #[test]
    fn a_registry_host_in_a_lock_file_is_found() {
        let lock = format!(
            "{{\"resolved\": \"https://registry.{}/a.tgz\"}}",
            REGISTRIES[0]
        );
        let repository = Repository::with_files(&[("clients/typescript/package-lock.json", &lock)]);
        assert_eq!(registries(&repository).len(), 1);
    }

    #[test]
    fn an_ignored_test_is_found() {
        let text = format!("//! A.\n#[test]\n{}]\nfn a() {{}}\n", IGNORED);
        let repository = Repository::with_files(&[("crates/text/tests/a.rs", &text)]);
        assert_eq!(ignored_tests(&repository).len(), 1);
    }
}
