//! Quotes words for the command lines that lancet writes or shows.

/// Returns a word for a POSIX shell, in quotes if it needs them.
pub fn quote_shell_word(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "/._-@+:,".contains(c);
    match !word.is_empty() && word.chars().all(plain) {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', r"'\''")),
    }
}

#[cfg(test)]
mod tests {
    use super::quote_shell_word;

    #[test]
    fn quotes_shell_word_where_needed() {
        assert_eq!(quote_shell_word("/a/b-c.d"), "/a/b-c.d");
        assert_eq!(quote_shell_word("/it's here"), r"'/it'\''s here'");
        assert_eq!(quote_shell_word(""), "''");
        assert_eq!(quote_shell_word("$1"), "'$1'");
    }
}
