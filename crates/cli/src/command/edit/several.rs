//! `lancet edit` of several files, or by a regular expression: one change of all files, with one question and one undo
//! step.

mod files;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::slice::Chunks;
use std::sync::Arc;

use lancet::doors::{
    CaseMatching, DotMatching, MatchBoundary, MatchSpan, MatchedFiles, Pattern, PatternOptions,
    Substitution, escape_regex,
};
use lancet::request::{EditRequest, FileRequest, Request};
use lancet::{Cancel, RefusalKind, Reply, Session};

use crate::answer::{OutputFormat, Presentation, print_reply};
use crate::arguments::EditArguments;
use crate::command::recording::{Reversal, prove_change};
use crate::command::session_named_or_new;
use crate::failure::{Exit, Failure};
use crate::fault::{begin_call, caller};
use crate::guard;
use crate::surroundings::{Surroundings, as_text};
use crate::terminal::{ElapsedTimeLine, TerminalApprover, escape_line_for_terminal, print_error};

pub(in crate::command) use files::is_glob;
use files::{Candidate, expand_candidates, open_with_roots_of};

/// The most files that one command changes: each occupies a handle until the change is made.
const MAX_FILES: usize = 400;
/// How many files a message names.
const MAX_NAMED_FILES: usize = 5;
/// How often the files are searched again after one of them changed.
const MAX_ATTEMPTS: usize = 20;

