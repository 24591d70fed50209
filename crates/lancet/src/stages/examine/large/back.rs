//! Undo and restore of a large file: the plan between the file and a state in the history. Both are read piece by
//! piece; the differing middle part is found by comparing from both ends, and shown if it is short.

use std::ops::{ControlFlow, Range};
use std::path::PathBuf;

use lancet_history::{SeenRanges, StoredContent};
use lancet_text::{Encoding, Endings, RawChange, Survey, unified_diff};
use lancet_workspace::{ExecutableChange, ExpectedState, Revision};

use super::view::view;
use super::{LargeFile, count_newlines, streamable_encoding};
use crate::engine::FileSurvey;
use crate::message::{message, verbatim};
use crate::refusal::{Refusal, RefusalKind};
use crate::stages::context::CallContext;
use crate::stages::examine::view::Notes;
use crate::stages::locate::Target;
use crate::stages::plan::{ChangeView, FilePlan, HistoryContent, NewContent};
use crate::wording::format_count;

/// The most bytes of each side that are loaded to be shown.
const MAX_SHOWN_SIZE: u64 = 256 << 10;
/// How far from the difference the ends of its lines are searched for, in bytes.
const MAX_LINE_END_DISTANCE: u64 = 64 << 10;
/// How many bytes are compared at a time.
const COMPARED_SIZE: usize = 256 << 10;

/// A state in the history that the file is to have.
pub(crate) struct StoredState {
    pub(crate) content: StoredContent,
    pub(crate) revision: [u8; 32],
    /// The permission bits of that state, where they are to change.
    pub(crate) mode: Option<u32>,
}

/// Returns the plan that replaces the file, if there is one, by a stored state.
pub(crate) fn plan_restore(
    context: &CallContext<'_>,
    target: Target,
    expected: ExpectedState,
    current: Option<&FileSurvey>,
    stored: StoredState,
) -> Result<FilePlan, Refusal> {
    let mut seen = SeenRanges::default();
    let (view, encoding, endings) = match current {
        Some(survey) => {
            let encoding = streamable_encoding(context, &target, survey)?;
            let file = LargeFile::new(context, &target, survey);
            let difference = Difference::find(file, &stored.content)?;
            let view = match difference.as_shown_change(file, &stored.content)? {
                Some(change) if encoding.is_some() => view_with_diff(file, change, &mut seen)?,
                _ => difference.count_lines(file, &stored.content)?,
            };
            (view, encoding, survey.facts.endings())
        }
        None => {
            let mut survey = Survey::new();
            for_each_piece(&stored.content, 0..stored.content.size(), &mut |bytes| {
                survey.feed(bytes);
            })?;
            let facts = survey.finish();
            let lines = facts.line_count() as usize;
            (
                counted_view(lines, 0),
                facts.encoding(None),
                facts.endings(),
            )
        }
    };
    Ok(FilePlan {
        target,
        expected,
        base: None,
        new: NewContent::Copied {
            content: HistoryContent(stored.content),
            revision: Revision::from_bytes(stored.revision),
            mode: stored.mode,
        },
        view,
        encoding: encoding.unwrap_or(Encoding::UTF8),
        endings,
        seen,
        executable: ExecutableChange::Keep,
    })
}

/// Returns the plan that removes a large file.
pub(crate) fn plan_removal(
    target: Target,
    expected: ExpectedState,
    survey: &FileSurvey,
    folders: Vec<PathBuf>,
) -> FilePlan {
    FilePlan {
        target,
        expected,
        base: None,
        new: NewContent::Removed { folders },
        view: counted_view(0, survey.facts.line_count() as usize),
        encoding: Encoding::UTF8,
        endings: Endings::None,
        seen: SeenRanges::default(),
        executable: ExecutableChange::Keep,
    }
}

/// Returns the view of a change that only counts its lines.
fn counted_view(added: usize, removed: usize) -> ChangeView {
    ChangeView {
        added,
        removed,
        coarse: true,
        body: format!(
            "{} added, {removed} removed; the diff is too long to show",
            format_count(added, "line")
        ),
        ..ChangeView::default()
    }
}

/// Returns the view of a change with its diff; the lines of the diff are added to `seen`.
fn view_with_diff(
    file: LargeFile<'_>,
    change: RawChange,
    seen: &mut SeenRanges,
) -> Result<ChangeView, Refusal> {
    let known = file
        .context
        .session
        .ledger()
        .get_without_use(file.target.path())
        .cloned();
    if let Some(entry) = known.filter(|entry| entry.revision == *file.survey.revision.as_bytes()) {
        *seen = entry.seen;
    }
    let shift = (change.range.clone(), change.bytes.len() as u64);
    let mut view = view(file, &[change], Notes::default(), seen)?;
    seen.apply_edit(&[shift]);
    if !view.coarse {
        view.body = unified_diff(&view.patch);
    }
    Ok(view)
}

/// The part in which two versions differ: what remains between their common prefix and common suffix.
struct Difference {
    old: Range<u64>,
    new: Range<u64>,
}

