//! `lancet commit`: a git commit of exactly the hunks that selected changes wrote.

mod decide;
mod entries;
mod git;
mod git_state;
mod index_file;
mod plan;
mod record;
mod report;
mod repository;
mod scratch;
mod selection;
mod trailers;

use lancet::Lancet;
use lancet::settings::CommitTrailer;

use self::plan::{Plan, make_plan};
use self::record::PreparedCommit;
use self::repository::{DetachedHead, GitRepository};
use self::scratch::ScratchFolder;
use self::selection::{SelectedChanges, select};
use crate::answer::OutputFormat;
use crate::arguments::CommitArguments;
use crate::failure::{Exit, Failure};
use crate::opening::{OpenRequest, WriteAuthor};
use crate::surroundings::{RootHint, Surroundings};
use crate::terminal::{confirm_at_terminal, has_terminal, print_error};

/// Runs `lancet commit`.
pub(super) fn run(arguments: &CommitArguments, around: &Surroundings) -> Result<Exit, Failure> {
    refuse_without_consent(arguments, around)?;
    let request =
        OpenRequest::for_command(&arguments.place, RootHint::Project, WriteAuthor::Person);
    // The kernel's sandbox would confine git and its hooks as well.
    let lancet = request.open_unconfined(around)?;
    let without = || Failure::usage("no state folder: there is neither a home nor --state-dir");
    let history = lancet.history().ok_or_else(without)?;
    let state = lancet.state_dir().ok_or_else(without)?;
    // A moved file that cannot be followed is compared under its old name.
    let _ = history.follow_moved_files();
    let selected = select(arguments, &history)?;
    let detached = match arguments.detached {
        true => DetachedHead::Allowed,
        false => DetachedHead::Refused,
    };
    let roots = lancet.roots();
    let root = roots.first().ok_or_else(without)?;
    let repository = GitRepository::open(root, detached)?;
    let scratch = ScratchFolder::new(state)?;
    let plan = make_plan(&history, &selected.operations, &repository, &scratch)?;
    report::refuse_conflicts(&plan, &history)?;
    let output = OutputFormat::from_json_flag(arguments.json);
    if output != OutputFormat::Json {
        report::report_left_out(&plan, &history);
    }
    if plan.files.is_empty() {
        return Err(nothing_failure(&selected, &plan));
    }
    let prepared = PreparedCommit::new(&plan, &repository, &scratch)?;
    let patch = prepared.patch()?;
    let kind = lancet.settings().commit.trailer;
    let trailers = list_trailers(&plan, kind);
    if arguments.dry_run {
        report::print_preview(&plan, &patch, &trailers, output, around)?;
        return Ok(Exit::Done);
    }
    if needs_answer(arguments, &lancet) && !confirm(&plan, &patch, &trailers, &repository, around)?
    {
        print_error("Cancelled; nothing was committed.\n");
        return Ok(Exit::Refused);
    }
    let made = prepared.make(arguments.message.as_deref(), &trailers)?;
    report::print_commit(&made, &plan, &repository, output)
}

/// Refuses a command that an agent runs without `--yes`, or that could ask neither for consent nor for the message.
fn refuse_without_consent(
    arguments: &CommitArguments,
    around: &Surroundings,
) -> Result<(), Failure> {
    if arguments.dry_run {
        return Ok(());
    }
    if let Some(agent) = around.agent.filter(|_| !arguments.yes) {
        return Err(Failure::denied(format!(
            "{} runs this command ({} is set), so that no question can be asked; --dry-run shows the patch, --yes commits it. Nothing was committed",
            agent.name, agent.variable
        )));
    }
    if arguments.message.is_none() && !has_terminal() {
        return Err(Failure::usage(
            "there is no terminal for git's editor; give the message with -m",
        ));
    }
    Ok(())
}

fn needs_answer(arguments: &CommitArguments, lancet: &Lancet) -> bool {
    !arguments.yes && lancet.settings().shell.confirm
}

fn list_trailers(plan: &Plan, kind: CommitTrailer) -> Vec<String> {
    trailers::list_trailers(plan.operations.values().map(|one| &**one), kind)
}

/// Shows the patch and asks.
fn confirm(
    plan: &Plan,
    patch: &[u8],
    trailers: &[String],
    repository: &GitRepository,
    around: &Surroundings,
) -> Result<bool, Failure> {
    let without = || {
        Failure::usage(
            "there is no terminal to ask on; look at the patch with --dry-run, then give --yes",
        )
    };
    if !has_terminal() {
        return Err(without());
    }
    report::show_patch(patch, trailers, around)?;
    let branch = repository.branch.as_deref().unwrap_or("no branch");
    let question = format!(
        "Commit {} to {}? [y/N]",
        report::format_sums(plan),
        crate::terminal::escape_for_terminal(branch)
    );
    confirm_at_terminal(&question).ok_or_else(without)
}

/// Returns the failure where there is nothing to commit.
fn nothing_failure(selected: &SelectedChanges, plan: &Plan) -> Failure {
    let description = crate::terminal::escape_for_terminal(&selected.description).into_owned();
    let why = match (selected.operations.is_empty(), plan.left_out.is_empty()) {
        (true, _) => format!("there is no change {description}"),
        (false, true) => {
            format!("HEAD already has what is left of the changes {description}")
        }
        (false, false) => format!("what is left of the changes {description} is left out"),
    };
    Failure::refused(format!("nothing to commit: {why}"))
}