/// The text or pattern to replace.
#[derive(Clone, Copy, Debug)]
pub(super) enum SearchTarget<'a> {
    /// This text, once in each file.
    Text(&'a str),
    /// This text, wherever it is.
    EveryText(&'a str),
    /// The matches of this regular expression.
    Matches(&'a str),
}

/// Runs `lancet edit` of several files.
pub(super) fn run(
    arguments: &EditArguments,
    wanted: SearchTarget<'_>,
    new: &str,
    around: &Surroundings,
) -> Result<Exit, Failure> {
    if arguments.writing.revision.is_some() {
        return Err(Failure::usage(
            "--revision goes with --old and one file; leave it out",
        ));
    }
    let substitution = Arc::new(compile_substitution(arguments, wanted, new)?);
    let consent = guard::consent_from_flags(
        arguments.writing.yes,
        arguments.writing.yes_protected,
        &arguments.common.place,
        around,
    )?;
    let approver = TerminalApprover::new(consent, around);
    if arguments.interactive {
        approver.begin_with_choice();
    }
    let lancet = open_with_roots_of(arguments, &approver, around)?;
    let files = expand_candidates(arguments, &lancet, around)?;
    let session = session_named_or_new(&lancet, arguments.common.session.as_ref());
    // A preview may be printed in parts.
    let working = (!arguments.writing.diff).then(|| ElapsedTimeLine::begin("editing"));
    let print_part = |reply: &Reply| {
        print_reply(
            reply,
            OutputFormat::from_json_flag(arguments.common.json),
            Presentation::Change(&approver),
            around,
        )
    };
    let reply = replace_matches(
        arguments,
        wanted,
        &session,
        &files,
        &substitution,
        around,
        &print_part,
    )?;
    drop(working);
    let exit = print_part(&reply)?;
    let place = &arguments.common.place;
    prove_change(
        &arguments.proof,
        &reply,
        Reversal::Undo,
        place,
        exit,
        around,
    )
}

fn compile_substitution(
    arguments: &EditArguments,
    wanted: SearchTarget<'_>,
    new: &str,
) -> Result<Substitution, Failure> {
    let new = new.replace("\r\n", "\n");
    let options = |span| PatternOptions {
        case: match arguments.ignore_case {
            true => CaseMatching::Insensitive,
            false => CaseMatching::Sensitive,
        },
        span,
        dot: DotMatching::WithinLine,
        boundary: match arguments.word_regexp {
            true => MatchBoundary::Word,
            false => MatchBoundary::None,
        },
    };
    match wanted {
        SearchTarget::Text("") | SearchTarget::EveryText("") => Err(Failure::usage(
            "the old text is empty, which creates one file; name one file",
        )),
        SearchTarget::Text(old) | SearchTarget::EveryText(old) => {
            let expression = escape_regex(&old.replace("\r\n", "\n"));
            let pattern = Pattern::with_options(&expression, options(MatchSpan::MultiLine))
                .map_err(|error| Failure::usage(error.words))?;
            Ok(Substitution::literal(pattern, &new))
        }
        SearchTarget::Matches(expression) => {
            let span = match arguments.multiline {
                true => MatchSpan::MultiLine,
                false => MatchSpan::SingleLine,
            };
            let pattern = Pattern::with_options(expression, options(span)).map_err(|error| {
                Failure::usage(match error.spans_lines {
                    true => {
                        "the pattern has a line end, and a match stays on one line; use -U to match across lines"
                            .to_owned()
                    }
                    false => format!(
                        "--regex: {}\nTo replace it as it is, use --old.",
                        error.words.trim_end()
                    ),
                })
            })?;
            if !arguments.writing.insist {
                refuse_foreign_escape(&new)?;
            }
            Substitution::new(pattern, &new)
                .map_err(|error| Failure::usage(format!("--new: {error}")))
        }
    }
}

/// Refuses a new text with an escape of sed or Python, which would be written as it is.
fn refuse_foreign_escape(new: &str) -> Result<(), Failure> {
    let mut letters = new.chars();
    while let Some(letter) = letters.next() {
        if letter != '\\' {
            continue;
        }
        let advice = match letters.next() {
            Some(digit @ '0'..='9') => {
                format!(
                    "--new: \\{digit} would be written as it is; a group is ${digit} or ${{{digit}}}"
                )
            }
            Some(mark @ ('n' | 'r' | 't')) => format!(
                "--new: \\{mark} would be written as it is; type the character itself (in bash $'\\{mark}'), or take the text from a file with --new-file"
            ),
            _ => continue,
        };
        return Err(Failure::usage(format!(
            "{advice}. With --insist it is written as it is."
        )));
    }
    Ok(())
}

/// A file, and the number of its matches.
type MatchedFile = (PathBuf, usize);

/// Splits the files of a preview into parts of as many as one change has; the last part is separate.
fn split_preview(files: &[MatchedFile]) -> (Chunks<'_, MatchedFile>, &[MatchedFile]) {
    let last = files.len().saturating_sub(1) / MAX_FILES * MAX_FILES;
    let (first, last) = files.split_at(last);
    (first.chunks(MAX_FILES), last)
}

/// Makes the request for some of the files.
fn new_request(
    arguments: &EditArguments,
    files: &[MatchedFile],
    substitution: &Arc<Substitution>,
) -> Result<Request, Failure> {
    let mut requests = Vec::with_capacity(files.len());
    for (path, number) in files {
        let mut edit = EditRequest::matches(Arc::clone(substitution));
        edit.expect_count = Some(*number as u64);
        requests.push(FileRequest::edit(as_text(path)?, vec![edit]));
    }
    let mut request = Request::new(requests);
    request.insist = true.into();
    request.dry_run = arguments.writing.diff.into();
    Ok(request)
}

/// Changes the files. In a named session they must have been read there, as with one file.
fn run_edit(
    arguments: &EditArguments,
    session: &Session,
    request: Request,
    cancel: &Cancel,
) -> Reply {
    match arguments.common.session {
        Some(_) => session.run_session_command("Edit", request, caller(), cancel.clone()),
        None => session.run_command("Edit", request, caller(), cancel.clone()),
    }
}

/// Searches the files and changes those that have a match. It starts over if a file changed in between. A preview of more
/// files than one change may have is made in parts, all but the last of which are passed to `print_part`.
fn replace_matches(
    arguments: &EditArguments,
    wanted: SearchTarget<'_>,
    session: &Session,
    files: &[Candidate],
    substitution: &Arc<Substitution>,
    around: &Surroundings,
    print_part: &dyn Fn(&Reply) -> Result<Exit, Failure>,
) -> Result<Reply, Failure> {
    let cancel = begin_call();
    let mut last: Option<(Vec<(PathBuf, usize)>, Reply)> = None;
    for look in 0..MAX_ATTEMPTS {
        let paths = files.iter().map(|file| file.path.as_path());
        let matched = MatchedFiles::find(session, paths, substitution);
        if let Some((_, reply)) = last.take_if(|(files, _)| *files == matched.files) {
            // The files have not changed since the last attempt, so no other program is the cause.
            return Ok(reply);
        }
        if look == 0 {
            report_skipped(&matched, files, around)?;
        }
        check_matches(arguments, wanted, &matched, around)?;
        let (first, last_part) = split_preview(&matched.files);
        for part in first {
            let request = new_request(arguments, part, substitution)?;
            let reply = run_edit(arguments, session, request, &cancel);
            if reply.refusal().is_some() {
                return Ok(reply);
            }
            print_part(&reply)?;
        }
        let request = new_request(arguments, last_part, substitution)?;
        let reply = run_edit(arguments, session, request, &cancel);
        match reply.refusal() {
            Some(RefusalKind::NotFound | RefusalKind::Count) => last = Some((matched.files, reply)),
            _ => return Ok(reply),
        }
    }
    let changing = || Failure::refused("the files keep changing; nothing was written");
    last.map(|(_, reply)| reply).ok_or_else(changing)
}

/// Reports which files are left out. A file that was typed by its name is never left out.
fn report_skipped(
    matched: &MatchedFiles,
    files: &[Candidate],
    around: &Surroundings,
) -> Result<(), Failure> {
    let is_named = |path: &Path| files.iter().any(|file| file.is_named && file.path == path);
    if let Some((_, refusal)) = matched.skipped.iter().find(|(path, _)| is_named(path)) {
        return Err(Failure::refused(refusal.text().trim_end()));
    }
    for (path, refusal) in matched.skipped.iter().take(MAX_NAMED_FILES) {
        let kind = refusal.kind().name().replace('_', " ");
        let path = display_path(path, around);
        print_error(&format!("lancet: skipped {path} ({kind})\n"));
    }
    match matched.skipped.len().saturating_sub(MAX_NAMED_FILES) {
        0 => {}
        more => print_error(&format!("lancet: skipped {more} more\n")),
    }
    Ok(())
}

/// Refuses if there is no match, if there are too many files, or if the number of matches is not the expected one.
fn check_matches(
    arguments: &EditArguments,
    wanted: SearchTarget<'_>,
    matched: &MatchedFiles,
    around: &Surroundings,
) -> Result<(), Failure> {
    let places: usize = matched.files.iter().map(|(_, number)| number).sum();
    let number = matched.files.len();
    if number == 0 {
        let what = match wanted {
            SearchTarget::Text(_) | SearchTarget::EveryText(_) => "the old text",
            SearchTarget::Matches(_) => "the pattern",
        };
        let place = match matched.searched {
            1 => "the file".to_owned(),
            searched => format!("{searched} files"),
        };
        return Err(Failure::refused(format!(
            "no match: {what} was not found in {place}, or the new text is the same; nothing was written"
        )));
    }
    // A preview as JSON is one object.
    let is_limited = !arguments.writing.diff || arguments.common.json;
    if number > MAX_FILES && is_limited {
        let fewer = match largest_part(&matched.files, around) {
            Some((folder, files)) => format!(
                ", for example '{}/**' ({files} of them)",
                escape_line_for_terminal(&folder)
            ),
            None => String::new(),
        };
        return Err(Failure::refused(format!(
            "{number} files have a match, and one command changes at most {MAX_FILES}; nothing was written. `--diff` shows all of them; to change them, name fewer files{fewer}."
        )));
    }
    if let Some(expected) = arguments.expect_count
        && expected != places as u64
    {
        return Err(Failure::refused(format!(
            "there are {places} places, not {expected} as --expect-count says; nothing was written"
        )));
    }
    let repeated = matched.files.iter().find(|(_, number)| *number > 1);
    if let (SearchTarget::Text(_), Some((path, number)), false) =
        (wanted, repeated, arguments.replace_all)
    {
        return Err(Failure::refused(format!(
            "{} has the old text at {number} places; nothing was written. Use --replace-all for all of them, or a longer --old.",
            display_path(path, around)
        )));
    }
    Ok(())
}

/// Returns the folder below the working folder with the most of these files that one command may change, and their
/// number.
fn largest_part(files: &[(PathBuf, usize)], around: &Surroundings) -> Option<(String, usize)> {
    let mut folders: BTreeMap<String, usize> = BTreeMap::new();
    for (path, _) in files {
        let name = around.relative(path);
        for (at, _) in name.match_indices('/').filter(|(at, _)| *at > 0) {
            *folders.entry(name[..at].to_owned()).or_default() += 1;
        }
    }
    let fitting = folders.into_iter().filter(|(_, files)| *files <= MAX_FILES);
    fitting.max_by_key(|(folder, files)| (*files, std::cmp::Reverse(folder.len())))
}

/// Returns a path as a person types it.
fn display_path(path: &Path, around: &Surroundings) -> String {
    escape_line_for_terminal(&around.relative(path)).into_owned()
}
