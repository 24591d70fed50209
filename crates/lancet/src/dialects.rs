//! The edit formats of language models: a whole reply is parsed and applied as one change.
//!
//! [`Session::apply_reply`](crate::Session::apply_reply) takes a reply as the model wrote it, prose included. The
//! parsers are re-exported for hosts that stream: [`ReplyStream`] emits parts as they close, and
//! [`Session::check_part`](crate::Session::check_part) checks for each whether it would apply.

pub use lancet_dialects::{
    Dialect, HunkLine, LineRole, ParseError, ParseErrorKind, ParseOptions, PartAction, PatchHunk,
    ReplyPart, ReplyStream, UnknownDialect, parse,
};

pub use crate::applied_by::AppliedBy;
use crate::call::{Caller, Cancel};
use crate::request::{DryRun, Insist};

/// The options for applying a reply.
///
/// ```
/// use lancet::dialects::{AppliedBy, Dialect, ReplyOptions};
///
/// let mut options = ReplyOptions::default();
/// options.format = Some(Dialect::SearchReplace);
/// options.applied_by = AppliedBy::Person;
/// ```
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct ReplyOptions {
    /// The only format that is parsed. Without it all formats are, also several in one reply.
    pub format: Option<Dialect>,
    /// Whether new text is written although it looks like display text or a placeholder.
    pub insist: Insist,
    /// Whether the change is only shown.
    pub dry_run: DryRun,
    /// On whose behalf the reply is applied.
    pub applied_by: AppliedBy,
    /// The client that calls, for the history and the events.
    pub caller: Caller,
    /// The handle that stops the call; without one it ends after the usual time limit.
    pub cancel: Option<Cancel>,
}
