//! locate: a path as given becomes a file below a root. What is outside, denied or spelled in a way that no file can
//! have ends here; what kind of thing stands there is told, not judged.

mod twins;

use std::path::{Path, PathBuf};

use lancet_workspace::{LocateError, Located};

use crate::engine::Inner;
use crate::protected::{self, Verdict};
use crate::refusal::{Kind, Refusal};
use crate::wording::{QuotedPath, names, quote_path};

/// What the caller wants to do with the file: some files may be written but not shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Intent {
    /// Its text is shown: Read, and tools whose answers quote lines.
    Show,
    /// Its text is replaced without being shown.
    Replace,
}

/// A located path.
pub(crate) struct Target {
    /// The file, folder or free name.
    pub(crate) located: Located,
    /// The path as the caller gave it.
    pub(crate) given: QuotedPath,
    /// What the answer says about how the path was read.
    pub(crate) notices: Vec<String>,
    /// Whether its name, or its target's name, is a protected or secret one.
    pub(crate) verdict: Option<Verdict>,
}

impl Target {
    /// The file as opened.
    pub(crate) fn path(&self) -> &Path {
        self.located.path()
    }

    /// Whether it is a file whose text is not shown.
    pub(crate) fn is_secret(&self) -> bool {
        matches!(self.verdict, Some(Verdict::Secret { .. }))
    }
}

/// Finds the file that a path means.
pub(crate) fn locate(engine: &Inner, given: &str, intent: Intent) -> Result<Target, Refusal> {
    let mut notices = Vec::new();
    let path = absolute(engine, given, &mut notices)?;
    let given = quote_path(Path::new(given));
    let located = match intent {
        // A name that is to be made is taken as it is spelled.
        Intent::Replace => engine.workspace.locate_as_spelled(&path),
        Intent::Show => engine.workspace.locate(&path),
    };
    let located = located.map_err(|error| refuse(engine, &given, &path, &error))?;
    if located.respelled() {
        notices.push(format!(
            "opened {}, whose name differs from the one given only in its form",
            quote_path(located.path())
        ));
    }
    refuse_unshown(engine, &given, located.path())?;
    let named = judge(engine, &path);
    let opened = (located.path() != path)
        .then(|| judge(engine, located.path()))
        .flatten();
    let verdict = stricter(stricter(named, opened), twins::judge(engine, &located));
    if intent == Intent::Show
        && let Some(Verdict::Secret { pattern }) = &verdict
    {
        let told = matches!(judge(engine, &path), Some(Verdict::Secret { .. }))
            .then_some(pattern.as_str());
        return Err(secret(&given, told));
    }
    Ok(Target {
        located,
        given,
        notices,
        verdict,
    })
}

/// Of two verdicts on one file the stricter: a secret file is not even shown.
fn stricter(one: Option<Verdict>, other: Option<Verdict>) -> Option<Verdict> {
    match (&one, &other) {
        (Some(Verdict::Secret { .. }), _) | (_, None) => one,
        _ => other,
    }
}

/// The refusal for a secret file. What it is called is told only where the caller has named it.
fn secret(given: &QuotedPath, pattern: Option<&str>) -> Refusal {
    let matches = pattern
        .map(|pattern| format!(" (it matches `{pattern}`)"))
        .unwrap_or_default();
    let text = format!(
        "{given} is a secret file{matches}: its text is not shown. Work without it, or ask the user for the part that is needed."
    );
    Refusal::new(Kind::Denied, text).with("file_path", given)
}

/// Refuses lancet's own state folder, and the places where opening a file is more than reading one.
fn refuse_unshown(engine: &Inner, given: &QuotedPath, opened: &Path) -> Result<(), Refusal> {
    if is_state(engine, opened) {
        let text = format!(
            "{given} is in lancet's own state folder, which no tool shows or changes. Leave it alone."
        );
        return Err(Refusal::new(Kind::Denied, text).with("file_path", given));
    }
    let parts: Vec<_> = opened.iter().filter_map(|part| part.to_str()).collect();
    if matches!(
        parts[..],
        ["/", "dev", _] | ["/", "proc", _, "fd", ..] | ["/", "proc", _, "task", _, "fd", ..]
    ) {
        let text = format!(
            "{given} is a device or an open file of a process, not a regular file. Name a regular file."
        );
        return Err(Refusal::new(Kind::Special, text).with("file_path", given));
    }
    Ok(())
}

