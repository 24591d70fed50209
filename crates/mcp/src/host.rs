//! A host's reports about its conversation in a call's `_meta`: text that it showed the model by itself, and that it
//! shortened the conversation. The session records them before the call is carried out.

use std::path::PathBuf;

use lancet::Session;
use lancet_serving::identity::{SEEN_KEY, SHORTENED_KEY};
use lancet_serving::{Level, Log};
use serde::Deserialize;
use serde_json::{Map, Value};

/// The host's reports about its conversation in a call's `_meta`.
#[derive(Debug, Default)]
pub(crate) struct HostNotices {
    seen: Vec<Result<ShownText, ()>>,
    shortened: bool,
}

/// One text of a file that the host showed the model.
#[derive(Debug, Deserialize, PartialEq, Eq)]
struct ShownText {
    file_path: PathBuf,
    text: String,
}

impl HostNotices {
    /// Parses a request's `_meta`.
    pub(crate) fn from_meta(meta: &Map<String, Value>) -> Self {
        let seen = match meta.get(SEEN_KEY) {
            None | Some(Value::Null) => Vec::new(),
            Some(Value::Array(list)) => list
                .iter()
                .map(|item| ShownText::deserialize(item).map_err(drop))
                .collect(),
            Some(_) => vec![Err(())],
        };
        let shortened = !matches!(
            meta.get(SHORTENED_KEY),
            None | Some(Value::Null | Value::Bool(false))
        );
        Self { seen, shortened }
    }

    /// Passes the reports to the session. An unusable report is only logged: the call is the model's and the mistake
    /// the host's, and without the report the ledger merely knows less.
    pub(crate) fn apply_to_session(&self, session: &Session, log: &Log) {
        if self.shortened {
            session.note_compaction();
        }
        for shown in &self.seen {
            let Ok(shown) = shown else {
                log.log(Level::Warn, || format!("_meta[\"{SEEN_KEY}\"] is a list of {{file_path, text}}; an entry was passed over"));
                continue;
            };
            if let Err(refusal) = session.note_seen(&shown.file_path, &shown.text) {
                log.log(Level::Warn, || {
                    format!(
                        "_meta[\"{SEEN_KEY}\"]: an entry was passed over: {}",
                        refusal.kind().name()
                    )
                });
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn from_meta(meta: Value) -> HostNotices {
        let Value::Object(meta) = meta else {
            panic!("an object")
        };
        HostNotices::from_meta(&meta)
    }

    #[test]
    fn invalid_entry_does_not_invalidate_the_list() {
        let told = from_meta(
            json!({"lancet/seen": [{"file_path": "/a", "text": "x"}, 7, {"file_path": "/b"}]}),
        );
        assert_eq!(
            told.seen,
            [
                Ok(ShownText {
                    file_path: "/a".into(),
                    text: "x".into()
                }),
                Err(()),
                Err(())
            ]
        );
        assert_eq!(from_meta(json!({"lancet/seen": "x"})).seen, [Err(())]);
        assert!(from_meta(json!({"lancet/seen": null})).seen.is_empty());
    }

    #[test]
    fn any_value_except_false_or_null_means_shortened() {
        for (value, wanted) in [
            (json!(true), true),
            (json!("compact"), true),
            (json!(false), false),
            (json!(null), false),
        ] {
            assert_eq!(
                from_meta(json!({"lancet/shortened": value})).shortened,
                wanted,
                "{value}"
            );
        }
        assert!(!from_meta(json!({})).shortened);
    }
}
