//! Strips a text of Rust to its code: comments, strings and character literals are left out.

/// Removes comments, strings and character literals from a text of Rust.
pub(super) fn code(text: &str) -> String {
    let letters: Vec<char> = text.chars().collect();
    let mut code = String::with_capacity(text.len());
    let mut at = 0;
    while let Some(&letter) = letters.get(at) {
        let rest = &letters[at..];
        let skipped = comment(rest)
            .or_else(|| raw_string(rest, code.chars().next_back()))
            .or_else(|| quoted(rest))
            .or_else(|| character(rest));
        match skipped {
            Some(length) => {
                // The words before and after it remain two words.
                code.push(' ');
                at += length;
            }
            None => {
                code.push(letter);
                at += 1;
            }
        }
    }
    code
}

/// Returns the length of the comment that begins here.
fn comment(rest: &[char]) -> Option<usize> {
    if rest.starts_with(&['/', '/']) {
        let end = rest.iter().position(|letter| *letter == '\n');
        return Some(end.unwrap_or(rest.len()));
    }
    if !rest.starts_with(&['/', '*']) {
        return None;
    }
    let (mut depth, mut at) = (0_usize, 0);
    while at < rest.len() {
        let step = match rest[at..] {
            ['/', '*', ..] => {
                depth += 1;
                2
            }
            ['*', '/', ..] => {
                depth -= 1;
                2
            }
            _ => 1,
        };
        at += step;
        if depth == 0 {
            break;
        }
    }
    Some(at)
}

/// Returns the length of the raw string that begins here; an `r` at the end of a word begins none.
fn raw_string(rest: &[char], before: Option<char>) -> Option<usize> {
    if before.is_some_and(|letter| letter.is_alphanumeric() || letter == '_') {
        return None;
    }
    let prefix = match rest {
        ['b', 'r', ..] => 2,
        ['r', ..] => 1,
        _ => return None,
    };
    let hashes = rest[prefix..]
        .iter()
        .take_while(|letter| **letter == '#')
        .count();
    let start = prefix + hashes;
    if rest.get(start) != Some(&'"') {
        return None;
    }
    let mut end = vec!['"'];
    end.extend(std::iter::repeat_n('#', hashes));
    let inside = &rest[start + 1..];
    let length = inside.windows(end.len()).position(|window| window == end);
    Some(length.map_or(rest.len(), |length| start + 1 + length + end.len()))
}

/// Returns the length of the string that begins here.
fn quoted(rest: &[char]) -> Option<usize> {
    if rest.first() != Some(&'"') {
        return None;
    }
    let mut at = 1;
    while let Some(letter) = rest.get(at) {
        match letter {
            '\\' => at += 2,
            '"' => return Some(at + 1),
            _ => at += 1,
        }
    }
    Some(rest.len())
}

/// Returns the length of the character literal that begins here; a lifetime is none.
fn character(rest: &[char]) -> Option<usize> {
    match rest {
        ['\'', '\\', _, after @ ..] => {
            let end = after.iter().position(|letter| *letter == '\'')?;
            Some(3 + end + 1)
        }
        ['\'', _, '\'', ..] => Some(3),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::code;

    #[test]
    fn only_code_is_left() {
        let text =
            "a /* b /* c */ */ d // e\n\"f\\\"\ng\" h r#\"i\"j\"# 'k' '\\'' '{' fn l<'m>(m: &'m n)";
        let left = code(text);
        let words: Vec<&str> = left.split_whitespace().collect();
        assert_eq!(words, ["a", "d", "h", "fn", "l<'m>(m:", "&'m", "n)"]);
    }
}
