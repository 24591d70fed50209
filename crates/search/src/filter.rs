//! Filters the files of a walk: by globs with the meaning of ripgrep's `-g`, by type with that of `-t`. Unlike
//! ripgrep's, the filters only remove files: a file that the ignore rules left out stays out.

use std::path::{Path, PathBuf};

use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};
use ignore::types::{Types, TypesBuilder};
use lancet_workspace::EntryKind;

use crate::glob::escape_brackets;
use crate::name_key::NameKey;
use crate::name_prefilter::NamePrefilter;

/// A glob that cannot be compiled.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{why}")]
pub struct GlobError {
    /// The reason in a few words, without the glob.
    pub why: String,
}

/// A file type that ripgrep's type list does not have.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown file type {name}")]
pub struct UnknownType {
    /// The name as the caller gave it.
    pub name: String,
}

/// The longest glob in bytes: 2 MB of alternatives took 700 MB of memory before they were refused.
const MAX_GLOB_LENGTH: usize = 32 << 10;

/// Whether a glob must agree in case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum GlobCase {
    Sensitive,
    Insensitive,
}

/// Decides which files of a walk are wanted; the default wants all of them.
#[derive(Clone, Debug, Default)]
pub struct FileFilter {
    /// The globs, compiled once for each folder that they are relative to.
    globs: Vec<Gitignore>,
    /// Rules out most names without running the globs.
    prefilter: NamePrefilter,
    /// Whether a glob is negated, so that folders have to be tested too.
    negated: bool,
    types: Option<Types>,
    /// The wanted extensions, in lower case; if empty, every extension is wanted.
    extensions: Vec<String>,
    /// The start folders, and how many levels below them files are wanted.
    depth: Option<(Vec<PathBuf>, usize)>,
    /// The wanted names, if the globs test only the end of a name or a whole name.
    names: Option<NameKey>,
}

impl FileFilter {
    /// Restricts the filter to files that one of these globs matches relative to one of these folders; a glob that
    /// begins with `!` removes files.
    pub fn with_globs(mut self, bases: &[&Path], globs: &[&str]) -> Result<Self, GlobError> {
        let lines = self.add_globs(bases, globs, GlobCase::Sensitive)?;
        self.names = match globs {
            [glob] => NameKey::from_glob(glob),
            _ => None,
        };
        self.prefilter = NamePrefilter::new(lines.iter().map(String::as_str));
        Ok(self)
    }

    /// Adds globs that ignore case, as ripgrep's `--iglob` does, to those of [`with_globs`](Self::with_globs).
    pub fn with_case_insensitive_globs(
        mut self,
        bases: &[&Path],
        globs: &[&str],
    ) -> Result<Self, GlobError> {
        self.add_globs(bases, globs, GlobCase::Insensitive)?;
        self.names = None;
        self.prefilter = NamePrefilter::passing_all();
        Ok(self)
    }

    /// Adds globs to the filter and returns the patterns that they were compiled from.
    fn add_globs(
        &mut self,
        bases: &[&Path],
        globs: &[&str],
        case: GlobCase,
    ) -> Result<Vec<String>, GlobError> {
        let mut lines = Vec::new();
        for glob in globs {
            if glob.len() > MAX_GLOB_LENGTH {
                let why = format!("it has over {MAX_GLOB_LENGTH} bytes; send several shorter ones");
                return Err(GlobError { why });
            }
            lines.push(extend_glob_to_files(glob));
            if glob.contains('[') {
                // Frameworks name files `[id].tsx`; the brackets are also tried as literal characters.
                lines.push(extend_glob_to_files(&escape_brackets(glob)));
            }
        }
        for base in bases {
            let mut builder = GitignoreBuilder::new(base);
            builder.allow_unclosed_class(false);
            if case == GlobCase::Insensitive {
                builder.case_insensitive(true).map_err(|error| GlobError {
                    why: glob_error_message(&error),
                })?;
            }
            for line in &lines {
                let added = builder.add_line(None, line);
                added.map_err(|error| GlobError {
                    why: glob_error_message(&error),
                })?;
            }
            let built = builder.build();
            self.globs.push(built.map_err(|error| GlobError {
                why: glob_error_message(&error),
            })?);
        }
        self.negated = self.globs.iter().any(|globs| globs.num_whitelists() > 0);
        Ok(lines)
    }

    /// Restricts the filter to files of this type.
    pub fn with_type(self, name: &str) -> Result<Self, UnknownType> {
        self.with_types(&[name], &[])
    }

    /// Restricts the filter to files of some types, as ripgrep's `-t` does, and not of others, as `-T` does.
    pub fn with_types(mut self, of: &[&str], not_of: &[&str]) -> Result<Self, UnknownType> {
        let mut builder = TypesBuilder::new();
        builder.add_defaults();
        for name in of {
            builder.select(name);
        }
        for name in not_of {
            builder.negate(name);
        }
        self.types = Some(builder.build().map_err(|error| UnknownType {
            name: match error {
                ignore::Error::UnrecognizedFileType(name) => name,
                other => other.to_string(),
            },
        })?);
        Ok(self)
    }

