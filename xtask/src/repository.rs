//! The repository for the tidy rules: every file that is, or could be, committed, by its path from the top folder.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, ensure};

/// The files of the repository. Rules read this and never the disk, so that a test can pass in other files.
pub(crate) struct Repository {
    files: BTreeMap<String, Vec<u8>>,
}

/// One text file, with the properties that rules use.
#[derive(Clone, Copy)]
pub(crate) struct File<'h> {
    pub(crate) path: &'h str,
    pub(crate) text: &'h str,
}

impl Repository {
    /// Reads the files that git tracks or would add.
    pub(crate) fn open() -> anyhow::Result<Repository> {
        let top = top();
        let listing = Command::new("git")
            .args([
                "ls-files",
                "-z",
                "--cached",
                "--others",
                "--exclude-standard",
            ])
            .current_dir(&top)
            .output()
            .context("git ls-files")?;
        ensure!(
            listing.status.success(),
            "git ls-files: {}",
            String::from_utf8_lossy(&listing.stderr)
        );
        let mut files = BTreeMap::new();
        for name in listing.stdout.split(|byte| *byte == 0) {
            let name = String::from_utf8_lossy(name).into_owned();
            // A file that is deleted but still in the index is left out.
            if let Ok(bytes) = std::fs::read(top.join(&name)) {
                files.insert(name, bytes);
            }
        }
        Ok(Repository { files })
    }

    /// Creates a repository of these files, for tests.
    #[cfg(test)]
    pub(crate) fn with_files(files: &[(&str, &str)]) -> Repository {
        Repository {
            files: files
                .iter()
                .map(|(path, text)| ((*path).to_owned(), text.as_bytes().to_vec()))
                .collect(),
        }
    }

    /// Iterates over every file that is UTF-8 text.
    pub(crate) fn texts(&self) -> impl Iterator<Item = File<'_>> {
        self.files.iter().filter_map(|(path, bytes)| {
            std::str::from_utf8(bytes)
                .ok()
                .map(|text| File { path, text })
        })
    }

    /// Iterates over every Rust source file.
    pub(crate) fn rust(&self) -> impl Iterator<Item = File<'_>> {
        self.texts().filter(|file| file.path.ends_with(".rs"))
    }

    /// Iterates over every path, text or not.
    pub(crate) fn paths(&self) -> impl Iterator<Item = &str> {
        self.files.keys().map(String::as_str)
    }

    /// Returns the text of one file.
    pub(crate) fn text(&self, path: &str) -> Option<&str> {
        self.files
            .get(path)
            .and_then(|bytes| std::str::from_utf8(bytes).ok())
    }
}

impl<'h> File<'h> {
    /// Returns whether the whole file is test code.
    pub(crate) fn is_test(&self) -> bool {
        self.path
            .split('/')
            .any(|part| matches!(part, "tests" | "tests.rs"))
    }

    /// Returns the text before the unit tests, which are at the bottom of a file by convention.
    pub(crate) fn outside_tests(&self) -> &'h str {
        let mut start = 0;
        let mut lines = self.text.split_inclusive('\n').peekable();
        while let Some(line) = lines.next() {
            let opens_tests = line.trim_end() == "#[cfg(test)]"
                && lines
                    .peek()
                    .is_some_and(|next| next.starts_with("mod ") && next.contains('{'));
            if opens_tests {
                return &self.text[..start];
            }
            start += line.len();
        }
        self.text
    }

    /// Returns the folder of the crate that a file belongs to: `text` for `crates/text/src/lib.rs`.
    pub(crate) fn crate_folder(&self) -> Option<&'h str> {
        self.path.strip_prefix("crates/")?.split('/').next()
    }

    /// Returns whether the file is part of what a crate ships.
    pub(crate) fn is_source(&self) -> bool {
        self.path.contains("/src/") && !self.is_test()
    }
}

/// Returns the top folder of the repository.
pub(crate) fn top() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .unwrap_or(Path::new("."))
        .to_path_buf()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unit_tests_at_the_bottom_are_left_out() {
        let file = File {
            path: "crates/text/src/a.rs",
            text: "//! A.\nfn a() {}\n\n#[cfg(test)]\nmod tests {\n    use std::fs;\n}\n",
        };
        assert_eq!(file.outside_tests(), "//! A.\nfn a() {}\n\n");
    }

    #[test]
    fn a_test_module_in_a_file_of_its_own_hides_nothing() {
        let file = File {
            path: "crates/text/src/a.rs",
            text: "//! A.\n#[cfg(test)]\nmod tests;\nuse std::fs;\n",
        };
        assert_eq!(file.outside_tests(), file.text);
    }
}
