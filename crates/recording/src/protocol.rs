//! What the recorder of a root and the processes that look at it send each other: one request and one reply for each
//! connection, each with its length before it.

use std::io::{Error, ErrorKind, Read, Result, Write};

use lancet_history::{CheckpointEntryKind, StampRecord};

use crate::reported::{ReportedChanges, ReportedEntry};
use crate::scan::ScannedEntry;
use crate::seen_stat::{from_record, to_record};

/// Begins every message. Another version of lancet does not understand it and looks itself.
const BEGINNING: &[u8] = concat!("lancet recorder ", env!("CARGO_PKG_VERSION"), " 1\n").as_bytes();
/// The longest request and the longest reply, in bytes.
const MAX_REQUEST: usize = 4_096;
const MAX_REPLY: usize = 64 << 20;

/// A request to the recorder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RecorderRequest {
    /// What changed since a checkpoint? `agent` is the process of the agent on whose behalf this is requested.
    Changes {
        /// The number of the checkpoint; none to learn the position alone.
        since: Option<i64>,
        /// The process id and start time, with a colon in between.
        agent: Option<String>,
    },
    /// A checkpoint has the state of a position.
    Checkpoint {
        /// The number of the checkpoint.
        number: i64,
        /// The position.
        position: u64,
    },
    /// Watch the root from now on: more looks will come. A server begins to watch only then.
    Watch,
    /// Another recorder takes over.
    End,
}

/// Sends a request and returns the reply, if the request has one.
///
/// # Errors
/// The connection failed, or the reply is not one of this version.
pub fn send_request(
    connection: &mut (impl Read + Write),
    request: &RecorderRequest,
) -> Result<Option<ReportedChanges>> {
    let mut message = Vec::new();
    match request {
        RecorderRequest::Changes { since, agent } => {
            message.push(b'c');
            put_optional(&mut message, since.map(i64::to_le_bytes).as_ref());
            let agent = agent.as_deref().unwrap_or_default();
            put_bytes(&mut message, agent.as_bytes());
        }
        RecorderRequest::Checkpoint { number, position } => {
            message.push(b'n');
            message.extend(number.to_le_bytes());
            message.extend(position.to_le_bytes());
        }
        RecorderRequest::Watch => message.push(b'w'),
        RecorderRequest::End => message.push(b'e'),
    }
    send(connection, &message)?;
    let reply = receive(connection, MAX_REPLY)?;
    match request {
        RecorderRequest::Changes { .. } => read_changes(&mut Fields(&reply)).map(Some),
        RecorderRequest::Checkpoint { .. } | RecorderRequest::Watch | RecorderRequest::End => {
            Ok(None)
        }
    }
}

/// Reads a request.
///
/// # Errors
/// The connection failed, or the request is not one of this version.
pub fn read_request(connection: &mut impl Read) -> Result<RecorderRequest> {
    let message = receive(connection, MAX_REQUEST)?;
    let mut fields = Fields(&message);
    Ok(match fields.take::<1>()? {
        [b'c'] => RecorderRequest::Changes {
            since: fields.optional()?.map(i64::from_le_bytes),
            agent: {
                let agent = String::from_utf8(fields.bytes()?.to_vec());
                agent.ok().filter(|agent| !agent.is_empty())
            },
        },
        [b'n'] => RecorderRequest::Checkpoint {
            number: i64::from_le_bytes(fields.take()?),
            position: u64::from_le_bytes(fields.take()?),
        },
        [b'w'] => RecorderRequest::Watch,
        [b'e'] => RecorderRequest::End,
        _ => return Err(malformed()),
    })
}

/// Sends the reply to a request; `changes` are those that it asked for.
///
/// # Errors
/// The connection failed.
pub fn write_reply(connection: &mut impl Write, changes: Option<&ReportedChanges>) -> Result<()> {
    let mut message = Vec::new();
    if let Some(reported) = changes {
        message.extend(reported.position.to_le_bytes());
        message.extend(reported.files.to_le_bytes());
        match &reported.changes {
            None => message.push(0),
            Some(changes) => {
                message.push(1);
                for change in changes {
                    put_entry(&mut message, change);
                }
            }
        }
    }
    send(connection, &message)
}