    /// Restricts the filter to names that end with a dot and one of these extensions; case does not count.
    #[must_use]
    pub fn with_extensions(mut self, extensions: &[&str]) -> Self {
        self.extensions = extensions
            .iter()
            .map(|extension| extension.trim_start_matches('.').to_ascii_lowercase())
            .collect();
        self
    }

    /// Restricts the filter to files at most this many levels below one of these folders: at 1, only those directly in
    /// it, as ripgrep's `--max-depth` counts.
    #[must_use]
    pub fn with_max_depth(mut self, bases: &[&Path], depth: usize) -> Self {
        let bases = bases.iter().map(|base| base.to_path_buf()).collect();
        self.depth = Some((bases, depth));
        self
    }

    /// Returns whether an entry is within the levels that are wanted; what a folder contains is one level deeper.
    fn is_within_depth(&self, entry: &Path, further: usize) -> bool {
        let Some((bases, depth)) = &self.depth else {
            return true;
        };
        let mut below = bases
            .iter()
            .filter_map(|base| entry.strip_prefix(base).ok());
        below.any(|below| below.components().count() + further <= *depth)
    }

    /// Returns whether every file is wanted.
    pub(crate) fn wants_all(&self) -> bool {
        self.globs.is_empty()
            && self.types.is_none()
            && self.extensions.is_empty()
            && self.depth.is_none()
    }

    /// Returns whether a glob removes files, so that whole folders may not be entered.
    pub(crate) fn is_negated(&self) -> bool {
        self.negated
    }

    /// Returns the names of the wanted files, if the filter tests only the end of a name or a whole name.
    pub(crate) fn name_key(&self) -> Option<NameKey> {
        let names = self.names.clone()?;
        let is_alone = self.types.is_none() && self.extensions.is_empty() && self.depth.is_none();
        is_alone.then_some(names)
    }

    /// Returns whether a folder may contain wanted files: only a negated glob can exclude a whole folder.
    pub(crate) fn may_enter(&self, folder: &Path) -> bool {
        if !self.is_within_depth(folder, 1) {
            return false;
        }
        !self.negated
            || !self
                .globs
                .iter()
                .any(|globs| globs.matched(folder, true).is_whitelist())
    }

    /// Returns whether a file is wanted.
    pub fn wants_file(&self, file: &Path) -> bool {
        self.wants_entry(file, EntryKind::File)
    }

    /// Returns whether a file or folder is wanted.
    pub(crate) fn wants_entry(&self, entry: &Path, kind: EntryKind) -> bool {
        let is_folder = kind == EntryKind::Folder;
        self.is_within_depth(entry, 0)
            && self.matches_globs(entry, is_folder)
            && self.matches_extensions(entry)
            && self
                .types
                .as_ref()
                .is_none_or(|types| !types.matched(entry, is_folder).is_ignore())
    }

    fn matches_extensions(&self, entry: &Path) -> bool {
        let Some(name) = entry.file_name().filter(|_| !self.extensions.is_empty()) else {
            return self.extensions.is_empty();
        };
        let name = name.as_encoded_bytes();
        self.extensions.iter().any(|extension| {
            let dot = name.len().checked_sub(extension.len() + 1);
            dot.is_some_and(|at| {
                name[at] == b'.' && name[at + 1..].eq_ignore_ascii_case(extension.as_bytes())
            })
        })
    }

    fn matches_globs(&self, entry: &Path, is_folder: bool) -> bool {
        if self.globs.is_empty() {
            return true;
        }
        // The globs are compiled as gitignore patterns with the opposite meaning, as ripgrep does for `-g`: an
        // "ignored" file is wanted, and a "whitelisted" one (`!glob`) is not. With negated globs alone every other file
        // is wanted.
        let mut wanted = self.globs.iter().all(|globs| globs.num_ignores() == 0);
        if entry
            .file_name()
            .is_some_and(|name| !self.prefilter.may_match(name.as_encoded_bytes(), is_folder))
        {
            return wanted;
        }
        for globs in &self.globs {
            match globs.matched(entry, is_folder) {
                Match::Ignore(_) => wanted = true,
                Match::Whitelist(_) => return false,
                Match::None => {}
            }
        }
        wanted
    }
}

/// Returns the pattern for a glob. A glob that ends in a slash names a folder and matches all files below it.
fn extend_glob_to_files(glob: &str) -> String {
    if glob.ends_with('/') && !glob.ends_with("\\/") {
        format!("{glob}**")
    } else {
        glob.to_owned()
    }
}

/// Returns the reason why a glob cannot be compiled, without the glob, which the caller knows.
fn glob_error_message(error: &ignore::Error) -> String {
    match error {
        ignore::Error::Glob { err, .. } => err.clone(),
        other => other.to_string(),
    }
}

/// Returns the names of all file types that [`FileFilter::with_type`] accepts.
pub fn type_names() -> Vec<String> {
    type_definitions()
        .into_iter()
        .map(|(name, _)| name)
        .collect()
}

/// Returns the file types with their globs, sorted by name.
pub fn type_definitions() -> Vec<(String, Vec<String>)> {
    let mut builder = TypesBuilder::new();
    builder.add_defaults();
    let definitions = builder.definitions();
    definitions
        .iter()
        .map(|definition| (definition.name().to_owned(), definition.globs().to_vec()))
        .collect()
}
