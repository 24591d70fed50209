//! Parses the commands that agents start, each without a description of the other commands. Describing all of them to
//! clap takes longer than the rest of parsing.

use std::ffi::OsString;

use clap::{Args, FromArgMatches as _, Parser as _};

use super::{Arguments, ColorWhen, Command};

/// One command, with the option that all commands have.
#[derive(Debug, Args)]
struct OneCommand<A: Args> {
    #[command(flatten)]
    arguments: A,
    #[arg(long, value_name = "WHEN", default_value = "auto")]
    color: ColorWhen,
}

impl Arguments {
    /// Parses a command line.
    pub(crate) fn parse(typed: &[OsString]) -> clap::error::Result<Arguments> {
        match parse_one_command(typed) {
            Some(parsed) => Ok(parsed),
            // All commands are described for an error or a help text.
            None => Arguments::try_parse_from(typed),
        }
    }
}

/// Parses a command that agents start; none where it is another command, a mistake or a request for help.
fn parse_one_command(typed: &[OsString]) -> Option<Arguments> {
    let (name, words) = (typed.get(1)?.to_str()?, &typed[1..]);
    match name {
        "mcp" => parse_words(words, Command::Mcp),
        "hook" => parse_words(words, Command::Hook),
        _ => None,
    }
}

/// Parses the name of a command and what follows it.
fn parse_words<A: Args>(words: &[OsString], command: fn(A) -> Command) -> Option<Arguments> {
    let described = OneCommand::<A>::augment_args(clap::Command::new("command"));
    let mut found = described.try_get_matches_from(words).ok()?;
    let parsed = OneCommand::<A>::from_arg_matches_mut(&mut found).ok()?;
    Some(Arguments {
        command: command(parsed.arguments),
        color: parsed.color,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split_line(line: &str) -> Vec<OsString> {
        line.split(' ').map(OsString::from).collect()
    }

    #[test]
    fn a_command_alone_is_parsed_as_among_all_commands() {
        for line in [
            "lancet mcp",
            "lancet mcp --root /a --root=/b --mode plan --color never",
            "lancet mcp --color=always --tools default,-MultiEdit --session one --data brief",
            "lancet mcp --prefix lancet_ --structured --ask page --log debug --diagnostics off",
            "lancet mcp --read-root /c --config f --settings s --state-dir t",
            "lancet hook claude",
            "lancet hook codex --within 90 --plugin --detached 7:8 --root /a",
        ] {
            let words = split_line(line);
            let alone = parse_one_command(&words).map(|parsed| format!("{parsed:?}"));
            let among_all = Arguments::try_parse_from(&words).map(|parsed| format!("{parsed:?}"));
            assert_eq!(alone, among_all.ok(), "{line}");
            assert!(alone.is_some(), "{line}");
        }
    }

    #[test]
    fn mistakes_and_help_have_the_words_of_all_commands() {
        for line in [
            "lancet",
            "lancet --color never mcp",
            "lancet mcp --help",
            "lancet mcp -h",
            "lancet mcp --version",
            "lancet mcp --mode wrong",
            "lancet mcp --rot /a",
            "lancet mcp more",
            "lancet hook",
            "lancet hook claude --within soon",
        ] {
            let words = split_line(line);
            assert!(parse_one_command(&words).is_none(), "{line}");
            let full = Arguments::try_parse_from(&words).map(|parsed| format!("{parsed:?}"));
            let parsed = Arguments::parse(&words).map(|parsed| format!("{parsed:?}"));
            let text = |error: clap::Error| error.to_string();
            assert_eq!(parsed.map_err(text), full.map_err(text), "{line}");
        }
    }
}
