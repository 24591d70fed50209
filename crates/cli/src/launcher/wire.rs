//! The connection between the program and its launcher, the process that starts pager and editor outside the
//! confinement by Landlock. Each message is one packet on a Unix socket; a request has file descriptors attached. Both
//! ends are the same build, so the format has no version.

use std::ffi::{OsStr, OsString};
use std::io::{self, IoSlice, IoSliceMut};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd as _, OwnedFd};
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};

use rustix::net::{
    AddressFamily, RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer,
    SendAncillaryMessage, SendFlags, SocketFlags, SocketType, recvmsg, sendmsg, socketpair,
};

use super::Launch;

/// The longest request, in bytes: program, arguments and variables together.
const LONGEST: usize = 128 * 1024;

/// One end of a socket pair.
#[derive(Debug)]
pub(crate) struct Connection(OwnedFd);

/// The two ends of a socket pair, which child processes do not inherit.
pub(super) fn pair() -> io::Result<(OwnedFd, OwnedFd)> {
    Ok(socketpair(
        AddressFamily::UNIX,
        SocketType::SEQPACKET,
        SocketFlags::CLOEXEC,
        None,
    )?)
}

impl Connection {
    pub(super) fn new(end: OwnedFd) -> Self {
        Self(end)
    }

    /// Asks the launcher to start a program, and waits until it has. Gives the connection on which the launcher will
    /// report the exit status.
    pub(super) fn ask(&self, launch: Launch) -> io::Result<Connection> {
        let (ours, its) = pair()?;
        let message = encode(&launch);
        if message.len() > LONGEST {
            return Err(io::ErrorKind::ArgumentListTooLong.into());
        }
        let files = [
            launch.input.as_fd(),
            launch.output.as_fd(),
            launch.error.as_fd(),
            its.as_fd(),
        ];
        let mut room = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(4))];
        let mut beside = SendAncillaryBuffer::new(&mut room);
        if !beside.push(SendAncillaryMessage::ScmRights(&files)) {
            return Err(io::ErrorKind::OutOfMemory.into());
        }
        let pieces = [IoSlice::new(&message)];
        sendmsg(&self.0, &pieces, &mut beside, SendFlags::NOSIGNAL)?;
        // From here on only the launcher has this socket open. If the launcher dies, the socket is closed, and waiting
        // for a report fails instead of lasting for ever.
        drop(its);
        let report = Connection::new(ours);
        report.hear("started")?;
        Ok(report)
    }

    /// Receives the next request and the connection to report on; none when the other end is closed. A malformed
    /// request is skipped; its sender gets an error, because the connection for the report is closed.
    pub(super) fn next(&self) -> io::Result<Option<(Launch, Connection)>> {
        loop {
            let (message, files) = self.receive()?;
            if message.is_empty() {
                return Ok(None);
            }
            if let Ok([input, output, error, report]) = <[OwnedFd; 4]>::try_from(files)
                && let Some(launch) = decode(&message, [input, output, error])
            {
                return Ok(Some((launch, Connection::new(report))));
            }
        }
    }

    /// Sends a report.
    pub(super) fn tell(&self, what: &str, number: i32) -> io::Result<()> {
        let message = format!("{what} {number}");
        let pieces = [IoSlice::new(message.as_bytes())];
        let mut beside = SendAncillaryBuffer::default();
        sendmsg(&self.0, &pieces, &mut beside, SendFlags::NOSIGNAL)?;
        Ok(())
    }

    /// Waits for the next report, which must have this name, and gives its number. The report `failed` is given as the
    /// error of the system that it carries.
    pub(super) fn hear(&self, what: &str) -> io::Result<i32> {
        let (message, _) = self.receive()?;
        let text = String::from_utf8_lossy(&message);
        let told = text
            .split_once(' ')
            .and_then(|(word, number)| Some((word, number.parse().ok()?)));
        match told {
            Some((word, number)) if word == what => Ok(number),
            Some(("failed", number)) => Err(io::Error::from_raw_os_error(number)),
            _ => Err(io::Error::other("the launcher is gone")),
        }
    }

    fn receive(&self) -> io::Result<(Vec<u8>, Vec<OwnedFd>)> {
        let mut bytes = vec![0; LONGEST];
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

/// Encodes a request as fields that end with NUL, which no argument and no variable can contain: the number of
/// arguments, the program, the arguments, and name and value of each variable.
fn encode(launch: &Launch) -> Vec<u8> {
    let count = OsString::from(launch.arguments.len().to_string());
    let variables = launch
        .variables
        .iter()
        .flat_map(|(name, value)| [name, value]);
    let fields = [&count, &launch.program].into_iter();
    let mut message = Vec::new();
    for field in fields.chain(&launch.arguments).chain(variables) {
        message.extend_from_slice(field.as_bytes());
        message.push(0);
    }
    message
}

fn decode(message: &[u8], [input, output, error]: [OwnedFd; 3]) -> Option<Launch> {
    let mut fields = message
        .strip_suffix(&[0])?
        .split(|&byte| byte == 0)
        .map(|field| OsString::from_vec(field.to_vec()));
    let count: usize = fields.next()?.to_str()?.parse().ok()?;
    let program = fields.next().filter(|name| name != OsStr::new(""))?;
    let arguments: Vec<OsString> = fields.by_ref().take(count).collect();
    let mut variables = Vec::new();
    while let Some(name) = fields.next() {
        variables.push((name, fields.next()?));
    }
    (arguments.len() == count).then_some(Launch {
        program,
        arguments,
        variables,
        input,
        output,
        error,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn launch(program: &str, arguments: &[&str], variables: &[(&str, &str)]) -> Launch {
        let nowhere = || OwnedFd::from(std::fs::File::open("/dev/null").expect("it is there"));
        Launch {
            program: program.into(),
            arguments: arguments.iter().map(Into::into).collect(),
            variables: variables
                .iter()
                .map(|(name, value)| (name.into(), value.into()))
                .collect(),
            input: nowhere(),
            output: nowhere(),
            error: nowhere(),
        }
    }

    #[test]
    fn a_request_is_read_as_it_was_written() {
        let asked = launch("less", &["", "a b", "é"], &[("LESS", ""), ("X", "y=z")]);
        let nowhere = || launch("", &[], &[]).input;
        let read = decode(&encode(&asked), [nowhere(), nowhere(), nowhere()]).expect("whole");
        assert_eq!(read.program, asked.program);
        assert_eq!(read.arguments, asked.arguments);
        assert_eq!(read.variables, asked.variables);
        for wrong in [&b""[..], b"1\0less\0", b"x\0less\0", b"0\0\0", b"0\0a\0B\0"] {
            assert!(decode(wrong, [nowhere(), nowhere(), nowhere()]).is_none());
        }
    }

    #[test]
    fn the_launcher_starts_what_it_is_asked_for_and_tells_how_it_ended() {
        let (ours, its) = pair().expect("a line");
        let launcher = std::thread::spawn(move || super::super::serve(its));
        let line = Connection::new(ours);
        let (mut reader, writer) = io::pipe().expect("a pipe");
        let mut asked = launch("sh", &["-c", "echo \"$X\"; exit 3"], &[("X", "outside")]);
        asked.output = writer.into();
        let report = line.ask(asked).expect("started");
        let status = super::super::Running::There(report).wait().expect("ended");
        assert_eq!(status.code(), Some(3));
        let mut said = String::new();
        io::Read::read_to_string(&mut reader, &mut said).expect("text");
        assert_eq!(said, "outside\n");
        let missing = line.ask(launch("/no/such/program", &[], &[]));
        assert_eq!(missing.unwrap_err().kind(), io::ErrorKind::NotFound);
        drop(line);
        launcher.join().expect("no panic").expect("ends by itself");
    }
}
