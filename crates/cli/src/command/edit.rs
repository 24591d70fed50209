//! `lancet edit`: replaces text in files with the agents' engine. Without `--session` or `--revision` the files are
//! treated as read.

mod several;

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::json;

use super::instead::RefusalFollowUp;
use super::read_text_file;
use super::recording::{Reversal, prove_change};
use super::writing::{ChangeSetup, ConcurrentChange};
use crate::answer::{OutputFormat, Presentation, print_reply};
use crate::arguments::EditArguments;
use crate::failure::{Exit, Failure};
use crate::fault::call_registered;
use crate::surroundings::Surroundings;
use crate::terminal::{ElapsedTimeLine, escape_line_for_terminal, print_error};

use several::SearchTarget;
pub(super) use several::is_glob;

/// How many folder entries are examined for the extension that a hint names.
const MAX_ENTRIES: usize = 2_000;
const MAX_DEPTH: usize = 3;

/// Runs `lancet edit`.
pub(super) fn run(arguments: &EditArguments, around: &Surroundings) -> Result<Exit, Failure> {
    let is_input = |path: Option<&Path>| path == Some(Path::new("-"));
    let (old_file, new_file) = (arguments.old_file.as_deref(), arguments.new_file.as_deref());
    if is_input(old_file) && is_input(new_file) {
        return Err(Failure::usage(
            "standard input can be the old text or the new one, not both; put one into a file",
        ));
    }
    let new = read_text_argument(arguments.new.as_deref(), new_file, "--new-file", around)?;
    if let Some(folder) = arguments.files.iter().find(|file| {
        let file = around.absolute(file);
        file.is_ok_and(|file| file.is_dir())
    }) {
        let name = folder.to_string_lossy();
        let name = escape_line_for_terminal(name.trim_end_matches('/'));
        let some = match most_frequent_extension(&around.absolute(folder)?) {
            Some(extension) => format!(", or '{name}/**/*.{extension}' for some of them"),
            None => String::new(),
        };
        return Err(Failure::refused(format!(
            "{name} is a folder; name its files by a glob in quotes: '{name}/**'{some}"
        )));
    }
    // A regular expression uses the code for several files even for one, and so does a text that is not found exactly.
    let is_exact = !arguments.ignore_case && !arguments.word_regexp;
    let one = match (&arguments.regex, &arguments.files[..]) {
        (None, [file]) if is_exact && !is_glob(file, around)? => file,
        (Some(text), _) if arguments.fixed_strings => {
            return several::run(arguments, SearchTarget::EveryText(text), &new, around);
        }
        (Some(expression), _) => {
            return several::run(arguments, SearchTarget::Matches(expression), &new, around);
        }
        (None, _) => {
            let old = read_text_argument(arguments.old.as_deref(), old_file, "--old-file", around)?;
            return several::run(arguments, SearchTarget::Text(&old), &new, around);
        }
    };
    let old = read_text_argument(arguments.old.as_deref(), old_file, "--old-file", around)?;
    note_literal_escape(&old, arguments);
    let setup = ChangeSetup::new(
        one,
        &arguments.writing,
        &arguments.common,
        ConcurrentChange::Kept,
        around,
    )?;
    if arguments.interactive {
        setup.approver.begin_with_choice();
    }
    let mut wanted = lancet::tools::EditArguments::new(setup.file_path, old, new);
    wanted.replace_all = arguments.replace_all;
    wanted.expect_count = arguments.expect_count;
    wanted.revision = setup.revision;
    wanted.insist = arguments.writing.insist;
    wanted.dry_run = arguments.writing.diff;
    let working = ElapsedTimeLine::begin("editing");
    let reply = call_registered(&setup.session, "Edit", json!(wanted), setup.applied_by);
    drop(working);
    let output = OutputFormat::from_json_flag(arguments.common.json);
    let presentation = Presentation::Change(&setup.approver);
    let exit = print_reply(&reply, output, presentation, around)?;
    let instead = RefusalFollowUp {
        session: &setup.session,
        approver: &setup.approver,
        applied_by: setup.applied_by,
        output,
        presentation,
        around,
    };
    let exit = instead.offer_edits(&reply)?.unwrap_or(exit);
    prove_change(
        &arguments.proof,
        &reply,
        Reversal::Undo,
        &arguments.common.place,
        exit,
        around,
    )
}

/// Notes that `\n` in the new text is two characters, where the text does not look like code in which it is meant so.
fn note_literal_escape(old: &str, arguments: &EditArguments) {
    if arguments.writing.insist {
        return;
    }
    let new = arguments.new.as_deref().unwrap_or_default();
    let is_code = |text: &str| text.contains(['"', '\'', '`', '\n']);
    let escape = ["\\n", "\\t"]
        .into_iter()
        .find(|escape| new.contains(escape));
    if let Some(escape) = escape.filter(|_| !old.contains('\\') && !is_code(old) && !is_code(new)) {
        print_error(&format!(
            "lancet: --new: {escape} is written as it is; for the character itself type $'{escape}' in bash, or take the text from a file with --new-file\n"
        ));
    }
}

/// Returns the most frequent extension in a folder and the folders in it. The number of entries that are examined is
/// limited.
fn most_frequent_extension(folder: &Path) -> Option<String> {
    let mut left = MAX_ENTRIES;
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    let mut folders = vec![(folder.to_path_buf(), 0)];
    while let Some((folder, depth)) = folders.pop() {
        for entry in std::fs::read_dir(folder).ok().into_iter().flatten() {
            let Some(entry) = entry.ok().filter(|_| left > 0) else {
                break;
            };
            left -= 1;
            let name = entry.file_name();
            let path = Path::new(&name);
            let is_hidden = name.as_encoded_bytes().starts_with(b".");
            let Ok(kind) = entry.file_type() else {
                continue;
            };
            if kind.is_dir() && !is_hidden && depth < MAX_DEPTH {
                folders.push((entry.path(), depth + 1));
            }
            let extension = path.extension().and_then(|extension| extension.to_str());
            if let Some(extension) = extension.filter(|_| kind.is_file() && !is_hidden) {
                *counts.entry(extension.to_owned()).or_default() += 1;
            }
        }
    }
    let most = counts.into_iter().max_by_key(|(_, count)| *count);
    let plain = |extension: &String| extension.bytes().all(|byte| byte.is_ascii_alphanumeric());
    most.map(|(extension, _)| extension).filter(plain)
}

fn read_text_argument(
    given: Option<&str>,
    file: Option<&Path>,
    what: &str,
    around: &Surroundings,
) -> Result<String, Failure> {
    match (given, file) {
        (Some(text), _) => Ok(text.to_owned()),
        (None, Some(file)) => read_text_file(file, what, around),
        // clap requires one of the two, so this is not reached.
        (None, None) => Ok(String::new()),
    }
}
