//! What a call answers: text for the model, data for programs, a rendering for a person.

use serde_json::{Value, json};

use crate::call::Cancel;
use crate::limit::AnswerLimit;
use crate::refusal::{Numbers, Refusal, RefusalKind};
use crate::row::Row;

/// The last line of an answer that would end in white space.
const END: &str = "[lancet: end of the answer]";

/// The answer to one call.
#[derive(Clone, Debug)]
pub struct Reply {
    text: String,
    data: Value,
    refused: Option<RefusalKind>,
    person: String,
    rows: Vec<Row>,
    original: Option<std::sync::Arc<Vec<u8>>>,
    content: Option<std::sync::Arc<Vec<u8>>>,
}

impl Reply {
    pub(crate) fn done(text: String, data: Value, person: String) -> Self {
        Self {
            text,
            data,
            refused: None,
            person,
            rows: Vec::new(),
            original: None,
            content: None,
        }
    }

    pub(crate) fn refused(refusal: &Refusal, data: Value, person: String) -> Self {
        Self {
            text: refusal.text().to_owned(),
            data,
            refused: Some(refusal.kind()),
            person,
            rows: Vec::new(),
            original: None,
            content: None,
        }
    }

    pub(crate) fn with_rows(mut self, rows: Vec<Row>) -> Self {
        self.rows = rows;
        self
    }

    pub(crate) fn with_contents(
        mut self,
        original: Option<std::sync::Arc<Vec<u8>>>,
        content: Option<std::sync::Arc<Vec<u8>>>,
    ) -> Self {
        self.original = original;
        self.content = content;
        self
    }

    /// Adds a line after the answer.
    pub(crate) fn append(&mut self, line: &str) {
        self.text.push('\n');
        self.text.push_str(line);
    }

    /// Sets one field of the data.
    pub(crate) fn set(&mut self, key: &str, value: Value) {
        if let Some(data) = self.data.as_object_mut() {
            data.insert(key.to_owned(), value);
        }
    }

    /// Ends the answer within its limit, and never in white space: clients trim it, and it may be part of a file's text.
    pub(crate) fn finish(&mut self, limit: AnswerLimit) {
        let is_trimmed = |text: &str| {
            let blank =
                |last: char| last.is_whitespace() || last.is_control() || last == '\u{FEFF}';
            text.chars().next_back().is_none_or(blank)
        };
        let spared = if is_trimmed(&self.text) {
            END.len() + 4
        } else {
            0
        };
        let room = AnswerLimit {
            most: limit.most.saturating_sub(spared),
            ..limit
        };
        room.end_within(
            &mut self.text,
            "[lancet: the answer ends here at its limit]",
        );
        if is_trimmed(&self.text) {
            if !self.text.is_empty() && !self.text.ends_with('\n') {
                self.text.push('\n');
            }
            self.text.push_str(END);
        }
    }

    /// An answer for a fault that the caller of the library caught itself, such as a panic; `call` is the handle that
    /// the call was made with.
    pub fn internal(words: &str, call: &Cancel) -> Self {
        let files = if call.may_have_written() {
            "The file may have been written; read it before going on."
        } else {
            "Files are as they were before it."
        };
        let refusal = Refusal::new(
            RefusalKind::Internal,
            format!(
                "A fault inside lancet stopped this call: {words}. {files} Other calls go on working."
            ),
        );
        let data = json!({ "error": refusal.data(Numbers::Edit) });
        Self::refused(&refusal, data, refusal.text().to_owned())
    }

    /// The answer to a call that a door refuses by itself, in the numbers of the tool.
    pub fn refusing(tool: &str, refusal: &Refusal) -> Self {
        let data = json!({ "error": refusal.data(Numbers::of(tool)) });
        Self::refused(refusal, data, refusal.text().to_owned())
    }

    /// What the model reads.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// What programs read: the object that MCP carries as `lancet/result`.
    pub fn data(&self) -> &Value {
        &self.data
    }

    /// Text and data, taken out for who passes them on: a page of text and its patch are not copied.
    pub fn into_parts(self) -> (String, Value) {
        (self.text, self.data)
    }

    /// The entries of a search's page: files, or lines with their file.
    pub fn rows(&self) -> &[Row] {
        &self.rows
    }

    /// Whether the call was refused.
    pub fn is_error(&self) -> bool {
        self.refused.is_some()
    }

    /// Why it was refused.
    pub fn refusal(&self) -> Option<RefusalKind> {
        self.refused
    }

    /// What a person reads on a terminal or a page: one line for reading tools, the diff for writing ones.
    pub fn person(&self) -> &str {
        &self.person
    }

    /// The raw bytes of the one file that a writing tool changed, as they were before; for programs that embed lancet.
    pub fn original(&self) -> Option<&[u8]> {
        self.original.as_ref().map(|bytes| bytes.as_slice())
    }

    /// The raw bytes that a writing tool left in that file.
    pub fn content(&self) -> Option<&[u8]> {
        self.content.as_ref().map(|bytes| bytes.as_slice())
    }
}
