//! The documents that a server holds open, and what it said of files.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use crate::diagnosis::Diagnosis;

/// The most documents that a server holds open; the one that was not used for longest is closed.
const MOST_OPEN: usize = 200;

/// The most bytes that the open documents of a server have together.
const MOST_BYTES: usize = 64 << 20;

/// The largest document that a server is told.
pub(crate) const LARGEST: usize = 4 << 20;

/// A file that a server is to hold open.
pub(crate) struct OpenDocument {
    pub(crate) text: Arc<str>,
    /// The number of its text, rising over all documents of the server, so that a number is never used twice.
    pub(crate) version: i32,
    /// The revision that the host gave for the text; none where it was only read.
    pub(crate) revision: Option<String>,
    /// When the server was told; none where it was not yet.
    pub(crate) opened: Option<Instant>,
    /// Whether diagnoses without a version that come now are of this text.
    pub(crate) order: MessageOrder,
    used: u64,
}

/// What the order of messages says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum MessageOrder {
    /// Nothing of an older text was on its way when the server was told of this one.
    Certain,
    /// Diagnoses of an older text may come after this one was sent.
    Uncertain,
}

/// The documents of one server.
#[derive(Default)]
pub(crate) struct Documents {
    all: HashMap<PathBuf, OpenDocument>,
    bytes: usize,
    uses: u64,
    versions: i32,
}

impl Documents {
    pub(crate) fn get(&self, path: &Path) -> Option<&OpenDocument> {
        self.all.get(path)
    }

    pub(crate) fn get_mut(&mut self, path: &Path) -> Option<&mut OpenDocument> {
        self.all.get_mut(path)
    }

    /// The number of the newest text.
    pub(crate) fn newest(&self) -> i32 {
        self.versions
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (&PathBuf, &OpenDocument)> {
        self.all.iter()
    }

    pub(crate) fn values_mut(&mut self) -> impl Iterator<Item = &mut OpenDocument> {
        self.all.values_mut()
    }

    /// Marks a document as used.
    pub(crate) fn touch(&mut self, path: &Path) {
        self.uses += 1;
        if let Some(document) = self.all.get_mut(path) {
            document.used = self.uses;
        }
    }

    /// Puts in a text, with the next version, and gives the documents that had to make room for it.
    pub(crate) fn put(
        &mut self,
        path: &Path,
        text: &Arc<str>,
        revision: Option<&str>,
    ) -> Vec<(PathBuf, OpenDocument)> {
        self.versions = self.versions.wrapping_add(1);
        self.uses += 1;
        let former = self.all.remove(path);
        self.bytes += text.len();
        self.bytes -= former.as_ref().map_or(0, |former| former.text.len());
        let document = OpenDocument {
            text: text.clone(),
            version: self.versions,
            revision: revision.map(str::to_owned),
            opened: former.and_then(|former| former.opened),
            order: MessageOrder::Certain,
            used: self.uses,
        };
        self.all.insert(path.to_path_buf(), document);
        let mut gone = Vec::new();
        while self.all.len() > 1 && (self.all.len() > MOST_OPEN || self.bytes > MOST_BYTES) {
            let oldest = self.all.iter().min_by_key(|(_, document)| document.used);
            let Some(oldest) = oldest.map(|(path, _)| path.clone()) else {
                break;
            };
            gone.extend(self.remove(&oldest).map(|document| (oldest, document)));
        }
        gone
    }

    pub(crate) fn remove(&mut self, path: &Path) -> Option<OpenDocument> {
        let document = self.all.remove(path)?;
        self.bytes -= document.text.len();
        Some(document)
    }
}

/// What a server said of a file, and what it is compared with.
#[derive(Default)]
pub(crate) struct FileState {
    /// What it answered when it was asked.
    pub(crate) pulled: Vec<Diagnosis>,
    /// What it sent by itself.
    pub(crate) pushed: Vec<Diagnosis>,
    /// The number of the change after which it said so last.
    pub(crate) epoch: Option<u64>,
    /// Whether something was said that has not been compared.
    pub(crate) is_fresh: bool,
    /// What was there before the changes, or has been told since. None: not known.
    pub(crate) base: Option<Vec<Diagnosis>>,
    /// The server's own name for its last answer.
    pub(crate) result: Option<String>,
}

impl FileState {
    /// Everything that was said last.
    pub(crate) fn said(&self) -> Vec<Diagnosis> {
        let mut all = self.pulled.clone();
        all.extend(self.pushed.iter().cloned());
        all
    }

    /// The file is no longer open: what is said of it from now on is compared without the text of lines.
    pub(crate) fn without_lines(&mut self) {
        let base = self.base.iter_mut().flatten();
        for diagnosis in base.chain(&mut self.pulled).chain(&mut self.pushed) {
            diagnosis.forget_line();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_documents_make_room() {
        let mut documents = Documents::default();
        let path = |number: usize| PathBuf::from(format!("/{number}"));
        for number in 0..MOST_OPEN {
            assert!(documents.put(&path(number), &"x".into(), None).is_empty());
        }
        documents.touch(&path(0));
        let gone = documents.put(&path(1000), &"x".into(), None);
        assert_eq!(gone.len(), 1);
        assert_eq!(gone[0].0, path(1));
        let large: Arc<str> = "x".repeat(LARGEST).into();
        let gone: usize = (0..20)
            .map(|number| documents.put(&path(2000 + number), &large, None).len())
            .sum();
        assert!(gone > 0 && documents.bytes <= MOST_BYTES);
    }
}
