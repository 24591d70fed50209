//! The answer to a call: blocks for the model, a typed outcome and its JSON for programs, and a rendering for a person.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use serde_json::{Map, Value, json};

use crate::call::Cancel;
use crate::limit::AnswerLimit;
use crate::next_call::NextCall;
use crate::outcome::{Outcome, RefusedOutcome};
use crate::person_text::PersonText;
use crate::refusal::{Numbers, Refusal, RefusalKind};
use crate::row::Row;
use crate::tool_names::numbers_of_tool;
use crate::waiting::WaitingCall;

/// The last line of an answer that would otherwise end in white space.
const END_MARK: &str = "[lancet: end of the answer]";

/// A part of an answer, as the model gets it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Block {
    /// Text.
    Text(String),
    /// A picture that every API with vision takes.
    Picture {
        /// `image/png` or `image/jpeg`.
        media_type: &'static str,
        /// The bytes of the file to send.
        bytes: Arc<Vec<u8>>,
    },
}

/// The answer to one call.
#[derive(Clone, Debug)]
pub struct Reply {
    blocks: Vec<Block>,
    /// The text of all blocks, joined on demand; a single block of text is not copied.
    joined: OnceLock<String>,
    outcome: Outcome,
    duration: Option<Duration>,
    /// The JSON of outcome and duration, derived on demand.
    data: OnceLock<Value>,
    person: PersonText,
    original: Option<Arc<Vec<u8>>>,
    content: Option<Arc<Vec<u8>>>,
    waiting: Option<Box<WaitingCall>>,
}

impl Reply {
    #[doc(hidden)]
    pub fn new(text: String, outcome: Outcome, person: impl Into<PersonText>) -> Self {
        Self::from_blocks(vec![Block::Text(text)], outcome, person)
    }

    /// Makes an answer of text and pictures.
    #[doc(hidden)]
    pub fn from_blocks(
        blocks: Vec<Block>,
        outcome: Outcome,
        person: impl Into<PersonText>,
    ) -> Self {
        Self {
            blocks,
            joined: OnceLock::new(),
            outcome,
            duration: None,
            data: OnceLock::new(),
            person: person.into(),
            original: None,
            content: None,
            waiting: None,
        }
    }

    #[doc(hidden)]
    pub fn with_contents(
        mut self,
        original: Option<Arc<Vec<u8>>>,
        content: Option<Arc<Vec<u8>>>,
    ) -> Self {
        self.original = original;
        self.content = content;
        self
    }

    /// Sets the recorded question that the call waits on.
    #[doc(hidden)]
    pub fn set_waiting_call(&mut self, waiting: WaitingCall) {
        self.waiting = Some(Box::new(waiting));
    }

    /// Returns the recorded question that the call waits on; none if it does not wait.
    pub fn waiting_call(&self) -> Option<&WaitingCall> {
        self.waiting.as_deref()
    }

    /// Sets how long the call took.
    #[doc(hidden)]
    pub fn with_duration(mut self, duration: Duration) -> Self {
        self.duration = Some(duration);
        self.data = OnceLock::new();
        self
    }

    /// Changes the text at the end of the answer.
    fn change_last_text(&mut self, change: impl FnOnce(&mut String)) {
        self.joined = OnceLock::new();
        let mut text = match self.blocks.pop() {
            Some(Block::Text(text)) => text,
            Some(other) => {
                self.blocks.push(other);
                String::new()
            }
            None => String::new(),
        };
        change(&mut text);
        self.blocks.push(Block::Text(text));
    }

    /// Adds a line after the answer.
    #[doc(hidden)]
    pub fn append(&mut self, line: &str) {
        self.change_last_text(|text| {
            text.push('\n');
            text.push_str(line);
        });
    }

    /// Cuts the answer to its limit, and makes sure that it does not end in white space: clients trim that, and it may
    /// belong to a file's text.
    #[doc(hidden)]
    pub fn finish(&mut self, limit: AnswerLimit) {
        let is_trimmed = |text: &str| {
            let blank =
                |last: char| last.is_whitespace() || last.is_control() || last == '\u{FEFF}';
            text.chars().next_back().is_none_or(blank)
        };
        self.change_last_text(|text| {
            let reserved = if is_trimmed(text) {
                END_MARK.len() + 4
            } else {
                0
            };
            let limit = AnswerLimit {
                most: limit.most.saturating_sub(reserved),
                ..limit
            };
            limit.truncate_with_ending(text, "[lancet: the answer ends here at its limit]");
            if is_trimmed(text) {
                if !text.is_empty() && !text.ends_with('\n') {
                    text.push('\n');
                }
                text.push_str(END_MARK);
            }
        });
    }

