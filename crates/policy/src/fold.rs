//! One spelling for all names that some file system takes for the same. Strong forms for what forbids (every disguise
//! counts as the name), a plain one for what allows (only case and composition are forgiven).

use std::path::{Component, Path};

use unicode_normalization::UnicodeNormalization;

/// Bytes of a path that are folded without asking for memory.
const SHORT: usize = 160;

/// How much is forgiven.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Strength {
    /// Case, compatibility forms, invisible characters, trailing dots and spaces.
    Strict,
    /// The same as a Windows drive reads it: a backslash parts names, and behind a colon stands a stream.
    Drive,
    /// Case and canonical composition.
    Plain,
}

/// A folded path: names with `/` between them.
pub(crate) enum Folded<'p> {
    /// The path is its own folded form.
    Same(&'p str),
    /// Only letters changed their case.
    Short([u8; SHORT], usize),
    /// Everything else.
    Long(String),
}

impl Folded<'_> {
    pub(crate) fn as_str(&self) -> &str {
        match self {
            Folded::Same(text) => text,
            // What was folded here is ASCII.
            Folded::Short(bytes, length) => std::str::from_utf8(&bytes[..*length]).unwrap_or(""),
            Folded::Long(text) => text,
        }
    }
}

/// A path's names in their folded form.
pub(crate) fn path(path: &Path, strength: Strength) -> Folded<'_> {
    match path.to_str() {
        Some(text) => match survey(text, strength) {
            Survey::Folded => Folded::Same(text),
            Survey::Capitals if text.len() <= SHORT => {
                let mut bytes = [0; SHORT];
                let place = &mut bytes[..text.len()];
                place.copy_from_slice(text.as_bytes());
                place.make_ascii_lowercase();
                Folded::Short(bytes, text.len())
            }
            Survey::Capitals => Folded::Long(text.to_ascii_lowercase()),
            Survey::Other => Folded::Long(slowly(path, strength)),
        },
        None => Folded::Long(slowly(path, strength)),
    }
}

enum Survey {
    Folded,
    Capitals,
    Other,
}

/// What it takes to fold a path. Asked for every file of a search, so each look at the bytes is a loop without branches,
/// which the compiler makes look at many at once.
fn survey(text: &str, strength: Strength) -> Survey {
    let bytes = text.as_bytes();
    let any = |what: fn(u8) -> bool| bytes.iter().fold(false, |found, byte| found | what(*byte));
    let parts = |byte: u8| byte == b':' || byte == b'\\';
    if !text.is_ascii() || (strength == Strength::Drive && any(parts)) {
        return Survey::Other;
    }
    // Doubled slashes, and names that end in a dot or a space; `.` and `..` are among them.
    let vain = |before: u8, byte: u8| {
        (byte == b'/') & ((before == b'/') | (before == b'.') | (before == b' '))
    };
    let neighbours = bytes.iter().zip(bytes.get(1..).unwrap_or_default());
    let last = bytes.last().copied().unwrap_or(0);
    if neighbours.fold(false, |found, (before, byte)| found | vain(*before, *byte))
        || ends_in_vain(last)
        || (last == b'/' && text.len() > 1)
    {
        Survey::Other
    } else if any(|byte| byte.is_ascii_uppercase()) {
        Survey::Capitals
    } else {
        Survey::Folded
    }
}

fn ends_in_vain(byte: u8) -> bool {
    matches!(byte, b'.' | b' ')
}

fn slowly(path: &Path, strength: Strength) -> String {
    let mut folded = String::new();
    if path.has_root() {
        folded.push('/');
    }
    for component in path.components() {
        let Component::Normal(given) = component else {
            continue;
        };
        let given = given.to_string_lossy();
        // A mounted Windows drive may take the backslash for a separator.
        let parts: Vec<&str> = match strength {
            Strength::Drive => given.split('\\').collect(),
            Strength::Strict | Strength::Plain => vec![&given],
        };
        for part in parts {
            if !folded.is_empty() && !folded.ends_with('/') {
                folded.push('/');
            }
            folded.push_str(&name(part, strength));
        }
    }
    folded
}

