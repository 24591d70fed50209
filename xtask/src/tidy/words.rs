//! Words that do not belong in the repository: notes about unfinished work, registry hosts, disabled tests. The words
//! are assembled from halves here, so that this file does not break its own rules.

use super::Finding;
use crate::house::House;

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
pub(super) fn unfinished(house: &House) -> Vec<Finding> {
    search(house, &UNFINISHED, "finish it or leave it out", |path| {
        !is_data(path)
    })
}

/// Checks that no file names the host of a package registry.
pub(super) fn registries(house: &House) -> Vec<Finding> {
    search(
        house,
        &REGISTRIES,
        "names a registry's host; packages are named, hosts are not",
        |_| true,
    )
}

/// Checks that no test is switched off.
pub(super) fn ignored_tests(house: &House) -> Vec<Finding> {
    search(house, &[IGNORED], "a test that is there runs", |path| {
        path.ends_with(".rs")
    })
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
    house: &House,
    words: &[&str],
    advice: &str,
    looked_at: impl Fn(&str) -> bool,
) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in house.texts().filter(|file| looked_at(file.path)) {
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
        let house = House::of(&[
            ("crates/text/src/a.rs", &note),
            ("acceptance/cases/01.json", &note),
        ]);
        let found = unfinished(&house);
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
        let house = House::of(&[("clients/typescript/package-lock.json", &lock)]);
        assert_eq!(registries(&house).len(), 1);
    }

    #[test]
    fn an_ignored_test_is_found() {
        let text = format!("//! A.\n#[test]\n{}]\nfn a() {{}}\n", IGNORED);
        let house = House::of(&[("crates/text/tests/a.rs", &text)]);
        assert_eq!(ignored_tests(&house).len(), 1);
    }
}
