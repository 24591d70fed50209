//! A second, simple implementation of the rules: every place is tried in turn, nothing is fast, and no code is shared
//! with the ladder.

use std::ops::Range;

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

use crate::Rung;

/// The relations between whole lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Relation {
    Trailing,
    Indent,
    Tabs,
}

fn fold(text: &str) -> String {
    text.nfc()
        .map(|character| match character as u32 {
            0x2018..=0x201B => '\'',
            0x201C..=0x201F => '"',
            0x2010..=0x2015 | 0x2212 => '-',
            0xA0 | 0x2002..=0x200A | 0x202F | 0x205F | 0x3000 => ' ',
            _ => character,
        })
        .collect()
}

pub(super) fn fold_without_white_space(text: &str) -> String {
    fold(text)
        .chars()
        .filter(|character| !character.is_whitespace())
        .collect()
}

fn is_blank_line(text: &str) -> bool {
    fold(text)
        .chars()
        .all(|character| " \t\n".contains(character))
}

/// Returns the lines of a text; a final newline starts no further line.
pub(super) fn split_into_lines(text: &str) -> Vec<&str> {
    let mut lines: Vec<&str> = text.split('\n').collect();
    if lines.last() == Some(&"") {
        lines.pop();
    }
    lines
}

pub(super) fn exact_places(view: &str, old: &str) -> Vec<Range<usize>> {
    if old.is_empty() {
        return Vec::new();
    }
    (0..view.len())
        .filter(|&at| view.is_char_boundary(at) && view[at..].starts_with(old))
        .map(|at| at..at + old.len())
        .collect()
}

/// Returns the place that an exact edit replaces, and the text that it writes there. A deletion of whole lines includes
/// the blanks around them and their newline. Indentation before the place is not written again. Further lines get the
/// indentation that their old line lacks.
pub(super) fn exact_edit(
    view: &str,
    place: &Range<usize>,
    old: &str,
    new: &str,
) -> (Range<usize>, String) {
    let start = view[..place.start].rfind('\n').map_or(0, |at| at + 1);
    let lead = &view[start..place.start];
    let rest = view[place.end..]
        .find('\n')
        .map(|at| &view[place.end..place.end + at]);
    if new.is_empty() {
        let range = match (old.starts_with('\n'), old.ends_with('\n'), rest) {
            _ if is_blank_line(old) => place.clone(),
            (true, true, _) if !lead.is_empty() => place.start + 1..place.end,
            (false, true, _) if is_blank_line(lead) => start..place.end,
            (false, false, Some(rest)) if is_blank_line(lead) && is_blank_line(rest) => {
                start..place.end + rest.len() + 1
            }
            _ => place.clone(),
        };
        return (range, String::new());
    }
    let leading = |text: &str| -> usize {
        let blanks = text
            .chars()
            .take_while(|character| *character != '\n' && is_blank_line(&character.to_string()));
        blanks.map(char::len_utf8).sum()
    };
    let white = |text: &str| -> String { text.split_whitespace().collect() };
    let moved = split_into_lines(new)
        .iter()
        .skip(1)
        .filter(|line| !is_blank_line(line))
        .any(|line| {
            let content = &line[leading(line)..];
            let twins: Vec<&str> = split_into_lines(old)
                .into_iter()
                .skip(1)
                .filter(|old| old[leading(old)..] == *content)
                .collect();
            let stays = split_into_lines(new)
                .iter()
                .skip(1)
                .any(|new| new[leading(new)..] == *content && twins.contains(new));
            !twins.is_empty() && !stays
        });
    let once = !lead.is_empty()
        && is_blank_line(lead)
        && new[..leading(new)] == *lead
        && leading(old) == 0
        && white(old) != white(new)
        && !moved;
    if once {
        return (place.clone(), new[lead.len()..].to_owned());
    }
    let width = |text: &str| -> usize {
        let blanks = text[..leading(text)].chars();
        blanks.map(|blank| if blank == '\t' { 8 } else { 1 }).sum()
    };
    let filled = |text: &str| {
        split_into_lines(text)
            .into_iter()
            .filter(|line| !is_blank_line(line))
            .count()
    };
    let (first, further) = new.split_once('\n').unwrap_or((new, ""));
    let widths: Vec<usize> = split_into_lines(further)
        .into_iter()
        .filter(|line| !is_blank_line(line))
        .map(width)
        .collect();
    let at_line_end =
        old.ends_with('\n') || place.end == view.len() || view[place.end..].starts_with('\n');
    let short = is_blank_line(lead)
        && at_line_end
        && filled(old) == 1
        && !is_blank_line(split_into_lines(old)[0])
        && first[..leading(first)] == old[..leading(old)]
        && !widths.is_empty()
        && widths.iter().all(|further| *further >= width(first))
        && (leading(old) > 0 || widths.iter().any(|further| *further < width(lead)));
    if !short {
        return (place.clone(), new.to_owned());
    }
    let mut text = first.to_owned();
    for line in further.split('\n') {
        text += "\n";
        text += if is_blank_line(line) { "" } else { lead };
        text += line;
    }
    (place.clone(), text)
}

