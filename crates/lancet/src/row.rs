//! An entry of a search's page: a file, or a line under its file. A page for people may hold a million of them, so each is
//! held small and written out only when it is asked for (as JSON values, a million lines took 1 GB).

use std::sync::Arc;

use serde::Serialize;

/// An entry of a search's page. Serialised, it is one JSON object.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
#[non_exhaustive]
pub enum Row {
    /// A file.
    #[non_exhaustive]
    File {
        /// Its path in full.
        path: Arc<str>,
        /// How often the pattern is in it, where that was asked.
        #[serde(skip_serializing_if = "Option::is_none")]
        matches: Option<u64>,
    },
    /// A line.
    #[non_exhaustive]
    Line {
        /// The path of its file in full.
        path: Arc<str>,
        /// Its number, from 1.
        line: u64,
        /// Why it is shown.
        #[serde(rename = "type")]
        role: Role,
        /// Its text, without the line end; of a very long line the part around its match.
        text: Arc<str>,
        /// Where the matches are: first byte, and the byte after the last, in the text.
        submatches: Box<[[u32; 2]]>,
    },
}

/// Why a line is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Role {
    /// It matches.
    Match,
    /// It stands near one that does.
    Context,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_is_one_object_with_its_fields_in_order() {
        let file = |matches| Row::File {
            path: "/r/a".into(),
            matches,
        };
        let told = |row: &Row| serde_json::to_string(row).expect("it can be told");
        assert_eq!(told(&file(None)), r#"{"path":"/r/a"}"#);
        assert_eq!(told(&file(Some(3))), r#"{"path":"/r/a","matches":3}"#);
        let line = Row::Line {
            path: "/r/a".into(),
            line: 7,
            role: Role::Context,
            text: "a b".into(),
            submatches: Box::new([[0, 1]]),
        };
        assert_eq!(
            told(&line),
            r#"{"path":"/r/a","line":7,"type":"context","text":"a b","submatches":[[0,1]]}"#
        );
    }
}
