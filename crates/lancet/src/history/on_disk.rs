//! The present content of files in the history, for hosts that carry out exactly what they have shown. Comparing the
//! hash before and after shows whether a file has changed in between.

use std::ops::ControlFlow;
use std::path::Path;

use super::History;

/// The present content of a path, by its hash.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct DiskContent {
    /// The BLAKE3 hash of the file's bytes, or of the link's target.
    pub revision: [u8; 32],
    /// Whether the path is a symbolic link, which is not followed.
    pub is_link: bool,
}

impl History {
    /// Hashes the present content of a path, however large the file is. None where it is neither a file nor a symbolic
    /// link, is not below a root, or changes while it is read.
    pub fn disk_content(&self, path: &Path) -> Option<DiskContent> {
        let workspace = &self.engine.workspace;
        if let Ok(Some(link)) = workspace.locate_link(path) {
            let target = link.link_target()?;
            return Some(DiskContent {
                revision: *blake3::hash(target.as_encoded_bytes()).as_bytes(),
                is_link: true,
            });
        }
        let located = workspace.locate_as_spelled(path).ok()?;
        let mut hasher = blake3::Hasher::new();
        let hashed = located.scan_content(&mut |bytes| {
            hasher.update(bytes);
            ControlFlow::Continue(())
        });
        hashed.ok()?;
        Some(DiskContent {
            revision: *hasher.finalize().as_bytes(),
            is_link: false,
        })
    }
}