fn final_newline_places(view: &str, old: &str) -> Vec<Range<usize>> {
    let Some(rest) = old.strip_suffix('\n') else {
        return Vec::new();
    };
    let start = view.len().saturating_sub(rest.len());
    let fits = !is_blank_line(rest)
        && !view.ends_with('\n')
        && view.ends_with(rest)
        && (start == 0 || view[..start].ends_with('\n'));
    fits.then_some(start..view.len()).into_iter().collect()
}

fn look_alike_places(view: &str, old: &str) -> Vec<Range<usize>> {
    let border =
        |at: usize| view.is_char_boundary(at) && !view[at..].starts_with(is_combining_mark);
    let wanted = fold(old);
    let mut places = Vec::new();
    for start in (0..view.len()).filter(|&at| border(at)) {
        for end in (start + 1..=view.len()).filter(|&at| border(at)) {
            if fold(&view[start..end]) == wanted {
                places.push(start..end);
            }
        }
    }
    places
}

fn split_indent(line: &str) -> (String, String) {
    let line = fold(line);
    let trimmed = line.trim_end_matches([' ', '\t']);
    let content = trimmed.trim_start_matches([' ', '\t']);
    let indent = &trimmed[..trimmed.len() - content.len()];
    (indent.to_owned(), content.to_owned())
}

