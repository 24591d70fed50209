//! The documents that a server has open, and its diagnostics per file.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use crate::diagnosis::Diagnostic;

/// The maximum number of open documents per server; the least recently used one is closed.
const MAX_OPEN: usize = 200;

/// The maximum total size of a server's open documents, in bytes.
const MAX_TOTAL_BYTES: usize = 64 << 20;

/// The maximum size of a document that is sent to a server, in bytes.
pub(crate) const MAX_DOCUMENT_BYTES: usize = 4 << 20;

/// A file that a server has open.
pub(crate) struct OpenDocument {
    pub(crate) text: Arc<str>,
    /// The version of its text. It increases over all documents of the server, so that no version is used twice.
    pub(crate) version: i32,
    /// The revision that the host gave for the text; none if the file was only read.
    pub(crate) revision: Option<String>,
    /// When it was sent to the server; none if it has not been yet.
    pub(crate) opened: Option<Instant>,
    /// Whether diagnostics without a version that arrive now belong to this text.
    pub(crate) order: MessageOrder,
    used: u64,
}

/// What the order of messages guarantees about diagnostics without a version.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum MessageOrder {
    /// No diagnostics for an older text were pending when this one was sent.
    Certain,
    /// Diagnostics for an older text may arrive after this one was sent.
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

    /// Returns the version of the newest text.
    pub(crate) fn newest_version(&self) -> i32 {
        self.versions
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (&PathBuf, &OpenDocument)> {
        self.all.iter()
    }

    pub(crate) fn values_mut(&mut self) -> impl Iterator<Item = &mut OpenDocument> {
        self.all.values_mut()
    }

    /// Marks a document as used.
    pub(crate) fn mark_used(&mut self, path: &Path) {
        self.uses += 1;
        if let Some(document) = self.all.get_mut(path) {
            document.used = self.uses;
        }
    }

    /// Stores a text under the next version, and returns the documents that were evicted for it.
    pub(crate) fn store(
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
        while self.all.len() > 1 && (self.all.len() > MAX_OPEN || self.bytes > MAX_TOTAL_BYTES) {
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

/// A server's diagnostics of a file, and the baseline they are compared with.
#[derive(Default)]
pub(crate) struct FileState {
    /// The diagnostics it returned on request.
    pub(crate) pulled: Vec<Diagnostic>,
    /// The diagnostics it pushed.
    pub(crate) pushed: Vec<Diagnostic>,
    /// The number of the change after which it last reported.
    pub(crate) epoch: Option<u64>,
    /// Whether there are diagnostics that have not been compared yet.
    pub(crate) is_fresh: bool,
    /// The diagnostics from before the changes, plus those reported since. None: not known.
    pub(crate) base: Option<Vec<Diagnostic>>,
    /// The server's result identifier of its last answer.
    pub(crate) result: Option<String>,
}

impl FileState {
    /// Returns all diagnostics that were reported last.
    pub(crate) fn reported_diagnostics(&self) -> Vec<Diagnostic> {
        let mut all = self.pulled.clone();
        all.extend(self.pushed.iter().cloned());
        all
    }

    /// Called when the file is closed: from now on its diagnostics are compared without the text of lines.
    pub(crate) fn clear_line_texts(&mut self) {
        let base = self.base.iter_mut().flatten();
        for diagnosis in base.chain(&mut self.pulled).chain(&mut self.pushed) {
            diagnosis.clear_line_text();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn evicts_least_recently_used_documents() {
        let mut documents = Documents::default();
        let path = |number: usize| PathBuf::from(format!("/{number}"));
        for number in 0..MAX_OPEN {
            assert!(documents.store(&path(number), &"x".into(), None).is_empty());
        }
        documents.mark_used(&path(0));
        let gone = documents.store(&path(1000), &"x".into(), None);
        assert_eq!(gone.len(), 1);
        assert_eq!(gone[0].0, path(1));
        let large: Arc<str> = "x".repeat(MAX_DOCUMENT_BYTES).into();
        let gone: usize = (0..20)
            .map(|number| documents.store(&path(2000 + number), &large, None).len())
            .sum();
        assert!(gone > 0 && documents.bytes <= MAX_TOTAL_BYTES);
    }
}
