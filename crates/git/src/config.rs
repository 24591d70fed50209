//! A reader for git's configuration format that returns the last value of a key. It works on texts: `include` is not
//! followed, and no value is ever executed.

/// A longer configuration file is refused.
pub(crate) const MAX_CONFIG_BYTES: u64 = 1 << 20;

/// The effect of `core.autocrlf` on files that no attribute covers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AutoCrlf {
    /// git stores the bytes as they are (`false`, or not set).
    No,
    /// git stores CRLF as LF (`true` or `input`).
    Yes,
}

/// Reads `core.autocrlf` from configuration texts that are given in order of precedence; a later text overrides an
/// earlier one.
pub fn effective_auto_crlf<'t>(texts: impl IntoIterator<Item = &'t str>) -> AutoCrlf {
    let mut said = AutoCrlf::No;
    for text in texts {
        if let Some(value) = last_value(text, "core", "autocrlf") {
            let yes = is_true(&value) || value.eq_ignore_ascii_case("input");
            said = if yes { AutoCrlf::Yes } else { AutoCrlf::No };
        }
    }
    said
}

/// Returns whether a configuration refers to attributes that this crate does not see: by another configuration file,
/// by `core.attributesFile`, or by attributes in a tree.
pub(crate) fn refers_to_other_attributes(text: &str) -> bool {
    let mut headers = text.lines().map(str::trim_start);
    let includes = headers.any(|line| {
        line.strip_prefix('[')
            .and_then(|header| header.trim_start().get(.."include".len()))
            .is_some_and(|start| start.eq_ignore_ascii_case("include"))
    });
    includes
        || last_value(text, "core", "attributesfile").is_some()
        || last_value(text, "attr", "tree").is_some()
}

/// Returns whether git reads a value as true.
pub(crate) fn is_true(value: &str) -> bool {
    ["true", "yes", "on"]
        .iter()
        .any(|word| value.eq_ignore_ascii_case(word))
        || value.parse::<i64>().is_ok_and(|number| number != 0)
}

/// Returns the last value of `section.key`, "true" for a key without a value. A subsection (`[section "name"]`) is
/// another section.
pub(crate) fn last_value(text: &str, section: &str, key: &str) -> Option<String> {
    let mut inside = false;
    let mut found = None;
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        let mut rest = line.trim_start();
        if let Some(header) = rest.strip_prefix('[') {
            let Some((name, after)) = header.split_once(']') else {
                continue;
            };
            inside = name.trim().eq_ignore_ascii_case(section);
            rest = after.trim_start();
        }
        if rest.is_empty() || rest.starts_with(['#', ';']) {
            continue;
        }
        let end = rest
            .find(|character: char| !(character.is_ascii_alphanumeric() || character == '-'))
            .unwrap_or(rest.len());
        let (name, after) = rest.split_at(end);
        let after = after.trim_start();
        let value = match after.strip_prefix('=') {
            Some(value) => parse_value(value, &mut lines),
            None => "true".to_owned(),
        };
        if inside && name.eq_ignore_ascii_case(key) {
            found = Some(value);
        }
    }
    found
}

/// Parses a value: removes quotes, resolves escapes, drops a trailing comment, and continues on the next line after a
/// backslash.
fn parse_value<'t>(first: &'t str, lines: &mut impl Iterator<Item = &'t str>) -> String {
    let mut value = String::new();
    // Trailing blanks are not part of the value.
    let mut blanks = String::new();
    let mut quoted = false;
    let mut line = first.trim_start();
    loop {
        let mut characters = line.chars();
        let mut goes_on = false;
        while let Some(character) = characters.next() {
            match character {
                '"' => {
                    quoted = !quoted;
                    value.push_str(&std::mem::take(&mut blanks));
                }
                '#' | ';' if !quoted => break,
                ' ' | '\t' | '\r' if !quoted => blanks.push(character),
                '\\' => {
                    value.push_str(&std::mem::take(&mut blanks));
                    match characters.next() {
                        None => goes_on = true,
                        Some('n') => value.push('\n'),
                        Some('t') => value.push('\t'),
                        Some('b') => drop(value.pop()),
                        Some(other) => value.push(other),
                    }
                }
                other => {
                    value.push_str(&std::mem::take(&mut blanks));
                    value.push(other);
                }
            }
        }
        match goes_on.then(|| lines.next()).flatten() {
            Some(next) => line = next,
            None => break,
        }
    }
    value
}

#[cfg(test)]
mod tests {
    use super::*;

    const CONFIG_TEXT: &str = "# first\n[core]\n\tbare = false\n\tautocrlf = input ; said\n[Core \"x\"] autocrlf = true\n[core] Worktree = \"../a b\" # end\n\tflag\n[extensions]\n\tobjectFormat = sha\\\n256\n";

    #[test]
    fn uses_last_value_and_ignores_subsections() {
        assert_eq!(
            last_value(CONFIG_TEXT, "core", "autocrlf").as_deref(),
            Some("input")
        );
        assert_eq!(
            last_value(CONFIG_TEXT, "core", "worktree").as_deref(),
            Some("../a b")
        );
        assert_eq!(
            last_value(CONFIG_TEXT, "core", "flag").as_deref(),
            Some("true")
        );
        assert_eq!(
            last_value(CONFIG_TEXT, "extensions", "objectformat").as_deref(),
            Some("sha256")
        );
        assert_eq!(last_value(CONFIG_TEXT, "core", "eol"), None);
    }

    #[test]
    fn detects_references_to_other_attributes() {
        for text in [
            "[include] path = x",
            "\t[ includeIf \"gitdir:~/a\"]\npath = x",
            "[core]\nattributesFile = ~/.gitattributes",
            "[core] attributesfile",
            "[attr] tree = HEAD",
        ] {
            assert!(refers_to_other_attributes(text), "{text}");
        }
        assert!(!refers_to_other_attributes(CONFIG_TEXT));
    }

    #[test]
    fn later_file_overrides_earlier_file() {
        let no = "[core]\nautocrlf = false\n";
        assert_eq!(effective_auto_crlf([CONFIG_TEXT]), AutoCrlf::Yes);
        assert_eq!(effective_auto_crlf([CONFIG_TEXT, no]), AutoCrlf::No);
        assert_eq!(effective_auto_crlf([no, ""]), AutoCrlf::No);
    }
}
