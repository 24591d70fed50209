//! A quick no: whether any of some ignore patterns could match an entry, by the last part of each and the entry's name
//! alone. Most entries are matched by none, and asking the patterns themselves is most of the work of a walk.
//! Never says no where a pattern would match; what it lets through is asked in full.

/// What the last parts of some patterns say.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sieve {
    /// One of them can only be asked in full.
    always: bool,
    parts: Vec<Part>,
    /// For every last byte of a name the parts that end in it, as a range of `parts`; those that end in a wildcard come
    /// behind all of them.
    ends: Vec<(u8, u32)>,
    wild: u32,
}

/// The last part of a pattern: what a name must begin with, hold and end in.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Part {
    start: Box<[u8]>,
    middle: Vec<Box<[u8]>>,
    end: Box<[u8]>,
    /// Whether there is a wildcard; without one `start` is the whole name.
    wild: bool,
    folders_only: bool,
}

impl Part {
    fn lets(&self, name: &[u8], is_folder: bool) -> bool {
        if self.folders_only && !is_folder {
            return false;
        }
        let (start, end) = (self.start.len(), self.end.len());
        if !self.wild {
            return name.len() == start && begins(name, &self.start);
        }
        name.len() >= start + end
            && begins(&name[name.len() - end..], &self.end)
            && begins(name, &self.start)
            && self.middle.iter().all(|piece| holds(name, piece))
    }
}

/// Byte by byte: names are short and mostly differ in the first one, and the library's comparison, made for long texts,
/// took half of the time of a walk here.
fn begins(name: &[u8], start: &[u8]) -> bool {
    name.len() >= start.len() && name.iter().zip(start).all(|(one, other)| one == other)
}

fn holds(name: &[u8], piece: &[u8]) -> bool {
    let Some((first, rest)) = piece.split_first() else {
        return true;
    };
    let mut places = name.iter().enumerate();
    places.any(|(at, byte)| byte == first && begins(&name[at + 1..], rest))
}

impl Sieve {
    /// The sieve of some lines as an ignore file has them.
    pub(crate) fn new<'l>(lines: impl IntoIterator<Item = &'l str>) -> Self {
        let mut sieve = Sieve::default();
        for line in lines {
            match part(line) {
                Last::Nothing => {}
                Last::Unknown => sieve.always = true,
                Last::Known(part) => sieve.parts.push(part),
            }
        }
        let key = |part: &Part| {
            let last = if part.wild {
                part.end.last()
            } else {
                part.start.last()
            };
            last.copied()
        };
        // Those with no last byte go to the end.
        sieve
            .parts
            .sort_by_key(|part| key(part).map_or(256, u16::from));
        for (at, part) in (0_u32..).zip(&sieve.parts) {
            let Some(last) = key(part) else { break };
            sieve.wild = at + 1;
            match sieve.ends.last_mut() {
                Some((known, end)) if *known == last => *end = at + 1,
                _ => sieve.ends.push((last, at + 1)),
            }
        }
        sieve
    }

    /// Whether a pattern may match an entry of this name.
    pub(crate) fn lets(&self, name: &[u8], is_folder: bool) -> bool {
        if self.always {
            return true;
        }
        let Some(last) = name.last() else { return true };
        let lets = |parts: &[Part]| parts.iter().any(|part| part.lets(name, is_folder));
        if let Ok(at) = self.ends.binary_search_by_key(last, |(byte, _)| *byte) {
            let start = at.checked_sub(1).map_or(0, |before| self.ends[before].1);
            if lets(&self.parts[start as usize..self.ends[at].1 as usize]) {
                return true;
            }
        }
        lets(&self.parts[self.wild as usize..])
    }
}

enum Last {
    /// The line is no pattern.
    Nothing,
    /// What it matches cannot be told from the name alone.
    Unknown,
    Known(Part),
}