/// Whether a path is at or below lancet's own state folder.
fn is_state(engine: &Inner, path: &Path) -> bool {
    engine
        .state_folder()
        .is_some_and(|state| path.starts_with(state))
}

/// Whether a path's name is a protected or secret one, judged from its root down where it is below one.
pub(crate) fn judge(engine: &Inner, path: &Path) -> Option<Verdict> {
    let below = engine
        .workspace
        .roots()
        .iter()
        .find_map(|root| path.strip_prefix(root).ok())
        .unwrap_or(path);
    protected::judge(below)
}

/// The path as an absolute one: `~` expanded, a relative one taken from the first root.
fn absolute(engine: &Inner, given: &str, notices: &mut Vec<String>) -> Result<PathBuf, Refusal> {
    if given.is_empty() {
        return Err(Refusal::new(
            Kind::Invalid,
            "file_path is empty. Send the absolute path of a file.",
        ));
    }
    if given.starts_with("\\\\") || given.starts_with("//") {
        let text = format!(
            "{} is a network path, which is not touched. Use a path below {}.",
            quote_path(Path::new(given)),
            names(engine.workspace.roots())
        );
        return Err(Refusal::new(Kind::Outside, text).with("file_path", given));
    }
    if let Some(home) = &engine.home
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
    notices.push(format!(
        "{} is a relative path; it was taken from {}",
        quote_path(path),
        quote_path(root)
    ));
    Ok(root.join(path))
}

fn refuse(engine: &Inner, given: &QuotedPath, path: &Path, error: &LocateError) -> Refusal {
    let roots = engine.workspace.roots();
    if let LocateError::NotADirectory { at } = error
        && is_hidden(engine, at)
    {
        return secret(given, None);
    }
    let refusal = match error {
        LocateError::Outside => {
            let mut text = format!(
                "{given} is outside the roots. Use a path below {}.",
                names(roots)
            );
            if let Some(tail) = same_tail(engine, path) {
                text.push_str(&format!(" The same name stands at {}.", quote_path(&tail)));
            }
            Refusal::new(Kind::Outside, text)
        }
        LocateError::NotADirectory { at } => Refusal::new(
            Kind::Special,
            format!(
                "{given} leads through {}, which is a file, not a folder. Name a path whose folders are folders.",
                quote_path(at)
            ),
        ),
        LocateError::TooManyLinks => Refusal::new(
            Kind::Special,
            format!("{given} is a chain of links without end. Name the file itself."),
        ),
        LocateError::BadName(why) => Refusal::new(
            Kind::Invalid,
            format!("{given:?} is no path of a file: {why}. Send a plain absolute path."),
        ),
        LocateError::Io(error) => Refusal::new(
            Kind::Io,
            format!("The system would not open {given}: {error}. Nothing was changed."),
        ),
    };
    refusal.with("file_path", given)
}

/// The same tail of the path below a root, unless its name is one that is not told.
pub(crate) fn same_tail(engine: &Inner, path: &Path) -> Option<PathBuf> {
    engine
        .workspace
        .find_tail(path)
        .filter(|tail| !is_hidden(engine, tail))
}

/// Whether a name is told to no one: that of a secret file, and what is in lancet's own state folder.
pub(crate) fn is_hidden(engine: &Inner, path: &Path) -> bool {
    matches!(judge(engine, path), Some(Verdict::Secret { .. })) || is_state(engine, path)
}

/// The path of a call that was refused, absolute where that can be said.
pub(crate) fn event_path(engine: &Inner, given: &str) -> PathBuf {
    absolute(engine, given, &mut Vec::new()).unwrap_or_else(|_| PathBuf::from(given))
}
