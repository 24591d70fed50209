//! The states that clients of the second generation send back with a repeated call. A client could send any text, so
//! each state carries a keyed checksum (BLAKE3) over its content and over the call that it was given to: its session,
//! its client, its tool and its arguments. A state that was changed, or that belongs to another call, is rejected.

use std::io;

use serde_json::Value;

/// The key. Each process makes its own, so a state is not valid in another process.
pub(crate) struct Seal {
    key: [u8; 32],
}

/// The call that a state belongs to, as a hash.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct CallBinding(blake3::Hash);

/// The properties of a call that a state is bound to.
pub(crate) struct CallProperties<'a> {
    /// The name of the call's session; none where it names none.
    pub(crate) session: Option<&'a str>,
    /// The name of the client.
    pub(crate) client: Option<&'a str>,
    pub(crate) tool: &'a str,
    pub(crate) arguments: &'a Value,
}

impl CallProperties<'_> {
    pub(crate) fn hash(&self) -> CallBinding {
        let mut hasher = blake3::Hasher::new();
        for text in [self.session, self.client, Some(self.tool)] {
            // The length is hashed too, so that no two lists of texts are the same bytes.
            let length = text.map_or(u64::MAX, |text| text.len() as u64);
            hasher.update(&length.to_le_bytes());
            hasher.update(text.unwrap_or_default().as_bytes());
        }
        hash_value(&mut hasher, self.arguments);
        CallBinding(hasher.finalize())
    }
}

/// Hashes a value independently of the order of its keys: a client may send them in another order.
fn hash_value(hasher: &mut blake3::Hasher, value: &Value) {
    match value {
        Value::Object(object) => {
            let mut entries: Vec<_> = object.iter().collect();
            entries.sort_unstable_by_key(|(key, _)| key.as_str());
            hasher.update(b"{");
            hasher.update(&(entries.len() as u64).to_le_bytes());
            for (key, value) in entries {
                hasher.update(&(key.len() as u64).to_le_bytes());
                hasher.update(key.as_bytes());
                hash_value(hasher, value);
            }
        }
        Value::Array(list) => {
            hasher.update(b"[");
            hasher.update(&(list.len() as u64).to_le_bytes());
            for value in list {
                hash_value(hasher, value);
            }
        }
        Value::String(text) => {
            hasher.update(b"\"");
            hasher.update(&(text.len() as u64).to_le_bytes());
            hasher.update(text.as_bytes());
        }
        plain => {
            let text = plain.to_string();
            hasher.update(b"=");
            hasher.update(&(text.len() as u64).to_le_bytes());
            hasher.update(text.as_bytes());
        }
    }
}

impl Seal {
    /// Makes a key; fails where the system gives no random bytes.
    pub(crate) fn new() -> io::Result<Self> {
        let mut key = [0; 32];
        getrandom::fill(&mut key).map_err(io::Error::other)?;
        Ok(Self { key })
    }

    /// Makes the state for the client to send back.
    pub(crate) fn seal(&self, what: &str, bound: CallBinding) -> String {
        format!("{what}.{}", self.checksum(what, bound).to_hex())
    }

    /// Returns the content of a state; none where it was not made here for this call.
    pub(crate) fn open<'a>(&self, state: &'a str, bound: CallBinding) -> Option<&'a str> {
        let (what, checksum) = state.rsplit_once('.')?;
        let checksum = blake3::Hash::from_hex(checksum).ok()?;
        // Hashes are compared in constant time.
        (checksum == self.checksum(what, bound)).then_some(what)
    }

    fn checksum(&self, what: &str, bound: CallBinding) -> blake3::Hash {
        let mut hasher = blake3::Hasher::new_keyed(&self.key);
        hasher.update(bound.0.as_bytes());
        hasher.update(what.as_bytes());
        hasher.finalize()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn binding(session: Option<&str>, client: &str, tool: &str, arguments: Value) -> CallBinding {
        let arguments = &arguments;
        let client = Some(client);
        CallProperties {
            session,
            client,
            tool,
            arguments,
        }
        .hash()
    }

    #[test]
    fn state_is_valid_only_for_its_own_call() {
        let seal = Seal::new().expect("random bytes");
        let own = binding(Some("s"), "c", "Edit", json!({"a": 1, "b": [2, "x"]}));
        let state = seal.seal("question-7", own);
        assert_eq!(seal.open(&state, own), Some("question-7"));
        let same = binding(Some("s"), "c", "Edit", json!({"b": [2, "x"], "a": 1}));
        assert_eq!(
            seal.open(&state, same),
            Some("question-7"),
            "in another order"
        );
        for other in [
            binding(None, "c", "Edit", json!({"a": 1, "b": [2, "x"]})),
            binding(Some(""), "c", "Edit", json!({"a": 1, "b": [2, "x"]})),
            binding(Some("t"), "c", "Edit", json!({"a": 1, "b": [2, "x"]})),
            binding(Some("s"), "d", "Edit", json!({"a": 1, "b": [2, "x"]})),
            binding(Some("s"), "c", "Write", json!({"a": 1, "b": [2, "x"]})),
            binding(Some("s"), "c", "Edit", json!({"a": 1, "b": [2, "y"]})),
            binding(Some("s"), "c", "Edit", json!({"a": "1", "b": [2, "x"]})),
            binding(Some("s"), "c", "Edit", json!({"a": 1, "b": [[2, "x"]]})),
        ] {
            assert_eq!(seal.open(&state, other), None);
        }
        let another = Seal::new().expect("random bytes");
        assert_eq!(another.open(&state, own), None, "of another process");
        let changed = state.replace("question-7", "question-8");
        for state in [changed.as_str(), "question-7", "question-7.", "", "."] {
            assert_eq!(seal.open(state, own), None, "{state}");
        }
    }
}
