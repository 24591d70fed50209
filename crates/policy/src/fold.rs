//! Folds names to one spelling if some file system treats them as equal. Rules that forbid use strong folding (every
//! disguise counts as the name); rules that allow use plain folding (only case and Unicode composition are ignored).

use std::path::{Component, Path};

use unicode_normalization::UnicodeNormalization;

/// A path of up to this many bytes is folded without an allocation.
const MAX_INLINE_BYTES: usize = 160;

/// Which differences between names are ignored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FoldStrength {
    /// Case, Unicode compatibility forms (NFKC), invisible characters, trailing dots and spaces are ignored.
    Strict,
    /// As strict, and as a Windows drive reads the name: a backslash separates names, and a colon begins a stream name.
    Drive,
    /// Case and canonical composition (NFC) are ignored.
    Plain,
}

/// A folded path: names with `/` between them.
pub(crate) enum FoldedPath<'p> {
    /// The path is its own folded form.
    Same(&'p str),
    /// Only the case of ASCII letters changed; contains the bytes and their number.
    Short([u8; MAX_INLINE_BYTES], usize),
    /// The folded form is a new string.
    Long(String),
}

impl FoldedPath<'_> {
    pub(crate) fn as_str(&self) -> &str {
        match self {
            FoldedPath::Same(text) => text,
            // What was folded here is ASCII.
            FoldedPath::Short(bytes, length) => {
                std::str::from_utf8(&bytes[..*length]).unwrap_or("")
            }
            FoldedPath::Long(text) => text,
        }
    }
}

/// Returns the folded form of a path.
pub(crate) fn fold_path(path: &Path, strength: FoldStrength) -> FoldedPath<'_> {
    match path.to_str() {
        Some(text) => match fold_cost(text, strength) {
            FoldCost::Folded => FoldedPath::Same(text),
            FoldCost::Capitals if text.len() <= MAX_INLINE_BYTES => {
                let mut bytes = [0; MAX_INLINE_BYTES];
                let place = &mut bytes[..text.len()];
                place.copy_from_slice(text.as_bytes());
                place.make_ascii_lowercase();
                FoldedPath::Short(bytes, text.len())
            }
            FoldCost::Capitals => FoldedPath::Long(text.to_ascii_lowercase()),
            FoldCost::Other => FoldedPath::Long(fold_path_by_tables(path, strength)),
        },
        None => FoldedPath::Long(fold_path_by_tables(path, strength)),
    }
}

/// The work that folding a path needs.
enum FoldCost {
    Folded,
    Capitals,
    Other,
}

/// Determines the work that folding a path needs. Called for every file of a search, so each pass over the bytes is a
/// loop without branches, which the compiler vectorises.
fn fold_cost(text: &str, strength: FoldStrength) -> FoldCost {
    let bytes = text.as_bytes();
    let any = |what: fn(u8) -> bool| bytes.iter().fold(false, |found, byte| found | what(*byte));
    let parts = |byte: u8| byte == b':' || byte == b'\\';
    if !text.is_ascii() || (strength == FoldStrength::Drive && any(parts)) {
        return FoldCost::Other;
    }
    // Doubled slashes, and names that end in a dot or a space (`.` and `..` included), need the slow path.
    let separates_ignored = |before: u8, byte: u8| {
        (byte == b'/') & ((before == b'/') | (before == b'.') | (before == b' '))
    };
    let neighbours = bytes.iter().zip(bytes.get(1..).unwrap_or_default());
    let last = bytes.last().copied().unwrap_or(0);
    if neighbours.fold(false, |found, (before, byte)| {
        found | separates_ignored(*before, *byte)
    }) || is_ignored_at_end(last)
        || (last == b'/' && text.len() > 1)
    {
        FoldCost::Other
    } else if any(|byte| byte.is_ascii_uppercase()) {
        FoldCost::Capitals
    } else {
        FoldCost::Folded
    }
}

/// Returns whether Windows file systems drop this byte at the end of a name.
fn is_ignored_at_end(byte: u8) -> bool {
    matches!(byte, b'.' | b' ')
}

/// Folds a path name by name, with the Unicode tables.
fn fold_path_by_tables(path: &Path, strength: FoldStrength) -> String {
    let mut folded = String::new();
    if path.has_root() {
        folded.push('/');
    }
    for component in path.components() {
        let Component::Normal(given) = component else {
            continue;
        };
        let given = given.to_string_lossy();
        // A mounted Windows drive may read the backslash as a separator.
        let parts: Vec<&str> = match strength {
            FoldStrength::Drive => given.split('\\').collect(),
            FoldStrength::Strict | FoldStrength::Plain => vec![&given],
        };
        for part in parts {
            if !folded.is_empty() && !folded.ends_with('/') {
                folded.push('/');
            }
            folded.push_str(&fold_name(part, strength));
        }
    }
    folded
}

