//! Detects a placeholder line in the new text of an edit, where lines of the old text would be lost.

use std::collections::HashMap;

use super::super::{Leak, LeakKind, MENDED_MOST, quoted, text_lines};
use super::{BUDGET, stands_for_more};
use crate::diff::difference;
use crate::nearest::Profile;
use crate::offer::are_alike;

/// How alike a changed line must be to the line that it replaces.
const ALIKE_LEAST: f32 = 0.5;

/// A placeholder line in `new` where at least one line of `old` that is not blank would be lost. Where the old text or
/// the file has such a line itself, it is content.
pub(in crate::leak) fn placeholder_in_edit(old: &str, file: &str, new: &str) -> Option<Leak> {
    let (line, text) = text_lines(new)
        .enumerate()
        .find(|(_, line)| stands_for_more(line))?;
    let mut kept: HashMap<&str, usize> = HashMap::new();
    for line in text_lines(new) {
        *kept.entry(line.trim()).or_default() += 1;
    }
    let mut lost = text_lines(old).filter(|line| {
        let line = line.trim();
        match kept.get_mut(line) {
            _ if line.is_empty() => false,
            Some(left) if *left > 0 => {
                *left -= 1;
                false
            }
            _ => true,
        }
    });
    let first = lost.next()?;
    let count = 1 + lost.count();
    let has_form = |text: &str| text_lines(text).any(stands_for_more);
    if has_form(old) || has_form(file) {
        return None;
    }
    let goes = match count {
        1 => format!("the line {} of old_string would be lost", quoted(first)),
        _ => format!(
            "{count} lines of old_string would be lost, the first of them {}",
            quoted(first)
        ),
    };
    Some(Leak {
        kind: LeakKind::Placeholder,
        line,
        reason: format!(
            "Line {} ({}) stands for text that is not sent: {goes}.",
            line + 1,
            quoted(text)
        ),
        mended: filled(old, new),
    })
}

/// The new text with the lines of the old text in place of the placeholders, where it is certain which lines these are.
fn filled(old: &str, new: &str) -> Option<String> {
    if old.len() + new.len() > MENDED_MOST {
        return None;
    }
    let (old_lines, new_lines): (Vec<&str>, Vec<&str>) =
        (old.split('\n').collect(), new.split('\n').collect());
    let mut whole: Vec<&str> = Vec::new();
    let mut taken = 0;
    let ended = |text: &str| format!("{text}\n");
    for (gone, come) in difference(&ended(old), &ended(new), 0, BUDGET).blocks {
        whole.extend(new_lines.get(taken..come.start)?);
        taken = come.end;
        let (gone, come) = (old_lines.get(gone)?, new_lines.get(come)?);
        let Some(at) = come.iter().position(|line| stands_for_more(line)) else {
            whole.extend(come);
            continue;
        };
        // The replaced lines are `gone`; the lines sent for them are `before`, the placeholder, and `after`. If `before`
        // resembles the first replaced lines and `after` the last ones, the placeholder stands for those in the middle.
        let (before, after) = (&come[..at], &come[at + 1..]);
        let middle = gone.len().checked_sub(before.len() + after.len())?;
        let alike = |one: &&str, other: &&str| {
            one.trim() == other.trim()
                || Profile::of(one).likeness(&Profile::of(other)) >= ALIKE_LEAST
                || are_alike(one, other)
        };
        let follows = |sent: &[&str], stood: &[&str]| {
            sent.iter().zip(stood).all(|(one, other)| alike(one, other))
        };
        let below = before.len() + middle;
        let certain = middle > 0 && follows(before, gone) && follows(after, &gone[below..]);
        if !certain || after.iter().any(|line| stands_for_more(line)) {
            return None;
        }
        whole.extend(before);
        whole.extend(&gone[before.len()..below]);
        whole.extend(after);
    }
    whole.extend(new_lines.get(taken..)?);
    let whole = whole.join("\n");
    (whole != old && !whole.split('\n').any(stands_for_more)).then_some(whole)
}
