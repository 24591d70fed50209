//! Converts command line forms of other programs to the one that is parsed here.

use std::ffi::OsString;

/// The options of every command that take a value, including those before the command.
const OPTIONS_WITH_VALUE: [&str; 7] = [
    "--root",
    "--read-root",
    "--config",
    "--settings",
    "--state-dir",
    "--log",
    "--color",
];

/// Returns the command line as it is parsed: options before the command are moved behind its name, and `log -3` becomes
/// `log -n 3`, as in git.
pub(crate) fn normalize_arguments(typed: Vec<OsString>) -> Vec<OsString> {
    expand_count_flag(move_command_first(typed))
}

fn move_command_first(mut typed: Vec<OsString>) -> Vec<OsString> {
    let mut at = 1;
    while let Some(word) = typed.get(at).and_then(|word| word.to_str()) {
        match word.split_once('=') {
            _ if OPTIONS_WITH_VALUE.contains(&word) => at += 2,
            Some((name, _)) if OPTIONS_WITH_VALUE.contains(&name) => at += 1,
            _ => break,
        }
    }
    let is_command = |word: &OsString| !word.to_string_lossy().starts_with('-');
    if at > 1 && typed.get(at).is_some_and(is_command) {
        let command = typed.remove(at);
        typed.insert(1, command);
    }
    typed
}

fn expand_count_flag(typed: Vec<OsString>) -> Vec<OsString> {
    if typed.get(1).is_none_or(|command| command != "log") {
        return typed;
    }
    let mut out: Vec<OsString> = Vec::with_capacity(typed.len() + 1);
    for word in typed {
        let is_value = out
            .last()
            .is_some_and(|before| before == "-n" || before == "--number" || before == "--");
        let number = word.to_str().and_then(|word| word.strip_prefix('-'));
        match number {
            Some(number)
                if !is_value
                    && !number.is_empty()
                    && number.bytes().all(|byte| byte.is_ascii_digit()) =>
            {
                out.extend(["-n".into(), number.into()]);
            }
            _ => out.push(word),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moves_options_behind_the_command() {
        let meant = |line: &str| {
            let words = line.split(' ').map(OsString::from).collect();
            let words = normalize_arguments(words).into_iter();
            let words: Vec<String> = words
                .map(|word| word.to_string_lossy().into_owned())
                .collect();
            words.join(" ")
        };
        for (typed, parsed) in [
            ("lancet --config f explain a", "lancet explain --config f a"),
            (
                "lancet --root=/w --log debug log -3",
                "lancet log --root=/w --log debug -n 3",
            ),
            ("lancet --color never log", "lancet log --color never"),
            ("lancet log --oneline -3", "lancet log --oneline -n 3"),
            ("lancet log -n -3", "lancet log -n -3"),
            // Without a command the options stay where they are.
            ("lancet-mcp --root /w", "lancet-mcp --root /w"),
            ("lancet --config", "lancet --config"),
            ("lancet --config f --help", "lancet --config f --help"),
            ("lancet --unknown f log", "lancet --unknown f log"),
        ] {
            assert_eq!(meant(typed), parsed);
        }
    }
}