/// The last part of the pattern on a line. Follows the `ignore` crate in what a line means.
fn part(line: &str) -> Last {
    if line.starts_with('#') {
        return Last::Nothing;
    }
    let line = if line.ends_with("\\ ") {
        line
    } else {
        line.trim_end()
    };
    if line.is_empty() {
        return Last::Nothing;
    }
    let line = match line.strip_prefix('\\') {
        Some(rest) if rest.starts_with(['!', '#']) => rest,
        _ => line.strip_prefix('!').unwrap_or(line),
    };
    let folders_only = line.ends_with('/');
    let line = line.strip_suffix('/').unwrap_or(line);
    let last = line.rsplit('/').next().unwrap_or(line);
    // Alternatives may hold slashes, and so may a class that is turned round.
    if line.contains(['{', '}', '\\']) || last.contains("**") || last.is_empty() {
        return Last::Unknown;
    }
    let mut pieces = vec![Vec::new()];
    let mut bytes = last.bytes();
    while let Some(byte) = bytes.next() {
        match byte {
            b'*' | b'?' => pieces.push(Vec::new()),
            b'[' => {
                let class: Vec<u8> = bytes.by_ref().take_while(|byte| *byte != b']').collect();
                let plain = class.iter().all(|byte| byte.is_ascii_alphanumeric());
                if !plain || class.is_empty() {
                    return Last::Unknown;
                }
                pieces.push(Vec::new());
            }
            b']' => return Last::Unknown,
            _ => {
                if let Some(piece) = pieces.last_mut() {
                    piece.push(byte);
                }
            }
        }
    }
    let wild = pieces.len() > 1;
    let end = if wild {
        pieces.pop().unwrap_or_default()
    } else {
        Vec::new()
    };
    let mut pieces = pieces.into_iter().map(Vec::into_boxed_slice);
    Last::Known(Part {
        start: pieces.next().unwrap_or_default(),
        middle: pieces.filter(|piece| !piece.is_empty()).collect(),
        end: end.into_boxed_slice(),
        wild,
        folders_only,
    })
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use ignore::gitignore::GitignoreBuilder;
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn most_names_fall_through() {
        let lines = "# of a kernel\n.*\n*.o\n*.asn1.[ch]\n*.mod.c\n/vmlinux\n/snap/\n\\#*#\n*~\npatches-*\n!/debian/";
        let sieve = Sieve::new(lines.lines());
        for name in [
            ".x",
            "a.o",
            "x.asn1.c",
            "x.mod.c",
            "vmlinux",
            "#x#",
            "a~",
            "patches-1",
        ] {
            assert!(sieve.lets(name.as_bytes(), false), "{name}");
        }
        for name in [
            "a.c", "asn1.c", "mod.c", "Makefile", "snap", "debian", "x.oo", "o", "pat",
        ] {
            assert!(!sieve.lets(name.as_bytes(), false), "{name}");
        }
        assert!(sieve.lets(b"snap", true) && sieve.lets(b"debian", true));
    }

    fn line() -> impl Strategy<Value = String> {
        let piece = prop::sample::select(vec![
            "a", "b", "ab", ".", "*", "**", "?", "/", "[ab]", "[!a]", "[^a]", "[+-9]", "[a-c]",
            "[", "]", "{a,b}", "{a/b,c}", "\\", "!", "#", " ", "c", "-", "[]a]", "[/a]", "*.c",
        ]);
        prop::collection::vec(piece, 1..6).prop_map(|pieces| pieces.concat())
    }

    proptest! {
        #![proptest_config(crate::laws::config())]

        #[test]
        fn what_a_pattern_matches_is_let_through(
            lines in prop::collection::vec(line(), 1..4),
            path in "[abc.+-]{1,3}(/[abc.! #]{1,3}){0,2}",
            is_folder in any::<bool>(),
        ) {
            let mut builder = GitignoreBuilder::new("/root");
            for line in &lines {
                let _ = builder.add_line(None, line);
            }
            let patterns = builder.build().expect("those that are none are left out");
            let path = Path::new("/root").join(path);
            // `.` and `..` are no entries of a folder.
            if let Some(name) = path.file_name()
                && path.as_os_str().as_encoded_bytes().ends_with(name.as_encoded_bytes())
                && !patterns.matched(&path, is_folder).is_none()
            {
                let name = name.as_encoded_bytes();
                let sieve = Sieve::new(lines.iter().map(String::as_str));
                prop_assert!(sieve.lets(name, is_folder), "{:?} {:?}", lines, path);
            }
        }
    }
}
