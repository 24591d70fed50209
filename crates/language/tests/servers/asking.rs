//! Requests plans as a host does: texts come from the disk, and a plan is shown as the texts that it would produce.
#![allow(
    dead_code,
    reason = "each test program that has this file uses a part of it"
)]

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use lancet_language::{
    FileTexts, PlannedEdits, PlannedFile, RefactorError, RenameRequest, TextNotAllowed,
};

use super::setting::{LONG, Project};

/// The texts of the files on the disk, below one folder.
pub(crate) struct Disk {
    pub(crate) root: PathBuf,
    pub(crate) is_stopped: bool,
    /// The text that marks the files to be sent; empty if none is sent.
    pub(crate) word: String,
}

impl FileTexts for Disk {
    fn text(&mut self, path: &Path) -> Result<Option<Arc<str>>, TextNotAllowed> {
        if !path.starts_with(&self.root) {
            return Err(TextNotAllowed);
        }
        Ok(std::fs::read_to_string(path).ok().map(Arc::from))
    }

    fn files_with_mentions(&mut self, _: &[String]) -> Vec<PathBuf> {
        let files = std::fs::read_dir(&self.root).expect("listed");
        let files = files.map(|entry| entry.expect("an entry").path());
        let has = |path: &PathBuf| {
            std::fs::read_to_string(path).is_ok_and(|text| text.contains(&self.word))
        };
        let mut files: Vec<PathBuf> = files
            .filter(|path| !self.word.is_empty() && has(path))
            .collect();
        files.sort();
        files
    }

    fn is_stopped(&self) -> bool {
        self.is_stopped
    }
}

impl Project {
    pub(crate) fn disk(&self) -> Disk {
        Disk {
            root: self.path(""),
            is_stopped: false,
            word: String::new(),
        }
    }

    /// Requests a new name for the first occurrence of a symbol in a file.
    pub(crate) fn rename(
        &self,
        file: &str,
        symbol: &str,
        new_name: &str,
    ) -> Result<PlannedEdits, RefactorError> {
        self.rename_within(file, symbol, new_name, LONG)
    }

    pub(crate) fn rename_within(
        &self,
        file: &str,
        symbol: &str,
        new_name: &str,
        time: Duration,
    ) -> Result<PlannedEdits, RefactorError> {
        let text: Arc<str> = self.text(file).into();
        let start = text.find(symbol).expect("the symbol");
        let question = RenameRequest {
            path: &self.path(file),
            text: &text,
            symbol: start..start + symbol.len(),
            new_name,
        };
        let until = Instant::now() + time;
        self.language
            .plan_rename(&question, &mut self.disk(), until)
    }

    /// The same, with every file sent that contains the symbol.
    pub(crate) fn rename_everywhere(
        &self,
        file: &str,
        symbol: &str,
        new_name: &str,
    ) -> Result<PlannedEdits, RefactorError> {
        let text: Arc<str> = self.text(file).into();
        let start = text.find(symbol).expect("the symbol");
        let question = RenameRequest {
            path: &self.path(file),
            text: &text,
            symbol: start..start + symbol.len(),
            new_name,
        };
        let mut disk = Disk {
            word: symbol.to_owned(),
            ..self.disk()
        };
        let until = Instant::now() + LONG;
        self.language.plan_rename(&question, &mut disk, until)
    }

    /// Requests the edits that a move needs.
    pub(crate) fn before_move(
        &self,
        from: &str,
        to: &str,
    ) -> Result<Option<PlannedEdits>, RefactorError> {
        let (from, to) = (self.path(from), self.path(to));
        let until = Instant::now() + LONG;
        self.language.plan_move(&from, &to, &mut self.disk(), until)
    }
}

/// Returns the text that a plan makes of a file.
pub(crate) fn planned(file: &PlannedFile) -> String {
    let mut text = file.text.to_string();
    for span in file.spans.iter().rev() {
        text.replace_range(span.range.clone(), &span.new);
    }
    text
}

/// Asserts that a plan makes these texts, and touches no other file.
#[track_caller]
pub(crate) fn assert_planned(plan: &PlannedEdits, expected: &[(&str, &str)]) {
    let made: Vec<(String, String)> = plan
        .files
        .iter()
        .map(|file| {
            let name = file.path.file_name().expect("a name").to_string_lossy();
            (name.into_owned(), planned(file))
        })
        .collect();
    let made: Vec<(&str, &str)> = made.iter().map(|(n, t)| (n.as_str(), t.as_str())).collect();
    assert_eq!(made, expected);
}
