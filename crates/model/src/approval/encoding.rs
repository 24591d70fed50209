//! The JSON in which questions and answers are stored. A path that is not UTF-8 is stored as bytes.

use std::ffi::OsString;
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::{Answer, Question};

/// Encodes a question.
pub fn encode_question(question: &Question) -> Vec<u8> {
    // A question has only string keys, so that encoding cannot fail.
    serde_json::to_vec(question).unwrap_or_default()
}

/// Decodes a question; none if a newer lancet has written it in another form.
pub fn decode_question(bytes: &[u8]) -> Option<Question> {
    serde_json::from_slice(bytes).ok()
}

/// Encodes an answer.
pub fn encode_answer(answer: &Answer) -> Vec<u8> {
    serde_json::to_vec(answer).unwrap_or_default()
}

/// Decodes an answer; none if a newer lancet has written it in another form.
pub fn decode_answer(bytes: &[u8]) -> Option<Answer> {
    serde_json::from_slice(bytes).ok()
}

/// A path as text, or as bytes where it is not UTF-8.
#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum EncodedPath {
    Text(String),
    Bytes(Vec<u8>),
}

impl From<&Path> for EncodedPath {
    fn from(path: &Path) -> Self {
        match path.to_str() {
            Some(text) => Self::Text(text.to_owned()),
            None => Self::Bytes(path.as_os_str().as_bytes().to_vec()),
        }
    }
}

impl From<EncodedPath> for PathBuf {
    fn from(encoded: EncodedPath) -> Self {
        match encoded {
            EncodedPath::Text(text) => text.into(),
            EncodedPath::Bytes(bytes) => OsString::from_vec(bytes).into(),
        }
    }
}

pub(super) mod path {
    use std::path::{Path, PathBuf};

    use serde::{Deserialize, Deserializer, Serialize as _, Serializer};

    use super::EncodedPath;

    pub(in crate::approval) fn serialize<S: Serializer>(
        path: &Path,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        EncodedPath::from(path).serialize(serializer)
    }

    pub(in crate::approval) fn deserialize<'d, D: Deserializer<'d>>(
        deserializer: D,
    ) -> Result<PathBuf, D::Error> {
        EncodedPath::deserialize(deserializer).map(PathBuf::from)
    }
}

pub(super) mod optional_path {
    use std::path::PathBuf;

    use serde::{Deserialize, Deserializer, Serialize as _, Serializer};

    use super::EncodedPath;

    pub(in crate::approval) fn serialize<S: Serializer>(
        path: &Option<PathBuf>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        let encoded = path.as_deref().map(EncodedPath::from);
        encoded.serialize(serializer)
    }

    pub(in crate::approval) fn deserialize<'d, D: Deserializer<'d>>(
        deserializer: D,
    ) -> Result<Option<PathBuf>, D::Error> {
        let encoded = Option::<EncodedPath>::deserialize(deserializer)?;
        Ok(encoded.map(PathBuf::from))
    }
}

pub(super) mod kind {
    use lancet_history::ChangeKind;
    use serde::{Deserialize, Deserializer, Serializer};

    const CHANGE_KINDS: [ChangeKind; 4] = [
        ChangeKind::Create,
        ChangeKind::Update,
        ChangeKind::Delete,
        ChangeKind::Move,
    ];

    pub(in crate::approval) fn serialize<S: Serializer>(
        kind: &ChangeKind,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(kind.as_str())
    }

    pub(in crate::approval) fn deserialize<'d, D: Deserializer<'d>>(
        deserializer: D,
    ) -> Result<ChangeKind, D::Error> {
        let word = String::deserialize(deserializer)?;
        let found = CHANGE_KINDS.into_iter().find(|kind| kind.as_str() == word);
        found.ok_or_else(|| serde::de::Error::custom(format!("no kind of change: {word}")))
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::ffi::OsStringExt as _;

    use super::*;
    use crate::approval::{ChangeKind, FileQuestion, Pick, Piece};

    #[test]
    fn question_survives_encoding() {
        let mut file = FileQuestion::new(OsString::from_vec(vec![b'/', 0xff]), ChangeKind::Move);
        file.moved_from = Some("/a".into());
        file.pieces = vec![Piece::new("@@ -1 +1 @@\n-a\n+b\n", 2)];
        file.text = Some("b\n".into());
        let asked = Question::new("Edit", vec![file]);
        let back = decode_question(&encode_question(&asked)).expect("decoded");
        assert_eq!(format!("{back:?}"), format!("{asked:?}"));
    }

    #[test]
    fn answer_survives_encoding() {
        let picked = Answer::Picked {
            files: vec![
                Pick::Whole,
                Pick::Pieces(vec![0, 2]),
                Pick::Edited("x".into()),
            ],
            words: Some("only these".into()),
        };
        let by_program = Answer::NoByProgram {
            by: "policy".to_owned(),
            words: None,
        };
        for given in [
            Answer::Yes,
            Answer::No(None),
            by_program,
            Answer::Always,
            picked,
        ] {
            assert_eq!(decode_answer(&encode_answer(&given)), Some(given));
        }
        assert_eq!(decode_answer(b"\"later\""), None);
    }
}
