//! The explanations of wrong command lines, beyond those of clap.

use std::ffi::OsString;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use lancet_install::quote_shell_word;

/// Commands that other programs have, and the equivalent command here.
const OTHER_COMMANDS: &[(&[&str], &str)] = &[
    (
        &["cat", "view", "less", "open"],
        "`lancet read` shows files",
    ),
    (&["find", "ls", "fd", "files"], "`lancet glob` lists files"),
    (&["search", "rg", "ag"], "`lancet grep` searches files"),
    (&["replace", "sed", "sd"], "`lancet edit` replaces text"),
    (
        &["create", "new", "append"],
        "`lancet write` creates, replaces and extends files",
    ),
    (
        &["history", "status", "changes"],
        "`lancet log` lists the changes",
    ),
    (
        &["session", "agents"],
        "`lancet sessions` lists the agents at work, `lancet stats` sums up what each has changed",
    ),
    (
        &["revert", "rollback", "back"],
        "`lancet undo` undoes changes",
    ),
    (
        &["checkout", "recover"],
        "`lancet restore` brings files back",
    ),
    (
        &["patch"],
        "`lancet apply` applies the edits in a model's reply",
    ),
    (
        &["config", "settings"],
        "`lancet doctor` shows the settings, `lancet help settings` explains them",
    ),
    (
        &["rename", "move"],
        "`lancet mv` moves files; `lancet edit 'src/**' --old NAME --new NAME --replace-all` changes a name in all files of a folder",
    ),
    (
        &["remove", "delete", "del", "unlink"],
        "`lancet rm` removes files",
    ),
    (
        &["prune", "clean", "purge", "forget", "cleanup"],
        "`lancet gc` cleans the history up",
    ),
    (
        &["reset"],
        "`lancet undo` undoes changes, `lancet restore` brings files back",
    ),
    (
        &["annotate", "who"],
        "`lancet blame FILE` says who wrote each line, `lancet log FILE` who changed the file",
    ),
    (
        &["deny", "allow", "permit", "permissions"],
        "rules are lines of lancet.toml: `lancet help permissions`; `lancet rules` lists them",
    ),
    (
        &["approve", "reject", "questions", "waiting", "ask"],
        "`lancet pending` lists the questions that wait, `lancet pending approve ID` and `lancet pending reject ID` decide",
    ),
    (
        &["add", "stash", "push"],
        "`lancet commit` commits what was changed to git, and lancet leaves the rest to git; `lancet log` lists the changes",
    ),
];

/// Flags that other programs have, by command, and what to type here.
const OTHER_FLAGS: &[(&str, &[&str], &str)] = &[
    (
        "grep",
        &["-R", "--recursive"],
        "folders are searched with all that is below them; leave it out",
    ),
    ("grep", &["--include"], "for some files use -g 'GLOB'"),
    (
        "read",
        &["--lines", "--line", "--range", "--head", "-l", "-r"],
        "lines are typed behind the name: FILE:3-4, FILE:-3 for the last three",
    ),
    (
        "log",
        &["--long", "--verbose", "-v", "--full", "--graph"],
        "`lancet show ID` has all of a change; --patch adds the diffs",
    ),
    (
        "grep",
        &["--exclude", "--exclude-dir"],
        "to leave files out use -g '!GLOB'",
    ),
    (
        "edit",
        &["--all", "-a", "-g", "--global"],
        "to change every place use --replace-all",
    ),
    (
        "edit",
        &["--in-place"],
        "leave it out: the file itself is changed. Texts are given by --old and --new, a pattern by --regex and --new",
    ),
    ("log", &["--author", "--user", "--by"], "use --client NAME"),
    (
        "gc",
        &["--all", "--aggressive", "--prune", "--purge"],
        "gc keeps the newest change of each file; `lancet gc --help` says how to forget everything",
    ),
];

