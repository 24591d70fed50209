//! The framing of the protocol: a header with the length of the message, an empty line, and the message as JSON.

use std::io::{self, BufRead, Read, Write};

use serde_json::Value;

/// The longest message that is accepted from a server.
const LONGEST_MESSAGE: usize = 32 << 20;

/// The maximum total length of a header.
const LONGEST_HEADER: usize = 4 << 10;

/// Reads one message and its length in bytes; returns none if the stream ends between two messages.
///
/// # Errors
/// If the stream cannot be read, ends inside a message, or contains something that is not a message.
pub(crate) fn read_message(from: &mut impl BufRead) -> io::Result<Option<(Value, usize)>> {
    let Some(length) = read_header(from)? else {
        return Ok(None);
    };
    // Memory is allocated as bytes arrive, so that a large announced length alone costs nothing.
    let mut body = Vec::new();
    from.take(length as u64).read_to_end(&mut body)?;
    if body.len() < length {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    let message =
        serde_json::from_slice(&body).map_err(|_| invalid_data("a message is not JSON"))?;
    Ok(Some((message, length)))
}

/// Reads the length from a header; returns none if the stream ends before it.
fn read_header(from: &mut impl BufRead) -> io::Result<Option<usize>> {
    let mut length = None;
    let mut read = 0;
    loop {
        let mut line = Vec::new();
        let left = LONGEST_HEADER - read;
        from.take(left as u64).read_until(b'\n', &mut line)?;
        read += line.len();
        if line.is_empty() && read == 0 {
            return Ok(None);
        }
        if line.last() != Some(&b'\n') {
            return Err(invalid_data("a header is cut off or too long"));
        }
        let line = line.trim_ascii();
        if line.is_empty() {
            break;
        }
        let text = std::str::from_utf8(line).map_err(|_| invalid_data("a header is not text"))?;
        let (name, value) = text
            .split_once(':')
            .ok_or_else(|| invalid_data("a line of a header has no colon"))?;
        if name.trim().eq_ignore_ascii_case("content-length") {
            let value: usize = value
                .trim()
                .parse()
                .map_err(|_| invalid_data("a length is not a number"))?;
            length = Some(value);
        }
    }
    match length {
        Some(length) if length <= LONGEST_MESSAGE => Ok(Some(length)),
        Some(_) => Err(invalid_data("a message is too long")),
        None => Err(invalid_data("a header has no length")),
    }
}

fn invalid_data(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, what)
}

/// Returns a message with its header, as it is written to the stream.
pub(crate) fn frame_message(message: &Value) -> Vec<u8> {
    let body = message.to_string();
    let mut bytes = Vec::with_capacity(body.len() + 32);
    // Writing into a vector cannot fail.
    let _ = write!(bytes, "Content-Length: {}\r\n\r\n", body.len());
    bytes.extend_from_slice(body.as_bytes());
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn read_all(bytes: &[u8]) -> io::Result<Vec<Value>> {
        let mut from = io::BufReader::new(bytes);
        let mut messages = Vec::new();
        while let Some((message, _)) = read_message(&mut from)? {
            messages.push(message);
        }
        Ok(messages)
    }

    #[test]
    fn framed_messages_round_trip() {
        let messages = [json!({ "a": "ä😀" }), json!({ "b": [1, 2] })];
        let bytes: Vec<u8> = messages.iter().flat_map(frame_message).collect();
        assert_eq!(read_all(&bytes).expect("messages"), messages);
    }

    #[test]
    fn ignores_other_headers_and_their_case() {
        let bytes = b"content-type: x; charset=utf-8\r\nCONTENT-length:2\r\n\r\n{}";
        assert_eq!(read_all(bytes).expect("messages"), [json!({})]);
    }

    #[test]
    fn invalid_frames_are_errors() {
        for bytes in [
            "hello\r\n\r\n{}",
            "Content-Length: two\r\n\r\n{}",
            "Content-Length: -1\r\n\r\n{}",
            "Content-Length: 99999999999\r\n\r\n{}",
            "Content-Length: 10\r\n\r\n{}",
            "Content-Length: 2\r\n\r\nno",
            "X: 1\r\n\r\n{}",
            "Content-Length: 2",
            "\r\n\r\n",
        ] {
            assert!(read_all(bytes.as_bytes()).is_err(), "{bytes:?}");
        }
        assert!(read_all(&vec![b'x'; LONGEST_HEADER + 1]).is_err());
    }
}
