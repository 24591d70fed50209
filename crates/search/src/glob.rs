//! Rewrites globs: expands braces and escapes brackets. Matching itself is `globset`'s work.

/// The limit of alternatives of a glob. A glob with more is not expanded and names nothing literally.
const MAX_ALTERNATIVES: usize = 256;

/// Returns the glob with its square brackets escaped: `app/[id]/page.tsx` then names that very file.
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

/// Expands the braces of a glob; returns the glob itself where they are unbalanced or too many.
pub(crate) fn expand_braces(glob: &str) -> Vec<String> {
    let characters: Vec<char> = glob.chars().collect();
    let mut braces = MAX_BRACES;
    expand_recursively(&characters, 0, &mut braces).unwrap_or_else(|| vec![glob.to_owned()])
}

/// The deepest nesting of braces that is expanded.
const MAX_DEPTH: usize = 8;
/// The most pairs of braces that are expanded: each one is a recursive call.
const MAX_BRACES: usize = 512;

fn expand_recursively(glob: &[char], depth: usize, braces: &mut usize) -> Option<Vec<String>> {
    *braces = braces.checked_sub(1)?;
    if depth > MAX_DEPTH {
        return None;
    }
    let Some((open, close, commas)) = first_braces(glob)? else {
        return Some(vec![glob.iter().collect()]);
    };
    let head: String = glob[..open].iter().collect();
    let tails = expand_recursively(&glob[close + 1..], depth, braces)?;
    let mut all = Vec::new();
    let mut start = open + 1;
    for end in commas.into_iter().chain([close]) {
        for middle in expand_recursively(&glob[start..end], depth + 1, braces)? {
            for tail in &tails {
                all.push(format!("{head}{middle}{tail}"));
                if all.len() > MAX_ALTERNATIVES {
                    return None;
                }
            }
        }
        start = end + 1;
    }
    Some(all)
}

/// Finds the first pair of braces and the commas between its alternatives; `None` where the braces are unbalanced.
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

/// Returns the index of the `]` that closes a class; `open` itself where the class is not closed.
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
    fn expands_braces_anywhere_in_glob() {
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
            assert_eq!(expand_braces(glob), wanted, "{glob}");
        }
    }

    #[test]
    fn leaves_glob_with_too_many_alternatives_unchanged() {
        let glob = "{a,b}".repeat(9);
        assert_eq!(expand_braces(&glob), [glob.as_str()]);
    }

    #[test]
    fn leaves_glob_with_too_many_braces_unchanged() {
        let glob = "{a}".repeat(200_000);
        assert_eq!(expand_braces(&glob), [glob.as_str()]);
    }

    #[test]
    fn escapes_brackets_as_literals() {
        assert_eq!(escape_brackets("app/[id]/*.ts"), "app/\\[id\\]/*.ts");
        assert_eq!(escape_brackets("a\\[b"), "a\\[b");
    }
}
