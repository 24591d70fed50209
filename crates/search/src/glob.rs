//! Globs taken apart: braces written out, brackets taken as letters. What a glob matches is `globset`'s business.

/// More alternatives than these are not written out: a pattern of that kind names nothing literally.
const MOST_ALTERNATIVES: usize = 256;

/// The same glob with its square brackets as plain characters: `app/[id]/page.tsx` also names that very file.
pub fn escape_brackets(glob: &str) -> String {
    let mut escaped = String::with_capacity(glob.len() + 4);
    let mut characters = glob.chars();
    while let Some(character) = characters.next() {
        match character {
            '\\' => {
                escaped.push('\\');
                escaped.extend(characters.next());
            }
            '[' | ']' => {
                escaped.push('\\');
                escaped.push(character);
            }
            _ => escaped.push(character),
        }
    }
    escaped
}

/// The alternatives of a glob with its braces written out; the glob itself where that cannot be done.
pub(crate) fn alternatives(glob: &str) -> Vec<String> {
    let characters: Vec<char> = glob.chars().collect();
    let mut braces = MOST_BRACES;
    expand(&characters, 0, &mut braces).unwrap_or_else(|| vec![glob.to_owned()])
}

/// How deep braces may nest.
const MOST_DEPTH: usize = 8;
/// How many there may be: what follows a pair is a call inside the call, and the stack has an end.
const MOST_BRACES: usize = 512;

fn expand(glob: &[char], depth: usize, braces: &mut usize) -> Option<Vec<String>> {
    *braces = braces.checked_sub(1)?;
    if depth > MOST_DEPTH {
        return None;
    }
    let Some((open, close, commas)) = first_braces(glob)? else {
        return Some(vec![glob.iter().collect()]);
    };
    let head: String = glob[..open].iter().collect();
    let tails = expand(&glob[close + 1..], depth, braces)?;
    let mut all = Vec::new();
    let mut start = open + 1;
    for end in commas.into_iter().chain([close]) {
        for middle in expand(&glob[start..end], depth + 1, braces)? {
            for tail in &tails {
                all.push(format!("{head}{middle}{tail}"));
                if all.len() > MOST_ALTERNATIVES {
                    return None;
                }
            }
        }
        start = end + 1;
    }
    Some(all)
}

/// Where the first pair of braces stands, and the commas between its alternatives. None at all where they do not pair.
#[allow(clippy::type_complexity)]
fn first_braces(glob: &[char]) -> Option<Option<(usize, usize, Vec<usize>)>> {
    let mut at = 0;
    let mut open = None;
    let mut depth = 0;
    let mut commas = Vec::new();
    while at < glob.len() {
        match glob[at] {
            '\\' => at += 1,
            '[' => at = class_end(glob, at),
            '{' => {
                if depth == 0 {
                    open = Some(at);
                }
                depth += 1;
            }
            ',' if depth == 1 => commas.push(at),
            '}' if depth > 0 => {
                depth -= 1;
                if depth == 0 {
                    return Some(open.map(|open| (open, at, commas)));
                }
            }
            _ => {}
        }
        at += 1;
    }
    (depth == 0).then_some(None)
}

/// The last character of a class that begins here; the bracket itself where it does not end.
pub(crate) fn class_end(glob: &[char], open: usize) -> usize {
    let mut at = open + 1;
    if matches!(glob.get(at), Some('!' | '^')) {
        at += 1;
    }
    if glob.get(at) == Some(&']') {
        at += 1;
    }
    while at < glob.len() {
        if glob[at] == ']' {
            return at;
        }
        at += 1;
    }
    open
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn braces_are_written_out_wherever_they_stand() {
        let cases: [(&str, &[&str]); 7] = [
            ("a", &["a"]),
            ("*.{ts,tsx}", &["*.ts", "*.tsx"]),
            ("{a,b}/{c,d}", &["a/c", "a/d", "b/c", "b/d"]),
            ("{a,{b,c}d}", &["a", "bd", "cd"]),
            ("[{]x", &["[{]x"]),
            ("\\{a,b}", &["\\{a,b}"]),
            ("{a,b", &["{a,b"]),
        ];
        for (glob, wanted) in cases {
            assert_eq!(alternatives(glob), wanted, "{glob}");
        }
    }

    #[test]
    fn too_many_alternatives_are_left_as_they_are() {
        let glob = "{a,b}".repeat(9);
        assert_eq!(alternatives(&glob), [glob.as_str()]);
    }

    #[test]
    fn braces_without_number_are_left_as_they_are() {
        let glob = "{a}".repeat(200_000);
        assert_eq!(alternatives(&glob), [glob.as_str()]);
    }

    #[test]
    fn brackets_become_letters() {
        assert_eq!(escape_brackets("app/[id]/*.ts"), "app/\\[id\\]/*.ts");
        assert_eq!(escape_brackets("a\\[b"), "a\\[b");
    }
}
