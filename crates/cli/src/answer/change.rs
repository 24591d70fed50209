//! A change as shown to a person: what happened to each file, named from the working folder, its diff, and the notes.

use std::collections::HashSet;

use lancet::approval::ChangeKind;
use lancet::outcome::{
    ChangeOutcome, ExecutableChange, FileOutcome, Rung, describe_rung, unified_diff,
};

use crate::surroundings::Surroundings;
use crate::terminal::{Colour, Style, escape_for_terminal, escape_line_for_terminal};

/// Whether the diffs are part of the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum DiffForm {
    /// They are shown below the name of their file, with line numbers.
    Numbered,
    /// They are shown as a program reads them.
    Bare,
    /// They are left out, because the person has just seen them.
    Seen,
}

/// Describes what happened to the files, for standard output.
pub(super) fn describe_change(
    change: &ChangeOutcome,
    diffs: DiffForm,
    colour: Colour,
    around: &Surroundings,
) -> String {
    let mut out = String::new();
    if let Some(lead) = &change.lead {
        out.push_str(&format!("{}\n", escape_line_for_terminal(lead)));
    }
    for file in &change.files {
        let headline = file_headline(file, change.dry_run, around);
        out.push_str(&format!("{}\n", colour.paint(Style::Bold, &headline)));
        match diffs {
            DiffForm::Seen => {}
            DiffForm::Numbered => out.push_str(&colour.paint_numbered_diff(&file_diff(file))),
            DiffForm::Bare => out.push_str(&file_diff(file)),
        }
    }
    // A person who was prompted about several files has seen their number in the question.
    if change.files.len() > 1 && diffs != DiffForm::Seen {
        let files = change.files.iter();
        let (added, removed) = files.fold((0, 0), |(added, removed), file| {
            (added + file.added, removed + file.removed)
        });
        let sum = format!("{} files, +{added} -{removed}", change.files.len());
        out.push_str(&format!("{}\n", colour.paint(Style::Bold, &sum)));
    }
    out
}

/// Returns the notes, for standard error.
pub(super) fn format_notes(change: &ChangeOutcome, colour: Colour) -> String {
    let of_files = change.files.iter().flat_map(|file| &file.warnings);
    let dry_run = change
        .dry_run
        .then(|| "dry run; nothing was written".to_owned());
    // The same sentence about several files is printed once.
    let mut known = HashSet::new();
    let sentences = of_files.chain(&change.notes);
    let sentences = sentences.filter(|words| known.insert(*words)).cloned();
    dry_run
        .into_iter()
        .chain(sentences)
        .map(|words| {
            let note = format!("note: {}", escape_for_terminal(&words));
            format!("{}\n", colour.paint(Style::Dim, &note))
        })
        .collect()
}

fn file_headline(file: &FileOutcome, dry_run: bool, around: &Surroundings) -> String {
    // Other permission bits, or other bytes that are not text.
    let is_textless = file.patch.is_empty() && file.added + file.removed == 0;
    let (did, would) = match file.kind {
        ChangeKind::Create => ("Created", "Would create"),
        ChangeKind::Delete => ("Removed", "Would remove"),
        ChangeKind::Move => ("Moved", "Would move"),
        ChangeKind::Update if file.matching.is_some() => ("Edited", "Would edit"),
        ChangeKind::Update if is_textless => ("Changed", "Would change"),
        _ => ("Wrote", "Would write"),
    };
    let verb = if dry_run { would } else { did };
    let name =
        |path: &std::path::Path| escape_line_for_terminal(&around.relative(path)).into_owned();
    let from = file.from_path.as_deref();
    let from = from.map_or_else(String::new, |from| format!("{} to ", name(from)));
    let mut words = format!("{verb} {from}{}", name(&file.path));
    if !is_textless {
        words.push_str(&format!("  +{} -{}", file.added, file.removed));
    }
    let rung = file
        .matching
        .as_ref()
        .map_or(Rung::Exact, |matching| matching.widest());
    if rung != Rung::Exact {
        words.push_str(&format!(", matched {}", describe_rung(rung.name())));
    }
    match file.executable {
        ExecutableChange::Keep => {}
        ExecutableChange::Yes => words.push_str(", executable"),
        ExecutableChange::No => words.push_str(", no longer executable"),
    }
    words
}

fn file_diff(file: &FileOutcome) -> String {
    if file.patch.is_empty() && file.added + file.removed > 0 {
        return "(its text is not shown)\n".to_owned();
    }
    unified_diff(&file.patch)
}
