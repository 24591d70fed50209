//! Objects as they are read, and the limits of one query.

use crate::GitError;
use crate::hash;
use crate::id::{HashAlgorithm, ObjectId};
use crate::inflate::InflateBudget;

/// The number of bytes that one query about a commit may inflate in total.
const MAX_INFLATED_BYTES: u64 = 128 << 20;

/// The kind of a git object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ObjectKind {
    Commit,
    Tree,
    Blob,
    Tag,
}

impl ObjectKind {
    /// Returns git's name for it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Commit => "commit",
            Self::Tree => "tree",
            Self::Blob => "blob",
            Self::Tag => "tag",
        }
    }
}

/// An object's kind and its inflated content.
#[derive(Debug)]
pub(crate) struct GitObject {
    pub(crate) kind: ObjectKind,
    pub(crate) bytes: Vec<u8>,
}

/// The limits of one query.
pub(crate) struct QueryLimits {
    /// The most bytes of the object.
    pub(crate) object: u64,
    /// The most bytes of an object or delta that it is a delta against.
    pub(crate) base: u64,
    /// The bytes that may be inflated in total.
    pub(crate) budget: InflateBudget,
}

impl QueryLimits {
    /// Returns the limits of a query about a commit, its trees and one blob.
    pub(crate) fn for_query() -> QueryLimits {
        QueryLimits {
            object: 0,
            base: 32 << 20,
            budget: InflateBudget::new(MAX_INFLATED_BYTES),
        }
    }
}

impl GitObject {
    /// Returns the object if its bytes match this id. Objects of a SHA-256 repository are not verified.
    pub(crate) fn verify_id(self, id: &ObjectId) -> Result<GitObject, GitError> {
        match id.algorithm() {
            HashAlgorithm::Sha1 if hash::object_id(self.kind.name(), &self.bytes) != *id => {
                Err(GitError::Damaged("an object"))
            }
            HashAlgorithm::Sha1 | HashAlgorithm::Sha256 => Ok(self),
        }
    }
}
