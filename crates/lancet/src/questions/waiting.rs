//! A call that waits for a decision: how it is recognised when it is sent again, and whether its files are still as the
//! question shows them.

use std::cell::OnceCell;
use std::path::PathBuf;

use lancet_history::Digest;
use lancet_workspace::Stamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::call::{Caller, Deciders};
use crate::engine::Lancet;
use crate::session::Session;

/// A call whose question is recorded.
#[derive(Debug)]
pub(crate) struct RecordedCall {
    /// The hash by which the call is recognised when it is sent again. Few calls need it, so it is computed on demand.
    key: OnceCell<Digest>,
    tool: String,
    /// The arguments as received.
    arguments: Value,
    pub(crate) deciders: Deciders,
}

/// A call as it is stored with its question, so that another process can carry it out.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct StoredCall {
    pub(crate) tool: String,
    pub(crate) arguments: Value,
    pub(crate) turn: Option<String>,
    pub(crate) version: Option<String>,
}

impl StoredCall {
    /// Decodes a call; none if a newer lancet has written it in another format.
    pub(crate) fn decode(bytes: &[u8]) -> Option<Self> {
        serde_json::from_slice(bytes).ok()
    }
}

impl RecordedCall {
    pub(crate) fn new(tool: &str, arguments: &Value, deciders: Deciders) -> Self {
        Self {
            key: OnceCell::new(),
            tool: tool.to_owned(),
            arguments: without_meta(arguments),
            deciders,
        }
    }

    /// Encodes the call to be stored with the question.
    pub(crate) fn encode(&self, caller: &Caller) -> Vec<u8> {
        let kept = StoredCall {
            tool: self.tool.clone(),
            arguments: self.arguments.clone(),
            turn: caller.turn.clone(),
            version: caller.version.clone(),
        };
        // All keys are strings, so encoding cannot fail.
        serde_json::to_vec(&kept).unwrap_or_default()
    }

    /// Returns the hash by which the call is recognised when it is sent again.
    pub(crate) fn key(&self, session: &Session, caller: &Caller) -> Digest {
        *self.key.get_or_init(|| {
            let mut hasher = blake3::Hasher::new();
            let mut add = |part: &[u8]| {
                hasher.update(&(part.len() as u64).to_le_bytes());
                hasher.update(part);
            };
            for workspace in session.lancet.engine().workspace_names() {
                add(workspace.as_bytes());
            }
            // A session without a name ends with its process, and the call may be sent again to another one.
            match session.name() {
                Some(name) => {
                    add(b"session");
                    add(name.as_str().as_bytes());
                }
                None => {
                    add(b"client");
                    add(caller.client.as_deref().unwrap_or_default().as_bytes());
                }
            }
            add(self.tool.as_bytes());
            add(canonical_json(&self.arguments).as_bytes());
            *hasher.finalize().as_bytes()
        })
    }
}

/// Returns the arguments without `_meta`, which differs each time a call is sent.
fn without_meta(arguments: &Value) -> Value {
    let mut arguments = arguments.clone();
    if let Value::Object(fields) = &mut arguments {
        fields.remove("_meta");
    }
    arguments
}

/// Returns the arguments with the keys of every object sorted.
fn canonical_json(value: &Value) -> String {
    match value {
        Value::Object(fields) => {
            let mut fields: Vec<(&String, &Value)> = fields.iter().collect();
            fields.sort_unstable_by_key(|(key, _)| key.as_str());
            let fields = fields.into_iter().map(|(key, value)| {
                format!("{}:{}", Value::from(key.as_str()), canonical_json(value))
            });
            format!("{{{}}}", fields.collect::<Vec<_>>().join(","))
        }
        Value::Array(items) => {
            let items = items.iter().map(canonical_json);
            format!("[{}]", items.collect::<Vec<_>>().join(","))
        }
        value => value.to_string(),
    }
}

/// A file of a question, as it was when the question was raised.
#[derive(Clone, Debug)]
pub(crate) struct WatchedFile {
    pub(crate) path: PathBuf,
    pub(crate) is_link: bool,
    /// Its stamp; none where there was no file.
    pub(crate) stamp: Option<Stamp>,
}

/// Returns whether a file is no longer as the question shows it.
pub(crate) fn has_changed(lancet: &Lancet, files: &[WatchedFile]) -> bool {
    let engine = lancet.engine();
    files.iter().any(|file| {
        let found = match file.is_link {
            true => engine.workspace.locate_link(&file.path),
            false => engine.workspace.locate_as_spelled(&file.path).map(Some),
        };
        let Ok(Some(now)) = found else {
            return true;
        };
        match &file.stamp {
            None => now.stat().is_some(),
            Some(stamp) => now.stat().is_none_or(|now| !now.has_same_state(stamp)),
        }
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn canonical_json_ignores_only_key_order() {
        let one = json!({ "b": [1, { "y": null, "x": "é\"" }], "a": true });
        let same = json!({ "a": true, "b": [1, { "x": "é\"", "y": null }] });
        assert_eq!(canonical_json(&one), canonical_json(&same));
        let other = json!({ "a": true, "b": [{ "x": "é\"", "y": null }, 1] });
        assert_ne!(canonical_json(&one), canonical_json(&other));
    }
}
