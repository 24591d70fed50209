//! Waits for the next change of the history, for a key, or for the end. On Linux the kernel reports writes in the state
//! folder (inotify). Elsewhere, and where it does not report them (network file systems), the history is read every
//! second.

use std::io;
use std::os::fd::{AsFd as _, OwnedFd};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::termios::{LocalModes, OptionalActions, Termios, tcgetattr, tcsetattr};

/// The longest time of one wait, after which the history is read again.
const MAX_WAIT: Timespec = Timespec {
    tv_sec: 1,
    tv_nsec: 0,
};

/// The reason for the end of a wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::command) enum WakeReason {
    /// The history may have changed.
    Look,
    /// A key was pressed.
    Key(u8),
    /// The user, or the reader of the output, is gone.
    End,
}

/// What a signal that ends programs does where there is no terminal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::command) enum AtSignal {
    /// It ends the program.
    EndProgram,
    /// It ends the wait.
    Return,
}

/// The sources of events that end a wait.
pub(in crate::command) struct ChangeWait {
    told: Option<OwnedFd>,
    ended: Arc<AtomicBool>,
    keys: Option<Keys>,
}

impl ChangeWait {
    /// Prepares to wait for changes in a folder, and for keys where there is a terminal.
    pub(in crate::command) fn new(
        folder: Option<&Path>,
        keys: Option<Keys>,
        at_signal: AtSignal,
    ) -> Self {
        let ended = Arc::new(AtomicBool::new(false));
        // The settings of a terminal have to be restored when a signal ends the program.
        if keys.is_some() || at_signal == AtSignal::Return {
            for signal in signal_hook::consts::TERM_SIGNALS {
                let _ = signal_hook::flag::register(*signal, Arc::clone(&ended));
            }
        }
        Self {
            told: folder.and_then(watch_folder),
            ended,
            keys,
        }
    }

    /// Waits for the next event.
    pub(in crate::command) fn wait(&self) -> WakeReason {
        let (input, output) = (io::stdin(), io::stdout());
        // A pipe without a reader is reported even though no event is requested.
        let mut waited = vec![PollFd::new(&output, PollFlags::empty())];
        let told = self.told.as_ref();
        waited.extend(told.map(|told| PollFd::new(told, PollFlags::IN)));
        let keys = self.keys.as_ref();
        waited.extend(keys.map(|_| PollFd::new(&input, PollFlags::IN)));
        let ready = poll(&mut waited, Some(&MAX_WAIT)).unwrap_or(0);
        let found: Vec<PollFlags> = waited.iter().map(PollFd::revents).collect();
        let gone = PollFlags::ERR | PollFlags::HUP | PollFlags::NVAL;
        if self.ended.load(Ordering::Relaxed) || found[0].intersects(gone) {
            return WakeReason::End;
        }
        if ready > 0 && keys.is_some() && found.last().is_some_and(|found| !found.is_empty()) {
            let mut key = [0];
            return match rustix::io::read(&input, &mut key) {
                Ok(1) => WakeReason::Key(key[0]),
                Ok(_) => WakeReason::End,
                Err(_) => WakeReason::Look,
            };
        }
        if let Some(told) = told {
            // The content of the events is not needed: any event means that the history may have changed.
            let mut bytes = [0; 4096];
            while rustix::io::read(told, &mut bytes).is_ok_and(|length| length == bytes.len()) {}
        }
        WakeReason::Look
    }

    /// Restores line input at the terminal while some work runs.
    pub(in crate::command) fn with_line_input<T>(&self, work: impl FnOnce() -> T) -> T {
        if let Some(keys) = &self.keys {
            keys.set_terminal_modes(&keys.before);
        }
        let done = work();
        if let Some(keys) = &self.keys {
            keys.set_terminal_modes(&keys.raw);
        }
        done
    }
}

#[cfg(target_os = "linux")]
fn watch_folder(folder: &Path) -> Option<OwnedFd> {
    use rustix::fs::inotify::{CreateFlags, WatchFlags, add_watch, init};
    let told = init(CreateFlags::NONBLOCK | CreateFlags::CLOEXEC).ok()?;
    let writes = WatchFlags::MODIFY | WatchFlags::CREATE | WatchFlags::MOVED_TO;
    add_watch(&told, folder, writes).ok()?;
    Some(told)
}

#[cfg(not(target_os = "linux"))]
fn told_of(_: &Path) -> Option<OwnedFd> {
    None
}

/// A terminal that delivers each key without waiting for Enter and does not show it. Dropping this restores its
/// settings.
pub(in crate::command) struct Keys {
    before: Termios,
    raw: Termios,
}

impl Keys {
    /// Switches the terminal to single keys; none where standard input is not a terminal.
    pub(in crate::command) fn begin() -> Option<Self> {
        let before = tcgetattr(io::stdin().as_fd()).ok()?;
        let mut raw = before.clone();
        raw.local_modes
            .remove(LocalModes::ICANON | LocalModes::ECHO);
        let keys = Self { before, raw };
        keys.set_terminal_modes(&keys.raw);
        Some(keys)
    }

    fn set_terminal_modes(&self, modes: &Termios) {
        // A failure is ignored: where the terminal no longer exists, the next read fails as well and ends the wait.
        let _ = tcsetattr(io::stdin().as_fd(), OptionalActions::Now, modes);
    }
}

impl Drop for Keys {
    fn drop(&mut self) {
        self.set_terminal_modes(&self.before);
    }
}
