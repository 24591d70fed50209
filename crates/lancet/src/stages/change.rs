//! Takes a change through examine, approve, commit, record and reply. The first attempt may use cached copies of the
//! files; every further one reads them from the disk.

use std::time::{Duration, Instant};

use super::approve::{self, Halt};
use super::attempt::{Attempt, Freshness};
use super::context::CallContext;
use super::plan::{DryRun, Plan};
use super::program_results::Formatting;
use super::{
    commit, diagnosis, examine, found_back, hooks, parted, record, reply, syntax, taken_hunks,
};
use crate::applied_by::AppliedBy;
use crate::dialects::ResponsePart;
use crate::receive::Repair;
use crate::refusal::{Refusal, RefusalKind};
use crate::reply::Reply;
use crate::request::{Action, Change, WriteMode};
use crate::session::Check;

/// How often a change is attempted again after a file changed between the examination and the write. The ledger decides
/// again each time, so a retry only succeeds where the other change is one that the call may ignore.
const MAX_RETRIES: usize = 2;
/// The total time for which a person's change is attempted again, without the time waiting for the person: there is no
/// ledger that could refuse it.
const RETRY_TIME: Duration = Duration::from_secs(20);
/// The pause before such an attempt. It differs between processes, so that they do not collide again.
const RETRY_PAUSE: std::ops::RangeInclusive<u64> = 2..=30;

/// How an attempt ended.
enum AttemptEnd {
    /// The call has its answer.
    Answered(Box<Reply>),
    /// A result that only a cached copy supports was about to be reported.
    NeedsFreshRead,
    /// A file changed while a person was asked about it.
    ChangedWhileAsked,
    /// A file changed, or its path led elsewhere, before it was written.
    ChangedOnDisk,
}

/// Carries out a change and answers it.
pub(super) fn carry_out(
    context: &CallContext<'_>,
    change: &Change<'_>,
    repairs: &[Repair],
) -> Result<Reply, Refusal> {
    let mut freshness = Freshness::Cached;
    let mut retries = 0;
    let began = Instant::now();
    loop {
        match attempt_once(context, change, repairs, freshness)? {
            AttemptEnd::Answered(reply) => return Ok(*reply),
            // Only the first attempt can end like this, because the later ones read from the disk.
            AttemptEnd::NeedsFreshRead => {}
            // The number of repetitions is bounded by the time that a person has for all questions of a call.
            AttemptEnd::ChangedWhileAsked => {}
            AttemptEnd::ChangedOnDisk => {
                let lasted = began.elapsed().saturating_sub(context.waited.get());
                prepare_retry(context, change, retries, lasted)?;
                retries += 1;
            }
        }
        freshness = Freshness::FromDisk;
    }
}

/// Lets a change be attempted again after another program changed a file, or refuses it.
fn prepare_retry(
    context: &CallContext<'_>,
    change: &Change<'_>,
    retries: usize,
    lasted: Duration,
) -> Result<(), Refusal> {
    let may = match context.applied_by {
        AppliedBy::Model => retries < MAX_RETRIES,
        // A person who is asked sees the new diff; without a question the other change would be lost.
        AppliedBy::Person if overwrites(change) => {
            if context.waited.get().is_zero() {
                return Err(Refusal::from_message(
                    RefusalKind::Stale,
                    "The file changed while it was about to be replaced. Nothing was written; look at it and run the command again.",
                ));
            }
            true
        }
        AppliedBy::Person => lasted < RETRY_TIME,
    };
    if !may {
        return Err(commit::FailedCommit::Changed.refusal());
    }
    if context.applied_by == AppliedBy::Person {
        let (least, most) = (*RETRY_PAUSE.start(), *RETRY_PAUSE.end());
        let spread = u64::from(std::process::id()) * (retries as u64 + 7) % (most - least + 1);
        std::thread::sleep(Duration::from_millis(least + spread));
    }
    Ok(())
}

/// Returns whether a change replaces whole files, whatever their content.
fn overwrites(change: &Change<'_>) -> bool {
    let Change::Files(request) = change else {
        return false;
    };
    request.files.iter().any(|file| match &file.action {
        Action::Write(write) => write.mode != WriteMode::Append,
        _ => false,
    })
}

