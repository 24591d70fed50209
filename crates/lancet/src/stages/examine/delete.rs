//! The *examine* stage for a removal: the whole file must have been seen, and must be unchanged since.

use lancet_history::SeenRanges;
use lancet_text::{Document, difference};
use lancet_workspace::{ExecutableChange, ExpectedState};

use super::edit::TEXT_LENGTH_PER_FILE;
use super::folder_permission::{NameChange, require_writable_folder};
use super::read_state::{CurrentVersion, DIFF_BUDGET, ReadState, RequiredPart, read_state};
use super::whole_file::{WholeFile, encoding_and_line_ends};
use crate::applied_by::AppliedBy;
use crate::ledger::raw_line;
use crate::message::{
    CALL_VERB, SEND_THIS_AGAIN, for_tools, message, tool_and_shell_term, verbatim,
};
use crate::next_call::Remedy;
use crate::refusal::{Refusal, RefusalKind};
use crate::request::DeleteRequest;
use crate::stages::attempt::Attempt;
use crate::stages::context::CallContext;
use crate::stages::locate::Target;
use crate::stages::open::{binary_refusal, decode, require_file};
use crate::stages::plan::{ChangeView, FilePlan, NewContent};
use crate::wording::{format_count, quote_path, truncate};

/// The longest line that a refusal quotes, in characters.
const MAX_LINE_LENGTH: usize = 200;

/// Works out the plan that removes a file.
pub(super) fn examine_file(
    context: &CallContext<'_>,
    attempt: &mut Attempt,
    target: Target,
    request: &DeleteRequest,
) -> Result<FilePlan, Refusal> {
    context.charge_sentence(
        2 * context.length(&quote_path(target.path()).to_string()) + TEXT_LENGTH_PER_FILE,
    );
    if target.located.is_link() {
        require_writable_folder(&target, NameChange::Removed)?;
        return examine_link(context, target, request);
    }
    require_file(context.engine(), &target)?;
    require_writable_folder(&target, NameChange::Removed)?;
    let whole = WholeFile::read(context, attempt, &target)?;
    let document = whole.document(context, &target);
    let is_persons = context.applied_by == AppliedBy::Person;
    if document.is_none() && whole.base.is_some() && request.revision.is_none() && !is_persons {
        // Content that is not text cannot have been shown.
        let base = whole.base.as_ref().map_or(&[][..], |base| &base.bytes);
        decode(context.engine(), &target, base)?;
        return Err(binary_refusal(&target, "its kind is not known"));
    }
    let current = CurrentVersion {
        revision: whole.revision,
        size: whole.size,
        content: whole.base.as_ref().zip(document.as_ref()),
    };
    let named = request.revision.as_deref();
    let state = read_state(context, target.path(), current, named, RequiredPart::Whole)?;
    require_all_seen(context, &target, &whole, document.as_ref(), &state)?;
    if let Some(lines) = &request.lines {
        require_expected_lines(&target, document.as_ref(), lines)?;
    }
    let view = removal_view(document.as_ref());
    let (encoding, endings) = encoding_and_line_ends(document.as_ref());
    drop(document);
    Ok(FilePlan {
        target,
        expected: whole.expected,
        base: whole.base,
        new: NewContent::Removed {
            folders: request.folders.clone(),
        },
        view,
        encoding,
        endings,
        seen: SeenRanges::default(),
        executable: ExecutableChange::Keep,
    })
}

