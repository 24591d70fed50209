//! The place of the recorder of a root in the state folder: a locked file with its process, and a socket. The kernel
//! releases the lock when the process ends, however it ends.

use std::fs::{self, DirBuilder, File, OpenOptions, Permissions, TryLockError};
use std::io::{self, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _, PermissionsExt as _};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::Duration;

/// The folder of these files inside the state folder.
const RECORDERS_FOLDER: &str = "recorders";
/// The longest path of a socket that the system takes.
const MAX_SOCKET_PATH: usize = 100;

/// How often, and at which interval, the lock is tried before another process is taken to hold it.
const MAX_LOCK_TRIES: usize = 3;
const RETRY_PAUSE: Duration = Duration::from_millis(2);

/// The work of a recorder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RecorderWork {
    /// It says what changed to the hooks of agents, and ends with them.
    Hooks,
    /// It says the same from within a server, from the first hook that asks for it on.
    Server,
    /// A person started it to record what changes.
    Watch,
}

impl RecorderWork {
    fn as_str(self) -> &'static str {
        match self {
            RecorderWork::Hooks => "hooks",
            RecorderWork::Server => "server",
            RecorderWork::Watch => "watch",
        }
    }
}

/// A running recorder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunningRecorder {
    /// The number of its process, as that process itself knows it; none if it cannot be read.
    pub process: Option<u32>,
    /// What it does.
    pub work: RecorderWork,
}

/// The result of an attempt to become the recorder of a root.
#[derive(Debug)]
pub enum RecorderClaim {
    /// This process is the recorder now.
    Claimed(RecorderPlace),
    /// Another process is.
    Taken(RunningRecorder),
}

/// The place of the recorder that this process is. Dropping it gives the place up.
#[derive(Debug)]
#[must_use]
pub struct RecorderPlace {
    lock: File,
    socket: PathBuf,
    listener: UnixListener,
}

impl Drop for RecorderPlace {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.socket);
        // Closing the file is not enough: a child that this process is just starting has a copy of it.
        let _ = self.lock.unlock();
    }
}

impl RecorderPlace {
    /// Becomes the recorder of a workspace, unless another process is.
    ///
    /// # Errors
    /// The state folder cannot be written.
    pub fn claim(state: &Path, workspace: &str, work: RecorderWork) -> io::Result<RecorderClaim> {
        DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(state.join(RECORDERS_FOLDER))?;
        let path = lock_path(state, workspace);
        let mut lock = OpenOptions::new()
            .create(true)
            .truncate(false)
            .write(true)
            .mode(0o600)
            .open(&path)?;
        if !try_lock(&lock)? {
            return Ok(RecorderClaim::Taken(read_recorder(&path)));
        }
        lock.set_len(0)?;
        writeln!(lock, "{} {}", std::process::id(), work.as_str())?;
        let socket = socket_path(state, workspace);
        match fs::remove_file(&socket) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        let listener = with_short_path(&socket, |path| UnixListener::bind(path))?;
        fs::set_permissions(&socket, Permissions::from_mode(0o600))?;
        listener.set_nonblocking(true)?;
        Ok(RecorderClaim::Claimed(RecorderPlace {
            lock,
            socket,
            listener,
        }))
    }

    /// Returns the socket, which does not block.
    #[must_use]
    pub fn listener(&self) -> &UnixListener {
        &self.listener
    }

    /// Returns the recorder of a workspace; none if there is none.
    #[must_use]
    pub fn find(state: &Path, workspace: &str) -> Option<RunningRecorder> {
        let path = lock_path(state, workspace);
        let file = File::open(&path).ok()?;
        match file.try_lock_shared() {
            Err(TryLockError::WouldBlock) => Some(read_recorder(&path)),
            _ => None,
        }
    }

    /// Connects to the recorder of a workspace.
    ///
    /// # Errors
    /// There is none, or it does not take connections.
    pub fn connect(state: &Path, workspace: &str) -> io::Result<UnixStream> {
        let socket = socket_path(state, workspace);
        with_short_path(&socket, |path| UnixStream::connect(path))
    }
}