impl Difference {
    fn find(file: LargeFile<'_>, content: &StoredContent) -> Result<Self, Refusal> {
        let (old, new) = (file.facts().length(), content.size());
        let mut start = 0_u64;
        let mut failed = None;
        let mut buffer = vec![0; COMPARED_SIZE];
        file.scan(&mut |bytes| {
            let read = match fill_buffer(
                content,
                &mut buffer[..bytes.len().min(COMPARED_SIZE)],
                start,
            ) {
                Ok(read) => read,
                Err(refusal) => {
                    failed = Some(refusal);
                    return ControlFlow::Break(());
                }
            };
            let same = if *bytes == buffer[..read] {
                read
            } else {
                let pairs = bytes.iter().zip(&buffer[..read]);
                pairs.take_while(|(one, other)| one == other).count()
            };
            start += same as u64;
            if same == bytes.len() {
                ControlFlow::Continue(())
            } else {
                ControlFlow::Break(())
            }
        })?;
        if let Some(refusal) = failed {
            return Err(refusal);
        }
        let most = old.min(new).saturating_sub(start);
        let mut end = 0_u64;
        while end < most {
            file.context.check_time()?;
            let length = (most - end).min(COMPARED_SIZE as u64) as usize;
            let from = end + length as u64;
            let stretch = file.read(old - from, length)?;
            let read = fill_buffer(content, &mut buffer[..length], new - from)?;
            let same = if stretch.bytes == buffer[..read] {
                read
            } else {
                let pairs = stretch.bytes.iter().rev().zip(buffer[..read].iter().rev());
                pairs.take_while(|(one, other)| one == other).count()
            };
            end += same as u64;
            if same < length {
                break;
            }
        }
        Ok(Self {
            old: start..old - end,
            new: start..new - end,
        })
    }

    /// Returns the difference as one change of whole lines; none where it is too long to be shown.
    fn as_shown_change(
        &self,
        file: LargeFile<'_>,
        content: &StoredContent,
    ) -> Result<Option<RawChange>, Refusal> {
        let length = |range: &Range<u64>| range.end - range.start;
        if length(&self.old) > MAX_SHOWN_SIZE || length(&self.new) > MAX_SHOWN_SIZE {
            return Ok(None);
        }
        let lead = self.old.start.min(MAX_LINE_END_DISTANCE);
        let before = file.read(self.old.start - lead, lead as usize)?;
        let found = before.bytes.iter().rposition(|byte| *byte == b'\n');
        let back = match found {
            Some(at) => (before.bytes.len() - at - 1) as u64,
            None if lead == self.old.start => lead,
            None => return Ok(None),
        };
        let after = file.read(self.old.end, MAX_LINE_END_DISTANCE as usize)?;
        let found = after.bytes.iter().position(|byte| *byte == b'\n');
        let on = match found {
            Some(at) => at as u64 + 1,
            None if (after.bytes.len() as u64) < MAX_LINE_END_DISTANCE => after.bytes.len() as u64,
            None => return Ok(None),
        };
        let new = self.new.start - back..self.new.end + on;
        let mut bytes = Vec::with_capacity(length(&new) as usize);
        for_each_piece(content, new, &mut |piece| bytes.extend_from_slice(piece))?;
        Ok(Some(RawChange {
            range: self.old.start - back..self.old.end + on,
            bytes,
        }))
    }

    /// Returns the view that only counts the lines of the difference.
    fn count_lines(
        &self,
        file: LargeFile<'_>,
        content: &StoredContent,
    ) -> Result<ChangeView, Refusal> {
        let mut added = 0;
        for_each_piece(content, self.new.clone(), &mut |bytes| {
            added += count_newlines(bytes) as usize;
        })?;
        let (mut removed, mut at) = (0, self.old.start);
        while at < self.old.end {
            let length = (self.old.end - at).min(COMPARED_SIZE as u64) as usize;
            let stretch = file.read(at, length)?;
            if stretch.bytes.is_empty() {
                break;
            }
            removed += count_newlines(&stretch.bytes) as usize;
            at += stretch.bytes.len() as u64;
        }
        Ok(counted_view(added, removed))
    }
}

/// Reads until the buffer is full or the content ends.
fn fill_buffer(content: &StoredContent, into: &mut [u8], offset: u64) -> Result<usize, Refusal> {
    let mut done = 0;
    while done < into.len() {
        match content.read_at(&mut into[done..], offset + done as u64) {
            Ok(0) => break,
            Ok(read) => done += read,
            Err(error) => return Err(unreadable_refusal(&error)),
        }
    }
    Ok(done)
}

/// Passes a range of a content on, piece by piece.
fn for_each_piece(
    content: &StoredContent,
    range: Range<u64>,
    take: &mut dyn FnMut(&[u8]),
) -> Result<(), Refusal> {
    let mut buffer = vec![0; COMPARED_SIZE];
    let mut at = range.start;
    while at < range.end {
        let most = usize::try_from(range.end - at)
            .unwrap_or(COMPARED_SIZE)
            .min(COMPARED_SIZE);
        let read = fill_buffer(content, &mut buffer[..most], at)?;
        if read == 0 {
            break;
        }
        take(&buffer[..read]);
        at += read as u64;
    }
    Ok(())
}

fn unreadable_refusal(error: &std::io::Error) -> Refusal {
    let text = message!(
        "The history cannot be read: {}. Nothing was changed; `lancet doctor` says more.",
        verbatim(error)
    );
    Refusal::from_message(RefusalKind::Io, text)
}
