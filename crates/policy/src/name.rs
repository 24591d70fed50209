//! One name of a file, made ready once for all that is asked about it: the part below its root, in the folded forms.

use std::cell::OnceCell;
use std::path::{Path, PathBuf};

use crate::fold::{self, Folded, Strength};
use crate::sets::Ground;

/// A name made ready.
pub(crate) struct Name<'p> {
    pub(crate) path: &'p Path,
    /// The outermost root or read root around it, by number.
    pub(crate) root: Option<usize>,
    /// What follows that root; the whole path where there is none.
    pub(crate) below: &'p Path,
    /// Further roots around it, inside the outermost.
    pub(crate) inner: Vec<(usize, &'p Path)>,
    /// As a Windows drive reads it, where that may differ.
    pub(crate) drive: Option<Drive>,
    strict: Folded<'p>,
    plain: OnceCell<Folded<'p>>,
    strict_absolute: OnceCell<Folded<'p>>,
    plain_absolute: OnceCell<Folded<'p>>,
}

/// The folded forms of a name on a Windows drive.
pub(crate) struct Drive {
    pub(crate) relative: String,
    pub(crate) absolute: String,
}

impl<'p> Name<'p> {
    pub(crate) fn new(ground: &Ground, path: &'p Path) -> Name<'p> {
        let mut root = None;
        let mut below = path;
        let mut inner = Vec::new();
        for (at, folder) in ground.roots.iter().chain(&ground.read_roots).enumerate() {
            let Some(rest) = following(path, folder) else {
                continue;
            };
            match root {
                None => (root, below) = (Some(at), rest),
                Some(known) if rest.as_os_str().len() > below.as_os_str().len() => {
                    inner.push((known, below));
                    (root, below) = (Some(at), rest);
                }
                Some(_) => inner.push((at, rest)),
            }
        }
        let drive = fold::may_be_a_drives(path).then(|| Drive {
            relative: fold::path(below, Strength::Drive).as_str().to_owned(),
            absolute: fold::path(path, Strength::Drive).as_str().to_owned(),
        });
        Name {
            path,
            root,
            below,
            inner,
            drive,
            strict: fold::path(below, Strength::Strict),
            plain: OnceCell::new(),
            strict_absolute: OnceCell::new(),
            plain_absolute: OnceCell::new(),
        }
    }

    /// The part below its root.
    pub(crate) fn relative(&self, strength: Strength) -> &Folded<'p> {
        match (strength, &self.strict) {
            // Plain letters fold to the same in both.
            (Strength::Plain, Folded::Long(_)) => self
                .plain
                .get_or_init(|| fold::path(self.below, Strength::Plain)),
            _ => &self.strict,
        }
    }

    /// The whole path.
    pub(crate) fn absolute(&self, strength: Strength) -> &Folded<'p> {
        let kept = match strength {
            Strength::Plain => &self.plain_absolute,
            Strength::Strict | Strength::Drive => &self.strict_absolute,
        };
        kept.get_or_init(|| fold::path(self.path, strength))
    }

    /// What the root itself is called, folded: `fish/x` in a root `.config` is `.config/fish/x`.
    pub(crate) fn root_name(&self) -> String {
        let root = self.path.ancestors().nth(self.below.iter().count());
        let own = root.and_then(Path::file_name).unwrap_or_default();
        fold::name(&own.to_string_lossy(), Strength::Drive)
    }

    /// The strong forms of the part below its root, one or two.
    pub(crate) fn strong(&self) -> impl Iterator<Item = &str> {
        let drive = self.drive.iter().map(|drive| drive.relative.as_str());
        std::iter::once(self.strict.as_str()).chain(drive)
    }
}

/// What follows a folder in a path. By bytes where the path has no detours: it is asked for every file of a walk.
fn following<'p>(path: &'p Path, folder: &PathBuf) -> Option<&'p Path> {
    let (text, start) = (path.to_str(), folder.to_str());
    let (Some(text), Some(start)) = (text, start) else {
        return path.strip_prefix(folder).ok();
    };
    match text.strip_prefix(start) {
        Some("") => Some(Path::new("")),
        Some(rest) if rest.starts_with('/') => Some(Path::new(rest.trim_start_matches('/'))),
        Some(rest) if start.ends_with('/') => Some(Path::new(rest)),
        // `/./w/a` is below `/w` all the same.
        _ if text.contains("//") || text.contains("/./") => path.strip_prefix(folder).ok(),
        _ => None,
    }
}
