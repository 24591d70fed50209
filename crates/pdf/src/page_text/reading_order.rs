//! Restores the reading order of Arabic and Hebrew. A page draws every line from left to right, so these come with
//! their last letter first, and Arabic letters come in the shapes that they have inside a word.

use unicode_normalization::UnicodeNormalization as _;

/// Converts a line from drawing order to reading order.
pub(super) fn restore_reading_order(line: String) -> String {
    if !line.chars().any(is_right_to_left) {
        return line;
    }
    let characters: Vec<char> = line.chars().collect();
    let right_to_left = characters.iter().filter(|one| is_right_to_left(**one));
    let left_to_right = characters.iter().filter(|one| is_left_to_right(**one));
    let read = match right_to_left.count() > left_to_right.count() {
        true => {
            let reversed: Vec<char> = characters.into_iter().rev().collect();
            reverse_runs(&reversed, is_left_to_right)
        }
        false => reverse_runs(&characters, is_right_to_left),
    };
    read.into_iter()
        .flat_map(letters_of_presentation_form)
        .collect()
}

/// Reverses each run that starts and ends with a character that `is_of_kind` accepts. Between them, a run may also
/// contain spaces and punctuation. Brackets in a run are mirrored.
fn reverse_runs(characters: &[char], is_of_kind: fn(char) -> bool) -> Vec<char> {
    let mut read = Vec::with_capacity(characters.len());
    let mut rest = characters;
    while let Some((&first, after)) = rest.split_first() {
        if !is_of_kind(first) {
            read.push(first);
            rest = after;
            continue;
        }
        let is_inside = |one: &char| is_of_kind(*one) || !one.is_alphanumeric();
        let until = rest.iter().position(|one| !is_inside(one));
        let run = &rest[..until.unwrap_or(rest.len())];
        let last = run.iter().rposition(|one| is_of_kind(*one)).unwrap_or(0);
        read.extend(run[..=last].iter().rev().map(|one| mirror_bracket(*one)));
        rest = &rest[last + 1..];
    }
    read
}

/// Returns whether the character is a letter of a script that is written from right to left.
fn is_right_to_left(character: char) -> bool {
    character.is_alphabetic()
        && matches!(character, '\u{590}'..='\u{8FF}' | '\u{FB1D}'..='\u{FDFF}' | '\u{FE70}'..='\u{FEFF}'
            | '\u{10800}'..='\u{10FFF}' | '\u{1E800}'..='\u{1EFFF}')
}

/// Returns whether the character is a letter or digit that is written from left to right. All digits are, Arabic ones
/// too.
fn is_left_to_right(character: char) -> bool {
    character.is_alphanumeric() && !is_right_to_left(character)
}

/// Returns the other bracket of a pair: in reversed text, the drawn bracket represents it.
fn mirror_bracket(character: char) -> char {
    match character {
        '(' => ')',
        ')' => '(',
        '[' => ']',
        ']' => '[',
        other => other,
    }
}

/// Returns the letters that a presentation form of an Arabic or Hebrew letter represents.
fn letters_of_presentation_form(shape: char) -> impl Iterator<Item = char> {
    let is_shape = matches!(shape, '\u{FB1D}'..='\u{FDFF}' | '\u{FE70}'..='\u{FEFF}');
    let letters: String = match is_shape {
        true => shape.nfkc().collect(),
        false => shape.into(),
    };
    letters.chars().collect::<Vec<char>>().into_iter()
}
