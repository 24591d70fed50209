//! The words of a refusal or a note for a person at the shell. The tools speak to models, of fields and calls; a person has flags and
//! commands. One table translates; text of files (in backquotes, or between a colon and `(end of …)`) stays as it is.

use std::path::Path;

use crate::surroundings::folders_from;

/// What the tools say, and what it is called at the shell. Earlier rows win; rows are applied one after the other.
const TABLE: &[(&str, &str)] = &[
    ("old_string", "--old"),
    ("new_string", "--new"),
    ("replace_all: true", "--replace-all"),
    ("replace_all", "--replace-all"),
    ("expect_count", "--expect-count"),
    ("insist: true", "--insist"),
    (
        ", and which one is meant is unknown. Nothing was changed.",
        "; nothing was changed.",
    ),
    (
        "Give one of these longer texts, and --new longer by the same lines: what --old has more than before stands unchanged in it.",
        "Make --old longer, for example one of these, and --new by the same lines.",
    ),
    (
        "Give a longer text that stands once, and --new longer by the same lines.",
        "Make --old longer, and --new by the same lines.",
    ),
    ("They say: ", "You said: "),
    (
        "Or --replace-all to change all places.",
        "Or use --replace-all.",
    ),
    (
        "Which text was meant is not certain; send --old exactly as the file has it.",
        "Give --old exactly as the file has it.",
    ),
    (
        "is there and not empty, and --old is empty. Read it and send the text to replace, or use Write to replace it whole.",
        "exists and is not empty, and --old is empty. Give the text to replace, or use lancet write to replace the file.",
    ),
    (
        "is there already, and mode is create. Read it and edit it, or leave mode out to replace it.",
        "exists already, and --create was given. Edit it, or leave --create out to replace it.",
    ),
    (
        "--old and --new are the same. Nothing was written; send the text that was meant.",
        "--old and --new are the same; nothing was written.",
    ),
    (
        "Read it again, or send the call with revision",
        "Look at it again, or give --revision",
    ),
    ("send this --old:", "use this --old:"),
    ("give this --old:", "use this --old:"),
    ("Send a longer --old.", "Make --old longer."),
    (
        "send the revision that Read gave",
        "give --revision, which lancet read shows,",
    ),
    (
        "Work without this file, or ask the user.",
        "`lancet explain` says which rule.",
    ),
    (
        "Say what you would change instead.",
        "Use --diff to see what would change, or --mode ask.",
    ),
    ("Call lancet ", "Run lancet "),
    ("send this call again", "try again"),
    ("send the call again", "try again"),
    ("A person can undo", "You can undo"),
    ("a person gets the file", "get the file"),
    (
        "There is nothing to redo: no undo here whose files have not been changed since. Nothing was changed.",
        "There is nothing to redo in this project.",
    ),
    (
        "There is nothing to undo here. Nothing was changed.",
        "There is nothing to undo in this project.",
    ),
    (
        "a person left this out, and it was not written (lines as they were numbered before):",
        "left out (lines as they were numbered before):",
    ),
    ("There is no operation", "There is no change"),
    ("Undo of operation ", "Undid change "),
    ("Undo of ", "Undid "),
    ("Redo of what operation ", "Redid what change "),
    ("Redo of ", "Redid "),
    (" operations from ", " changes from "),
    ("Already undone: operation ", "Already undone: change "),
    (
        "Already redone: what operation ",
        "Already redone: what change ",
    ),
    ("Operation ", "Change "),
    (" operation ", " change "),
];

/// How `--old` was found in a file, by the name of the rung.
const RUNGS: &[(&str, &str)] = &[
    ("exact", "exactly"),
    ("final-newline", "ignoring the final newline"),
    ("gutter", "ignoring line numbers"),
    ("look-alike", "ignoring look-alike characters"),
    ("abbreviation", "ignoring shortened tags"),
    ("trailing", "ignoring blanks at line ends"),
    ("indent", "ignoring indentation"),
    ("tabs", "ignoring tabs and spaces in indentation"),
    ("blank-edge", "ignoring a blank line at the edge"),
    ("escaped", "ignoring extra escapes"),
];

/// What a rung is called at the shell.
pub(crate) fn matched_by(rung: &str) -> &str {
    let found = RUNGS.iter().find(|(name, _)| *name == rung);
    found.map_or(rung, |(_, words)| words)
}

/// What a refusal or a note says to a person who works in this folder.
pub(crate) fn at_the_shell(text: &str, working: Option<&Path>) -> String {
    let mut out = String::with_capacity(text.len());
    let mut is_quoted = false;
    for line in text.split_inclusive('\n') {
        if is_quoted {
            is_quoted = !line.starts_with("(end of ");
            out.push_str(line);
            continue;
        }
        is_quoted = line.trim_end().ends_with(':') && line.ends_with('\n');
        let mut line = line.to_owned();
        for (name, words) in RUNGS {
            line = line.replace(
                &format!("matched on the rung `{name}`"),
                &format!("matched {words}"),
            );
        }
        for (at, part) in line.split('`').enumerate() {
            if at > 0 {
                out.push('`');
            }
            // Every second part is between backquotes.
            match at % 2 {
                0 => out.push_str(&translated(part, working)),
                _ => out.push_str(part),
            }
        }
    }
    out
}