    /// Makes the answer for a failure that the host caught itself, such as a panic; `call` is the handle that the call
    /// was made with.
    pub fn from_internal_failure(words: &str, call: &Cancel) -> Self {
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
        Self::from_refusal(refusal, Numbers::Edit)
    }

    /// Makes the answer to a call that the host itself refuses, with the error numbers of the tool.
    pub fn from_host_refusal(tool: &str, refusal: &Refusal) -> Self {
        Self::from_refusal(refusal.clone(), numbers_of_tool(tool))
    }

    fn from_refusal(refusal: Refusal, numbers: Numbers) -> Self {
        let (text, outcome) = RefusedOutcome::new(refusal, numbers, None);
        Self::new(text.clone(), Outcome::Refused(outcome), text)
    }

    /// Returns the blocks for the model, in order.
    pub fn blocks(&self) -> &[Block] {
        &self.blocks
    }

    /// Returns the text of all blocks, with a line break between two blocks.
    pub fn text(&self) -> &str {
        if let [Block::Text(text)] = self.blocks.as_slice() {
            return text;
        }
        self.joined.get_or_init(|| {
            let texts = self.blocks.iter().filter_map(|block| match block {
                Block::Text(text) => Some(text.as_str()),
                Block::Picture { .. } => None,
            });
            texts.collect::<Vec<_>>().join("\n")
        })
    }

    /// Returns the outcome of the call as data.
    pub fn outcome(&self) -> &Outcome {
        &self.outcome
    }

    /// Returns how long the call took; none for an answer to a call that was not carried out.
    pub fn duration(&self) -> Option<Duration> {
        self.duration
    }

    /// Returns the JSON of [`outcome`](Self::outcome), with `durationMs`: the object that MCP carries as
    /// `lancet/result`. It is derived on first use.
    pub fn data(&self) -> &Value {
        self.data
            .get_or_init(|| derive_data(&self.outcome, self.duration))
    }

    /// Converts the answer into its blocks and JSON, without copying either.
    pub fn into_parts(self) -> (Vec<Block>, Value) {
        let data = match self.data.into_inner() {
            Some(data) => data,
            None => into_data(self.outcome, self.duration),
        };
        (self.blocks, data)
    }

    /// Returns the entries of a search's page: files, or lines with their file. Empty for other calls.
    pub fn rows(&self) -> &[Row] {
        match &self.outcome {
            Outcome::Found(found) => found.rows(),
            _ => &[],
        }
    }

    /// Returns whether the call was refused.
    pub fn is_error(&self) -> bool {
        self.refusal().is_some()
    }

    /// Returns the calls to make instead of a refused one, where they are known.
    pub fn next_calls(&self) -> &[NextCall] {
        match &self.outcome {
            Outcome::Refused(refused) => &refused.next,
            _ => &[],
        }
    }

    /// Returns the kind of refusal; none if the call was carried out.
    pub fn refusal(&self) -> Option<RefusalKind> {
        match &self.outcome {
            Outcome::Refused(refused) => Some(refused.kind),
            _ => None,
        }
    }

    /// Returns the rendering for a person on a terminal or a page: one line for reading tools, the diff for writing
    /// ones.
    pub fn text_for_person(&self) -> &str {
        self.person.text(&self.outcome)
    }

    /// Returns the raw bytes of the one changed file before the change; only with `Builder::keep_contents`.
    pub fn original_bytes(&self) -> Option<&[u8]> {
        self.original.as_ref().map(|bytes| bytes.as_slice())
    }

    /// Returns the raw bytes of the one changed file after the change; only with `Builder::keep_contents`.
    pub fn content_bytes(&self) -> Option<&[u8]> {
        self.content.as_ref().map(|bytes| bytes.as_slice())
    }
}

/// Makes an answer's JSON from an outcome that is consumed.
fn into_data(mut outcome: Outcome, duration: Option<Duration>) -> Value {
    // Names of files are moved: copying the hundred of a Glob took a twentieth of its time.
    let files = match &mut outcome {
        Outcome::Found(found) => std::mem::take(&mut found.files),
        _ => Vec::new(),
    };
    let mut data = derive_data(&outcome, duration);
    if !files.is_empty() {
        data["files"] = files.into_iter().map(Value::String).collect();
    }
    data
}

/// Makes an answer's JSON; no other function does.
fn derive_data(outcome: &Outcome, duration: Option<Duration>) -> Value {
    // Serialising an outcome cannot fail, because all its keys are strings.
    let mut data = serde_json::to_value(outcome).unwrap_or_else(|_| Value::Object(Map::new()));
    if let (Value::Object(fields), Some(duration)) = (&mut data, duration) {
        let millis = duration.as_secs_f64() * 1e3;
        fields.insert("durationMs".to_owned(), json!((millis * 1e3).round() / 1e3));
    }
    data
}
