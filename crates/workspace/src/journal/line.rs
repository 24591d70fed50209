//! One line of the journal file: fields between tabs, a checksum at the end, so that a line that was torn by a crash is
//! known and passed over.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::PathBuf;

use super::{Act, Intent, Step, Trace};
use crate::revision::Revision;

/// What a line says.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Line {
    Open(u64, Intent),
    Mark(u64),
    Close(u64),
}

impl Line {
    pub(super) fn encode(&self) -> Vec<u8> {
        let mut fields: Vec<Vec<u8>> = Vec::new();
        match self {
            Line::Mark(id) => fields.extend([b"mark".to_vec(), number(*id)]),
            Line::Close(id) => fields.extend([b"close".to_vec(), number(*id)]),
            Line::Open(id, intent) => {
                fields.extend([b"intent".to_vec(), number(*id)]);
                fields.push(escape(OsStr::new(&intent.boot)));
                for step in &intent.steps {
                    put_step(&mut fields, step);
                }
            }
        }
        let mut line = fields.join(&b'\t');
        let sum = checksum(&line);
        line.push(b'\t');
        line.extend(sum);
        line.push(b'\n');
        line
    }

    /// Nothing where the line is torn, or not of our making.
    pub(super) fn decode(line: &[u8]) -> Option<Line> {
        let at = line.iter().rposition(|&byte| byte == b'\t')?;
        let (line, sum) = (&line[..at], &line[at + 1..]);
        if sum != checksum(line) {
            return None;
        }
        let mut fields = line.split(|&byte| byte == b'\t');
        let kind = fields.next()?;
        let id = read_number(fields.next()?)?;
        match kind {
            b"mark" => Some(Line::Mark(id)),
            b"close" => Some(Line::Close(id)),
            b"intent" => {
                let boot = unescape(fields.next()?)?.into_string().ok()?;
                let mut steps = Vec::new();
                while let Some(folder) = fields.next() {
                    steps.push(read_step(folder, &mut fields)?);
                }
                Some(Line::Open(id, Intent { boot, steps }))
            }
            _ => None,
        }
    }
}

fn put_step(fields: &mut Vec<Vec<u8>>, step: &Step) {
    fields.push(escape(step.folder.as_os_str()));
    fields.push(escape(&step.name));
    fields.push(escape(&step.temporary));
    let (act, first, second) = match &step.act {
        Act::Exchange => ("exchange", Vec::new(), Vec::new()),
        Act::Aside => ("aside", Vec::new(), Vec::new()),
        Act::InPlace { kept } => ("in-place", escape(kept.as_os_str()), Vec::new()),
        Act::Create => ("create", Vec::new(), Vec::new()),
        Act::Remove => ("remove", Vec::new(), Vec::new()),
        Act::Folder => ("folder", Vec::new(), Vec::new()),
        Act::Move { folder, name } => ("move", escape(folder.as_os_str()), escape(name)),
    };
    fields.extend([act.into(), first, second]);
    fields.push(trace(step.old));
    fields.push(trace(step.new));
}

fn read_step<'l>(folder: &[u8], fields: &mut impl Iterator<Item = &'l [u8]>) -> Option<Step> {
    let folder = PathBuf::from(unescape(folder)?);
    let name = unescape(fields.next()?)?;
    let temporary = unescape(fields.next()?)?;
    let act = fields.next()?;
    let (first, second) = (unescape(fields.next()?)?, unescape(fields.next()?)?);
    let act = match act {
        b"exchange" => Act::Exchange,
        b"aside" => Act::Aside,
        b"in-place" => Act::InPlace { kept: first.into() },
        b"create" => Act::Create,
        b"remove" => Act::Remove,
        b"folder" => Act::Folder,
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

fn number(value: u64) -> Vec<u8> {
    format!("{value:x}").into_bytes()
}

fn read_number(text: &[u8]) -> Option<u64> {
    u64::from_str_radix(std::str::from_utf8(text).ok()?, 16).ok()
}

fn trace(trace: Option<Trace>) -> Vec<u8> {
    match trace {
        None => b"-".to_vec(),
        Some(trace) => {
            let mut text = number(trace.inode);
            text.push(b':');
            text.extend(trace.revision.long().into_bytes());
            text
        }
    }
}

fn read_trace(text: &[u8]) -> Option<Option<Trace>> {
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
    Some(Some(Trace {
        inode: u64::from_str_radix(inode, 16).ok()?,
        revision: Revision::from_bytes(bytes),
    }))
}

fn checksum(line: &[u8]) -> Vec<u8> {
    Revision::of(line).short().into_bytes()
}

fn escape(text: &OsStr) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    for &byte in text.as_bytes() {
        match byte {
            b'\t' | b'\n' | b'%' | 0 => out.extend(format!("%{byte:02x}").into_bytes()),
            _ => out.push(byte),
        }
    }
    out
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

    fn some_trace() -> impl Strategy<Value = Option<Trace>> {
        prop::option::of((any::<u64>(), any::<[u8; 32]>())).prop_map(|trace| {
            trace.map(|(inode, bytes)| Trace {
                inode,
                revision: Revision::from_bytes(bytes),
            })
        })
    }

    fn step() -> impl Strategy<Value = Step> {
        let act = (0..7_u8, name(), name()).prop_map(|(kind, first, second)| match kind {
            0 => Act::Exchange,
            1 => Act::Aside,
            2 => Act::InPlace { kept: first.into() },
            3 => Act::Create,
            4 => Act::Remove,
            5 => Act::Folder,
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
            let line = Line::Open(id, Intent { boot, steps });
            let text = line.encode();
            prop_assert_eq!(text.iter().filter(|&&byte| byte == b'\n').count(), 1);
            prop_assert_eq!(Line::decode(&text[..text.len() - 1]), Some(line));
            prop_assert_eq!(Line::decode(&text[..text.len().saturating_sub(cut + 1)]), None);
        }
    }
}
