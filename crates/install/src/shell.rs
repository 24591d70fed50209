//! Quotes words for the command lines that lancet writes or shows.

/// Returns a word for a POSIX shell, in quotes if it needs them.
pub fn shell_word(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "/._-@+:,".contains(c);
    match !word.is_empty() && word.chars().all(plain) {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', r"'\''")),
    }
}

#[cfg(test)]
mod tests {
    use super::shell_word;

    #[test]
    fn a_word_is_quoted_where_it_must_be() {
        assert_eq!(shell_word("/a/b-c.d"), "/a/b-c.d");
        assert_eq!(shell_word("/it's here"), r"'/it'\''s here'");
        assert_eq!(shell_word(""), "''");
        assert_eq!(shell_word("$1"), "'$1'");
    }
}
