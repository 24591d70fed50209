//! The connection between a process and its launcher. Each message is one packet on a Unix socket; a request has file
//! descriptors attached. Both ends are the same build, so the format has no version.

use std::ffi::{OsStr, OsString};
use std::io::{self, IoSlice, IoSliceMut};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};

use rustix::net::{
    AddressFamily, RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer,
    SendAncillaryMessage, SendFlags, SocketFlags, SocketType, recvmsg, sendmsg, socketpair,
};

use crate::programs::{LaunchRequest, Streams};

/// The longest message, in bytes.
const MAX_MESSAGE_BYTES: usize = 64 * 1024;

/// One end of a socket pair.
#[derive(Debug)]
pub(crate) struct Connection(OwnedFd);

/// A report of the launcher about a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Report {
    /// The program was started.
    Started,
    /// It has ended, with this status of the system.
    Ended(i32),
    /// It took longer than programs of its kind may, and was ended.
    Late,
    /// It could not be started, for this error of the system.
    Failed(i32),
    /// The launcher has no such entry.
    Unknown,
    /// It is not started, because a file of it is not the one that was trusted.
    Changed,
}

/// Returns the two ends of a socket pair, which child processes do not inherit.
pub(crate) fn socket_pair() -> io::Result<(OwnedFd, OwnedFd)> {
    Ok(socketpair(
        AddressFamily::UNIX,
        SocketType::SEQPACKET,
        SocketFlags::CLOEXEC,
        None,
    )?)
}

impl AsFd for Connection {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}

impl Connection {
    pub(crate) fn new(end: OwnedFd) -> Self {
        Self(end)
    }

    /// Sends a request to the launcher. Returns the connection on which the launcher reports about the program; the
    /// launcher ends the program when this connection is closed.
    pub(crate) fn request(
        &self,
        launch: &LaunchRequest,
        streams: Streams,
    ) -> io::Result<Connection> {
        let (ours, its) = socket_pair()?;
        let message = encode_request(launch);
        if message.len() > MAX_MESSAGE_BYTES {
            return Err(io::ErrorKind::ArgumentListTooLong.into());
        }
        let files = [
            streams.input.as_fd(),
            streams.output.as_fd(),
            streams.error.as_fd(),
            its.as_fd(),
        ];
        let mut room = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(4))];
        let mut beside = SendAncillaryBuffer::new(&mut room);
        if !beside.push(SendAncillaryMessage::ScmRights(&files)) {
            return Err(io::ErrorKind::OutOfMemory.into());
        }
        let pieces = [IoSlice::new(&message)];
        sendmsg(&self.0, &pieces, &mut beside, SendFlags::NOSIGNAL)?;
        // From here on only the launcher has these open. If the launcher dies, they are closed, and waiting for a
        // report fails instead of lasting forever.
        Ok(Connection::new(ours))
    }

    /// Receives the next request and the connection to report on; none when the other end is closed. A malformed
    /// request is skipped; its sender gets an error, because the connection for the report is closed.
    pub(crate) fn next_request(&self) -> io::Result<Option<(LaunchRequest, Streams, Connection)>> {
        loop {
            let (message, files) = self.receive_message()?;
            if message.is_empty() {
                return Ok(None);
            }
            if let Ok([input, output, error, report]) = <[OwnedFd; 4]>::try_from(files)
                && let Some(launch) = decode_request(&message)
            {
                let streams = Streams {
                    input,
                    output,
                    error,
                };
                return Ok(Some((launch, streams, Connection::new(report))));
            }
        }
    }

    /// Sends a report.
    pub(crate) fn send_report(&self, report: Report) -> io::Result<()> {
        let message = match report {
            Report::Started => "started 0".to_owned(),
            Report::Ended(status) => format!("ended {status}"),
            Report::Late => "late 0".to_owned(),
            Report::Failed(error) => format!("failed {error}"),
            Report::Unknown => "unknown 0".to_owned(),
            Report::Changed => "changed 0".to_owned(),
        };
        let pieces = [IoSlice::new(message.as_bytes())];
        let mut beside = SendAncillaryBuffer::default();
        sendmsg(&self.0, &pieces, &mut beside, SendFlags::NOSIGNAL)?;
        Ok(())
    }

    /// Waits for the next report.
    pub(crate) fn receive_report(&self) -> io::Result<Report> {
        let (message, _) = self.receive_message()?;
        let text = String::from_utf8_lossy(&message);
        let told = text
            .split_once(' ')
            .and_then(|(word, number)| Some((word, number.parse().ok()?)));
        match told {
            Some(("started", _)) => Ok(Report::Started),
            Some(("ended", status)) => Ok(Report::Ended(status)),
            Some(("late", _)) => Ok(Report::Late),
            Some(("failed", error)) => Ok(Report::Failed(error)),
            Some(("unknown", _)) => Ok(Report::Unknown),
            Some(("changed", _)) => Ok(Report::Changed),
            _ => Err(io::Error::other("the launcher is gone")),
        }
    }

    fn receive_message(&self) -> io::Result<(Vec<u8>, Vec<OwnedFd>)> {
        let mut bytes = vec![0; MAX_MESSAGE_BYTES];
        let mut room = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(4))];
        let mut beside = RecvAncillaryBuffer::new(&mut room);
        let received = rustix::io::retry_on_intr(|| {
            let mut pieces = [IoSliceMut::new(&mut bytes)];
            recvmsg(&self.0, &mut pieces, &mut beside, RecvFlags::CMSG_CLOEXEC)
        })?;
        let mut files = Vec::new();
        for message in beside.drain() {
            if let RecvAncillaryMessage::ScmRights(handles) = message {
                files.extend(handles);
            }
        }
        bytes.truncate(received.bytes);
        Ok((bytes, files))
    }
}