/// Locks a file; returns whether that was possible. A process in `find` holds the lock for a moment.
fn try_lock(file: &File) -> io::Result<bool> {
    for attempt in 0..MAX_LOCK_TRIES {
        if attempt > 0 {
            sleep(RETRY_PAUSE);
        }
        match file.try_lock() {
            Ok(()) => return Ok(true),
            Err(TryLockError::WouldBlock) => {}
            Err(TryLockError::Error(error)) => return Err(error),
        }
    }
    Ok(false)
}

fn lock_path(state: &Path, workspace: &str) -> PathBuf {
    state.join(RECORDERS_FOLDER).join(workspace)
}

fn socket_path(state: &Path, workspace: &str) -> PathBuf {
    state
        .join(RECORDERS_FOLDER)
        .join(format!("{workspace}.socket"))
}

/// Reads which process a lock file names.
fn read_recorder(path: &Path) -> RunningRecorder {
    let text = fs::read_to_string(path).unwrap_or_default();
    let mut words = text.split_whitespace();
    let process = words.next().and_then(|word| word.parse().ok());
    let work = match words.next() {
        Some("watch") => RecorderWork::Watch,
        Some("server") => RecorderWork::Server,
        _ => RecorderWork::Hooks,
    };
    RunningRecorder { process, work }
}

/// Calls `work` with a path of a socket that the system takes: a long one leads through the open folder.
fn with_short_path<T>(socket: &Path, work: impl FnOnce(&Path) -> io::Result<T>) -> io::Result<T> {
    use std::os::fd::AsRawFd as _;
    let (Some(folder), Some(name)) = (socket.parent(), socket.file_name()) else {
        return Err(io::ErrorKind::InvalidInput.into());
    };
    if socket.as_os_str().len() <= MAX_SOCKET_PATH {
        return work(socket);
    }
    let folder = File::open(folder)?;
    let path = format!("/proc/self/fd/{}", folder.as_raw_fd());
    work(&Path::new(&path).join(name))
}

#[cfg(test)]
mod tests {
    use std::io::Read as _;
    use std::os::unix::fs::FileTypeExt as _;

    use super::*;

    fn claimed(claim: RecorderClaim) -> RecorderPlace {
        match claim {
            RecorderClaim::Claimed(place) => place,
            RecorderClaim::Taken(by) => panic!("taken by {by:?}"),
        }
    }

    #[test]
    fn root_has_one_recorder_until_it_is_dropped() {
        let folder = tempfile::tempdir().expect("a folder");
        // A path that is longer than the name of a socket may be.
        let state = folder.path().join("s".repeat(120));
        fs::create_dir(&state).expect("made");
        assert_eq!(RecorderPlace::find(&state, "one"), None);
        let claim = |work| RecorderPlace::claim(&state, "one", work).expect("claimed");
        let place = claimed(claim(RecorderWork::Watch));
        let running = RunningRecorder {
            process: Some(std::process::id()),
            work: RecorderWork::Watch,
        };
        assert_eq!(RecorderPlace::find(&state, "one"), Some(running.clone()));
        assert!(matches!(claim(RecorderWork::Hooks), RecorderClaim::Taken(by) if by == running));
        let found = fs::symlink_metadata(&place.socket).expect("a socket");
        assert!(found.file_type().is_socket());
        assert_eq!(found.permissions().mode() & 0o777, 0o600);
        drop(place);
        assert_eq!(RecorderPlace::find(&state, "one"), None);
        drop(claimed(claim(RecorderWork::Hooks)));
    }

    #[test]
    fn socket_leads_to_the_recorder() {
        let state = tempfile::tempdir().expect("a folder");
        assert!(RecorderPlace::connect(state.path(), "one").is_err());
        let claim = RecorderPlace::claim(state.path(), "one", RecorderWork::Hooks);
        let place = claimed(claim.expect("claimed"));
        let mut client = RecorderPlace::connect(state.path(), "one").expect("connected");
        let (mut server, _) = place.listener().accept().expect("accepted");
        client.write_all(b"x").expect("sent");
        let mut byte = [0];
        server.read_exact(&mut byte).expect("received");
        assert_eq!(&byte, b"x");
        drop(place);
        assert!(RecorderPlace::connect(state.path(), "one").is_err());
    }
}
