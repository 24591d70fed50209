//! A path prepared for matching: the part below its root, in the folded forms, computed once.

use std::cell::OnceCell;
use std::path::{Path, PathBuf};

use crate::fold::{self, FoldStrength, FoldedPath};
use crate::sets::Locations;

/// A path prepared for matching.
pub(crate) struct PreparedPath<'p> {
    pub(crate) path: &'p Path,
    /// The index of the outermost root or read root that contains it.
    pub(crate) root: Option<usize>,
    /// The path relative to that root; the whole path if there is none.
    pub(crate) below: &'p Path,
    /// Further roots that contain it, inside the outermost one, with the path relative to each.
    pub(crate) inner: Vec<(usize, &'p Path)>,
    /// The folded forms as a Windows drive reads the path, if they may differ.
    pub(crate) drive: Option<DriveForms>,
    strict: FoldedPath<'p>,
    plain: OnceCell<FoldedPath<'p>>,
    strict_absolute: OnceCell<FoldedPath<'p>>,
    plain_absolute: OnceCell<FoldedPath<'p>>,
}

/// The folded forms of a name on a Windows drive.
pub(crate) struct DriveForms {
    pub(crate) relative: String,
    pub(crate) absolute: String,
}

impl<'p> PreparedPath<'p> {
    pub(crate) fn new(ground: &Locations, path: &'p Path) -> PreparedPath<'p> {
        let mut root = None;
        let mut below = path;
        let mut inner = Vec::new();
        for (at, folder) in ground.roots.iter().chain(&ground.read_roots).enumerate() {
            let Some(rest) = path_below(path, folder) else {
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
        let drive = fold::may_differ_on_windows_drive(path).then(|| DriveForms {
            relative: fold::fold_path(below, FoldStrength::Drive)
                .as_str()
                .to_owned(),
            absolute: fold::fold_path(path, FoldStrength::Drive)
                .as_str()
                .to_owned(),
        });
        PreparedPath {
            path,
            root,
            below,
            inner,
            drive,
            strict: fold::fold_path(below, FoldStrength::Strict),
            plain: OnceCell::new(),
            strict_absolute: OnceCell::new(),
            plain_absolute: OnceCell::new(),
        }
    }

    /// Returns the folded path relative to its root.
    pub(crate) fn relative_form(&self, strength: FoldStrength) -> &FoldedPath<'p> {
        match (strength, &self.strict) {
            // A path of plain letters has the same folded form in both.
            (FoldStrength::Plain, FoldedPath::Long(_)) => self
                .plain
                .get_or_init(|| fold::fold_path(self.below, FoldStrength::Plain)),
            _ => &self.strict,
        }
    }

    /// Returns the folded absolute path.
    pub(crate) fn absolute_form(&self, strength: FoldStrength) -> &FoldedPath<'p> {
        let kept = match strength {
            FoldStrength::Plain => &self.plain_absolute,
            FoldStrength::Strict | FoldStrength::Drive => &self.strict_absolute,
        };
        kept.get_or_init(|| fold::fold_path(self.path, strength))
    }

    /// Returns the folded name of the root folder itself, so that `fish/x` in a root `.config` is recognised as
    /// `.config/fish/x`.
    pub(crate) fn root_name(&self) -> String {
        let root = self.path.ancestors().nth(self.below.iter().count());
        let own = root.and_then(Path::file_name).unwrap_or_default();
        fold::fold_name(&own.to_string_lossy(), FoldStrength::Drive)
    }

    /// Returns the strongly folded forms of the path relative to its root: one, or two if a Windows drive may read it
    /// differently.
    pub(crate) fn strongly_folded_forms(&self) -> impl Iterator<Item = &str> {
        let drive = self.drive.iter().map(|drive| drive.relative.as_str());
        std::iter::once(self.strict.as_str()).chain(drive)
    }
}

/// Returns the path relative to a folder, if it is below it. Compares bytes if the path is normalised, since this is
/// called for every file of a search.
fn path_below<'p>(path: &'p Path, folder: &PathBuf) -> Option<&'p Path> {
    let (text, start) = (path.to_str(), folder.to_str());
    let (Some(text), Some(start)) = (text, start) else {
        return path.strip_prefix(folder).ok();
    };
    match text.strip_prefix(start) {
        Some("") => Some(Path::new("")),
        Some(rest) if rest.starts_with('/') => Some(Path::new(rest.trim_start_matches('/'))),
        Some(rest) if start.ends_with('/') => Some(Path::new(rest)),
        // `/./w/a` is below `/w`, too.
        _ if text.contains("//") || text.contains("/./") => path.strip_prefix(folder).ok(),
        _ => None,
    }
}
