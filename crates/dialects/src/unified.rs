//! Unified diffs, plain and as git writes them. One section is one file: names, git's extended headers, hunks.

mod hunk;
mod names;

use crate::cursor::Cursor;
use crate::error::ParseStop;
use crate::line_start::{NEW_FILE_PREFIX, OLD_FILE_PREFIX};
use crate::part::{Dialect, LineRole, PartAction, ResponsePart};
use hunk::read_hunk;
use names::{
    SectionNames, are_name_lines, has_two_old_names, name_in_header, parse_git_names,
    parse_git_names_after_old, strip_prefixes,
};

/// Returns whether a section, or a line that can only belong to one, begins here.
pub(crate) fn begins_section(reader: &Cursor<'_, '_>, at: usize) -> Result<bool, ParseStop> {
    let line = reader.lines.get(at);
    if !may_begin_section(line) {
        return Ok(false);
    }
    if !line.starts_with(OLD_FILE_PREFIX) {
        return Ok(true);
    }
    // The new name is on the next line, or on the one after a second old name.
    let is_new = |line: &str| line.starts_with(NEW_FILE_PREFIX);
    match reader.line(at + 1)? {
        Some(next) if next.starts_with(OLD_FILE_PREFIX) => {
            Ok(reader.line(at + 2)?.is_some_and(is_new))
        }
        next => Ok(next.is_some_and(is_new)),
    }
}

/// Returns whether a line, by itself, can begin a section or belong to one: with an old name the lines after it decide.
pub(crate) fn may_begin_section(line: &str) -> bool {
    let begins = |header: &&str| line.starts_with(header);
    match line.as_bytes().first() {
        Some(b'-') => line.starts_with(OLD_FILE_PREFIX),
        Some(b'@') => hunk::parse_hunk_numbers(line).is_some() || line.starts_with("@@@ -"),
        Some(b'd') => ["diff --git ", "diff --cc ", "diff --combined "]
            .iter()
            .any(begins),
        _ => false,
    }
}

/// The headers of a section.
#[derive(Default)]
struct Headers {
    names: SectionNames,
    renamed: Option<(String, String)>,
    /// Whether only one of the two rename lines is present.
    half_renamed: bool,
    is_new: bool,
    is_deleted: bool,
    /// Whether the file should be executable, if a mode is given.
    executable: Option<bool>,
}

impl Headers {
    /// Reads the two lines with the old and the new name.
    fn read_names(&mut self, reader: &Cursor<'_, '_>, next: usize) -> Result<(), ParseStop> {
        let old = name_in_header(&reader.lines.get(next)[4..]);
        let new = name_in_header(&reader.lines.get(next + 1)[4..]);
        self.is_new |= old == "/dev/null";
        self.is_deleted |= new == "/dev/null";
        let names = strip_prefixes(&old, &new);
        if !names.is_compatible_with(&self.names) {
            let (old, new) = (&self.names.old, &names.old);
            return Err(ParseStop::malformed_error(
                next,
                format!(
                    "The line `diff --git` names {old} and the lines after it name {new}. Name one file in all of them."
                ),
            ));
        }
        self.names = names;
        Ok(())
    }
}