/// Returns whether a Windows drive may read a path differently.
pub(crate) fn may_differ_on_windows_drive(path: &Path) -> bool {
    let bytes = path.as_os_str().as_encoded_bytes();
    bytes.iter().fold(false, |found, &byte| {
        found | (byte == b':') | (byte == b'\\') | (byte >= 0x80)
    })
}

/// Returns whether a path is at or below a folder, in any spelling that some file system treats as equal.
pub fn is_within(path: &Path, folder: &Path) -> bool {
    let (whole, start) = (
        path.as_os_str().as_encoded_bytes(),
        folder.as_os_str().as_encoded_bytes(),
    );
    let separates_ignored =
        |pair: &[u8]| pair[1] == b'/' && (is_ignored_at_end(pair[0]) || pair[0] == b'/');
    let plain = |bytes: &[u8]| {
        bytes.is_ascii()
            && !bytes.windows(2).any(separates_ignored)
            && !bytes.last().is_some_and(|last| is_ignored_at_end(*last))
    };
    if plain(start) && plain(whole) {
        let Some((lead, rest)) = whole.split_at_checked(start.len()) else {
            return false;
        };
        return lead.eq_ignore_ascii_case(start) && matches!(rest.first(), None | Some(b'/'));
    }
    let (whole, start) = (
        self::fold_path(path, FoldStrength::Strict),
        self::fold_path(folder, FoldStrength::Strict),
    );
    whole
        .as_str()
        .trim_start_matches('/')
        .strip_prefix(start.as_str().trim_start_matches('/'))
        .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// Returns one name in its folded form.
pub(crate) fn fold_name(given: &str, strength: FoldStrength) -> String {
    let folded = fold_pattern_text(given, strength);
    let bare = match strength {
        // On Windows drives `name:stream` and `name::$INDEX_ALLOCATION` are ways to open `name`.
        FoldStrength::Drive => folded.split(':').next().unwrap_or(&folded),
        FoldStrength::Strict => &folded,
        FoldStrength::Plain => return folded,
    };
    bare.trim_end_matches(['.', ' ']).to_owned()
}

/// Returns the folded form of literal text of a pattern, which may be the middle of a name, so that its end is not
/// trimmed.
pub(crate) fn fold_pattern_text(text: &str, strength: FoldStrength) -> String {
    // ASCII has no compositions and no invisible characters, so most names need no tables.
    if text.is_ascii() {
        return text.to_ascii_lowercase();
    }
    if strength == FoldStrength::Plain {
        return text.chars().flat_map(fold_case).nfc().collect();
    }
    // Folding can create new compositions, and composing can create new capitals, so both are repeated until nothing
    // changes.
    let mut current = fold_once_strictly(text);
    for _ in 0..3 {
        let next = fold_once_strictly(&current);
        if next == current {
            break;
        }
        current = next;
    }
    current
}

/// Makes one pass of NFKC, removal of invisible characters, and case folding.
fn fold_once_strictly(name: &str) -> String {
    name.nfkc()
        .filter(|character| !is_default_ignorable(*character))
        .flat_map(fold_case)
        .nfkc()
        .collect()
}

/// Folds case by the lower case of the upper case, which also unifies letters with two lower-case forms (`ſ` and `s`).
fn fold_case(character: char) -> impl Iterator<Item = char> {
    character.to_uppercase().flat_map(char::to_lowercase)
}

/// Returns whether a character is in Unicode's Default_Ignorable_Code_Point: characters that show nothing, and that
/// some file systems drop.
fn is_default_ignorable(character: char) -> bool {
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
    fn ascii_folding_agrees_with_tables() {
        let every: String = (0..128_u8).map(char::from).collect();
        let texts = every.chars().map(String::from).chain([every.clone()]);
        for text in texts {
            let by_tables: String = text.chars().flat_map(fold_case).nfc().collect();
            assert_eq!(fold_pattern_text(&text, FoldStrength::Plain), by_tables);
            assert_eq!(
                fold_pattern_text(&text, FoldStrength::Strict),
                fold_once_strictly(&text)
            );
            assert_eq!(
                fold_pattern_text(&text, FoldStrength::Drive),
                fold_once_strictly(&text)
            );
        }
    }
}
