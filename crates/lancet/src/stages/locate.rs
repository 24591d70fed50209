//! The *locate* stage: turns a path as given into a file below a root. Paths that are outside, denied or impossible are
//! refused here; the type of what is there is reported, not judged.

mod given;
mod hard_links;
mod outside_names;
mod refuse;
mod resolve;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use lancet_policy::{Decision, DecisionCause, FileNames, NameKind, Policy, ShownContent};
use lancet_workspace::{FileType, Located};

pub(crate) use self::hard_links::LinkIndex;
pub(crate) use self::refuse::root_moved_refusal;
pub(crate) use self::resolve::is_unmoved;

use self::refuse::{
    denied_refusal, not_relative_refusal, only_for_reading_refusal, read_only_engine_refusal,
    refuse, refuse_state, refuse_unshown,
};
use self::resolve::located_for;
use crate::engine::EngineView;
use crate::message::{Message, message, verbatim};
use crate::refusal::{Refusal, RefusalKind};
use crate::wording::{QuotedPath, join_roots, quote_path};

/// The use that the caller intends for the file: some files may be written but not shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Intent {
    /// The text is shown: Read.
    Show,
    /// The text is changed, and lines of it are shown: Edit and similar tools.
    Edit,
    /// The text is replaced without being shown: Write, undo and restore.
    Replace,
    /// The file leaves its name: text that was read under the old name can be read under another. A link itself is
    /// meant, not its target.
    Leave,
    /// The file gets this name. A link that has the name is in the way, whatever it leads to.
    Take,
    /// An empty folder gets or leaves this name. A link that has the name is meant itself.
    Folder,
    /// The name is given to something once what has it now, or is where its folder was, is gone.
    Freed,
}

impl Intent {
    /// Returns whether lines of a file that is changed are shown; `None` for a file that is only read.
    pub(crate) fn shows(self) -> Option<ShownContent> {
        match self {
            Intent::Show => None,
            Intent::Edit | Intent::Leave => Some(ShownContent::Lines),
            Intent::Replace | Intent::Take | Intent::Folder | Intent::Freed => {
                Some(ShownContent::Nothing)
            }
        }
    }
}

/// Whether the hard links of a file that matter to the policy are known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum HardLinkKnowledge {
    /// The file has no other hard links, or those that matter were found.
    Known,
    /// There were too many entries to check, or a folder could not be listed: a protected name may have been missed.
    Unknown,
    /// All names below the roots are known, and the file has this many others, outside the roots. Counted only for a file
    /// that is to be changed.
    Outside(u64),
}

/// A located path.
pub(crate) struct Target {
    /// The file, folder or free name.
    pub(crate) located: Located,
    /// The path as the caller gave it.
    pub(crate) given: QuotedPath,
    /// The notices about how the path was interpreted.
    pub(crate) notices: Vec<Message>,
    /// Other names of the same file that the policy checks: the path as given, and other hard links.
    others: Vec<PathBuf>,
    /// The intent with which the file was located.
    intent: Intent,
    /// Whether the list of hard links is complete.
    pub(crate) hard_links: HardLinkKnowledge,
    /// Whether another hard link of the file is in a read root.
    reaches_read_root: bool,
    withheld: bool,
}

impl Target {
    /// Returns the file as opened.
    pub(crate) fn path(&self) -> &Path {
        self.located.path()
    }

    /// Returns whether the rules forbid showing the file's text.
    pub(crate) fn is_withheld(&self) -> bool {
        self.withheld
    }

    /// Returns the name for the model: for a withheld file the name that the model itself gave.
    pub(crate) fn display_name(&self) -> QuotedPath {
        match self.withheld {
            true => self.given.clone(),
            false => quote_path(self.path()),
        }
    }