fn put_entry(message: &mut Vec<u8>, change: &ReportedEntry) {
    put_bytes(message, &change.name);
    let Some(now) = &change.now else {
        message.push(b'-');
        return;
    };
    message.push(match now.kind {
        CheckpointEntryKind::File => b'f',
        CheckpointEntryKind::Link => b'l',
        CheckpointEntryKind::EmptyFolder => b'd',
    });
    for number in to_record(&now.stamp).0 {
        message.extend(number.to_le_bytes());
    }
    put_bytes(message, now.link.as_deref().unwrap_or_default());
}

fn read_changes(fields: &mut Fields<'_>) -> Result<ReportedChanges> {
    let position = u64::from_le_bytes(fields.take()?);
    let files = u64::from_le_bytes(fields.take()?);
    let mut changes = match fields.take()? {
        [0] => None,
        [1] => Some(Vec::new()),
        _ => return Err(malformed()),
    };
    if let Some(changes) = &mut changes {
        while !fields.0.is_empty() {
            changes.push(read_entry(fields)?);
        }
    }
    Ok(ReportedChanges {
        position,
        files,
        changes,
    })
}

fn read_entry(fields: &mut Fields<'_>) -> Result<ReportedEntry> {
    let name = fields.bytes()?.to_vec();
    let kind = match fields.take()? {
        [b'-'] => return Ok(ReportedEntry { name, now: None }),
        [b'f'] => CheckpointEntryKind::File,
        [b'l'] => CheckpointEntryKind::Link,
        [b'd'] => CheckpointEntryKind::EmptyFolder,
        _ => return Err(malformed()),
    };
    let mut stamp = StampRecord::default();
    for number in &mut stamp.0 {
        *number = i64::from_le_bytes(fields.take()?);
    }
    let link = fields.bytes()?.to_vec();
    Ok(ReportedEntry {
        now: Some(ScannedEntry {
            name: name.clone(),
            kind,
            stamp: from_record(&stamp),
            link: (kind == CheckpointEntryKind::Link).then_some(link),
        }),
        name,
    })
}

fn send(connection: &mut impl Write, message: &[u8]) -> Result<()> {
    let length = BEGINNING.len() + message.len();
    let length = u32::try_from(length).map_err(|_| malformed())?;
    let whole = [&length.to_le_bytes(), BEGINNING, message].concat();
    connection.write_all(&whole)?;
    connection.flush()
}

fn receive(connection: &mut impl Read, limit: usize) -> Result<Vec<u8>> {
    let mut length = [0; 4];
    connection.read_exact(&mut length)?;
    let length = u32::from_le_bytes(length) as usize;
    if length > limit {
        return Err(malformed());
    }
    let mut message = vec![0; length];
    connection.read_exact(&mut message)?;
    match message.strip_prefix(BEGINNING) {
        Some(message) => Ok(message.to_vec()),
        None => Err(malformed()),
    }
}

fn malformed() -> Error {
    ErrorKind::InvalidData.into()
}

fn put_bytes(message: &mut Vec<u8>, bytes: &[u8]) {
    // No path and no name of a process is that long.
    let length = u32::try_from(bytes.len()).unwrap_or(0);
    message.extend(length.to_le_bytes());
    message.extend(&bytes[..length as usize]);
}

fn put_optional(message: &mut Vec<u8>, bytes: Option<&[u8; 8]>) {
    message.push(u8::from(bytes.is_some()));
    message.extend(bytes.into_iter().flatten());
}

/// The rest of a message.
struct Fields<'m>(&'m [u8]);

impl<'m> Fields<'m> {
    fn take<const N: usize>(&mut self) -> Result<[u8; N]> {
        let (found, rest) = self.0.split_first_chunk::<N>().ok_or_else(malformed)?;
        self.0 = rest;
        Ok(*found)
    }

