//! Applies a person's picks to the plan: removes the files and pieces that they left out, and takes over texts that
//! they wrote.

use super::check::require_loadable_settings;
use super::edited::apply_edited_text as apply_text;
use super::halt::Halt;
use super::pieces::{Pieces, changed_blocks};
use super::reduce::reduce;
use super::words::{self, QuestionSubject};
use crate::approval::Pick;
use crate::stages::context::CallContext;
use crate::stages::omitted::OmittedFile;
use crate::stages::plan::{FilePlan, PartialApproval, Plan};
use crate::wording::QuotedPath;

/// The question in the form that was shown to the person.
pub(super) struct ProposedQuestion<'p> {
    /// The index in the plan of each file of the question.
    pub(super) order: &'p [usize],
    /// The pieces of each file of the plan.
    pub(super) pieces: &'p [Pieces],
    /// The text of each file of the question; none where it cannot be edited.
    pub(super) texts: &'p [Option<String>],
}

/// Reduces a plan to what was picked.
pub(super) fn reduce_to_picks(
    context: &CallContext<'_>,
    plan: &mut Plan,
    proposed: &ProposedQuestion<'_>,
    picks: Vec<Pick>,
    words: Option<String>,
    subject: &QuestionSubject,
) -> Result<(), Halt> {
    if picks.len() > proposed.order.len() {
        return Err(words::not_understood_refusal(subject).into());
    }
    let mut by_file: Vec<Pick> = vec![Pick::Nothing; plan.files.len()];
    for ((at, pick), text) in proposed.order.iter().zip(picks).zip(proposed.texts) {
        by_file[*at] = normalize_pick(pick, &proposed.pieces[*at], text.as_deref())
            .ok_or_else(|| words::not_understood_refusal(subject))?;
    }
    let is_whole = |pick: &Pick| matches!(pick, Pick::Whole);
    if plan.origin.parts == PartialApproval::Inseparable && !by_file.iter().all(is_whole) {
        return Err(words::inseparable_refusal(subject, words.as_deref()).into());
    }
    let is_split = |group: &Vec<usize>| {
        let whole = group.iter().filter(|at| is_whole(&by_file[**at])).count();
        let nothing = group.iter().filter(|at| by_file[**at] == Pick::Nothing);
        whole < group.len() && nothing.count() < group.len()
    };
    if let Some(group) = plan.origin.together.iter().find(|group| is_split(group)) {
        let names = group.iter().map(|at| plan.files[*at].target.display_name());
        let names: Vec<QuotedPath> = names.collect();
        return Err(words::only_together_refusal(subject, &names, words.as_deref()).into());
    }
    let mut kept: Vec<Option<usize>> = Vec::new();
    let mut files = Vec::new();
    for (at, (file, pick)) in plan.files.drain(..).zip(by_file).enumerate() {
        let taken = reduce_file(context, file, &proposed.pieces[at], pick)?;
        plan.origin.user_modified |= taken.modified;
        plan.origin.omitted.files.extend(taken.omitted);
        kept.push(taken.file.is_some().then_some(files.len()));
        files.extend(taken.file);
    }
    if files.is_empty() {
        return Err(words::all_left_out_refusal(subject, words.as_deref()).into());
    }
    plan.files = files;
    // A change that was to be undone in a file that is left out remains in effect.
    plan.origin.takes_back.retain_mut(|taken| match taken.by {
        None => true,
        Some(by) => {
            taken.by = kept.get(by).copied().flatten();
            taken.by.is_some()
        }
    });
    if let Some(lead) = &mut plan.origin.lead
        && !plan.origin.omitted.files.is_empty()
    {
        *lead = std::mem::take(lead).insert_before_full_stop(", in part");
    }
    plan.origin.omitted.because = words.as_deref().map(words::limit_message);
    Ok(())
}

/// Normalises a pick; none where it does not fit the file.
fn normalize_pick(pick: Pick, pieces: &Pieces, text: Option<&str>) -> Option<Pick> {
    Some(match pick {
        Pick::Pieces(mut picked) => {
            picked.sort_unstable();
            picked.dedup();
            if picked.last().is_some_and(|last| *last >= pieces.count()) {
                return None;
            }
            match picked.len() {
                0 => Pick::Nothing,
                all if all == pieces.count() => Pick::Whole,
                _ => Pick::Pieces(picked),
            }
        }
        Pick::Edited(edited) => match text? == edited {
            true => Pick::Whole,
            false => Pick::Edited(edited),
        },
        pick => pick,
    })
}

/// The result for one file.
struct ReducedFile {
    file: Option<FilePlan>,
    modified: bool,
    omitted: Option<OmittedFile>,
}

#[warn(clippy::wildcard_enum_match_arm, reason = "names every known variant")]
fn reduce_file(
    context: &CallContext<'_>,
    file: FilePlan,
    pieces: &Pieces,
    pick: Pick,
) -> Result<ReducedFile, Halt> {
    let left_out = |file: FilePlan| ReducedFile {
        omitted: Some(OmittedFile::whole_file(&file.target)),
        file: None,
        modified: true,
    };
    Ok(match pick {
        Pick::Whole => ReducedFile {
            file: Some(file),
            modified: false,
            omitted: None,
        },
        Pick::Pieces(picked) => {
            let rest: Vec<usize> = (0..pieces.count())
                .filter(|at| !picked.contains(at))
                .collect();
            let lines = pieces
                .hunks_of(&rest)
                .into_iter()
                .flat_map(|at| changed_blocks(&file.view.patch[at]))
                .map(|(old, _)| old.start + 1..old.end + 1)
                .collect();
            let omitted = OmittedFile::lines_of_file(&file.target, lines);
            let file = reduce(context, file, pieces, &picked)?;
            require_loadable_settings(context, &file)?;
            ReducedFile {
                file: Some(file),
                modified: true,
                omitted: Some(omitted),
            }
        }
        Pick::Edited(text) => {
            let file = apply_text(file, &text)?;
            require_loadable_settings(context, &file)?;
            ReducedFile {
                file: Some(file),
                modified: true,
                omitted: None,
            }
        }
        Pick::Nothing => left_out(file),
        _ => left_out(file),
    })
}
