//! locate: a path as given becomes a file below a root. What is outside, denied or spelled in a way that no file can
//! have ends here; what kind of thing stands there is told, not judged.

use std::path::{Path, PathBuf};

use lancet_workspace::{LocateError, Located};

use crate::engine::Inner;
use crate::protected::{self, Verdict};
use crate::refusal::{Kind, Refusal};
use crate::wording::{names, quote_path};

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
    pub(crate) given: String,
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
}

/// Finds the file that a path means.
pub(crate) fn locate(engine: &Inner, given: &str, intent: Intent) -> Result<Target, Refusal> {
    let mut notices = Vec::new();
    let path = absolute(engine, given, &mut notices)?;
    let located = engine
        .workspace
        .locate(&path)
        .map_err(|error| refuse(engine, given, &path, &error))?;
    if located.respelled() {
        notices.push(format!(
            "opened {}, whose name differs from the one given only in its form",
            quote_path(located.path())
        ));
    }
    let verdict = judge(engine, &path).or_else(|| judge(engine, located.path()));
    if intent == Intent::Show
        && let Some(Verdict::Secret { pattern }) = &verdict
    {
        return Err(Refusal::new(
            Kind::Denied,
            format!("{given} is a secret file (it matches `{pattern}`): its text is not shown. Work without it, or ask the user for the part that is needed."),
        )
        .with("file_path", given));
    }
    Ok(Target {
        located,
        given: given.to_owned(),
        notices,
        verdict,
    })
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
            "{given} is a network path, which is not touched. Use a path below {}.",
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
        "{given} is a relative path; it was taken from {}",
        quote_path(root)
    ));
    Ok(root.join(path))
}

fn refuse(engine: &Inner, given: &str, path: &Path, error: &LocateError) -> Refusal {
    let roots = engine.workspace.roots();
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

/// Whether a name is told to no one: that of a secret file.
pub(crate) fn is_hidden(engine: &Inner, path: &Path) -> bool {
    matches!(judge(engine, path), Some(Verdict::Secret { .. }))
}
