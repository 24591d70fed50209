//! Which of the files found are wanted: by globs with the meaning of ripgrep's `-g`, by type with that of `-t`. Unlike
//! there they only take away: what the ignore rules left out stays out.

use std::path::Path;

use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};
use ignore::types::{Types, TypesBuilder};

use crate::glob::escape_brackets;
use crate::sieve::Sieve;

/// A glob that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{why}")]
pub struct GlobError {
    /// Why, in a few words.
    pub why: String,
}

/// A type that is not known.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown file type {name}")]
pub struct UnknownType {
    /// Its name as given.
    pub name: String,
}

/// The longest glob, in bytes: 2 MB of alternatives took 700 MB before they were refused.
const LONGEST: usize = 32 << 10;

/// The files wanted.
#[derive(Clone, Debug, Default)]
pub struct Filter {
    /// The same globs, from each folder that they may start at.
    globs: Vec<Gitignore>,
    /// Which names they may match.
    sieve: Sieve,
    /// Whether one of them takes files away.
    negated: bool,
    types: Option<Types>,
}

impl Filter {
    /// Takes only files that one of these globs matches, seen from one of these folders; a glob with `!` before it takes
    /// files away.
    pub fn with_globs(mut self, bases: &[&Path], globs: &[&str]) -> Result<Self, GlobError> {
        let mut lines = Vec::new();
        for glob in globs {
            if glob.len() > LONGEST {
                let why = format!("it has over {LONGEST} bytes; send several shorter ones");
                return Err(GlobError { why });
            }
            lines.push(with_files(glob));
            if glob.contains('[') {
                // A name with brackets in it is rarely meant as a class of letters.
                lines.push(with_files(&escape_brackets(glob)));
            }
        }
        self.sieve = Sieve::new(lines.iter().map(String::as_str));
        for base in bases {
            let mut builder = GitignoreBuilder::new(base);
            builder.allow_unclosed_class(false);
            for line in &lines {
                let added = builder.add_line(None, line);
                added.map_err(|error| GlobError { why: words(&error) })?;
            }
            let built = builder.build();
            self.globs
                .push(built.map_err(|error| GlobError { why: words(&error) })?);
        }
        self.negated = self.globs.iter().any(|globs| globs.num_whitelists() > 0);
        Ok(self)
    }

    /// Takes only files of this type.
    pub fn with_type(mut self, name: &str) -> Result<Self, UnknownType> {
        let types = TypesBuilder::new().add_defaults().select(name).build();
        self.types = Some(types.map_err(|_| UnknownType {
            name: name.to_owned(),
        })?);
        Ok(self)
    }

    /// Whether a folder may hold wanted files.
    pub(crate) fn enters(&self, folder: &Path) -> bool {
        !self.negated
            || !self
                .globs
                .iter()
                .any(|globs| globs.matched(folder, true).is_whitelist())
    }

    /// Whether a file is wanted.
    pub fn keeps(&self, file: &Path) -> bool {
        self.keeps_by_glob(file)
            && self
                .types
                .as_ref()
                .is_none_or(|types| types.matched(file, false).is_whitelist())
    }

    fn keeps_by_glob(&self, file: &Path) -> bool {
        if self.globs.is_empty() {
            return true;
        }
        // As in ripgrep's `-g` the sense is turned round: what an ignore file would ignore is wanted.
        let mut wanted = self.globs.iter().all(|globs| globs.num_ignores() == 0);
        if file
            .file_name()
            .is_some_and(|name| !self.sieve.lets(name.as_encoded_bytes(), false))
        {
            return wanted;
        }
        for globs in &self.globs {
            match globs.matched(file, false) {
                Match::Ignore(_) => wanted = true,
                Match::Whitelist(_) => return false,
                Match::None => {}
            }
        }
        wanted
    }
}

/// A folder is named by a slash at its end; its files are meant.
fn with_files(glob: &str) -> String {
    if glob.ends_with('/') && !glob.ends_with("\\/") {
        format!("{glob}**")
    } else {
        glob.to_owned()
    }
}

/// The reason alone, without the glob that the caller knows.
fn words(error: &ignore::Error) -> String {
    match error {
        ignore::Error::Glob { err, .. } => err.clone(),
        other => other.to_string(),
    }
}

/// The names of all types.
pub fn type_names() -> Vec<String> {
    let mut builder = TypesBuilder::new();
    builder.add_defaults();
    builder
        .definitions()
        .iter()
        .map(|definition| definition.name().to_owned())
        .collect()
}
