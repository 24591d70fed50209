//! The bytes of a file as a page writes them: the block's lines, and the words after the name that modify them.

/// Returns the bytes that the block represents.
pub(crate) fn bytes(body: &str, words: &[&str]) -> Result<Vec<u8>, String> {
    let mut text = body.to_owned();
    let mut encoding = "";
    let mut escaped = false;
    let mut mark = false;
    let mut newline = "\n";
    for word in words {
        match *word {
            "crlf" => newline = "\r\n",
            "cr" => newline = "\r",
            "unended" => {
                text.pop();
            }
            "seen" => {}
            "bom" => mark = true,
            "escaped" => escaped = true,
            "utf-16le" | "utf-16be" => encoding = word,
            other => match other.strip_prefix("repeat=").map(str::parse::<usize>) {
                Some(Ok(times)) => {
                    text = (1..=times)
                        .map(|number| text.replace("{i}", &number.to_string()))
                        .collect();
                }
                _ => return Err(format!("`{other}` is no way to write a file")),
            },
        }
    }
    if mark {
        text.insert(0, '\u{feff}');
    }
    let text = text.replace('\n', newline);
    if escaped {
        return unescaped(&text);
    }
    Ok(match encoding {
        "utf-16le" => text.encode_utf16().flat_map(u16::to_le_bytes).collect(),
        "utf-16be" => text.encode_utf16().flat_map(u16::to_be_bytes).collect(),
        _ => text.into_bytes(),
    })
}

/// `\t`, `\r`, `\s` (a space that would be lost at a line's end), `\\`, `\xNN` (one byte), `\u{N}`.
fn unescaped(text: &str) -> Result<Vec<u8>, String> {
    let mut out = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        out.extend_from_slice(&rest.as_bytes()[..at]);
        let after = &rest[at + 1..];
        let (byte_or_text, used): (Vec<u8>, usize) = match after.chars().next() {
            Some('t') => (vec![b'\t'], 1),
            Some('r') => (vec![b'\r'], 1),
            Some('s') => (vec![b' '], 1),
            Some('\\') => (vec![b'\\'], 1),
            Some('x') => {
                let digits = after.get(1..3).ok_or("\\x needs two digits")?;
                let byte = u8::from_str_radix(digits, 16).map_err(|error| error.to_string())?;
                (vec![byte], 3)
            }
            Some('u') => {
                let (digits, _) = after
                    .strip_prefix("u{")
                    .and_then(|inner| inner.split_once('}'))
                    .ok_or("\\u needs {…}")?;
                let number = u32::from_str_radix(digits, 16).map_err(|error| error.to_string())?;
                let character = char::from_u32(number).ok_or("no such character")?;
                (character.to_string().into_bytes(), digits.len() + 3)
            }
            _ => return Err(format!("an unknown escape: {}", rest)),
        };
        out.extend(byte_or_text);
        rest = &after[used..];
    }
    out.extend_from_slice(rest.as_bytes());
    Ok(out)
}

/// Bytes as a failure shows them: text where it is text, everything unusual escaped.
pub(crate) fn escape_bytes(bytes: &[u8]) -> String {
    bytes
        .utf8_chunks()
        .map(|chunk| {
            let valid: String = chunk
                .valid()
                .chars()
                .map(|character| match character {
                    '\n' => "\\n\n".to_owned(),
                    other => other.escape_debug().to_string(),
                })
                .collect();
            let invalid: String = chunk
                .invalid()
                .iter()
                .map(|byte| format!("\\x{byte:02x}"))
                .collect();
            valid + &invalid
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_bend_the_lines() {
        assert_eq!(bytes("a\nb\n", &[]), Ok(b"a\nb\n".to_vec()));
        assert_eq!(
            bytes("a\nb\n", &["crlf", "unended"]),
            Ok(b"a\r\nb".to_vec())
        );
        assert_eq!(
            bytes("line {i}\n", &["repeat=2"]),
            Ok(b"line 1\nline 2\n".to_vec())
        );
        assert_eq!(
            bytes("a\n", &["bom", "utf-16le"]),
            Ok(vec![0xff, 0xfe, b'a', 0, b'\n', 0])
        );
        assert_eq!(
            bytes("a\\s\\xe9\\u{e9}\\\\\n", &["escaped"]),
            Ok(b"a \xe9\xc3\xa9\\\n".to_vec())
        );
        assert!(bytes("a\n", &["sideways"]).is_err());
    }
}