/// Plans the removal of a symbolic link for a person. A model was shown only the file behind it, and is refused.
fn examine_link(
    context: &CallContext<'_>,
    target: Target,
    request: &DeleteRequest,
) -> Result<FilePlan, Refusal> {
    let found = target.located.stat().zip(target.located.link_target());
    if let Some((stamp, leads_to)) = found
        && context.applied_by == AppliedBy::Person
    {
        let expected = ExpectedState::Link {
            target: leads_to,
            stamp,
        };
        let stays = message!("it is a symbolic link; the file that it leads to stays");
        let (encoding, endings) = encoding_and_line_ends(None);
        return Ok(FilePlan {
            target,
            expected,
            base: None,
            new: NewContent::Removed {
                folders: request.folders.clone(),
            },
            view: ChangeView {
                notices: vec![stays],
                ..ChangeView::default()
            },
            encoding,
            endings,
            seen: SeenRanges::default(),
            executable: ExecutableChange::Keep,
        });
    }
    let path = target.display_name();
    let text = message!(
        "{} is a symbolic link, and only regular files are removed. Name the file that it leads to, or ask the user to remove the link.",
        &path
    );
    Err(Refusal::from_message(RefusalKind::Special, text).with_field("file_path", path))
}

fn require_all_seen(
    context: &CallContext<'_>,
    target: &Target,
    whole: &WholeFile,
    document: Option<&Document<'_>>,
    state: &ReadState,
) -> Result<(), Refusal> {
    let Some(gap) = state.seen.missing_from(0..whole.size).into_iter().next() else {
        return Ok(());
    };
    let path = target.path();
    let first = document.and_then(|document| {
        (0..document.line_count()).find(|&line| raw_line(document, line).end > gap.start)
    });
    let which = match (first, document) {
        (Some(first), Some(document)) => message!(
            "line {} of {} is the first that was not",
            first + 1,
            verbatim(format_count(document.line_count(), "line"))
        ),
        _ => message!("the part from byte {} on was not", gap.start),
    };
    let text = message!(
        "{} was not shown whole in this session: {}. {} {} and {}{}{}remove the file unseen.",
        quote_path(path),
        which,
        CALL_VERB,
        verbatim(context.read_call(path, first.map(|first| first + 1), None)),
        SEND_THIS_AGAIN,
        tool_and_shell_term(
            ", or send the revision that ",
            ", or give --revision, which lancet read shows, to ",
        ),
        for_tools(message!("{} gave to ", verbatim(context.tool_name("Read"))))
    );
    Err(Refusal::from_message(RefusalKind::NotRead, text)
        .with_remedy(Remedy::read_lines(first.map(|first| first + 1), None))
        .with_field("file_path", quote_path(path)))
}

/// Refuses a removal that states other lines than the file has.
fn require_expected_lines(
    target: &Target,
    document: Option<&Document<'_>>,
    lines: &[String],
) -> Result<(), Refusal> {
    let view = document.map_or("", Document::view);
    let mut found = view.strip_suffix('\n').unwrap_or(view).split('\n');
    let is_empty = view.is_empty();
    let mut found = std::iter::from_fn(|| found.next().filter(|_| !is_empty));
    let mut stated = lines.iter();
    let mut number = 0;
    let (stated, found) = loop {
        number += 1;
        match (stated.next(), found.next()) {
            (None, None) => return Ok(()),
            (Some(stated), Some(found)) if stated == found => {}
            (stated, found) => break (stated.map(String::as_str), found),
        }
    };
    let quote = |line: Option<&str>| match line {
        Some(line) => message!("`{}`", verbatim(truncate(line, MAX_LINE_LENGTH))),
        None => message!("no line"),
    };
    let path = quote_path(target.path());
    let text = message!(
        "{} does not hold the lines that the removal states: line {} is {}, and {} was stated. Read the file again before removing it.",
        &path,
        verbatim(number),
        quote(found),
        quote(stated)
    );
    Err(Refusal::from_message(RefusalKind::NotFound, text)
        .with_field("file_path", path)
        .with_field("line", number))
}

fn removal_view(document: Option<&Document<'_>>) -> ChangeView {
    let Some(document) = document else {
        return ChangeView::default();
    };
    let difference = difference(document.view(), "", 3, DIFF_BUDGET);
    ChangeView {
        removed: difference.removed,
        coarse: difference.coarse,
        patch: difference.hunks,
        ..ChangeView::default()
    }
}
