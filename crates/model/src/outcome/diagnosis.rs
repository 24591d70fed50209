//! The problems that language servers found after a change, as data of an answer.

use crate::non_exhaustive::NonExhaustive;
use std::path::PathBuf;

use lancet_language::{NewProblems, Problem, Severity};
use serde::Serialize;

/// The problems that language servers found after a change.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Diagnosis {
    /// The problems that the previous version did not have.
    pub new: Vec<FoundProblem>,
    /// The number of further new problems.
    #[serde(skip_serializing_if = "is_zero")]
    pub more: usize,
    /// The servers that did not know the previous version, or did not answer in time.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub not_ready: Vec<String>,
    /// The servers that could not be started, or that ended unexpectedly.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub not_running: Vec<String>,
    #[doc(hidden)]
    #[serde(skip)]
    pub non_exhaustive: NonExhaustive,
}

/// One problem that a language server found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FoundProblem {
    /// The file, absolute.
    #[serde(rename = "file_path", serialize_with = "super::as_path")]
    pub path: PathBuf,
    /// The line, from 1.
    pub line: u32,
    /// The column in characters, from 1.
    pub column: u32,
    /// `error`, `warning`, `information` or `hint`.
    pub severity: &'static str,
    /// The server's code for this kind of problem.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
    /// The server's message.
    pub message: String,
    /// The tool that reports the problem.
    pub source: String,
    /// The revision of the file that the problem belongs to; none for a file that the change broke without changing it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub revision: Option<String>,
    #[doc(hidden)]
    #[serde(skip)]
    pub non_exhaustive: NonExhaustive,
}

impl Diagnosis {
    /// Returns whether there is nothing to report.
    pub fn is_empty(&self) -> bool {
        let names = [&self.not_ready, &self.not_running];
        self.new.is_empty() && self.more == 0 && names.iter().all(|names| names.is_empty())
    }
}

impl From<NewProblems> for Diagnosis {
    fn from(found: NewProblems) -> Diagnosis {
        Diagnosis {
            new: found.new.into_iter().map(FoundProblem::from).collect(),
            more: found.more,
            not_ready: found.not_ready,
            not_running: Vec::new(),
            non_exhaustive: NonExhaustive,
        }
    }
}

impl From<Problem> for FoundProblem {
    fn from(problem: Problem) -> FoundProblem {
        FoundProblem {
            path: problem.path,
            line: problem.line,
            column: problem.column,
            severity: match problem.severity {
                Severity::Error => "error",
                Severity::Warning => "warning",
                Severity::Information => "information",
                Severity::Hint => "hint",
            },
            code: problem.code,
            message: problem.message,
            source: problem.source,
            revision: problem.revision,
            non_exhaustive: NonExhaustive,
        }
    }
}

fn is_zero(number: &usize) -> bool {
    *number == 0
}