/// Encodes a request as fields that end with NUL, which no path can contain: the kind, and the fields of that kind.
fn encode_request(launch: &LaunchRequest) -> Vec<u8> {
    let fields: Vec<OsString> = match launch {
        LaunchRequest::Editor { file, line } => {
            vec!["editor".into(), file.into(), line.to_string().into()]
        }
        LaunchRequest::Pager => vec!["pager".into()],
        LaunchRequest::Notify => vec!["notify".into()],
        LaunchRequest::Converter { pattern, name } => {
            vec!["converter".into(), pattern.into(), name.clone()]
        }
        LaunchRequest::Hook { entry } => vec!["hook".into(), entry.into()],
        LaunchRequest::Formatter { entry, path } => {
            vec!["formatter".into(), entry.into(), path.into()]
        }
        LaunchRequest::Server { name, folder } => {
            vec!["server".into(), name.into(), folder.into()]
        }
    };
    let mut message = Vec::new();
    for field in fields {
        message.extend_from_slice(field.as_bytes());
        message.push(0);
    }
    message
}

fn decode_request(message: &[u8]) -> Option<LaunchRequest> {
    let fields: Vec<&[u8]> = message
        .strip_suffix(&[0])?
        .split(|&byte| byte == 0)
        .collect();
    let text = |field: &[u8]| String::from_utf8(field.to_vec()).ok();
    match *fields.as_slice() {
        [b"editor", file, line] => Some(LaunchRequest::Editor {
            file: OsStr::from_bytes(file).into(),
            line: text(line)?.parse().ok()?,
        }),
        [b"pager"] => Some(LaunchRequest::Pager),
        [b"notify"] => Some(LaunchRequest::Notify),
        [b"converter", pattern, name] => Some(LaunchRequest::Converter {
            pattern: text(pattern)?,
            name: OsString::from_vec(name.to_vec()),
        }),
        [b"hook", entry] => Some(LaunchRequest::Hook {
            entry: text(entry)?,
        }),
        [b"formatter", entry, path] => Some(LaunchRequest::Formatter {
            entry: text(entry)?,
            path: OsStr::from_bytes(path).into(),
        }),
        [b"server", name, folder] => Some(LaunchRequest::Server {
            name: text(name)?,
            folder: OsStr::from_bytes(folder).into(),
        }),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_round_trip() {
        let requests = [
            LaunchRequest::Editor {
                file: "/d/a b\n".into(),
                line: 7,
            },
            LaunchRequest::Pager,
            LaunchRequest::Notify,
            LaunchRequest::Converter {
                pattern: "*.docx".into(),
                name: OsString::from_vec(b"a\xff.docx".to_vec()),
            },
            LaunchRequest::Hook { entry: "8f".into() },
            LaunchRequest::Formatter {
                entry: "7f".into(),
                path: "/d/a b.py".into(),
            },
            LaunchRequest::Server {
                name: "ruff".into(),
                folder: "/d/e f".into(),
            },
        ];
        for asked in requests {
            assert_eq!(decode_request(&encode_request(&asked)), Some(asked));
        }
        for wrong in [
            &b""[..],
            b"pager",
            b"pager\0x\0",
            b"sh\0-c\0",
            b"editor\0/a\0x\0",
            b"converter\0\xff\0a\0",
        ] {
            assert_eq!(decode_request(wrong), None);
        }
    }
}
