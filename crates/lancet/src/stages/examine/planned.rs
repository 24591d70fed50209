//! Plans of language servers: a server is queried with the texts on the disk, and its plan becomes edits of exactly
//! these versions. Every file passes the checks of any other change, and some more, because the caller may not know
//! that the plan changes it.

mod words;

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use lancet_language::{FileTexts, MOST_PLANNED_FILES, PlannedEdits, PlannedFile, TextNotAllowed};
use lancet_workspace::{FileType, ReadError, Snapshot};

use super::search;
use crate::arguments::GrepArguments;
use crate::ledger::raw_range;
use crate::message::{Message, message, verbatim};
use crate::refusal::{Refusal, RefusalKind};
use crate::request::{EditRequest, Place, PlannedPlaces, PlannedRole, Search};
use crate::stages::approve::is_protected;
use crate::stages::context::CallContext;
use crate::stages::locate::{Intent, Target, locate};
use crate::stages::open::{MAX_IN_MEMORY_SIZE, decode, require_file};
use crate::stages::server_text::server_text;

pub(super) use words::{
    Purpose, no_plan_refusal, no_servers_refusal, reason_for_move_without_plan,
};

/// The most files containing the name that are searched for, including those outside the server's folders.
const MAX_SEARCHED_FILES: u64 = 300;

/// The texts of files on the disk, while a server is queried.
pub(super) struct DiskTexts<'c> {
    context: &'c CallContext<'c>,
    /// The versions that were handed out last.
    versions: HashMap<PathBuf, Snapshot>,
    /// The name that is about to change.
    word: String,
    /// Whether more files contain it than were sent to the server.
    is_incomplete: bool,
}

impl<'c> DiskTexts<'c> {
    /// Creates the texts for a name that is about to change, in the form in which other files mention it.
    pub(super) fn new(context: &'c CallContext<'c>, word: &str) -> Self {
        Self {
            context,
            versions: HashMap::new(),
            word: word.to_owned(),
            is_incomplete: false,
        }
    }

    /// Returns the sentence that not every file containing the name was sent to the server.
    pub(super) fn incomplete_search_sentence(&self) -> Option<Message> {
        self.is_incomplete.then(|| {
            message!("more files have the word `{}` than were sent to the server ({}); look for what it may have missed with Grep", verbatim(&self.word), MOST_PLANNED_FILES)
        })
    }
}

impl FileTexts for DiskTexts<'_> {
    fn text(&mut self, path: &Path) -> Result<Option<Arc<str>>, TextNotAllowed> {
        let given = path.to_str().ok_or(TextNotAllowed)?;
        let target = locate(self.context.engine(), given, Intent::Show);
        let target = target.map_err(|_| TextNotAllowed)?;
        if matches!(target.located.kind(), FileType::Missing) {
            return Ok(None);
        }
        let snapshot = match target.located.read_snapshot(MAX_IN_MEMORY_SIZE) {
            Ok(snapshot) => snapshot,
            Err(ReadError::Missing) => return Ok(None),
            Err(_) => return Err(TextNotAllowed),
        };
        let text = server_text(&snapshot.bytes).map(Arc::from);
        let text = text.ok_or(TextNotAllowed)?;
        self.versions.insert(path.to_path_buf(), snapshot);
        Ok(Some(text))
    }

    fn files_with_mentions(&mut self, patterns: &[String]) -> Vec<PathBuf> {
        let is_word =
            |one: Option<char>| one.is_some_and(|one| one.is_alphanumeric() || one == '_');
        let border = |one: Option<char>| if is_word(one) { "\\b" } else { "" };
        let pattern = format!(
            "{}{}{}",
            border(self.word.chars().next()),
            search::escape_regex(&self.word),
            border(self.word.chars().next_back())
        );
        let mut arguments = GrepArguments::new(pattern);
        arguments.glob = Some(format!("{{{}}}", patterns.join(",")));
        arguments.head_limit = Some(MAX_SEARCHED_FILES);
        let Ok(found) = search::examine(self.context, &Search::Grep(arguments)) else {
            self.is_incomplete = true;
            return Vec::new();
        };
        self.is_incomplete = found.truncated
            || found.kept.stopped_at.is_some()
            || found.paths.len() > MOST_PLANNED_FILES;
        found.paths.iter().map(Path::to_path_buf).collect()
    }

    fn is_stopped(&self) -> bool {
        self.context.cancel.stopped().is_some()
    }
}

/// The shortest base for the time limit. The settings may allow no wait for problems, but without the server's plan the
/// call cannot be answered at all.
const MIN_WAIT: Duration = Duration::from_millis(200);

/// Returns the deadline for a server: the wait for problems multiplied by `times`.
pub(super) fn deadline(context: &CallContext<'_>, times: u32) -> Instant {
    let wait = Duration::from_millis(context.engine().settings.language.wait);
    Instant::now() + wait.max(MIN_WAIT) * times
}

