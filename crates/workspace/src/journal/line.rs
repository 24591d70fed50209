//! One line of the journal file: tab-separated fields with a checksum at the end, so that a line torn by a crash is
//! detected and skipped.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::PathBuf;

use super::{CommitIntent, FileIdentity, IntentStep, StepAction};
use crate::revision::Revision;

const HEX_DIGITS: &[u8; 16] = b"0123456789abcdef";

/// The usual length of a line.
const USUAL_LINE_LENGTH: usize = 512;

/// The content of a line.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum JournalLine {
    Open(u64, CommitIntent),
    Mark(u64),
    Close(u64),
}

impl JournalLine {
    pub(super) fn encode(&self) -> Vec<u8> {
        let mut line = Vec::with_capacity(USUAL_LINE_LENGTH);
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
                Some(JournalLine::Open(id, CommitIntent { boot, steps }))
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

fn put_step(line: &mut Vec<u8>, step: &IntentStep) {
    put_name(line, step.folder.as_os_str());
    put_name(line, &step.name);
    put_name(line, &step.temporary);
    let nothing = OsStr::new("");
    let (act, first, second) = match &step.act {
        StepAction::Exchange => ("exchange", nothing, nothing),
        StepAction::MoveAside => ("aside", nothing, nothing),
        StepAction::InPlace { kept } => ("in-place", kept.as_os_str(), nothing),
        StepAction::Create => ("create", nothing, nothing),
        StepAction::Remove => ("remove", nothing, nothing),
        StepAction::Folder => ("folder", nothing, nothing),
        StepAction::TemporaryLink => ("link", nothing, nothing),
        StepAction::Move { folder, name } => ("move", folder.as_os_str(), name.as_os_str()),
    };
    for field in [OsStr::new(act), first, second] {
        put_name(line, field);
    }
    put_identity(line, step.old);
    put_identity(line, step.new);
}

fn read_step<'l>(folder: &[u8], fields: &mut impl Iterator<Item = &'l [u8]>) -> Option<IntentStep> {
    let folder = PathBuf::from(unescape(folder)?);
    let name = unescape(fields.next()?)?;
    let temporary = unescape(fields.next()?)?;
    let act = fields.next()?;
    let (first, second) = (unescape(fields.next()?)?, unescape(fields.next()?)?);
    let act = match act {
        b"exchange" => StepAction::Exchange,
        b"aside" => StepAction::MoveAside,
        b"in-place" => StepAction::InPlace { kept: first.into() },
        b"create" => StepAction::Create,
        b"remove" => StepAction::Remove,
        b"folder" => StepAction::Folder,
        b"link" => StepAction::TemporaryLink,
        b"move" => StepAction::Move {
            folder: first.into(),
            name: second,
        },
        _ => return None,
    };
    Some(IntentStep {
        folder,
        name,
        temporary,
        act,
        old: read_identity(fields.next()?)?,
        new: read_identity(fields.next()?)?,
    })
}

/// Formats a number without `format!`, which took a twenty-fifth of the instructions of an Edit for these lines.
fn put_number(line: &mut Vec<u8>, value: u64) {
    let digits = (64 - value.leading_zeros()).div_ceil(4).max(1);
    for at in (0..digits).rev() {
        line.push(HEX_DIGITS[(value >> (4 * at)) as usize & 15]);
    }
}

fn read_number(text: &[u8]) -> Option<u64> {
    u64::from_str_radix(std::str::from_utf8(text).ok()?, 16).ok()
}

fn put_identity(line: &mut Vec<u8>, trace: Option<FileIdentity>) {
    line.push(b'\t');
    match trace {
        None => line.push(b'-'),
        Some(trace) => {
            put_number(line, trace.inode);
            line.push(b':');
            line.extend_from_slice(trace.revision.full_hex().as_bytes());
        }
    }
}

fn read_identity(text: &[u8]) -> Option<Option<FileIdentity>> {
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
    Revision::from_content(line).short_hex().into_bytes()
}

/// Appends a field; bytes that would end the field or the line are escaped.
fn put_name(line: &mut Vec<u8>, name: &OsStr) {
    line.push(b'\t');
    for &byte in name.as_bytes() {
        match byte {
            b'\t' | b'\n' | b'%' | 0 => {
                line.push(b'%');
                line.extend([byte >> 4, byte & 15].map(|digit| HEX_DIGITS[usize::from(digit)]));
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

    fn optional_identity() -> impl Strategy<Value = Option<FileIdentity>> {
        prop::option::of((any::<u64>(), any::<[u8; 32]>())).prop_map(|trace| {
            trace.map(|(inode, bytes)| FileIdentity {
                inode,
                revision: Revision::from_bytes(bytes),
            })
        })
    }

    fn step() -> impl Strategy<Value = IntentStep> {
        let act = (0..8_u8, name(), name()).prop_map(|(kind, first, second)| match kind {
            0 => StepAction::Exchange,
            1 => StepAction::MoveAside,
            2 => StepAction::InPlace { kept: first.into() },
            3 => StepAction::Create,
            4 => StepAction::Remove,
            5 => StepAction::Folder,
            6 => StepAction::TemporaryLink,
            _ => StepAction::Move {
                folder: first.into(),
                name: second,
            },
        });
        (
            name(),
            name(),
            name(),
            act,
            optional_identity(),
            optional_identity(),
        )
            .prop_map(|(folder, name, temporary, act, old, new)| IntentStep {
                folder: folder.into(),
                name,
                temporary,
                act,
                old,
                new,
            })
    }

    proptest! {
        #[test]
        fn whole_lines_round_trip_and_torn_lines_are_rejected(
            steps in prop::collection::vec(step(), 0..4), boot in "[0-9a-f-]{0,36}", id in any::<u64>(), cut in 1..200_usize,
        ) {
            let line = JournalLine::Open(id, CommitIntent { boot, steps });
            let text = line.encode();
            prop_assert_eq!(text.iter().filter(|&&byte| byte == b'\n').count(), 1);
            prop_assert_eq!(JournalLine::decode(&text[..text.len() - 1]), Some(line));
            prop_assert_eq!(JournalLine::decode(&text[..text.len().saturating_sub(cut + 1)]), None);
        }
    }

    /// Every later version must read lines in existing state folders.
    #[test]
    fn line_format_is_stable() {
        let trace = FileIdentity {
            inode: u64::MAX,
            revision: Revision::from_bytes([0xa5; 32]),
        };
        let step = IntentStep {
            folder: "/f%".into(),
            name: "a\tb".into(),
            temporary: "c\nd\0".into(),
            act: StepAction::Exchange,
            old: Some(trace),
            new: None,
        };
        let intent = CommitIntent {
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
