//! An agent must not approve its own changes: decides whether a command that approves something was given by a person. A
//! person types the answer at a terminal, or a program of theirs has the write token. An agent whose shell has no sandbox
//! has its user's rights, and nothing here changes that (SECURITY.md).

use std::path::Path;

use crate::arguments::WorkArguments;
use crate::failure::Failure;
use crate::surroundings::Surroundings;
use crate::terminal::{Consent, has_terminal};

/// The name of the file in the state folder that has the write token.
const TOKEN_FILE: &str = "serve-token";

/// What shows that a person gives the command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Authority {
    /// There is a terminal, and the person has to type the answer there.
    Terminal,
    /// `LANCET_TOKEN` has the write token.
    Token,
}

impl Authority {
    /// Who decided, for the record.
    pub(crate) fn decided_by(self, around: &Surroundings) -> String {
        match self {
            Authority::Terminal => format!("a person at a terminal{}", in_brackets(around)),
            Authority::Token => "LANCET_TOKEN".to_owned(),
        }
    }
}

/// The user's name for the record, in brackets.
fn in_brackets(around: &Surroundings) -> String {
    let user = around.user.as_deref();
    user.map_or_else(String::new, |user| format!(" ({user})"))
}

/// Finds out by which authority a command approves something; `act` names the command.
///
/// # Errors
/// An agent runs the command, or there is neither a terminal nor the token.
pub(crate) fn authority(
    act: &str,
    place: &WorkArguments,
    around: &Surroundings,
) -> Result<Authority, Failure> {
    no_agent(act, around)?;
    if has_token(place, around)? {
        return Ok(Authority::Token);
    }
    match has_terminal() {
        true => Ok(Authority::Terminal),
        false => Err(Failure::denied(format!(
            "{act} needs a person: there is no terminal to ask on. Type it at a terminal; a program that may approve sets LANCET_TOKEN to the write token of `lancet serve`. Nothing was changed"
        ))),
    }
}

/// Who gave a command that anybody may give, for the record.
pub(crate) fn decided_by(place: &WorkArguments, around: &Surroundings) -> String {
    match (authority("", place, around), around.agent) {
        (Ok(authority), _) => authority.decided_by(around),
        (Err(_), Some(agent)) => format!("a command that {} ran", agent.name),
        (Err(_), None) => format!("a command without a terminal{}", in_brackets(around)),
    }
}

/// The consent that the flags of a command give. `--yes-protected` answers for protected names only with the write token;
/// without it they are asked about at the terminal.
///
/// # Errors
/// An agent runs the command with `--yes-protected`, or the token is not the right one.
pub(crate) fn consent(
    yes: bool,
    yes_protected: bool,
    place: &WorkArguments,
    around: &Surroundings,
) -> Result<Consent, Failure> {
    if !yes_protected {
        return Ok(match yes {
            true => Consent::Given,
            false => Consent::Ask,
        });
    }
    no_agent("--yes-protected", around)?;
    // The change is one of real files, whatever state folder records it: the token is that of the person's own folder, not
    // of one that the caller names.
    let own = WorkArguments {
        state_dir: None,
        ..place.clone()
    };
    Ok(match has_token(&own, around)? {
        true => Consent::GivenToAll,
        false => Consent::Given,
    })
}

/// Refuses where an agent runs the command.
///
/// # Errors
/// An agent runs the command.
pub(crate) fn no_agent(act: &str, around: &Surroundings) -> Result<(), Failure> {
    let Some(agent) = around.agent else {
        return Ok(());
    };
    Err(Failure::denied(format!(
        "{act} is for people, and {} runs this command ({} is set): an agent must not approve its own changes. Its user can type it at a terminal outside the agent. Nothing was changed",
        agent.name, agent.variable
    )))
}

/// Whether `LANCET_TOKEN` has the write token; false where the variable is not set.
fn has_token(place: &WorkArguments, around: &Surroundings) -> Result<bool, Failure> {
    let Some(given) = &around.token else {
        return Ok(false);
    };
    let state = around.state_dir(place.state_dir.as_deref())?;
    match state.is_some_and(|state| is_token(given, &state)) {
        true => Ok(true),
        false => Err(Failure::denied(
            "LANCET_TOKEN is not the write token of `lancet serve`. Nothing was changed",
        )),
    }
}

/// Compares in constant time, by hash: how long it takes tells nothing about the token.
fn is_token(given: &str, state: &Path) -> bool {
    let Ok(kept) = std::fs::read_to_string(state.join(TOKEN_FILE)) else {
        return false;
    };
    let (given, kept) = (given.trim(), kept.trim());
    !kept.is_empty() && blake3::hash(given.as_bytes()) == blake3::hash(kept.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_whole_token_of_the_state_folder_counts() {
        let state = tempfile::tempdir().expect("a folder");
        assert!(!is_token("", state.path()) && !is_token("abc", state.path()));
        let file = state.path().join(TOKEN_FILE);
        std::fs::write(&file, "\n").expect("written");
        assert!(!is_token("", state.path()), "an empty file is no token");
        std::fs::write(&file, "abc\n").expect("written");
        assert!(is_token("abc", state.path()));
        for wrong in ["", "ab", "abcd", "ABC"] {
            assert!(!is_token(wrong, state.path()), "{wrong}");
        }
    }
}
