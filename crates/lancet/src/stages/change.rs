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
use crate::dialects::ReplyPart;
use crate::receive::Repair;
use crate::refusal::{Refusal, RefusalKind};
use crate::reply::Reply;
use crate::request::{Action, Change, WriteMode};
use crate::session::Check;

/// How often a change is attempted again after a file changed between the examination and the write. The ledger decides
/// again each time, so a retry only succeeds where the other change is one that the call may ignore.
const RETRIES: usize = 2;
/// The total time for which a person's change is attempted again, without the time waiting for the person: there is no
/// ledger that could refuse it.
const PATIENCE: Duration = Duration::from_secs(20);
/// The pause before such an attempt. It differs between processes, so that they do not collide again.
const PAUSE: std::ops::RangeInclusive<u64> = 2..=30;

/// How an attempt ended.
enum Ended {
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
        match attempt(context, change, repairs, freshness)? {
            Ended::Answered(reply) => return Ok(*reply),
            // Only the first attempt can end like this, because the later ones read from the disk.
            Ended::NeedsFreshRead => {}
            // The number of repetitions is bounded by the time that a person has for all questions of a call.
            Ended::ChangedWhileAsked => {}
            Ended::ChangedOnDisk => {
                let lasted = began.elapsed().saturating_sub(context.waited.get());
                look_again(context, change, retries, lasted)?;
                retries += 1;
            }
        }
        freshness = Freshness::FromDisk;
    }
}

/// Lets a change be attempted again after another program changed a file, or refuses it.
fn look_again(
    context: &CallContext<'_>,
    change: &Change<'_>,
    retries: usize,
    lasted: Duration,
) -> Result<(), Refusal> {
    let may = match context.applied_by {
        AppliedBy::Model => retries < RETRIES,
        // A person who is asked sees the new diff; without a question the other change would be lost.
        AppliedBy::Person if overwrites(change) => {
            if context.waited.get().is_zero() {
                return Err(Refusal::stating(
                    RefusalKind::Stale,
                    "The file changed while it was about to be replaced. Nothing was written; look at it and run the command again.",
                ));
            }
            true
        }
        AppliedBy::Person => lasted < PATIENCE,
    };
    if !may {
        return Err(commit::Failed::Changed.refusal());
    }
    if context.applied_by == AppliedBy::Person {
        let (least, most) = (*PAUSE.start(), *PAUSE.end());
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
fn attempt(
    context: &CallContext<'_>,
    change: &Change<'_>,
    repairs: &[Repair],
    freshness: Freshness,
) -> Result<Ended, Refusal> {
    let mut attempt = Attempt::new(freshness);
    let examined = examine_change(context, &mut attempt, change);
    // The commit compares every byte that a plan relies on. A plan that is not committed has to be made from bytes read
    // now.
    let is_compared =
        matches!(&examined, Ok(plan) if plan.dry_run == DryRun::No && !plan.tells_of_others());
    if !is_compared && attempt.needs_fresh_read() {
        return Ok(Ended::NeedsFreshRead);
    }
    let mut plan = examined.map_err(|refusal| approve::tell_after_yes(context, refusal))?;
    if plan.files.is_empty() {
        return found_back::settle(context, plan).map(answered);
    }
    if plan.dry_run == DryRun::Yes {
        let asks = approve::foresee_dry_run(context, &plan)?;
        syntax::note(context, &mut plan);
        let reply = reply::dry_run(context, plan, repairs, asks.as_deref());
        return Ok(answered(reply));
    }
    // Hooks must judge bytes that are read from the disk.
    if attempt.needs_fresh_read() && hooks::is_any_before(context, &plan) {
        return Ok(Ended::NeedsFreshRead);
    }
    let hooked = hooks::before(context, &plan)?;
    let approved = match approve::approve(context, &attempt, plan, &hooked) {
        Ok(approved) => approved,
        Err(Halt::NeedsFreshRead) => return Ok(Ended::NeedsFreshRead),
        Err(Halt::Changed) => return Ok(Ended::ChangedWhileAsked),
        Err(Halt::Repeated(reply)) => return Ok(Ended::Answered(reply)),
        Err(Halt::Moved) => return Ok(Ended::ChangedOnDisk),
        Err(Halt::Refused(_)) if attempt.needs_fresh_read() => return Ok(Ended::NeedsFreshRead),
        Err(Halt::Refused(refusal)) => return Err(*refusal),
    };
    match commit::commit(context, approved) {
        Ok(committed) => {
            let mut recorded = record::change(context, committed);
            parted::note(context, &recorded);
            taken_hunks::note(context, &recorded);
            approve::keep_answer(context);
            hooks::after(context, &mut recorded);
            let found = diagnosis::after(context, &recorded);
            Ok(answered(reply::change(context, recorded, repairs, found)))
        }
        // The cached copy was out of date. That is not a change during this call, so it does not count as a retry.
        Err(commit::Failed::Changed) if attempt.needs_fresh_read() => Ok(Ended::NeedsFreshRead),
        Err(commit::Failed::Changed) => Ok(Ended::ChangedOnDisk),
        Err(failed) => Err(failed.refusal()),
    }
}

fn answered(reply: Reply) -> Ended {
    Ended::Answered(Box::new(reply))
}

/// Predicts the result of a change. Nothing is written, so no commit compares a cached copy with the disk: where one
/// with a racy stat was used, the file is read.
pub(super) fn check(context: &CallContext<'_>, change: &Change<'_>) -> Result<Check, Refusal> {
    context.formatting.set(Formatting::Off);
    let mut attempt = Attempt::new(Freshness::Cached);
    let mut examined = examine_change(context, &mut attempt, change);
    if attempt.needs_fresh_read() {
        // The plan has locked its files (its turn), and the next examination needs that lock.
        drop(examined);
        attempt = Attempt::new(Freshness::FromDisk);
        examined = examine_change(context, &mut attempt, change);
    }
    examined.map(|plan| approve::foresee(context, &plan))
}

/// Predicts the result of one part of a reply.
pub(super) fn check_part(context: &CallContext<'_>, part: &ReplyPart) -> Result<Check, Refusal> {
    let mut attempt = Attempt::new(Freshness::FromDisk);
    context.formatting.set(Formatting::Off);
    context.budget.begin(context.limit);
    let plan = examine::reply::examine_part(context, &mut attempt, part)?;
    Ok(approve::foresee(context, &plan))
}

/// Works out the plan of a change.
fn examine_change(
    context: &CallContext<'_>,
    attempt: &mut Attempt,
    change: &Change<'_>,
) -> Result<Plan, Refusal> {
    context.check_time()?;
    context.budget.begin(context.limit);
    match change {
        Change::Files(request) => examine::change::examine(context, attempt, request),
        Change::Reply(reply) => examine::reply::examine(context, attempt, reply),
        Change::MoveLines(asked) => examine::move_lines::examine(context, attempt, asked),
        Change::MoveFile(request) => examine::move_file::examine(context, attempt, request),
        Change::Rename(asked) => examine::rename::examine(context, attempt, asked),
        Change::TakeBack(asked, whose) => examine::undo::examine(context, attempt, asked, *whose),
        Change::Restore(asked) => examine::undo::restore(context, attempt, asked),
        Change::TakeHunk(asked) => examine::undo::hunk(context, attempt, asked),
    }
}
