//! A host's reports about its conversation in a call's `_meta`: text that it showed the model by itself, and that it
//! shortened the conversation. The session records them before the call is carried out.

use std::path::PathBuf;

use lancet::Session;
use lancet_serving::identity::{SEEN, SHORTENED};
use lancet_serving::{Level, Log};
use serde::Deserialize;
use serde_json::{Map, Value};

/// The host's reports about its conversation in a call's `_meta`.
#[derive(Debug, Default)]
pub(crate) struct HostNotices {
    seen: Vec<Result<Shown, ()>>,
    shortened: bool,
}

/// One text of a file that the host showed the model.
#[derive(Debug, Deserialize, PartialEq, Eq)]
struct Shown {
    file_path: PathBuf,
    text: String,
}

impl HostNotices {
    /// Parses a request's `_meta`.
    pub(crate) fn read(meta: &Map<String, Value>) -> Self {
        let seen = match meta.get(SEEN) {
            None | Some(Value::Null) => Vec::new(),
            Some(Value::Array(list)) => list
                .iter()
                .map(|item| Shown::deserialize(item).map_err(drop))
                .collect(),
            Some(_) => vec![Err(())],
        };
        let shortened = !matches!(
            meta.get(SHORTENED),
            None | Some(Value::Null | Value::Bool(false))
        );
        Self { seen, shortened }
    }

    /// Passes the reports to the session. An unusable report is only logged: the call is the model's and the mistake
    /// the host's, and without the report the ledger merely knows less.
    pub(crate) fn tell(&self, session: &Session, log: &Log) {
        if self.shortened {
            session.shortened();
        }
        for shown in &self.seen {
            let Ok(shown) = shown else {
                log.say(Level::Warn, || format!("_meta[\"{SEEN}\"] is a list of {{file_path, text}}; an entry was passed over"));
                continue;
            };
            if let Err(refusal) = session.seen(&shown.file_path, &shown.text) {
                log.say(Level::Warn, || {
                    format!(
                        "_meta[\"{SEEN}\"]: an entry was passed over: {}",
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

    fn read(meta: Value) -> HostNotices {
        let Value::Object(meta) = meta else {
            panic!("an object")
        };
        HostNotices::read(&meta)
    }

    #[test]
    fn a_list_is_read_entry_by_entry() {
        let told = read(
            json!({"lancet/seen": [{"file_path": "/a", "text": "x"}, 7, {"file_path": "/b"}]}),
        );
        assert_eq!(
            told.seen,
            [
                Ok(Shown {
                    file_path: "/a".into(),
                    text: "x".into()
                }),
                Err(()),
                Err(())
            ]
        );
        assert_eq!(read(json!({"lancet/seen": "x"})).seen, [Err(())]);
        assert!(read(json!({"lancet/seen": null})).seen.is_empty());
    }

    #[test]
    fn shortened_is_said_by_any_value_but_no() {
        for (value, wanted) in [
            (json!(true), true),
            (json!("compact"), true),
            (json!(false), false),
            (json!(null), false),
        ] {
            assert_eq!(
                read(json!({"lancet/shortened": value})).shortened,
                wanted,
                "{value}"
            );
        }
        assert!(!read(json!({})).shortened);
    }
}