    /// Checks the policy with all names of the file.
    pub(crate) fn with_names<T>(&self, ask: impl FnOnce(FileNames<'_>) -> T) -> T {
        let others: Vec<&Path> = self.others.iter().map(PathBuf::as_path).collect();
        ask(FileNames {
            opened: self.path(),
            others: &others,
            kind: name_kind(&self.located),
        })
    }
}

fn name_kind(located: &Located) -> NameKind {
    match located.kind() {
        FileType::Directory => NameKind::Folder,
        _ => NameKind::File,
    }
}

/// Locates the file that a path means, and refuses it where the policy denies access.
pub(crate) fn locate(engine: &EngineView, given: &str, intent: Intent) -> Result<Target, Refusal> {
    let policy = engine.permissions.policy();
    let target = locate_unchecked(engine, &policy, given, intent)?;
    permitted(engine, &policy, target, intent)
}

/// Does the same for a path from the history, which is absolute and may not be UTF-8.
pub(crate) fn locate_recorded(
    engine: &EngineView,
    path: &Path,
    intent: Intent,
) -> Result<Target, Refusal> {
    let policy = engine.permissions.policy();
    let target = find_path(
        engine,
        &policy,
        path.to_path_buf(),
        quote_path(path),
        intent,
    )?;
    permitted(engine, &policy, target, intent)
}

/// Refuses a target where the policy denies access.
fn permitted(
    engine: &EngineView,
    policy: &Arc<Policy>,
    mut target: Target,
    intent: Intent,
) -> Result<Target, Refusal> {
    let reading = target.with_names(|names| policy.may_read_names(names));
    let refused = match intent.shows() {
        None => Some(reading.clone()).filter(Decision::is_denied),
        Some(shows) => denied_writing(policy, &target, shows),
    };
    target.withheld = reading.is_denied();
    let for_reading = target.reaches_read_root || !engine.is_writable(target.path());
    if intent != Intent::Show && refused.is_none() {
        if for_reading {
            return Err(only_for_reading_refusal(&target.given));
        }
        if let Some(scope) = engine.forbidding_scope(target.path()) {
            return Err(read_only_engine_refusal(&target.given, scope));
        }
    }
    match refused {
        Some(decision) => Err(denied_refusal(engine, policy, &target, &decision, intent)),
        None => Ok(target),
    }
}

/// Locates the file that a path means, without checking the policy.
pub(crate) fn locate_unchecked(
    engine: &EngineView,
    policy: &Arc<Policy>,
    given: &str,
    intent: Intent,
) -> Result<Target, Refusal> {
    let mut notices = Vec::new();
    let path = absolute_path(engine, given, &mut notices)?;
    let meant = given::foreign_path(given);
    let given = quote_path(Path::new(given));
    if let Some(meant) = meant
        && !located_for(engine, &path, intent).is_ok_and(|found| may_mention(engine, &found))
    {
        return Err(not_relative_refusal(engine, &given, meant));
    }
    let mut target = find_path(engine, policy, path, given, intent)?;
    notices.append(&mut target.notices);
    target.notices = notices;
    Ok(target)
}

/// Locates the file at an absolute path, without checking the policy.
fn find_path(
    engine: &EngineView,
    policy: &Arc<Policy>,
    path: PathBuf,
    given: QuotedPath,
    intent: Intent,
) -> Result<Target, Refusal> {
    let mut notices = Vec::new();
    let located = located_for(engine, &path, intent);
    let located = located.map_err(|error| refuse(engine, &given, &path, &error))?;
    if located.is_respelled() {
        notices.push(message!(
            "opened {}, whose name differs from the one given only in its form",
            quote_path(located.path())
        ));
    }
    refuse_unshown(engine, &given, located.path())?;
    let target = with_names(engine, policy, located, path, intent);
    let Some(target) = target else {
        return Err(refuse_state(&given));
    };
    if let HardLinkKnowledge::Outside(names) = target.hard_links {
        notices.push(message!(
            "this file also has {}: what is written here is written there, too",
            verbatim(describe_outside_names(names))
        ));
    }
    Ok(Target {
        given,
        notices,
        ..target
    })
}

/// Describes how many names a file has outside the roots.
pub(crate) fn describe_outside_names(names: u64) -> String {
    match names {
        1 => "a name outside the roots (a hard link)".to_owned(),
        _ => format!("{names} names outside the roots (hard links)"),
    }
}

/// Adds all names of a located file that the policy checks; none where the file belongs to lancet's own state folder.
fn with_names(
    engine: &EngineView,
    policy: &Arc<Policy>,
    located: Located,
    path: PathBuf,
    intent: Intent,
) -> Option<Target> {
    let mut others = Vec::new();
    let index = LinkIndex::new(engine, Arc::clone(policy));
    if index.is_of_state_folder(&located) {
        return None;
    }
    let mut hard_links = index.names_of(&located, &mut others);
    // A name that is removed or moved changes nothing under the other names.
    if hard_links == HardLinkKnowledge::Known && matches!(intent, Intent::Edit | Intent::Replace) {
        hard_links = match outside_names::count_outside_names(engine, &located) {
            0 => HardLinkKnowledge::Known,
            names => HardLinkKnowledge::Outside(names),
        };
    }
    let reaches_read_root = others
        .iter()
        .any(|hard_link| policy.is_in_read_root(hard_link));
    let given = quote_path(&path);
    for name in given::possible_paths(path) {
        if name != located.path() {
            others.push(name);
        }
    }
    Some(Target {
        located,
        given,
        notices: Vec::new(),
        others,
        intent,
        hard_links,
        reaches_read_root,
        withheld: false,
    })
}

/// Returns the decision that denies writing, except for the mode's, which *approve* reports.
fn denied_writing<'p>(
    policy: &'p Policy,
    target: &Target,
    shows: ShownContent,
) -> Option<Decision<'p>> {
    let decision = target.with_names(|names| policy.may_write(names, shows));
    let by_mode = matches!(decision.cause, DecisionCause::Mode(_));
    (decision.is_denied() && !by_mode).then_some(decision)
}

