//! One line of the journal file: tab-separated fields with a checksum at the end, so that a line torn by a crash is
//! detected and skipped.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::PathBuf;

use super::{Act, FileIdentity, Intent, Step};
use crate::revision::Revision;

const DIGITS: &[u8; 16] = b"0123456789abcdef";

/// The usual length of a line.
const LENGTH: usize = 512;

/// The content of a line.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum JournalLine {
    Open(u64, Intent),
    Mark(u64),
    Close(u64),
}

impl JournalLine {
    pub(super) fn encode(&self) -> Vec<u8> {
        let mut line = Vec::with_capacity(LENGTH);
        match self {
            JournalLine::Mark(id) => put_kind(&mut line, "mark", *id),
            JournalLine::Close(id) => put_kind(&mut line, "close", *id),
            JournalLine::Open(id, intent) => {
                put_kind(&mut line, "intent", *id);
                put_name(&mut line, OsStr::new(&intent.boot));
                for step in &intent.steps {
                    put_step(&mut line, step);
                }
            }
        }
        let sum = checksum(&line);
        line.push(b'\t');
        line.extend(sum);
        line.push(b'\n');
        line
    }

    /// Decodes a line; `None` if it is torn or of another format.
    pub(super) fn decode(line: &[u8]) -> Option<JournalLine> {
        let at = line.iter().rposition(|&byte| byte == b'\t')?;
        let (line, sum) = (&line[..at], &line[at + 1..]);
        if sum != checksum(line) {
            return None;
        }
        let mut fields = line.split(|&byte| byte == b'\t');
        let kind = fields.next()?;
        let id = read_number(fields.next()?)?;
        match kind {
            b"mark" => Some(JournalLine::Mark(id)),
            b"close" => Some(JournalLine::Close(id)),
            b"intent" => {
                let boot = unescape(fields.next()?)?.into_string().ok()?;
                let mut steps = Vec::new();
                while let Some(folder) = fields.next() {
                    steps.push(read_step(folder, &mut fields)?);
                }
                Some(JournalLine::Open(id, Intent { boot, steps }))
            }
            _ => None,
        }
    }
}

fn put_kind(line: &mut Vec<u8>, kind: &str, id: u64) {
    line.extend_from_slice(kind.as_bytes());
    line.push(b'\t');
    put_number(line, id);
}

fn put_step(line: &mut Vec<u8>, step: &Step) {
    put_name(line, step.folder.as_os_str());
    put_name(line, &step.name);
    put_name(line, &step.temporary);
    let nothing = OsStr::new("");
    let (act, first, second) = match &step.act {
        Act::Exchange => ("exchange", nothing, nothing),
        Act::MoveAside => ("aside", nothing, nothing),
        Act::InPlace { kept } => ("in-place", kept.as_os_str(), nothing),
        Act::Create => ("create", nothing, nothing),
        Act::Remove => ("remove", nothing, nothing),
        Act::Folder => ("folder", nothing, nothing),
        Act::TemporaryLink => ("link", nothing, nothing),
        Act::Move { folder, name } => ("move", folder.as_os_str(), name.as_os_str()),
    };
    for field in [OsStr::new(act), first, second] {
        put_name(line, field);
    }
    put_trace(line, step.old);
    put_trace(line, step.new);
}

fn read_step<'l>(folder: &[u8], fields: &mut impl Iterator<Item = &'l [u8]>) -> Option<Step> {
    let folder = PathBuf::from(unescape(folder)?);
    let name = unescape(fields.next()?)?;
    let temporary = unescape(fields.next()?)?;
    let act = fields.next()?;
    let (first, second) = (unescape(fields.next()?)?, unescape(fields.next()?)?);
    let act = match act {
        b"exchange" => Act::Exchange,
        b"aside" => Act::MoveAside,
        b"in-place" => Act::InPlace { kept: first.into() },
        b"create" => Act::Create,
        b"remove" => Act::Remove,
        b"folder" => Act::Folder,
        b"link" => Act::TemporaryLink,
        b"move" => Act::Move {
            folder: first.into(),
            name: second,
        },
        _ => return None,
    };
    Some(Step {
        folder,
        name,
        temporary,
        act,
        old: read_trace(fields.next()?)?,
        new: read_trace(fields.next()?)?,
    })
}

/// Formats a number without `format!`, which took a twenty-fifth of the instructions of an Edit for these lines.
fn put_number(line: &mut Vec<u8>, value: u64) {
    let digits = (64 - value.leading_zeros()).div_ceil(4).max(1);
    for at in (0..digits).rev() {
        line.push(DIGITS[(value >> (4 * at)) as usize & 15]);
    }
}

fn read_number(text: &[u8]) -> Option<u64> {
    u64::from_str_radix(std::str::from_utf8(text).ok()?, 16).ok()
}

