//! Observers hear of every read, search, change and refusal, after the fact: a host loads rules for the paths touched,
//! an editor refreshes its view. An observer never holds a call up for longer than it runs itself, and never changes its outcome.

use std::ops::Range;
use std::path::PathBuf;
use std::time::SystemTime;

use lancet_history::SessionName;

use crate::call::Caller;
use crate::refusal::RefusalKind;

/// Something that happened in a session.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Event {
    /// Lines of a file were shown.
    #[non_exhaustive]
    Read {
        /// When.
        time: SystemTime,
        /// The session's name, where it has one.
        session: Option<SessionName>,
        /// Who called.
        caller: Caller,
        /// The file as opened.
        path: PathBuf,
        /// The lines shown, counted from 1, end excluded.
        lines: Range<usize>,
    },
    /// Files were searched.
    #[non_exhaustive]
    Searched {
        /// When.
        time: SystemTime,
        /// The session's name, where it has one.
        session: Option<SessionName>,
        /// Who called.
        caller: Caller,
        /// The tool.
        tool: String,
        /// Where the search began.
        paths: Vec<PathBuf>,
        /// The files that the answer names.
        found: Vec<PathBuf>,
    },
    /// A file was written.
    #[non_exhaustive]
    Changed {
        /// When.
        time: SystemTime,
        /// The session's name, where it has one.
        session: Option<SessionName>,
        /// Who called.
        caller: Caller,
        /// The tool that wrote.
        tool: String,
        /// The file as opened.
        path: PathBuf,
        /// The revision before, where the file was there.
        before: Option<String>,
        /// The revision now; none where the file is gone.
        after: Option<String>,
        /// The changed lines of the new version, counted from 1, end excluded.
        lines: Vec<Range<usize>>,
        /// The operation's id.
        operation: String,
    },
    /// A call was refused.
    #[non_exhaustive]
    Refused {
        /// When.
        time: SystemTime,
        /// The session's name, where it has one.
        session: Option<SessionName>,
        /// Who called.
        caller: Caller,
        /// The tool.
        tool: String,
        /// The path as given, where there was one.
        path: Option<PathBuf>,
        /// Why.
        kind: RefusalKind,
    },
    /// A question was put to the approver and answered.
    #[non_exhaustive]
    Decided {
        /// When.
        time: SystemTime,
        /// The session's name, where it has one.
        session: Option<SessionName>,
        /// The file.
        path: PathBuf,
        /// Why it was asked.
        reason: String,
        /// Whether the answer was yes.
        allowed: bool,
    },
    /// The history's database was damaged and set aside, or removed while it was in use, and a new one begun. Of no session,
    /// whoever met it.
    #[non_exhaustive]
    SetAside {
        /// When.
        time: SystemTime,
        /// Where it is now; nowhere where it was removed.
        moved_to: Option<PathBuf>,
        /// What was wrong, and what is left of it.
        words: String,
    },
}

impl Event {
    /// When it happened.
    pub fn time(&self) -> SystemTime {
        match self {
            Event::Read { time, .. }
            | Event::Searched { time, .. }
            | Event::Changed { time, .. }
            | Event::Refused { time, .. }
            | Event::Decided { time, .. }
            | Event::SetAside { time, .. } => *time,
        }
    }
}

/// Hears of what happened. A closure is an observer.
///
/// ```
/// use lancet::Lancet;
/// use lancet::events::Event;
/// use lancet::tools::ReadArguments;
/// use std::sync::mpsc::channel;
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let folder = tempfile::tempdir()?;
/// # std::fs::write(folder.path().join("a.txt"), "hello\n")?;
/// let (tell, told) = channel();
/// let lancet = Lancet::builder()
///     .root(folder.path())
///     .observer(move |event: &Event| {
///         if let Event::Read { path, lines, .. } = event {
///             let _ = tell.send((path.clone(), lines.clone()));
///         }
///     })
///     .open()?;
/// lancet.new_session().read(ReadArguments::new(folder.path().join("a.txt")));
/// assert_eq!(told.try_recv()?.1, 1..2);
/// # Ok(())
/// # }
/// ```
pub trait Observer: Send + Sync {
    /// Called after the fact, in the thread of the call and in the order of what it did. The files are free again: an
    /// observer may make calls itself.
    fn observe(&self, event: &Event);
}

impl<F: Fn(&Event) + Send + Sync> Observer for F {
    fn observe(&self, event: &Event) {
        self(event);
    }
}