/// Returns whether a path is at or below lancet's own state folder.
pub(crate) fn is_in_state_folder(engine: &EngineView, path: &Path) -> bool {
    engine
        .base()
        .state_folder()
        .is_some_and(|state| lancet_policy::is_within(path, state))
}

/// Makes the path absolute: `~` is expanded, a relative path starts at the first root.
fn absolute_path(
    engine: &EngineView,
    given: &str,
    notices: &mut Vec<Message>,
) -> Result<PathBuf, Refusal> {
    if given.is_empty() {
        return Err(Refusal::from_message(
            RefusalKind::Invalid,
            "file_path is empty. Send the absolute path of a file.",
        ));
    }
    if given.starts_with("\\\\") || given.starts_with("//") {
        let text = message!(
            "{} is a network path, which is not touched. Use a path below {}.",
            quote_path(Path::new(given)),
            join_roots(engine.roots())
        );
        return Err(
            Refusal::from_message(RefusalKind::Outside, text).with_field("file_path", given)
        );
    }
    if let Some(home) = engine.base().home()
        && let Some(rest) = given.strip_prefix('~')
        && (rest.is_empty() || rest.starts_with('/'))
    {
        return Ok(home.join(rest.trim_start_matches('/')));
    }
    let path = Path::new(given);
    if path.is_absolute() {
        return Ok(path.to_path_buf());
    }
    let root = &engine.workspace.roots()[0];
    notices.push(message!(
        "{} is a relative path; it was taken from {}",
        quote_path(path),
        quote_path(root)
    ));
    Ok(root.join(path))
}

/// Returns whether there is a file whose name may be mentioned.
fn may_mention(engine: &EngineView, located: &Located) -> bool {
    !matches!(located.kind(), FileType::Missing) && !is_hidden(engine, located.path())
}

/// Finds the same trailing part of the path below a root, unless the name may not be mentioned.
pub(crate) fn find_same_tail(engine: &EngineView, path: &Path) -> Option<PathBuf> {
    engine
        .workspace
        .find_tail(path)
        .filter(|tail| !is_hidden(engine, tail))
}

/// Returns whether a name may not be mentioned: that of a file that may not be read, or in lancet's own state folder.
pub(crate) fn is_hidden(engine: &EngineView, path: &Path) -> bool {
    let policy = engine.permissions.policy();
    let denied = |kind| policy.may_read(path, kind).is_denied();
    denied(NameKind::File) || denied(NameKind::Folder) || is_in_state_folder(engine, path)
}

/// Returns the path of a refused call for the event, absolute where possible.
pub(crate) fn event_path(engine: &EngineView, given: &str) -> PathBuf {
    absolute_path(engine, given, &mut Vec::new()).unwrap_or_else(|_| PathBuf::from(given))
}

/// Returns whether a path as given leads to a file or folder that may be mentioned.
pub(crate) fn exists(engine: &EngineView, given: &str) -> bool {
    let Ok(path) = absolute_path(engine, given, &mut Vec::new()) else {
        return false;
    };
    let located = engine.workspace.locate(&path);
    located.is_ok_and(|located| may_mention(engine, &located))
}
