//! Observers: they are notified of every read, search, change and refusal after it happened. A host loads rules for the
//! paths touched, an editor refreshes its view. An observer delays a call only as long as it runs itself, and never
//! changes the outcome.

use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::SystemTime;

use lancet_history::SessionName;

use crate::call::Caller;
pub use crate::path_list::PathList;
use crate::refusal::RefusalKind;

/// An event in a session.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Event {
    /// Lines of a file were shown.
    #[non_exhaustive]
    Read {
        /// When the lines were shown.
        time: SystemTime,
        /// The session's name, where it has one.
        session: Option<SessionName>,
        /// The client that called.
        caller: Caller,
        /// The file as opened.
        path: PathBuf,
        /// The lines shown, counted from 1, end excluded.
        lines: Range<usize>,
    },
    /// Files were searched.
    #[non_exhaustive]
    Searched {
        /// When the search ended.
        time: SystemTime,
        /// The session's name, where it has one.
        session: Option<SessionName>,
        /// The client that called.
        caller: Caller,
        /// The name of the tool that searched.
        tool: String,
        /// The files and folders where the search began.
        paths: Vec<PathBuf>,
        /// The files that the answer names.
        found: Arc<PathList>,
    },
    /// A file was written.
    #[non_exhaustive]
    Changed {
        /// When the file was written.
        time: SystemTime,
        /// The session's name, where it has one.
        session: Option<SessionName>,
        /// The client that called.
        caller: Caller,
        /// The tool that wrote.
        tool: String,
        /// The file as opened.
        path: PathBuf,
        /// The revision before; none where the file did not exist.
        before: Option<String>,
        /// The revision now; none where the file was removed.
        after: Option<String>,
        /// The changed lines of the new version, counted from 1, end excluded.
        lines: Vec<Range<usize>>,
        /// The operation's id.
        operation: String,
    },
    /// A call was refused.
    #[non_exhaustive]
    Refused {
        /// When the call was refused.
        time: SystemTime,
        /// The session's name, where it has one.
        session: Option<SessionName>,
        /// The client that called.
        caller: Caller,
        /// The name of the tool that was called.
        tool: String,
        /// The path as given; none where the call named none.
        path: Option<PathBuf>,
        /// The reason of the refusal.
        kind: RefusalKind,
    },
    /// A question was put to the approver and answered.
    #[non_exhaustive]
    Decided {
        /// When the answer came.
        time: SystemTime,
        /// The session's name, where it has one.
        session: Option<SessionName>,
        /// The path of the file that the question was about.
        path: PathBuf,
        /// Why the question was raised.
        reason: String,
        /// Whether the answer was yes.
        allowed: bool,
    },
    /// The history's database was damaged and set aside, or removed while it was in use, and a new one was created. The
    /// event belongs to no session, whichever session found the damage.
    #[non_exhaustive]
    SetAside {
        /// When the damage was found.
        time: SystemTime,
        /// Where the damaged database is now; none where it was removed.
        moved_to: Option<PathBuf>,
        /// What was wrong, and how much of the history is left, as text for a person.
        words: String,
    },
}

impl Event {
    /// Returns the time of the event.
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

/// An observer of events. A closure is an observer.
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
    /// Receives an event after it happened, on the thread of the call and in the order of the call's actions. The files
    /// are no longer locked, so an observer may make calls itself.
    fn observe(&self, event: &Event);
}

impl<F: Fn(&Event) + Send + Sync> Observer for F {
    fn observe(&self, event: &Event) {
        self(event);
    }
}
