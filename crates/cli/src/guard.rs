//! Decides whether a command that approves something was given by a person, because an agent must not approve its own
//! changes. A person types the answer at a terminal, or a program of theirs has the person's token. An agent whose
//! shell has no sandbox has its user's rights, and nothing here changes that (SECURITY.md).

use lancet_serving::tokens;

use crate::arguments::WorkArguments;
use crate::failure::Failure;
use crate::surroundings::Surroundings;
use crate::terminal::{Consent, has_terminal};

/// The evidence that a person gives the command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Authority {
    /// There is a terminal, and the person has to type the answer there.
    Terminal,
    /// `LANCET_TOKEN` has the person's token.
    Token,
}

impl Authority {
    /// Returns the decider, for the record.
    pub(crate) fn decided_by(self, around: &Surroundings) -> String {
        match self {
            Authority::Terminal => format!("a person at a terminal{}", user_in_brackets(around)),
            Authority::Token => "LANCET_TOKEN".to_owned(),
        }
    }
}

/// Returns the user's name for the record, in brackets.
fn user_in_brackets(around: &Surroundings) -> String {
    let user = around.user.as_deref();
    user.map_or_else(String::new, |user| format!(" ({user})"))
}

/// Finds out by which authority a command approves something; `act` names the command.
///
/// # Errors
/// An agent runs the command, or there is neither a terminal nor the token.
pub(crate) fn require_authority(
    act: &str,
    place: &WorkArguments,
    around: &Surroundings,
) -> Result<Authority, Failure> {
    refuse_agents(act, around)?;
    if has_token(place, around)? {
        return Ok(Authority::Token);
    }
    match has_terminal() {
        true => Ok(Authority::Terminal),
        false => Err(Failure::denied(format!(
            "{act} needs a person: there is no terminal to ask on. Type it at a terminal; a program that may approve sets LANCET_TOKEN to the person's token (`person-token` in the state folder). Nothing was changed"
        ))),
    }
}

/// Returns who gave a command that needs no authority, for the record.
pub(crate) fn decided_by(place: &WorkArguments, around: &Surroundings) -> String {
    match (require_authority("", place, around), around.agent) {
        (Ok(authority), _) => authority.decided_by(around),
        (Err(_), Some(agent)) => format!("a command that {} ran", agent.name),
        (Err(_), None) => format!("a command without a terminal{}", user_in_brackets(around)),
    }
}

/// Returns the consent that the flags of a command give. `--yes-protected` approves changes of protected names only
/// with the person's token. Without the token those changes still prompt at the terminal.
///
/// # Errors
/// An agent runs the command with `--yes-protected`, or the token is not the right one.
pub(crate) fn consent_from_flags(
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
    refuse_agents("--yes-protected", around)?;
    // The change affects real files, whatever state folder records it. So the token is that of the user's own folder,
    // not of one that the caller names.
    let own = WorkArguments {
        state_dir: None,
        ..place.clone()
    };
    Ok(match has_token(&own, around)? {
        true => Consent::GivenToAll,
        false => Consent::Given,
    })
}

/// Refuses if an agent runs the command.
///
/// # Errors
/// An agent runs the command.
pub(crate) fn refuse_agents(act: &str, around: &Surroundings) -> Result<(), Failure> {
    let Some(agent) = around.agent else {
        return Ok(());
    };
    Err(Failure::denied(format!(
        "{act} is for people, and {} runs this command ({} is set): an agent must not approve its own changes. Its user can type it at a terminal outside the agent. Nothing was changed",
        agent.name, agent.variable
    )))
}

/// Reports whether `LANCET_TOKEN` is the person's token; false where the variable is not set.
fn has_token(place: &WorkArguments, around: &Surroundings) -> Result<bool, Failure> {
    let Some(given) = &around.token else {
        return Ok(false);
    };
    let state = around.state_dir(place.state_dir.as_deref())?;
    let Some(state) = state else {
        return Err(Failure::denied(
            "LANCET_TOKEN is not the person's token: there is no state folder. Nothing was changed",
        ));
    };
    let is_persons = tokens::is_person_token(&state, given)
        .map_err(|error| Failure::denied(format!("{error}. Nothing was changed")))?;
    match is_persons {
        true => Ok(true),
        false => Err(Failure::denied(format!(
            "LANCET_TOKEN is not the person's token, which is in {}; the tokens with which agents connect approve nothing. Nothing was changed",
            state.join(tokens::PERSON_TOKEN).display()
        ))),
    }
}
