//! Whole files as resources, for a person who picks a file in their agent, not for the model's tools. Reading one does
//! not count as seen. A file that may not be read is answered like one that does not exist.

use std::path::{Path, PathBuf};
use std::time::Duration;

use lancet_workspace::FileType;
use serde_json::json;

pub use lancet_workspace::FileWatch;

use crate::call::{Cancel, RawCall};
use crate::engine::Lancet;
use crate::stages::locate::{Intent, locate};
use crate::stages::open::MAX_EDITED_SIZE;

/// The most names that a completion returns.
const MAX_COMPLETIONS: usize = 100;
/// The longest time for one completion.
const COMPLETION_BUDGET: Duration = Duration::from_secs(1);

/// A file and its content.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Resource {
    /// The file as opened.
    pub path: PathBuf,
    /// Its content.
    pub content: ResourceContent,
}

/// The content of a resource.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ResourceContent {
    /// Text in UTF-8.
    Text(String),
    /// Anything else.
    Bytes(Vec<u8>),
}

/// Why a resource cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ResourceError {
    /// There is no such file here, or it may not be read.
    NotFound,
    /// The file is longer than an answer may be: this many characters, or bytes if it is not text.
    TooLong(usize),
    /// The system did not let the file be read.
    Unreadable,
}

impl Lancet {
    /// Returns the file that a resource refers to, if it may be read.
    pub fn find_resource(&self, path: &Path) -> Option<PathBuf> {
        let engine = self.engine();
        let located = locate(&engine, &path.to_string_lossy(), Intent::Show).ok()?;
        Some(located.path().to_owned())
    }

    /// Reads a file as a resource.
    ///
    /// # Errors
    /// There is no such file that may be read, or it is too long for an answer.
    pub fn resource(&self, path: &Path) -> Result<Resource, ResourceError> {
        let engine = self.engine();
        let target = locate(&engine, &path.to_string_lossy(), Intent::Show)
            .map_err(|_| ResourceError::NotFound)?;
        if target.located.kind() != FileType::File {
            return Err(ResourceError::NotFound);
        }
        let most = engine.answer_limit;
        // A character has at most four bytes, so a longer file need not be read.
        let stamp = target.located.stat().ok_or(ResourceError::NotFound)?;
        if stamp.size > (most as u64).saturating_mul(4) {
            return Err(ResourceError::TooLong(most));
        }
        let found = target.located.read_snapshot(MAX_EDITED_SIZE);
        let found = found.map_err(|_| ResourceError::Unreadable)?;
        let is_text = !found.bytes.contains(&0);
        let content = match std::str::from_utf8(&found.bytes) {
            Ok(text) if is_text && text.chars().count() > most => {
                return Err(ResourceError::TooLong(most));
            }
            Ok(text) if is_text => ResourceContent::Text(text.to_owned()),
            _ if found.bytes.len() > most => return Err(ResourceError::TooLong(most)),
            _ => ResourceContent::Bytes(found.bytes.to_vec()),
        };
        Ok(Resource {
            path: target.path().to_owned(),
            content,
        })
    }

    /// Returns the files whose absolute paths begin like this, at most a hundred, as a search would list them: those
    /// that git ignores and those that may not be read are left out. For a beginning above the roots, returns the roots
    /// themselves.
    pub fn complete_path(&self, beginning: &str) -> Vec<String> {
        let roots = self.roots();
        let typed = Path::new(beginning);
        let named = |path: &Path| path.to_str().map(str::to_owned);
        if !roots.iter().any(|root| typed.starts_with(root)) {
            let roots = roots.iter().filter_map(|root| named(root));
            return roots.filter(|root| root.starts_with(beginning)).collect();
        }
        let (folder, name) = match beginning.rsplit_once('/') {
            Some((folder, name))
                if roots.iter().any(|root| Path::new(folder).starts_with(root)) =>
            {
                (folder, name)
            }
            _ => (beginning, ""),
        };
        let name = escape_glob(name);
        let search = json!({ "path": folder, "pattern": format!("{{{name}*,{name}*/**}}") });
        let call =
            RawCall::new("Glob", search).with_cancel(Cancel::with_time_limit(COMPLETION_BUDGET));
        let reply = self.new_session().for_host().call(call);
        let files = reply.data()["files"]
            .as_array()
            .cloned()
            .unwrap_or_default();
        let files = files.iter().filter_map(|file| file.as_str());
        let mut files: Vec<String> = files
            .map(|file| Path::new(folder).join(file))
            .filter_map(|file| named(&file))
            .filter(|file| file.starts_with(beginning))
            .collect();
        files.sort_by_key(|file| (file.matches('/').count(), file.clone()));
        files.truncate(MAX_COMPLETIONS);
        files
    }
}

/// Escapes a part of a name, so that a glob pattern takes it literally.
fn escape_glob(name: &str) -> String {
    let mut out = String::new();
    for character in name.chars() {
        match character {
            '*' | '?' | '[' | ']' | '{' | '}' | ',' | '!' => out.extend(['[', character, ']']),
            '\\' => out.push_str("\\\\"),
            plain => out.push(plain),
        }
    }
    out
}