/// Parses the section that begins at a line.
pub(crate) fn parse_section(reader: &mut Cursor<'_, '_>, at: usize) -> Result<(), ParseStop> {
    let (headers, mut next) = read_headers(reader, at)?;
    refuse_contradiction(at, &headers)?;
    let mut hunks = Vec::new();
    while let Some(line) = reader.line(next)? {
        if line.starts_with("@@@") {
            return Err(merge_diff_error(next));
        }
        if !line.starts_with("@@") {
            break;
        }
        let (hunk, end) = read_hunk(reader, next)?;
        hunks.push((next, hunk));
        ParseStop::check_part_count(hunks.len(), next)?;
        next = end;
    }
    let path = chosen_name(reader, at, &headers)?;
    let section = {
        let sections = reader.state.sections.entry(path.clone()).or_default();
        *sections += 1;
        *sections - 1
    };
    let part = |line: usize, action| ResponsePart::new(Dialect::Unified, line + 1, &path, action);
    let mut parts = Vec::new();
    if headers.is_new {
        let lines: Vec<(usize, &str)> = hunks
            .iter()
            .flat_map(|(_, read)| read.added.iter().copied())
            .collect();
        let mut old_lines = hunks.iter().map(|(_, read)| read.hunk.old_lines().count());
        if old_lines.any(|count| count > 0) {
            return Err(ParseStop::malformed_error(
                at,
                "The file is new, and its hunk has old lines.",
            ));
        }
        let mut text = reader.lines.new_file_text(lines, reader.lines.has_cr(at));
        if hunks
            .last()
            .is_some_and(|(_, read)| read.hunk.new_lacks_newline)
        {
            text.pop();
        }
        let executable = headers.executable.unwrap_or(false);
        parts.push(part(at, PartAction::Create { text, executable }));
    } else if headers.is_deleted {
        let hunk_lines = hunks.iter().flat_map(|(_, read)| read.hunk.lines.iter());
        if hunk_lines.clone().any(|line| line.role == LineRole::Added) {
            return Err(ParseStop::malformed_error(
                at,
                "The file is deleted, and its hunk has new lines.",
            ));
        }
        let lines: Vec<String> = hunk_lines.map(|line| line.text.clone()).collect();
        let lines = (!hunks.is_empty()).then_some(lines);
        parts.push(part(at, PartAction::Delete { lines }));
    } else {
        for (line, read) in hunks {
            let mut hunk = read.hunk;
            hunk.section = section;
            parts.push(part(line, PartAction::Edit(hunk)));
        }
        if let Some(executable) = headers.executable {
            parts.push(part(at, PartAction::SetExecutable(executable)));
        }
        if let Some((_, to)) = headers.renamed {
            parts.push(part(at, PartAction::Move { to }));
        }
    }
    if parts.is_empty() {
        return Err(ParseStop::malformed_error(
            at,
            format!("The diff of {path} has no hunk."),
        ));
    }
    reader.state.parts.extend(parts);
    reader.state.at = next;
    Ok(())
}

fn merge_diff_error(at: usize) -> ParseStop {
    ParseStop::unsupported_error(
        at,
        "This is the diff of a merge, which has two old sides. Send a diff against one version.",
    )
}

/// Parses everything before the first hunk.
fn read_headers(reader: &Cursor<'_, '_>, at: usize) -> Result<(Headers, usize), ParseStop> {
    let mut headers = Headers::default();
    let mut next = at;
    let (mut rename_from, mut is_git) = (None, false);
    let mut unsplit = None;
    while let Some(line) = reader.line(next)? {
        if line.starts_with("diff --cc ") || line.starts_with("diff --combined ") {
            return Err(merge_diff_error(next));
        }
        if let Some(rest) = line.strip_prefix("diff --git ") {
            if next > at {
                break;
            }
            is_git = true;
            match parse_git_names(rest) {
                Some(names) => headers.names = names,
                None => unsplit = Some(rest),
            }
        } else if are_name_lines(reader, next)? {
            headers.read_names(reader, next)?;
            return Ok((finish_headers(headers, rename_from), next + 2));
        } else if line.starts_with(OLD_FILE_PREFIX) && (is_git || has_two_old_names(reader, next)?)
        {
            return Err(match reader.line(next + 1)? {
                None => {
                    ParseStop::cut_off_error(next, "the line `+++` with the new name is missing")
                }
                Some(_) => ParseStop::malformed_error(
                    next,
                    "The line `---` with the old name is not followed by a line `+++` with the new one. Write each of them once, the one after the other.",
                ),
            });
        } else if !is_git {
            if hunk::parse_hunk_numbers(line).is_some() || line.starts_with("@@") {
                return Err(ParseStop::malformed_error(
                    next,
                    "The hunk belongs to no file. Put the two lines `--- a/PATH` and `+++ b/PATH` before it.",
                ));
            }
            break;
        } else if let Some(mode) =
            mode_after_header(line, &["new mode ", "new file mode ", "deleted file mode "])
        {
            headers.is_new |= line.starts_with("new file");
            headers.is_deleted |= line.starts_with("deleted file");
            if !headers.is_deleted {
                headers.executable = Some(parse_executable_mode(next, mode)?);
            }
        } else if let Some(mode) = mode_after_header(line, &["old mode "]) {
            parse_executable_mode(next, mode)?;
        } else if let Some(from) = line.strip_prefix("rename from ") {
            let from = name_in_header(from);
            if let Some(names) = unsplit.and_then(|rest| parse_git_names_after_old(rest, &from)) {
                headers.names = names;
            }
            rename_from = Some(from);
        } else if let Some(to) = line.strip_prefix("rename to ") {
            headers.renamed = Some((String::new(), name_in_header(to)));
        } else if line.starts_with("copy from ") || line.starts_with("copy to ") {
            return Err(ParseStop::unsupported_error(
                next,
                "Copies are not applied. Send the new file separately.",
            ));
        } else if line.starts_with("Binary files ") || line.starts_with("GIT binary patch") {
            return Err(ParseStop::unsupported_error(
                next,
                "The diff changes a binary file, which is not applied. Leave this file out.",
            ));
        } else if !["index ", "similarity index ", "dissimilarity index "]
            .iter()
            .any(|header| line.starts_with(header))
        {
            break;
        }
        next += 1;
    }
    Ok((finish_headers(headers, rename_from), next))
}

