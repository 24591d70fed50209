//! Detects a placeholder line in the new text of an edit, where lines of the old text would be lost.

use std::collections::HashMap;

use super::super::{
    BareDotsMeaning, Leak, LeakKind, MAX_MENDED_BYTES, quote_line_start, text_lines,
};
use super::{COMPARISON_BUDGET, is_placeholder_line};
use crate::clause::{ClausePart, clause};
use crate::diff::difference;
use crate::ladder::common_runs::common_runs;
use crate::nearest::TextProfile;
use crate::offer::have_similar_words;

/// The least likeness between a changed line and the line that it replaces.
const MIN_LIKENESS: f32 = 0.5;

/// The number of lines that are not blank that a line of dots must represent, since dots alone are also text.
const MIN_LINES_FOR_DOTS: usize = 2;

/// The first placeholder line of one form, if any, and the function that recognises a line of that form.
type Form = (Option<usize>, fn(&str) -> bool);

/// Finds a placeholder line in `new` where at least one line of `old` that is not blank would be lost. Where the old
/// text or the file already has a line of that form, it is content.
pub(in crate::leak) fn find_placeholder_in_edit(
    old: &str,
    file: &str,
    new: &str,
    dots: BareDotsMeaning,
) -> Option<Leak> {
    let comment = text_lines(new).position(is_placeholder_line);
    let bare = || match dots {
        BareDotsMeaning::Code => None,
        BareDotsMeaning::Placeholder => bare_dots_for_lines(old, new),
    };
    let forms: [Form; 2] = [(comment, is_placeholder_line), (bare(), is_bare_dots)];
    if forms.iter().all(|(line, _)| line.is_none()) {
        return None;
    }
    let lost = lost_lines(old, new);
    let (first, count) = (lost.first()?, lost.len());
    let (line, is_placeholder) = forms.into_iter().find_map(|(line, is_form)| {
        let is_known = |text: &str| text_lines(text).any(is_form);
        let line = line?;
        (!is_known(old) && !is_known(file)).then_some((line, is_form))
    })?;
    let text = text_lines(new).nth(line)?;
    let (lines, rest) = match count {
        1 => (
            format!("the line {}", quote_line_start(first)),
            String::new(),
        ),
        _ => (
            format!("{count} lines"),
            format!(", the first of them {}", quote_line_start(first)),
        ),
    };
    Some(Leak {
        kind: LeakKind::Placeholder,
        line,
        reason: clause![
            format!(
                "Line {} ({}) replaces text that was not sent: {lines} of ",
                line + 1,
                quote_line_start(text)
            ),
            ClausePart::OldText,
            format!(" would be lost{rest}."),
        ],
        mended: fill_placeholders(old, new, is_placeholder),
    })
}

/// Returns the lines of the old text that are not blank and are missing from the new text.
fn lost_lines<'t>(old: &'t str, new: &str) -> Vec<&'t str> {
    let mut kept: HashMap<&str, usize> = HashMap::new();
    for line in text_lines(new) {
        *kept.entry(line.trim()).or_default() += 1;
    }
    let is_lost = |line: &&str| {
        let line = line.trim();
        match kept.get_mut(line) {
            _ if line.is_empty() => false,
            Some(left) if *left > 0 => {
                *left -= 1;
                false
            }
            _ => true,
        }
    };
    text_lines(old).filter(is_lost).collect()
}

/// Returns whether a line holds dots and nothing else.
fn is_bare_dots(line: &str) -> bool {
    matches!(line.trim(), "..." | "…")
}

/// Finds a line of the new text that is only dots, where both texts have a line in common before it and after it, and
/// the old text has lines between these.
fn bare_dots_for_lines(old: &str, new: &str) -> Option<usize> {
    text_lines(new).position(is_bare_dots)?;
    let (old_lines, new_lines): (Vec<&str>, Vec<&str>) =
        (text_lines(old).collect(), text_lines(new).collect());
    let shared: Vec<(usize, usize)> = common_runs(&old_lines, &new_lines)
        .into_iter()
        .flat_map(|run| (0..run.len).map(move |step| (run.old + step, run.new + step)))
        .collect();
    let stands_for_lines = |dots: &usize| {
        let next = shared.partition_point(|(_, new)| new < dots);
        let before = next.checked_sub(1).and_then(|last| shared.get(last));
        before.zip(shared.get(next)).is_some_and(|(before, after)| {
            let between = &old_lines[before.0 + 1..after.0];
            let filled = between.iter().filter(|line| !line.trim().is_empty());
            filled.count() >= MIN_LINES_FOR_DOTS
        })
    };
    let mut dots = (0..new_lines.len()).filter(|line| is_bare_dots(new_lines[*line]));
    dots.find(stands_for_lines)
}

/// Returns the new text with the lines of the old text in place of the placeholders, where it is certain which lines
/// these are.
fn fill_placeholders(old: &str, new: &str, is_placeholder: fn(&str) -> bool) -> Option<String> {
    if old.len() + new.len() > MAX_MENDED_BYTES {
        return None;
    }
    let (old_lines, new_lines): (Vec<&str>, Vec<&str>) =
        (old.split('\n').collect(), new.split('\n').collect());
    let mut whole: Vec<&str> = Vec::new();
    let mut taken = 0;
    let ended = |text: &str| format!("{text}\n");
    for (gone, come) in difference(&ended(old), &ended(new), 0, COMPARISON_BUDGET).blocks {
        whole.extend(new_lines.get(taken..come.start)?);
        taken = come.end;
        let (gone, come) = (old_lines.get(gone)?, new_lines.get(come)?);
        let Some(at) = come.iter().position(|line| is_placeholder(line)) else {
            whole.extend(come);
            continue;
        };
        // The replaced lines are `gone`; the lines sent for them are `before`, the placeholder, and `after`. If
        // `before` resembles the first replaced lines and `after` the last ones, the placeholder represents those in
        // the middle.
        let (before, after) = (&come[..at], &come[at + 1..]);
        let middle = gone.len().checked_sub(before.len() + after.len())?;
        let alike = |one: &&str, other: &&str| {
            one.trim() == other.trim()
                || TextProfile::new(one).likeness(&TextProfile::new(other)) >= MIN_LIKENESS
                || have_similar_words(one, other)
        };
        let follows = |sent: &[&str], stood: &[&str]| {
            sent.iter().zip(stood).all(|(one, other)| alike(one, other))
        };
        let below = before.len() + middle;
        let certain = middle > 0 && follows(before, gone) && follows(after, &gone[below..]);
        if !certain || after.iter().any(|line| is_placeholder(line)) {
            return None;
        }
        whole.extend(before);
        whole.extend(&gone[before.len()..below]);
        whole.extend(after);
    }
    whole.extend(new_lines.get(taken..)?);
    let whole = whole.join("\n");
    (whole != old && !whole.split('\n').any(is_placeholder)).then_some(whole)
}
