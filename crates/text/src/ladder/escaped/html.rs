//! Reads the HTML entities that texts are escaped with.

use super::UnescapedText;

/// The entities by name, with the character that each means.
const NAMED_ENTITIES: [(&str, char); 20] = [
    ("amp", '&'),
    ("lt", '<'),
    ("gt", '>'),
    ("quot", '"'),
    ("apos", '\''),
    ("nbsp", '\u{A0}'),
    ("copy", '\u{A9}'),
    ("reg", '\u{AE}'),
    ("laquo", '\u{AB}'),
    ("raquo", '\u{BB}'),
    ("middot", '\u{B7}'),
    ("times", '\u{D7}'),
    ("ndash", '\u{2013}'),
    ("mdash", '\u{2014}'),
    ("lsquo", '\u{2018}'),
    ("rsquo", '\u{2019}'),
    ("ldquo", '\u{201C}'),
    ("rdquo", '\u{201D}'),
    ("bull", '\u{2022}'),
    ("hellip", '\u{2026}'),
];

/// An ampersand whose semicolon is more bytes away begins no entity.
const MAX_ENTITY_LENGTH: usize = 32;

/// Splits the text into characters and entities; `None` where the character of an entity is not known. An ampersand
/// that begins no entity is a character.
pub(super) fn unescape(text: &str) -> Option<UnescapedText> {
    let mut unescaped = UnescapedText::default();
    let mut rest = text;
    while let Some(character) = rest.chars().next() {
        let start = text.len() - rest.len();
        if let Some((name, after)) = parse_entity(rest) {
            let meant = entity_character(name)?;
            unescaped
                .escapes
                .push((start..text.len() - after.len(), meant));
            let kind = if name.starts_with('#') { "#" } else { name };
            unescaped.kinds.insert(kind.to_owned());
            unescaped.escaped.insert(meant);
            unescaped.text.push(meant);
            rest = after;
        } else {
            unescaped.bare.insert(character);
            unescaped.text.push(character);
            rest = &rest[character.len_utf8()..];
        }
    }
    Some(unescaped)
}

/// Returns whether anything in the text reads as an entity, known or not.
pub(super) fn contains_entity(text: &str) -> bool {
    text.match_indices('&')
        .any(|(at, _)| parse_entity(&text[at..]).is_some())
}

/// Returns the name of the entity at the start of the text, and the text after it.
fn parse_entity(text: &str) -> Option<(&str, &str)> {
    let body = text.strip_prefix('&')?;
    let end = body
        .bytes()
        .take(MAX_ENTITY_LENGTH)
        .position(|byte| byte == b';')?;
    let name = &body[..end];
    let well_formed = match name.strip_prefix('#') {
        Some(number) => match number.strip_prefix(['x', 'X']) {
            Some(digits) => is_nonempty_and_all(digits, |byte| byte.is_ascii_hexdigit()),
            None => is_nonempty_and_all(number, |byte| byte.is_ascii_digit()),
        },
        None => {
            is_nonempty_and_all(name, |byte| byte.is_ascii_alphanumeric())
                && name.starts_with(|first: char| first.is_ascii_alphabetic())
        }
    };
    well_formed.then(|| (name, &body[end + 1..]))
}

fn is_nonempty_and_all(text: &str, accepts: impl Fn(u8) -> bool) -> bool {
    !text.is_empty() && text.bytes().all(accepts)
}

/// Returns the character of an entity.
fn entity_character(name: &str) -> Option<char> {
    let Some(number) = name.strip_prefix('#') else {
        let named = NAMED_ENTITIES.iter().find(|(known, _)| *known == name);
        return named.map(|(_, character)| *character);
    };
    let value = match number.strip_prefix(['x', 'X']) {
        Some(digits) => u32::from_str_radix(digits, 16),
        None => number.parse(),
    };
    value.ok().and_then(char::from_u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decodes_named_and_numeric_entities() {
        let text = unescape("a &lt;&#60;&#x3C; b && &amp; c").expect("entities");
        assert_eq!(text.text, "a <<< b && & c");
        let kinds: Vec<_> = text.kinds.iter().map(String::as_str).collect();
        assert_eq!(kinds, ["#", "amp", "lt"]);
        assert!(unescape("&unknown;").is_none());
        assert!(unescape("&#x110000;").is_none());
        assert_eq!(
            unescape("& ; &; &#; &a b; &1;").expect("none").text,
            "& ; &; &#; &a b; &1;"
        );
    }

    #[test]
    fn recognises_entities_in_file_text() {
        assert!(contains_entity("a &copy; b"));
        assert!(contains_entity("&unknown;"));
        assert!(!contains_entity("a && b; c"));
    }
}