fn put_trace(line: &mut Vec<u8>, trace: Option<FileIdentity>) {
    line.push(b'\t');
    match trace {
        None => line.push(b'-'),
        Some(trace) => {
            put_number(line, trace.inode);
            line.push(b':');
            line.extend_from_slice(trace.revision.long().as_bytes());
        }
    }
}

fn read_trace(text: &[u8]) -> Option<Option<FileIdentity>> {
    if text == b"-" {
        return Some(None);
    }
    let (inode, revision) = std::str::from_utf8(text).ok()?.split_once(':')?;
    let mut bytes = [0; 32];
    if revision.len() != 64 || !revision.is_ascii() {
        return None;
    }
    for (at, byte) in bytes.iter_mut().enumerate() {
        *byte = u8::from_str_radix(&revision[at * 2..at * 2 + 2], 16).ok()?;
    }
    Some(Some(FileIdentity {
        inode: u64::from_str_radix(inode, 16).ok()?,
        revision: Revision::from_bytes(bytes),
    }))
}

fn checksum(line: &[u8]) -> Vec<u8> {
    Revision::of_content(line).short().into_bytes()
}

/// Appends a field; bytes that would end the field or the line are escaped.
fn put_name(line: &mut Vec<u8>, name: &OsStr) {
    line.push(b'\t');
    for &byte in name.as_bytes() {
        match byte {
            b'\t' | b'\n' | b'%' | 0 => {
                line.push(b'%');
                line.extend([byte >> 4, byte & 15].map(|digit| DIGITS[usize::from(digit)]));
            }
            _ => line.push(byte),
        }
    }
}

fn unescape(text: &[u8]) -> Option<OsString> {
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some((&byte, after)) = rest.split_first() {
        rest = after;
        if byte != b'%' {
            out.push(byte);
            continue;
        }
        let digits = std::str::from_utf8(rest.get(..2)?).ok()?;
        out.push(u8::from_str_radix(digits, 16).ok()?);
        rest = &rest[2..];
    }
    Some(OsString::from_vec(out))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn name() -> impl Strategy<Value = OsString> {
        prop::collection::vec(any::<u8>(), 0..12).prop_map(OsString::from_vec)
    }

    fn some_trace() -> impl Strategy<Value = Option<FileIdentity>> {
        prop::option::of((any::<u64>(), any::<[u8; 32]>())).prop_map(|trace| {
            trace.map(|(inode, bytes)| FileIdentity {
                inode,
                revision: Revision::from_bytes(bytes),
            })
        })
    }

    fn step() -> impl Strategy<Value = Step> {
        let act = (0..8_u8, name(), name()).prop_map(|(kind, first, second)| match kind {
            0 => Act::Exchange,
            1 => Act::MoveAside,
            2 => Act::InPlace { kept: first.into() },
            3 => Act::Create,
            4 => Act::Remove,
            5 => Act::Folder,
            6 => Act::TemporaryLink,
            _ => Act::Move {
                folder: first.into(),
                name: second,
            },
        });
        (name(), name(), name(), act, some_trace(), some_trace()).prop_map(
            |(folder, name, temporary, act, old, new)| Step {
                folder: folder.into(),
                name,
                temporary,
                act,
                old,
                new,
            },
        )
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_and_what_is_torn_is_not(
            steps in prop::collection::vec(step(), 0..4), boot in "[0-9a-f-]{0,36}", id in any::<u64>(), cut in 1..200_usize,
        ) {
            let line = JournalLine::Open(id, Intent { boot, steps });
            let text = line.encode();
            prop_assert_eq!(text.iter().filter(|&&byte| byte == b'\n').count(), 1);
            prop_assert_eq!(JournalLine::decode(&text[..text.len() - 1]), Some(line));
            prop_assert_eq!(JournalLine::decode(&text[..text.len().saturating_sub(cut + 1)]), None);
        }
    }

    /// Every later version must read lines in existing state folders.
    #[test]
    fn a_line_looks_as_it_always_did() {
        let trace = FileIdentity {
            inode: u64::MAX,
            revision: Revision::from_bytes([0xa5; 32]),
        };
        let step = Step {
            folder: "/f%".into(),
            name: "a\tb".into(),
            temporary: "c\nd\0".into(),
            act: Act::Exchange,
            old: Some(trace),
            new: None,
        };
        let intent = Intent {
            boot: String::new(),
            steps: vec![step],
        };
        let a5 = "a5".repeat(32);
        let fields =
            format!("intent\t0\t\t/f%25\ta%09b\tc%0ad%00\texchange\t\t\tffffffffffffffff:{a5}\t-");
        let line = JournalLine::Open(0, intent).encode();
        let line = String::from_utf8(line).expect("text");
        let (told, sum) = line.trim_end().rsplit_once('\t').expect("a sum");
        assert_eq!(told, fields);
        assert_eq!(sum.as_bytes(), checksum(fields.as_bytes()));
    }
}