/// Returns whether the lines are equivalent, and how: the prefix that only one side has, or the width of a tab and its
/// direction.
fn relate_lines(file: &[&str], old: &[&str], relation: Relation) -> Option<LineRelation> {
    let pairs: Vec<_> = file
        .iter()
        .map(|line| split_indent(line))
        .zip(old.iter().map(|line| split_indent(line)))
        .collect();
    if pairs.iter().any(|((_, file), (_, old))| file != old) {
        return None;
    }
    let indents: Vec<(String, String)> = pairs
        .into_iter()
        .filter(|((_, content), _)| !content.is_empty())
        .map(|((file, _), (old, _))| (file, old))
        .collect();
    let holds = |convert: &dyn Fn(&str) -> Option<String>| {
        indents
            .iter()
            .all(|(file, old)| convert(old).as_ref() == Some(file))
    };
    match relation {
        Relation::Trailing => holds(&|old| Some(old.to_owned())).then_some(LineRelation::Same),
        Relation::Indent => {
            let (file, old) = indents.first()?;
            let more = (1..=file.len())
                .map(|length| &file[..length])
                .find(|prefix| holds(&|old| Some(format!("{prefix}{old}"))));
            let less = (1..=old.len())
                .map(|length| &old[..length])
                .find(|prefix| holds(&|old| old.strip_prefix(prefix).map(str::to_owned)));
            more.map(|prefix| LineRelation::More(prefix.to_owned()))
                .or_else(|| less.map(|prefix| LineRelation::Less(prefix.to_owned())))
        }
        Relation::Tabs => (2..=8).find_map(|width| {
            // One side has tabs and then blanks, the other the same blanks after a number of blanks for each tab.
            let spelled = |tabbed: &str, spaced: &str| {
                let blanks = tabbed.trim_start_matches('\t');
                let tabs = tabbed.len() - blanks.len();
                !blanks.contains('\t') && spaced == " ".repeat(tabs * width) + blanks
            };
            let shown = indents.iter().any(|(file, old)| file != old);
            let to_tabs = indents.iter().all(|(file, old)| spelled(file, old));
            let to_spaces = indents.iter().all(|(file, old)| spelled(old, file));
            let known = indents.clone();
            match (shown, to_tabs, to_spaces) {
                (true, true, _) => Some(LineRelation::ToTabs(width, known)),
                (true, _, true) => Some(LineRelation::ToSpaces(width, known)),
                _ => None,
            }
        }),
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum LineRelation {
    Same,
    More(String),
    Less(String),
    /// With the indentations of the file's lines and of the old ones.
    ToTabs(usize, Vec<(String, String)>),
    ToSpaces(usize, Vec<(String, String)>),
}

/// Returns the indentation of the file where the old text has this one; `Err` where the file has several.
fn file_indent(indent: &str, known: &[(String, String)]) -> Result<Option<String>, ()> {
    let mut files = known.iter().filter(|(_, old)| old == indent);
    let Some((file, _)) = files.next() else {
        return Ok(None);
    };
    if files.any(|(other, _)| other != file) {
        return Err(());
    }
    Ok(Some(file.clone()))
}

fn tabs_of(indent: &str, width: usize) -> Option<String> {
    let levels = indent.len() / width;
    (indent == " ".repeat(levels * width)).then(|| "\t".repeat(levels))
}

fn spaces_of(indent: &str, width: usize) -> Option<String> {
    (indent == "\t".repeat(indent.len())).then(|| " ".repeat(indent.len() * width))
}

/// Returns the first lines of the equivalent windows, each with its relation.
fn related_windows(view: &str, old: &str, relation: Relation) -> Vec<(usize, LineRelation)> {
    let (file, old) = (split_into_lines(view), old_lines(old));
    (0..file.len())
        .filter(|first| first + old.len() <= file.len())
        .filter_map(|first| {
            Some((
                first,
                relate_lines(&file[first..first + old.len()], &old, relation)?,
            ))
        })
        .collect()
}

pub(super) fn old_lines(old: &str) -> Vec<&str> {
    old.strip_suffix('\n').unwrap_or(old).split('\n').collect()
}

fn window_place(view: &str, old: &str, first: usize) -> Range<usize> {
    let file = split_into_lines(view);
    let start: usize = file[..first].iter().map(|line| line.len() + 1).sum();
    let count = old_lines(old).len();
    let length: usize = file[first..first + count]
        .iter()
        .map(|line| line.len() + 1)
        .sum();
    let newline = usize::from(!old.ends_with('\n'));
    start..(start + length - newline).min(view.len())
}

/// A place, and the rung that finds it.
type NamedPlace = (Rung, Range<usize>);

/// Returns the first rung on which anything is equivalent, its places, and the further places that count against it;
/// rungs that rewrite the old text are left out.
pub(super) fn first_rung(view: &str, old: &str) -> Option<(Rung, Vec<NamedPlace>)> {
    let all = matching_rungs(view, old);
    let (rung, places) = all.first()?.clone();
    let mut told: Vec<NamedPlace> = places.into_iter().map(|place| (rung, place)).collect();
    if rung >= Rung::LookAlike {
        let line = |place: &Range<usize>| view[..place.start].matches('\n').count();
        for (later, places) in &all[1..] {
            for place in places {
                if told.iter().all(|(_, other)| line(other) != line(place)) {
                    told.push((*later, place.clone()));
                }
            }
        }
    }
    told.sort_by_key(|(_, place)| (place.start, place.end));
    Some((rung, told))
}

/// Returns every rung on which anything is equivalent, with its places.
fn matching_rungs(view: &str, old: &str) -> Vec<(Rung, Vec<Range<usize>>)> {
    let found =
        |rung: Rung, places: Vec<Range<usize>>| (!places.is_empty()).then_some((rung, places));
    let block = |rung, relation| {
        let places = related_windows(view, old, relation)
            .into_iter()
            .map(|(first, _)| window_place(view, old, first))
            .collect();
        found(rung, places)
    };
    let exact = found(Rung::Exact, exact_places(view, old));
    if old.is_empty() || is_blank_line(old) {
        return exact.into_iter().collect();
    }
    let all = [
        exact,
        found(Rung::FinalNewline, final_newline_places(view, old)),
        found(Rung::LookAlike, look_alike_places(view, old)),
        block(Rung::Trailing, Relation::Trailing),
        block(Rung::Indent, Relation::Indent),
        block(Rung::Tabs, Relation::Tabs),
    ];
    all.into_iter().flatten().collect()
}

/// Returns the pairs of old and new lines that count as the same for their line ends on a rung: those that are the same
/// as sent, and between them those that are the same under the relation of the rung.
pub(super) fn shared_for_line_ends(old: &[&str], new: &[&str], rung: Rung) -> Vec<(usize, usize)> {
    let key = |line: &&str| match rung {
        Rung::LookAlike => fold(line),
        Rung::Trailing => split_indent(line).0 + &split_indent(line).1,
        Rung::Indent | Rung::Tabs => split_indent(line).1,
        _ => (*line).to_owned(),
    };
    let same = common_pairs(old, new);
    let mut pairs = Vec::new();
    let (mut old_at, mut new_at) = (0, 0);
    for (old_line, new_line) in same.into_iter().chain([(old.len(), new.len())]) {
        let old_keys: Vec<String> = old[old_at..old_line].iter().map(key).collect();
        let new_keys: Vec<String> = new[new_at..new_line].iter().map(key).collect();
        let old_keys: Vec<&str> = old_keys.iter().map(String::as_str).collect();
        let new_keys: Vec<&str> = new_keys.iter().map(String::as_str).collect();
        let between = common_pairs(&old_keys, &new_keys).into_iter();
        pairs.extend(between.map(|(old, new)| (old_at + old, new_at + new)));
        if old_line < old.len() {
            pairs.push((old_line, new_line));
        }
        (old_at, new_at) = (old_line + 1, new_line + 1);
    }
    pairs
}

/// Returns the result of an edit on a rung of whole lines, put together line by line.
pub(super) fn edit_lines(view: &str, old: &str, new: &str, relation: Relation) -> Option<String> {
    let (first, way) = related_windows(view, old, relation).into_iter().next()?;
    let place = window_place(view, old, first);
    let file = split_into_lines(view);
    let (old_lines, new_lines) = (old_lines(old), old_lines(new));
    let stay = common_pairs(&old_lines, &new_lines);
    let mut result: Vec<String> = Vec::new();
    for (number, line) in new_lines.iter().enumerate() {
        let partner = stay.iter().find(|(_, new)| *new == number);
        let indent = line.len() - line.trim_start_matches([' ', '\t']).len();
        result.push(match (partner, &way) {
            (Some((old, _)), _) => file[first + old].to_owned(),
            (None, _) if is_blank_line(line) => (*line).to_owned(),
            (None, LineRelation::Same) => (*line).to_owned(),
            (None, LineRelation::More(prefix)) => format!("{prefix}{line}"),
            (None, LineRelation::Less(prefix)) => line.strip_prefix(prefix.as_str())?.to_owned(),
            (None, LineRelation::ToTabs(width, known)) => {
                let told = file_indent(&line[..indent], known).ok()?;
                told.or_else(|| tabs_of(&line[..indent], *width))? + &line[indent..]
            }
            (None, LineRelation::ToSpaces(width, known)) => {
                let told = file_indent(&line[..indent], known).ok()?;
                told.or_else(|| spaces_of(&line[..indent], *width))? + &line[indent..]
            }
        });
    }
    let at_open_end = place.end == view.len() && !view.ends_with('\n');
    let newline = if new.ends_with('\n') && !(old.ends_with('\n') && at_open_end) {
        "\n"
    } else {
        ""
    };
    Some(
        [
            &view[..place.start],
            &result.join("\n"),
            newline,
            &view[place.end..],
        ]
        .concat(),
    )
}

/// Returns the pairs of common items, by the literal rule of Ratcliff and Obershelp.
pub(super) fn common_pairs(old: &[&str], new: &[&str]) -> Vec<(usize, usize)> {
    let start = (0..old.len().min(new.len()))
        .take_while(|&at| old[at] == new[at])
        .count();
    let (rest_old, rest_new) = (&old[start..], &new[start..]);
    let end = (1..=rest_old.len().min(rest_new.len()))
        .take_while(|&at| rest_old[rest_old.len() - at] == rest_new[rest_new.len() - at])
        .count();
    let (middle_old, middle_new) = (
        &rest_old[..rest_old.len() - end],
        &rest_new[..rest_new.len() - end],
    );
    let mut best = (0, 0, 0);
    for i in 0..middle_old.len() {
        for j in 0..middle_new.len() {
            let length = middle_old[i..]
                .iter()
                .zip(&middle_new[j..])
                .take_while(|(a, b)| a == b)
                .count();
            if length > best.2 {
                best = (i, j, length);
            }
        }
    }
    let mut pairs: Vec<(usize, usize)> = (0..start).map(|at| (at, at)).collect();
    let (i, j, length) = best;
    if length > 0 {
        let shift = |pairs: Vec<(usize, usize)>, a: usize, b: usize| {
            pairs.into_iter().map(move |(old, new)| (old + a, new + b))
        };
        pairs.extend(shift(
            common_pairs(&middle_old[..i], &middle_new[..j]),
            start,
            start,
        ));
        pairs.extend((0..length).map(|at| (start + i + at, start + j + at)));
        pairs.extend(shift(
            common_pairs(&middle_old[i + length..], &middle_new[j + length..]),
            start + i + length,
            start + j + length,
        ));
    }
    let (old_end, new_end) = (old.len() - end, new.len() - end);
    pairs.extend((0..end).map(|at| (old_end + at, new_end + at)));
    pairs
}