/// Adds a tip for a command or a number that another program would accept. Leaves out clap's advice to put a flag
/// behind `--`, which is wrong wherever no text can begin with a dash.
pub(crate) fn add_tip(mut error: clap::Error, typed: &[OsString]) -> clap::Error {
    let command = typed
        .get(1)
        .and_then(|word| word.to_str())
        .unwrap_or_default();
    if command != "grep"
        && let Some(ContextValue::StyledStrs(mut tips)) = error.remove(ContextKind::Suggested)
    {
        tips.retain(|tip| !tip.to_string().starts_with("to pass "));
        if !tips.is_empty() {
            error.insert(ContextKind::Suggested, ContextValue::StyledStrs(tips));
        }
    }
    // A suggestion with another first letter is rarely what was meant.
    if let Some(ContextValue::Strings(mut names)) = error.remove(ContextKind::SuggestedSubcommand) {
        names.retain(|name| name.chars().next() == command.chars().next() && name != "complete");
        if !names.is_empty() {
            error.insert(
                ContextKind::SuggestedSubcommand,
                ContextValue::Strings(names),
            );
        }
    }
    if let Some(tip) = find_tip(&error, command, typed) {
        error.remove(ContextKind::SuggestedSubcommand);
        error.remove(ContextKind::SuggestedArg);
        error.insert(
            ContextKind::Suggested,
            ContextValue::StyledStrs(vec![tip.into()]),
        );
    }
    error
}

fn find_tip(error: &clap::Error, command: &str, typed: &[OsString]) -> Option<String> {
    match (error.kind(), command) {
        (ErrorKind::MissingRequiredArgument, "edit") => {
            let words = typed.iter().filter_map(|word| word.to_str());
            let expression = words.into_iter().find_map(parse_sed_substitution);
            Some(match expression {
                Some((pattern, new)) => format!(
                    "use --regex {} --new {}, or --old and --new for plain text",
                    quote_shell_word(&pattern),
                    quote_shell_word(&new)
                ),
                None => {
                    "the texts are given by --old TEXT --new TEXT, or by --regex PATTERN --new TEXT"
                        .to_owned()
                }
            })
        }
        (ErrorKind::MissingRequiredArgument, "grep") => {
            let replaces = typed.iter().any(|word| word == "-r" || word == "--replace");
            replaces.then(|| {
                "-r TEXT prints TEXT in place of the matches, as in ripgrep; to search folders leave -r out".to_owned()
            })
        }
        (ErrorKind::InvalidSubcommand, word) => {
            let mut others = OTHER_COMMANDS.iter();
            let (_, words) = others.find(|(names, _)| names.contains(&word))?;
            Some((*words).to_owned())
        }
        (ErrorKind::UnknownArgument, command) => {
            let Some(ContextValue::String(flag)) = error.get(ContextKind::InvalidArg) else {
                return None;
            };
            let mut others = OTHER_FLAGS.iter();
            let other = others.find(|(of, names, _)| *of == command && names.contains(&&**flag));
            if let Some((_, _, words)) = other {
                return Some((*words).to_owned());
            }
            if command != "undo" {
                return None;
            }
            let number: u32 = flag.strip_prefix('-')?.parse().ok()?;
            Some(format!("for the newest {number} use -n {number}"))
        }
        _ => None,
    }
}

/// Returns the pattern and the new text of sed's `s/a/b/`, with any of its usual separators.
fn parse_sed_substitution(word: &str) -> Option<(String, String)> {
    let rest = word.strip_prefix('s')?;
    let mark = rest
        .chars()
        .next()
        .filter(|mark| "/|#,:@!".contains(*mark))?;
    let parts: Vec<&str> = rest[mark.len_utf8()..].split(mark).collect();
    let [pattern, new, flags] = parts.as_slice() else {
        return None;
    };
    let is_flag = |flag: char| flag.is_ascii_alphanumeric();
    let whole = !pattern.is_empty() && flags.chars().all(is_flag);
    whole.then(|| ((*pattern).to_owned(), (*new).to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distinguishes_sed_expressions_from_file_names() {
        let pair = |one: &str, other: &str| Some((one.to_owned(), other.to_owned()));
        assert_eq!(parse_sed_substitution("s/TAX/VAT/"), pair("TAX", "VAT"));
        assert_eq!(parse_sed_substitution("s|a/b||g"), pair("a/b", ""));
        for word in [
            "src/a/b.rs",
            "s/a",
            "s//b/",
            "s/a/b/c.rs",
            "s",
            "",
            "so/a/b/",
        ] {
            assert_eq!(parse_sed_substitution(word), None, "{word}");
        }
    }
}
