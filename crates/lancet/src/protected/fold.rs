//! One spelling for all names that some file system takes for the same: case folded, compatibility forms composed,
//! invisible characters and a Windows name's trailing dots, spaces and stream dropped.

use unicode_normalization::UnicodeNormalization;

/// The spelling under which names are compared.
pub(super) fn folded(name: &str) -> String {
    // Folding can make new compositions and composing can make new capitals, so both are done until nothing moves.
    let mut current = once(name);
    for _ in 0..3 {
        let next = once(&current);
        if next == current {
            break;
        }
        current = next;
    }
    // On Windows drives `name:stream` and `name::$INDEX_ALLOCATION` are ways to open `name`.
    let bare = current.split(':').next().unwrap_or(&current);
    bare.trim_end_matches(['.', ' ']).to_owned()
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
