//! The files as they were when a preview was made. What is carried out is what was shown: the old bytes, the operation and the wish
//! decide the new ones, so the same digest means the same change, also where no line of it can be shown.

use std::collections::BTreeMap;
use std::path::PathBuf;

use lancet::Reply;
use lancet::approval::FileQuestion;
use lancet::history::{History, OnDisk, Operation};
use lancet::outcome::Outcome;

/// The contents of the files of an operation; none where there is no such file.
#[derive(Default)]
pub(super) struct Before(BTreeMap<PathBuf, Option<OnDisk>>);

impl Before {
    /// Reads the files. This comes before the preview is made: what is written in between makes another digest.
    pub(super) fn read(history: &History, operation: &Operation) -> Self {
        let paths = operation.files.iter().flat_map(|file| {
            let old = file.moved_from.as_ref();
            std::iter::once(&file.path).chain(old)
        });
        Self(
            paths
                .map(|path| (path.clone(), history.on_disk(path)))
                .collect(),
        )
    }

    /// Returns the digest of these files and of what a preview says of them; empty where it is a refusal.
    pub(super) fn digest(&self, reply: &Reply) -> String {
        let Outcome::Changed(change) = reply.outcome() else {
            return String::new();
        };
        let mut hasher = blake3::Hasher::new();
        hasher.update(format!("{:?}", self.0).as_bytes());
        for file in &change.files {
            let shown = format!(
                "{:?} {:?} {:?} {} {} {:?} {:?}",
                file.path,
                file.kind,
                file.from_path,
                file.added,
                file.removed,
                file.patch,
                file.executable
            );
            hasher.update(shown.as_bytes());
        }
        hasher.finalize().to_hex().to_string()
    }

    /// Returns whether a question is about a file as it was read here. A link has no revision that could be compared.
    pub(super) fn has(&self, file: &FileQuestion) -> bool {
        let Some(base) = file.base.as_deref() else {
            return true;
        };
        let names = std::iter::once(&file.path).chain(&file.moved_from);
        let mut known = names.filter_map(|name| self.0.get(name)?.as_ref());
        known.any(|known| known.is_link || digits(known).starts_with(base))
    }
}

fn digits(known: &OnDisk) -> String {
    blake3::Hash::from_bytes(known.revision)
        .to_hex()
        .to_string()
}
