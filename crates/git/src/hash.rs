//! SHA-1, for ids of objects and the checksum of an index. Collisions are not detected, unlike in git's own SHA-1DC:
//! here an id only shows that bytes are those that git stored, and anyone who can store colliding bytes in the
//! repository can also change the file.

use sha1::{Digest as _, Sha1};

use crate::id::{HashAlgorithm, ObjectId};

/// The length of a SHA-1 checksum.
pub(crate) const CHECKSUM_LENGTH: usize = 20;

/// Returns the SHA-1 of these bytes.
pub(crate) fn sha1_checksum(bytes: &[u8]) -> [u8; CHECKSUM_LENGTH] {
    Sha1::digest(bytes).into()
}

/// Returns the id that an object of this kind ("blob", "tree", …) has in a SHA-1 repository.
pub(crate) fn object_id(kind: &str, bytes: &[u8]) -> ObjectId {
    let mut hasher = Sha1::new();
    hasher.update(format!("{kind} {}\0", bytes.len()));
    hasher.update(bytes);
    let sum: [u8; CHECKSUM_LENGTH] = hasher.finalize().into();
    ObjectId::from_array(sum)
}

impl ObjectId {
    /// Returns the id that these bytes have as a blob of a SHA-1 repository.
    #[must_use]
    pub fn hash_blob(bytes: &[u8]) -> ObjectId {
        object_id("blob", bytes)
    }

    /// Returns whether this is the id of the empty blob.
    pub(crate) fn is_empty_blob(&self) -> bool {
        self.algorithm() == HashAlgorithm::Sha1 && *self == ObjectId::hash_blob(b"")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blob_id_agrees_with_git() {
        // `git hash-object` of an empty file, and of "hello\n".
        for (bytes, id) in [
            (&b""[..], "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391"),
            (b"hello\n", "ce013625030ba8dba906f756967f9e9ca394464a"),
        ] {
            assert_eq!(ObjectId::hash_blob(bytes).to_string(), id);
        }
        assert!(ObjectId::hash_blob(b"").is_empty_blob());
    }
}