/// Takes a change through the stages once.
fn attempt_once(
    context: &CallContext<'_>,
    change: &Change<'_>,
    repairs: &[Repair],
    freshness: Freshness,
) -> Result<AttemptEnd, Refusal> {
    let mut attempt = Attempt::new(freshness);
    let examined = examine_change(context, &mut attempt, change);
    // The commit compares every byte that a plan relies on. A plan that is not committed has to be made from bytes read
    // now.
    let is_compared = matches!(&examined, Ok(plan) if plan.dry_run == DryRun::No && !plan.mentions_unchecked_files());
    if !is_compared && attempt.needs_fresh_read() {
        return Ok(AttemptEnd::NeedsFreshRead);
    }
    let mut plan = examined.map_err(|refusal| approve::reveal_with_consent(context, refusal))?;
    if plan.files.is_empty() {
        return found_back::record_as_undone(context, plan).map(ended_with_reply);
    }
    if plan.dry_run == DryRun::Yes {
        let asks = approve::predict_dry_run_approval(context, &plan)?;
        syntax::note_syntax_errors(context, &mut plan);
        let reply = reply::dry_run_reply(context, plan, repairs, asks.as_deref());
        return Ok(ended_with_reply(reply));
    }
    // Hooks must judge bytes that are read from the disk.
    if attempt.needs_fresh_read() && hooks::has_hook_before(context, &plan) {
        return Ok(AttemptEnd::NeedsFreshRead);
    }
    let hooked = hooks::run_hooks_before(context, &plan)?;
    let approved = match approve::approve(context, &attempt, plan, &hooked) {
        Ok(approved) => approved,
        Err(Halt::NeedsFreshRead) => return Ok(AttemptEnd::NeedsFreshRead),
        Err(Halt::Changed) => return Ok(AttemptEnd::ChangedWhileAsked),
        Err(Halt::Repeated(reply)) => return Ok(AttemptEnd::Answered(reply)),
        Err(Halt::Moved) => return Ok(AttemptEnd::ChangedOnDisk),
        Err(Halt::Refused(_)) if attempt.needs_fresh_read() => {
            return Ok(AttemptEnd::NeedsFreshRead);
        }
        Err(Halt::Refused(refusal)) => return Err(*refusal),
    };
    match commit::commit(context, approved) {
        Ok(committed) => {
            let mut recorded = record::record_change(context, committed);
            parted::record_broken_hard_links(context, &recorded);
            taken_hunks::notify_authors(context, &recorded);
            approve::save_lasting_answer(context);
            hooks::run_hooks_after(context, &mut recorded);
            let found = diagnosis::diagnose_change(context, &recorded);
            Ok(ended_with_reply(reply::change_reply(
                context, recorded, repairs, found,
            )))
        }
        // The cached copy was out of date. That is not a change during this call, so it does not count as a retry.
        Err(commit::FailedCommit::Changed) if attempt.needs_fresh_read() => {
            Ok(AttemptEnd::NeedsFreshRead)
        }
        Err(commit::FailedCommit::Changed) => Ok(AttemptEnd::ChangedOnDisk),
        Err(failed) => Err(failed.refusal()),
    }
}

fn ended_with_reply(reply: Reply) -> AttemptEnd {
    AttemptEnd::Answered(Box::new(reply))
}

/// Predicts the result of a change. Nothing is written, so no commit compares a cached copy with the disk: where one
/// with a racy stat was used, the file is read.
pub(super) fn predict(context: &CallContext<'_>, change: &Change<'_>) -> Result<Check, Refusal> {
    context.formatting.set(Formatting::Off);
    let mut attempt = Attempt::new(Freshness::Cached);
    let mut examined = examine_change(context, &mut attempt, change);
    if attempt.needs_fresh_read() {
        // The plan has locked its files (its turn), and the next examination needs that lock.
        drop(examined);
        attempt = Attempt::new(Freshness::FromDisk);
        examined = examine_change(context, &mut attempt, change);
    }
    examined.map(|plan| approve::predict_approval(context, &plan))
}

/// Predicts the result of one part of a reply.
pub(super) fn check_part(context: &CallContext<'_>, part: &ResponsePart) -> Result<Check, Refusal> {
    let mut attempt = Attempt::new(Freshness::FromDisk);
    context.formatting.set(Formatting::Off);
    context.budget.reset(context.limit);
    let plan = examine::response::examine_part(context, &mut attempt, part)?;
    Ok(approve::predict_approval(context, &plan))
}

/// Works out the plan of a change.
fn examine_change(
    context: &CallContext<'_>,
    attempt: &mut Attempt,
    change: &Change<'_>,
) -> Result<Plan, Refusal> {
    context.check_time()?;
    context.budget.reset(context.limit);
    match change {
        Change::Files(request) => examine::change::examine(context, attempt, request),
        Change::Response(response) => examine::response::examine(context, attempt, response),
        Change::MoveLines(asked) => examine::move_lines::examine(context, attempt, asked),
        Change::MoveFile(request) => examine::move_file::examine(context, attempt, request),
        Change::Rename(asked) => examine::rename::examine(context, attempt, asked),
        Change::TakeBack(asked, whose) => examine::undo::examine(context, attempt, asked, *whose),
        Change::Restore(asked) => examine::undo::plan_restore(context, attempt, asked),
        Change::TakeHunk(asked) => examine::undo::plan_hunk_undo(context, attempt, asked),
    }
}
