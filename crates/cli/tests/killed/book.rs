//! The record of one agent about its changes: those that were answered, those that were refused, and those whose server
//! was killed before it answered.

use std::collections::BTreeMap;
use std::path::PathBuf;

/// The place of a change's trace. A token is a text that no other change writes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Trace {
    /// The token is a line, or a cell, of each of these files.
    Lines(Vec<PathBuf>),
    /// The token is the content of the file with this name.
    File(PathBuf),
    /// The token is nowhere.
    Nowhere,
}

/// A change that can be undone: the last one of its token.
#[derive(Clone, Debug)]
pub(crate) struct Undoable {
    pub(crate) token: String,
    pub(crate) operation: String,
    /// The trace of the token after the undo.
    pub(crate) back: Trace,
}

/// The record of one agent.
#[derive(Debug, Default)]
pub(crate) struct Book {
    /// The possible traces of each token: one where the last change was answered.
    pub(crate) tokens: BTreeMap<String, Vec<Trace>>,
    /// The operations that were answered.
    pub(crate) operations: Vec<String>,
    /// How often a tool had which result.
    pub(crate) results: BTreeMap<(String, String), usize>,
    /// Results that no call may have.
    pub(crate) faults: Vec<String>,
    pub(crate) undoable: Vec<Undoable>,
    /// Undo operations that can be redone.
    pub(crate) redoable: Vec<Undoable>,
    /// How often an answer reported a change that its process did not finish.
    pub(crate) told: usize,
}

/// The outcome of a call that changes something.
pub(crate) enum Ending {
    /// It was done, as this operation.
    Done(String),
    Refused,
    /// The server was killed before it answered.
    Unknown,
}

impl Book {
    /// Returns the trace of a token, if it is certain.
    pub(crate) fn certain(&self, token: &str) -> Option<&Trace> {
        match self.tokens.get(token).map(Vec::as_slice) {
            Some([one]) => Some(one),
            _ => None,
        }
    }

    /// Records that a change was to leave this trace of a token.
    pub(crate) fn note(&mut self, token: &str, new: Trace, ending: &Ending) {
        let old = self.tokens.remove(token);
        let mut traces = old.unwrap_or_else(|| vec![Trace::Nowhere]);
        self.undoable.retain(|one| one.token != token);
        self.redoable.retain(|one| one.token != token);
        match ending {
            Ending::Done(operation) => {
                if let [back] = traces.as_slice() {
                    self.undoable.push(Undoable {
                        token: token.to_owned(),
                        operation: operation.clone(),
                        back: back.clone(),
                    });
                }
                traces = vec![new];
            }
            Ending::Refused => {}
            Ending::Unknown => traces.push(new),
        }
        self.tokens.insert(token.to_owned(), traces);
    }

    /// Counts a result.
    pub(crate) fn count(&mut self, tool: &str, result: &str) {
        let key = (tool.to_owned(), result.to_owned());
        *self.results.entry(key).or_default() += 1;
    }
}
