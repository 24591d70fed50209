//! The edit formats of language models: a whole response is parsed and applied as one change.
//!
//! [`Session::apply_response`](crate::Session::apply_response) takes a response as the model wrote it, prose included.
//! The parsers are re-exported for hosts that stream: [`ResponseStream`] emits parts as they close, and
//! [`Session::check_part`](crate::Session::check_part) checks for each whether it would apply.

pub use lancet_dialects::{
    Dialect, HunkLine, LineRole, ParseError, ParseErrorKind, ParseOptions, PartAction, PatchHunk,
    ResponsePart, ResponseStream, UnknownDialect, parse,
};

pub use crate::applied_by::AppliedBy;
use crate::call::{Caller, Cancel};
use crate::request::{DryRun, Insist};

/// The options for applying a response.
///
/// ```
/// use lancet::dialects::{AppliedBy, Dialect, ResponseOptions};
///
/// let mut options = ResponseOptions::default();
/// options.format = Some(Dialect::SearchReplace);
/// options.applied_by = AppliedBy::Person;
/// ```
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct ResponseOptions {
    /// The only format that is parsed. Without it all formats are, also several in one response.
    pub format: Option<Dialect>,
    /// Whether new text is written although it looks like display text or a placeholder.
    pub insist: Insist,
    /// Whether the change is only shown.
    pub dry_run: DryRun,
    /// On whose behalf the response is applied.
    pub applied_by: AppliedBy,
    /// The client that calls, for the history and the events.
    pub caller: Caller,
    /// The handle that stops the call; without one it ends after the usual time limit.
    pub cancel: Option<Cancel>,
}
