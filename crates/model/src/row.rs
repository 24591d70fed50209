//! An entry of a search's page: a file, or a line under its file. A page for people may have a million entries, so each
//! is kept small and serialised only on demand (as JSON values, a million lines took 1 GB).

use std::path::Path;
use std::sync::{Arc, OnceLock};

use serde::Serialize;

use crate::path_list::PathList;

/// An entry of a search's page. Serialised, it is one JSON object.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
#[non_exhaustive]
pub enum Row {
    /// A file.
    #[non_exhaustive]
    File {
        /// The absolute path of the file.
        path: Arc<str>,
        /// The number of matches in the file, if it was requested.
        #[serde(skip_serializing_if = "Option::is_none")]
        matches: Option<u64>,
    },
    /// A line.
    #[non_exhaustive]
    Line {
        /// The absolute path of the line's file.
        path: Arc<str>,
        /// The line number, from 1.
        line: u64,
        /// Why the line is shown.
        #[serde(rename = "type")]
        role: Role,
        /// The text without the line end; of a very long line the part around its match.
        text: Arc<str>,
        /// The matches in the text: the first byte, and the byte after the last.
        submatches: Box<[[u32; 2]]>,
    },
}

/// Why a line is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Role {
    /// The line matches.
    Match,
    /// The line is near one that matches.
    Context,
}

/// The entries of a page. Those of a list of files are made on first use: an agent's answer does not need them, and
/// making them took a twentieth of the time of a Glob in memory.
#[derive(Clone, Debug)]
pub enum PageRows {
    /// Lines with their files.
    Lines(Vec<Row>),
    /// Files.
    Files {
        /// The files.
        paths: Arc<PathList>,
        /// The number of matches in each file, if it was requested.
        matches: Option<Vec<u64>>,
        /// The entries, once they have been made.
        made: OnceLock<Vec<Row>>,
    },
}

impl Row {
    /// Makes the row of a file.
    #[doc(hidden)]
    pub fn file(path: Arc<str>, matches: Option<u64>) -> Self {
        Row::File { path, matches }
    }

    /// Makes the row of a line.
    #[doc(hidden)]
    pub fn line(
        path: Arc<str>,
        line: u64,
        role: Role,
        text: Arc<str>,
        submatches: Box<[[u32; 2]]>,
    ) -> Self {
        Row::Line {
            path,
            line,
            role,
            text,
            submatches,
        }
    }
}

impl PageRows {
    /// Makes the entries of a list of files.
    pub fn files(paths: Arc<PathList>, matches: Option<Vec<u64>>) -> Self {
        PageRows::Files {
            paths,
            matches,
            made: OnceLock::new(),
        }
    }

    /// Returns all entries.
    pub fn get(&self) -> &[Row] {
        match self {
            PageRows::Lines(rows) => rows,
            PageRows::Files {
                paths,
                matches,
                made,
            } => made.get_or_init(|| {
                let row = |(at, path): (usize, &Path)| Row::File {
                    path: path.to_string_lossy().into(),
                    matches: matches
                        .as_ref()
                        .and_then(|matches| matches.get(at).copied()),
                };
                paths.iter().enumerate().map(row).collect()
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn serializes_row_as_object_with_ordered_fields() {
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
