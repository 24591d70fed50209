//! A command line as it is recorded: quoted for a shell, without secrets, and cut to its limit.

use lancet_history::RecordedCall;
use lancet_policy::find_credential;

/// The replacement for a secret.
const SECRET_REPLACEMENT: &str = "***";
/// Parts of the name of a flag or variable whose value is secret.
const SECRET_NAMES: [&str; 5] = ["key", "token", "secret", "password", "passwd"];

/// Returns a command as one line for people.
#[must_use]
pub fn format_command(words: &[String]) -> String {
    let mut shown: Vec<String> = Vec::new();
    let mut hides_next = false;
    for word in words {
        let word = match std::mem::take(&mut hides_next) {
            true => SECRET_REPLACEMENT.to_owned(),
            false => {
                hides_next = is_secret_flag(word);
                without_secrets(word)
            }
        };
        shown.push(quote_argument(&word));
    }
    cut(shown.join(" "))
}

/// Returns a command line that is for a shell as one line for people.
#[must_use]
pub fn shown_script(script: &str) -> String {
    cut(without_secrets(script.trim()))
}

/// Cuts a command line to its limit.
fn cut(line: String) -> String {
    match line
        .char_indices()
        .nth(RecordedCall::MAX_COMMAND_CHARACTERS)
    {
        None => line,
        Some(_) => {
            let kept = line.chars().take(RecordedCall::MAX_COMMAND_CHARACTERS - 1);
            kept.chain(['…']).collect()
        }
    }
}

/// Returns whether the next argument is the value of a flag with a secret name.
fn is_secret_flag(word: &str) -> bool {
    word.starts_with('-') && !word.contains(['=', ' ']) && has_secret_name(word)
}

fn has_secret_name(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    SECRET_NAMES.iter().any(|secret| name.contains(secret))
}

/// Returns an argument, which may be a script with several words, without its secrets.
fn without_secrets(word: &str) -> String {
    let mut pieces = Vec::new();
    let mut hides_next = false;
    for piece in word.split_inclusive([' ', '\t', '\n', ';', '&', '|', '(', ')']) {
        let end = piece.trim_end_matches([' ', '\t', '\n', ';', '&', '|', '(', ')']);
        let rest = &piece[end.len()..];
        if end.is_empty() {
            pieces.push(rest.to_owned());
            continue;
        }
        let shown = match std::mem::take(&mut hides_next) {
            true => SECRET_REPLACEMENT.to_owned(),
            false => {
                hides_next = is_secret_flag(end);
                piece_without_secrets(end)
            }
        };
        pieces.push(shown + rest);
    }
    pieces.concat()
}

fn piece_without_secrets(piece: &str) -> String {
    if let Some((name, value)) = piece.split_once('=')
        && has_secret_name(name)
        && !value.is_empty()
    {
        return format!("{name}={SECRET_REPLACEMENT}");
    }
    if find_credential(piece).is_some() {
        return SECRET_REPLACEMENT.to_owned();
    }
    let Some((scheme, rest)) = piece.split_once("://") else {
        return piece.to_owned();
    };
    let host_end = rest.find('/').unwrap_or(rest.len());
    match rest[..host_end].rfind('@') {
        Some(at) => format!("{scheme}://{SECRET_REPLACEMENT}{}", &rest[at..]),
        None => piece.to_owned(),
    }
}

/// Returns an argument quoted for a shell.
#[must_use]
pub fn quote_argument(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "_-./:=@%+,*".contains(c);
    match !word.is_empty() && word.chars().all(is_plain) {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', "'\\''")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn render_command(words: &[&str]) -> String {
        let words: Vec<String> = words.iter().map(ToString::to_string).collect();
        format_command(&words)
    }

    #[test]
    fn hides_secret_values_and_url_credentials() {
        for (words, expected) in [
            (&["sed", "-i", "s/a/b/", "x y"][..], "sed -i s/a/b/ 'x y'"),
            (
                &["deploy", "--token", "abc", "now"],
                "deploy --token *** now",
            ),
            (&["deploy", "--api-key=abc"], "deploy --api-key=***"),
            (
                &["env", "DB_PASSWORD=abc", "make"],
                "env DB_PASSWORD=*** make",
            ),
            (
                &["git", "clone", "https://me:pw@host/x"],
                "git clone https://***@host/x",
            ),
            (
                &["sh", "-c", "API_TOKEN=x make; echo --password y"],
                "sh -c 'API_TOKEN=*** make; echo --password ***'",
            ),
        ] {
            assert_eq!(render_command(words), expected);
        }
    }

    #[test]
    fn cuts_long_command() {
        let long = render_command(&["echo", &"é".repeat(1000)]);
        assert_eq!(long.chars().count(), RecordedCall::MAX_COMMAND_CHARACTERS);
        assert!(long.ends_with('…'));
    }
}