fn translated(part: &str, working: Option<&Path>) -> String {
    let mut part = paths_from(part, working);
    for (tools, shell) in TABLE {
        part = replaced(&part, tools, shell);
    }
    part
}

/// Names the paths in a sentence from the working folder.
pub(crate) fn paths_from(text: &str, working: Option<&Path>) -> String {
    let mut text = text.to_owned();
    for (folder, up) in folders_from(working) {
        if let Some(folder) = folder.to_str() {
            text = named_from(&text, &format!("{folder}/"), &up);
        }
    }
    text
}

/// Replaces the beginning of paths, and not what is in the middle of one.
fn named_from(text: &str, folder: &str, up: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(folder) {
        let (before, from) = rest.split_at(at);
        out.push_str(before);
        let is_name = |character: char| character.is_alphanumeric() || "_-./".contains(character);
        // The pattern of a rule, such as `Edit(/src/**)`, begins at the root of the project.
        let is_pattern = |before: &str| before.ends_with(char::is_alphanumeric);
        let is_inside =
            before.ends_with(is_name) || before.strip_suffix('(').is_some_and(is_pattern);
        out.push_str(if is_inside { folder } else { up });
        rest = &from[folder.len()..];
    }
    out.push_str(rest);
    out
}

/// Replaces a phrase where it stands by itself, and not as a part of a longer name.
fn replaced(text: &str, phrase: &str, with: &str) -> String {
    let is_name = |character: char| character.is_alphanumeric() || "_-./".contains(character);
    let starts_name = phrase.starts_with(is_name);
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(phrase) {
        let (before, from) = rest.split_at(at);
        let after = &from[phrase.len()..];
        let touches_before = starts_name && before.ends_with(is_name);
        let mut behind = after.chars();
        let touches_after = phrase.ends_with(is_name)
            && !phrase.ends_with('.')
            && match behind.next() {
                Some('.') => behind.next().is_some_and(char::is_alphanumeric),
                Some(next) => is_name(next),
                None => false,
            };
        out.push_str(before);
        out.push_str(if touches_before || touches_after {
            phrase
        } else {
            with
        });
        rest = after;
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_become_flags_and_text_of_files_stays() {
        let text = "old_string matches 2 places in /w/old_string.rs, and which one is meant is unknown. Nothing was changed.\nTo change line 2, send this old_string:\nlet old_string = 1;\n(end of --old)\nthe file has `old_string`, old_string has `x`. Call lancet read a and send this call again.";
        assert_eq!(
            at_the_shell(text, Some(Path::new("/w"))),
            "--old matches 2 places in old_string.rs; nothing was changed.\nTo change line 2, use this --old:\nlet old_string = 1;\n(end of --old)\nthe file has `old_string`, --old has `x`. Run lancet read a and try again."
        );
        let diff = "x. Nothing was changed.\nChanged since:\n-old_string\n+new_string\n";
        assert_eq!(at_the_shell(diff, None), diff);
    }

    #[test]
    fn paths_are_named_from_the_working_folder() {
        let working = Some(Path::new("/home/me/app/src"));
        let text = "/home/me/app/src/a.rs, /home/me/app/b.rs, /home/me/x, /mnt/home/me/app/src/a.rs, /etc/passwd";
        assert_eq!(
            at_the_shell(text, working),
            "a.rs, ../b.rs, ../../x, /mnt/home/me/app/src/a.rs, /etc/passwd"
        );
        let rule = "the rule `deny Edit(/home/me/app/src/x) (project, /home/me/app/lancet.toml:1)`";
        assert_eq!(
            paths_from(rule, working),
            "the rule `deny Edit(/home/me/app/src/x) (project, ../lancet.toml:1)`"
        );
    }

    #[test]
    fn every_rung_has_words() {
        let note = "matched on the rung `indent` at line 2; the text that was replaced:\n  x";
        assert_eq!(
            at_the_shell(note, None),
            "matched ignoring indentation at line 2; the text that was replaced:\n  x"
        );
        use lancet::outcome::Rung::*;
        for rung in [
            Exact,
            FinalNewline,
            Gutter,
            LookAlike,
            Abbreviation,
            Trailing,
            Indent,
            Tabs,
            BlankEdge,
            Escaped,
        ] {
            assert_ne!(matched_by(rung.name()), rung.name());
        }
    }

    #[test]
    fn every_row_is_reached() {
        // A row whose phrase an earlier row has changed would never apply.
        for (at, (tools, shell)) in TABLE.iter().enumerate() {
            let earlier = TABLE[..at].iter();
            let seen = earlier.fold((*tools).to_owned(), |text, (from, to)| {
                replaced(&text, from, to)
            });
            assert_eq!(&seen, tools, "an earlier row changes this phrase");
            assert_ne!(tools, shell);
        }
    }
}