    fn bytes(&mut self) -> Result<&'m [u8]> {
        let length = u32::from_le_bytes(self.take()?) as usize;
        let (found, rest) = self.0.split_at_checked(length).ok_or_else(malformed)?;
        self.0 = rest;
        Ok(found)
    }

    fn optional(&mut self) -> Result<Option<[u8; 8]>> {
        match self.take()? {
            [0] => Ok(None),
            [1] => self.take().map(Some),
            _ => Err(malformed()),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::net::UnixStream;
    use std::thread;

    use super::*;

    fn entry(name: &str, kind: CheckpointEntryKind, link: Option<&str>) -> ReportedEntry {
        let mut stamp = StampRecord::default();
        stamp.0[..3].copy_from_slice(&[1, -2, 3]);
        ReportedEntry {
            name: name.into(),
            now: Some(ScannedEntry {
                name: name.into(),
                kind,
                stamp: from_record(&stamp),
                link: link.map(|link| link.into()),
            }),
        }
    }

    #[test]
    fn changes_reach_the_other_side_as_they_are() {
        let reported = ReportedChanges {
            position: 7,
            files: 60_000,
            changes: Some(vec![
                entry("a/b.txt", CheckpointEntryKind::File, None),
                entry("l", CheckpointEntryKind::Link, Some("a/b.txt")),
                entry("empty", CheckpointEntryKind::EmptyFolder, None),
                ReportedEntry {
                    name: b"caf\xe9".to_vec(),
                    now: None,
                },
            ]),
        };
        let requests = [
            RecorderRequest::Changes {
                since: Some(-5),
                agent: Some("12:34".to_owned()),
            },
            RecorderRequest::Changes {
                since: None,
                agent: None,
            },
        ];
        for request in requests {
            let (mut one, mut other) = UnixStream::pair().expect("a pair");
            let (sent, expected) = (reported.clone(), request.clone());
            let server = thread::spawn(move || {
                assert_eq!(read_request(&mut other).expect("a request"), expected);
                write_reply(&mut other, Some(&sent)).expect("sent");
            });
            let received = send_request(&mut one, &request).expect("a reply");
            server.join().expect("served");
            let received = received.expect("changes");
            assert_eq!((received.position, received.files), (7, 60_000));
            let described = |changes: &ReportedChanges| {
                let changes = changes.changes.iter().flatten();
                let entries = changes.map(|change| {
                    let now = change.now.as_ref();
                    let now = now.map(|now| (now.kind, to_record(&now.stamp), now.link.clone()));
                    (change.name.clone(), now)
                });
                entries.collect::<Vec<_>>()
            };
            assert_eq!(described(&received), described(&reported));
        }
    }

    #[test]
    fn other_requests_are_confirmed() {
        let requests = [
            RecorderRequest::Checkpoint {
                number: 9,
                position: u64::MAX,
            },
            RecorderRequest::Watch,
            RecorderRequest::End,
        ];
        for request in requests {
            let (mut one, mut other) = UnixStream::pair().expect("a pair");
            let expected = request.clone();
            let server = thread::spawn(move || {
                assert_eq!(read_request(&mut other).expect("a request"), expected);
                write_reply(&mut other, None).expect("sent");
            });
            assert!(send_request(&mut one, &request).expect("a reply").is_none());
            server.join().expect("served");
        }
    }

    #[test]
    fn what_is_no_request_of_this_version_is_refused() {
        let framed = |message: &[u8]| {
            let length = u32::try_from(message.len()).expect("short").to_le_bytes();
            [&length, message].concat()
        };
        let with_beginning = |message: &[u8]| framed(&[BEGINNING, message].concat());
        for message in [
            Vec::new(),
            vec![255; 100],
            framed(b"GET / HTTP/1.1\r\n"),
            framed(b"lancet recorder 0.0.0 0\ne"),
            with_beginning(b""),
            with_beginning(b"x"),
            with_beginning(b"c\x02"),
            with_beginning(b"c\x01123"),
            with_beginning(b"c\x00\xff\xff\xff\xff"),
            with_beginning(b"n12345678"),
        ] {
            assert!(
                read_request(&mut message.as_slice()).is_err(),
                "{message:?}"
            );
        }
        assert!(read_request(&mut with_beginning(b"e").as_slice()).is_ok());
    }
}