/// Returns the edits that a plan makes in its files, in the order of the plan. `role` determines the role of each file.
pub(super) fn edits_of_plan(
    context: &CallContext<'_>,
    texts: &DiskTexts<'_>,
    plan: &PlannedEdits,
    purpose: Purpose,
    role: impl Fn(&Path) -> PlannedRole,
) -> Result<Vec<(String, EditRequest)>, Refusal> {
    let mut edits = Vec::new();
    let mut opened: Vec<PathBuf> = Vec::new();
    for file in &plan.files {
        let role = role(&file.path);
        let target = match role {
            PlannedRole::Other => locate_touched_file(context, &file.path, &plan.server, purpose)?,
            PlannedRole::Named => locate_planned(context, &file.path, Intent::Edit)?,
            PlannedRole::Moved => locate_planned(context, &file.path, Intent::Leave)?,
        };
        if opened.iter().any(|other| other == target.path()) {
            return Err(words::repeated_file_refusal(&plan.server, &target, purpose));
        }
        opened.push(target.path().to_path_buf());
        let places = planned_places(context, texts, &target, file)?;
        let edit = EditRequest {
            place: Place::Planned(Arc::new(PlannedPlaces { role, ..places })),
            ..EditRequest::default()
        };
        edits.push((path_text(&file.path)?, edit));
    }
    Ok(edits)
}

fn path_text(path: &Path) -> Result<String, Refusal> {
    let text = path.to_str().map(str::to_owned);
    text.ok_or_else(words::not_text_refusal)
}

fn locate_planned(
    context: &CallContext<'_>,
    path: &Path,
    intent: Intent,
) -> Result<Target, Refusal> {
    locate(context.engine(), &path_text(path)?, intent)
}

/// Locates a file that the caller did not name. One that is outside, denied or protected refuses the whole plan, and a denied
/// one is not named.
pub(super) fn locate_touched_file(
    context: &CallContext<'_>,
    path: &Path,
    server: &str,
    purpose: Purpose,
) -> Result<Target, Refusal> {
    let located = locate_planned(context, path, Intent::Edit).and_then(|target| {
        require_file(context.engine(), &target)?;
        Ok(target)
    });
    let target =
        located.map_err(|refusal| words::untouchable_refusal(refusal, path, server, purpose))?;
    if target.is_withheld() {
        return Err(words::denied_refusal(server, purpose));
    }
    match is_protected(context, &target) {
        true => Err(words::protected_refusal(&target, server, purpose)),
        false => Ok(target),
    }
}

/// Returns the edits of one file as places of its decoded text. Each place must map back to exactly the bytes that were
/// planned.
fn planned_places(
    context: &CallContext<'_>,
    texts: &DiskTexts<'_>,
    target: &Target,
    file: &PlannedFile,
) -> Result<PlannedPlaces, Refusal> {
    let changed = || words::changed_refusal(target);
    let version = texts.versions.get(&file.path).ok_or_else(changed)?;
    if server_text(&version.bytes) != Some(&*file.text) {
        return Err(changed());
    }
    let document = decode(context.engine(), target, &version.bytes)?;
    let is_plain = version.bytes.is_ascii() && !version.bytes.contains(&0);
    if !document.encoding().is_utf8() && !is_plain {
        return Err(words::not_utf8_refusal(target));
    }
    // The byte order mark is not part of the text that servers have.
    let before = version.bytes.len() - file.text.len();
    let mut places: Vec<(std::ops::Range<usize>, String)> = Vec::new();
    for span in &file.spans {
        let bytes = span.range.start + before..span.range.end + before;
        let place = document.view_range(bytes.clone());
        let back = document.raw_range(place.clone());
        if back != bytes {
            return Err(words::inexact_refusal(target));
        }
        match places.last_mut() {
            // Adjacent edits become one place.
            Some((last, text)) if last.end == place.start => {
                last.end = place.end;
                text.push_str(&span.new);
            }
            _ => places.push((place, span.new.clone())),
        }
    }
    Ok(PlannedPlaces {
        revision: version.revision,
        places,
        role: PlannedRole::Other,
    })
}

/// Converts a place of a decoded text to its place in the text that servers have.
pub(super) fn server_range(
    document: &lancet_text::Document<'_>,
    place: std::ops::Range<usize>,
) -> Option<std::ops::Range<usize>> {
    let text = server_text(document.raw())?;
    let before = document.raw().len() - text.len();
    let bytes = raw_range(document, place);
    let (start, end) = (
        usize::try_from(bytes.start).ok()?,
        usize::try_from(bytes.end).ok()?,
    );
    Some(start.max(before) - before..end.checked_sub(before)?)
}

/// Returns the refusal for a call that the caller cancelled.
pub(super) fn stopped_refusal(context: &CallContext<'_>) -> Refusal {
    context.check_time().err().unwrap_or_else(|| {
        let text = "The call was stopped. Nothing was written; send it again.";
        Refusal::from_message(RefusalKind::Timeout, text)
    })
}