/// Whether a path may read otherwise on a Windows drive than here.
pub(crate) fn may_be_a_drives(path: &Path) -> bool {
    let bytes = path.as_os_str().as_encoded_bytes();
    bytes.iter().fold(false, |found, &byte| {
        found | (byte == b':') | (byte == b'\\') | (byte >= 0x80)
    })
}

/// Whether a path is at or below a folder, in any spelling that some file system takes for the same.
pub fn is_within(path: &Path, folder: &Path) -> bool {
    let (whole, start) = (
        path.as_os_str().as_encoded_bytes(),
        folder.as_os_str().as_encoded_bytes(),
    );
    let vain = |pair: &[u8]| pair[1] == b'/' && (ends_in_vain(pair[0]) || pair[0] == b'/');
    let plain = |bytes: &[u8]| {
        bytes.is_ascii()
            && !bytes.windows(2).any(vain)
            && !bytes.last().is_some_and(|last| ends_in_vain(*last))
    };
    if plain(start) && plain(whole) {
        let Some((lead, rest)) = whole.split_at_checked(start.len()) else {
            return false;
        };
        return lead.eq_ignore_ascii_case(start) && matches!(rest.first(), None | Some(b'/'));
    }
    let (whole, start) = (
        self::path(path, Strength::Strict),
        self::path(folder, Strength::Strict),
    );
    whole
        .as_str()
        .trim_start_matches('/')
        .strip_prefix(start.as_str().trim_start_matches('/'))
        .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// One name in its folded form.
pub(crate) fn name(given: &str, strength: Strength) -> String {
    let folded = run(given, strength);
    let bare = match strength {
        // On Windows drives `name:stream` and `name::$INDEX_ALLOCATION` are ways to open `name`.
        Strength::Drive => folded.split(':').next().unwrap_or(&folded),
        Strength::Strict => &folded,
        Strength::Plain => return folded,
    };
    bare.trim_end_matches(['.', ' ']).to_owned()
}

/// Characters of a pattern, which may stand in the middle of a name: nothing is cut off.
pub(crate) fn run(text: &str, strength: Strength) -> String {
    // Nothing of ASCII composes or is invisible: most names need none of the tables.
    if text.is_ascii() {
        return text.to_ascii_lowercase();
    }
    if strength == Strength::Plain {
        return text.chars().flat_map(fold_case).nfc().collect();
    }
    // Folding can make new compositions and composing can make new capitals, so both are done until nothing moves.
    let mut current = once(text);
    for _ in 0..3 {
        let next = once(&current);
        if next == current {
            break;
        }
        current = next;
    }
    current
}

fn once(name: &str) -> String {
    name.nfkc()
        .filter(|character| !default_ignorable(*character))
        .flat_map(fold_case)
        .nfkc()
        .collect()
}

/// Lower case of the upper case: this also brings together the letters that have two lower-case forms (`ſ` and `s`).
fn fold_case(character: char) -> impl Iterator<Item = char> {
    character.to_uppercase().flat_map(char::to_lowercase)
}

/// Unicode's Default_Ignorable_Code_Point: characters that show nothing, and that some file systems drop.
fn default_ignorable(character: char) -> bool {
    matches!(character,
        '\u{00AD}' | '\u{034F}' | '\u{061C}' | '\u{115F}'..='\u{1160}' | '\u{17B4}'..='\u{17B5}' | '\u{180B}'..='\u{180F}'
        | '\u{200B}'..='\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2060}'..='\u{206F}' | '\u{3164}' | '\u{FE00}'..='\u{FE0F}'
        | '\u{FEFF}' | '\u{FFA0}' | '\u{FFF0}'..='\u{FFF8}' | '\u{1BCA0}'..='\u{1BCA3}' | '\u{1D173}'..='\u{1D17A}'
        | '\u{E0000}'..='\u{E0FFF}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_in_ascii_fold_as_the_tables_say() {
        let every: String = (0..128_u8).map(char::from).collect();
        let texts = every.chars().map(String::from).chain([every.clone()]);
        for text in texts {
            let by_tables: String = text.chars().flat_map(fold_case).nfc().collect();
            assert_eq!(run(&text, Strength::Plain), by_tables);
            assert_eq!(run(&text, Strength::Strict), once(&text));
            assert_eq!(run(&text, Strength::Drive), once(&text));
        }
    }
}