fn finish_headers(mut headers: Headers, rename_from: Option<String>) -> Headers {
    headers.half_renamed = headers.renamed.is_some() != rename_from.is_some();
    headers.renamed = match (headers.renamed, rename_from) {
        (Some((_, to)), Some(from)) => Some((from, to)),
        _ => None,
    };
    headers
}

/// Refuses contradictory headers of one file.
fn refuse_contradiction(at: usize, headers: &Headers) -> Result<(), ParseStop> {
    if headers.half_renamed {
        return Err(ParseStop::malformed_error(
            at,
            "The diff has one of the two lines `rename from` and `rename to`. Write both.",
        ));
    }
    if let Some((_, to)) = &headers.renamed
        && headers.names.new.len() > to.len()
        && headers.names.new.starts_with(to.as_str())
    {
        return Err(ParseStop::cut_off_error(
            at,
            "the new name of a rename is shorter than in the section's first line",
        ));
    }
    let kinds = [
        headers.is_new,
        headers.is_deleted,
        headers.renamed.is_some(),
    ];
    if kinds.iter().filter(|kind| **kind).count() > 1 {
        return Err(ParseStop::malformed_error(
            at,
            "The headers of the diff say more than one of a file: that it is new, deleted or renamed. Write one section for each change.",
        ));
    }
    Ok(())
}

fn mode_after_header<'t>(line: &'t str, headers: &[&str]) -> Option<&'t str> {
    headers
        .iter()
        .find_map(|header| line.strip_prefix(header))
        .map(str::trim)
}

/// Returns whether a git mode is that of an executable file. Symbolic links and submodules are refused.
fn parse_executable_mode(at: usize, mode: &str) -> Result<bool, ParseStop> {
    match mode {
        "100644" | "100664" | "100600" => Ok(false),
        "100755" => Ok(true),
        _ => Err(ParseStop::unsupported_error(
            at,
            format!("The mode {mode} is that of a link or a submodule, which are not applied."),
        )),
    }
}

/// Returns the file that a section is about.
fn chosen_name(reader: &Cursor<'_, '_>, at: usize, headers: &Headers) -> Result<String, ParseStop> {
    let SectionNames { old, new } = &headers.names;
    let named = if let Some((from, _)) = &headers.renamed {
        from
    } else if headers.is_new {
        new
    } else if headers.is_deleted || old == new {
        old
    } else {
        let is_known = reader.options.is_known;
        match (is_known(old), is_known(new)) {
            (true, true) => {
                return Err(ParseStop::malformed_error(
                    at,
                    format!(
                        "The diff names {old} and {new}, both are there, and no line says that the one becomes the other. Name one file on both lines, or add rename lines."
                    ),
                ));
            }
            (false, true) => new,
            _ => old,
        }
    };
    if named.is_empty() || named == "/dev/null" {
        return Err(ParseStop::malformed_error(
            at,
            "The diff names no file. Put the two lines `--- a/PATH` and `+++ b/PATH` before its first hunk.",
        ));
    }
    Ok(named.clone())
}
