//! Reads the escapes of JSON strings.

use super::UnescapedText;

/// Splits the text into characters and escapes; `None` where a backslash begins no JSON escape.
pub(super) fn unescape(text: &str) -> Option<UnescapedText> {
    let mut unescaped = UnescapedText::default();
    let mut characters = text.chars();
    loop {
        let start = text.len() - characters.as_str().len();
        let Some(character) = characters.next() else {
            break;
        };
        if character != '\\' {
            unescaped.bare.insert(character);
            unescaped.text.push(character);
            continue;
        }
        let letter = characters.next()?;
        let meant = match letter {
            '"' | '\\' | '/' => letter,
            'b' => '\u{8}',
            'f' => '\u{C}',
            'n' => '\n',
            'r' => '\r',
            't' => '\t',
            'u' => {
                let (character, rest) = parse_code_point(characters.as_str())?;
                characters = rest.chars();
                character
            }
            _ => return None,
        };
        let end = text.len() - characters.as_str().len();
        unescaped.escapes.push((start..end, meant));
        unescaped.kinds.insert(letter.to_string());
        unescaped.escaped.insert(meant);
        unescaped.text.push(meant);
    }
    // The view has only LF line ends, so an escaped CR LF means LF.
    unescaped.text = unescaped.text.replace("\r\n", "\n");
    Some(unescaped)
}

/// Returns the character of the four digits after `\u`, together with the second half of a surrogate pair, and the text
/// after it.
fn parse_code_point(text: &str) -> Option<(char, &str)> {
    let (first, rest) = parse_four_hex_digits(text)?;
    if let Some(character) = char::from_u32(first) {
        return Some((character, rest));
    }
    let (second, rest) = parse_four_hex_digits(rest.strip_prefix("\\u")?)?;
    let pair = [u16::try_from(first).ok()?, u16::try_from(second).ok()?];
    let mut decoded = char::decode_utf16(pair);
    match (decoded.next(), decoded.next()) {
        (Some(Ok(character)), None) => Some((character, rest)),
        _ => None,
    }
}

fn parse_four_hex_digits(text: &str) -> Option<(u32, &str)> {
    let digits = text.get(..4)?;
    let plain = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    let value = u32::from_str_radix(digits, 16).ok().filter(|_| plain)?;
    Some((value, &text[4..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accepts_exactly_the_json_escapes() {
        let all = unescape("\\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9\\ud83d\\ude00").expect("escapes");
        assert_eq!(all.text, "\"\\/\u{8}\u{C}\n\r\t\u{E9}\u{1F600}");
        let kinds: Vec<_> = all.kinds.iter().map(String::as_str).collect();
        assert_eq!(kinds, ["\"", "/", "\\", "b", "f", "n", "r", "t", "u"]);
        for broken in [
            "\\x",
            "\\",
            "\\u12",
            "\\u+123",
            "\\ud83d",
            "\\ud83d\\u0041",
            "\\'",
        ] {
            assert!(unescape(broken).is_none(), "{broken}");
        }
        assert_eq!(unescape("a\\r\\nb").expect("escapes").text, "a\nb");
    }
}
