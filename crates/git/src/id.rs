//! The id of an object: 20 bytes in a SHA-1 repository, 32 in a SHA-256 one. `hash.rs` computes SHA-1 ids.

use std::fmt;

/// The length of a SHA-256 id in bytes.
const MAX_ID_BYTES: usize = 32;

/// The id of a git object; displays as hexadecimal digits.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ObjectId {
    bytes: [u8; MAX_ID_BYTES],
    length: HashAlgorithm,
}

/// The hash algorithm of a repository (`extensions.objectFormat`), which decides how long its ids are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum HashAlgorithm {
    Sha1,
    Sha256,
}

impl HashAlgorithm {
    pub(crate) fn bytes(self) -> usize {
        match self {
            Self::Sha1 => 20,
            Self::Sha256 => MAX_ID_BYTES,
        }
    }
}

impl ObjectId {
    /// Parses raw bytes of exactly the algorithm's length.
    pub(crate) fn from_bytes(raw: &[u8], length: HashAlgorithm) -> Option<ObjectId> {
        let mut bytes = [0; MAX_ID_BYTES];
        bytes
            .get_mut(..length.bytes())?
            .copy_from_slice((raw.len() == length.bytes()).then_some(raw)?);
        Some(ObjectId { bytes, length })
    }

    /// Parses hexadecimal digits of exactly the algorithm's length.
    pub(crate) fn from_hex(hex: &[u8], length: HashAlgorithm) -> Option<ObjectId> {
        if hex.len() != length.bytes() * 2 {
            return None;
        }
        let mut bytes = [0; MAX_ID_BYTES];
        for (byte, pair) in bytes.iter_mut().zip(hex.chunks_exact(2)) {
            *byte = hex_digit(pair[0])? << 4 | hex_digit(pair[1])?;
        }
        Some(ObjectId { bytes, length })
    }

    /// Returns the id of a SHA-1 repository with these bytes, for instance from [`ObjectId::as_bytes`].
    #[must_use]
    pub fn from_array(sum: [u8; 20]) -> ObjectId {
        let mut bytes = [0; MAX_ID_BYTES];
        bytes[..20].copy_from_slice(&sum);
        ObjectId {
            bytes,
            length: HashAlgorithm::Sha1,
        }
    }

    /// Returns the bytes, for storage: 20, or 32 in a SHA-256 repository.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes[..self.length.bytes()]
    }

    pub(crate) fn first_byte(&self) -> u8 {
        self.bytes[0]
    }

    pub(crate) fn algorithm(&self) -> HashAlgorithm {
        self.length
    }
}

fn hex_digit(character: u8) -> Option<u8> {
    (character as char)
        .to_digit(16)
        .and_then(|digit| u8::try_from(digit).ok())
}

impl fmt::Display for ObjectId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.as_bytes()
            .iter()
            .try_for_each(|byte| write!(formatter, "{byte:02x}"))
    }
}

impl fmt::Debug for ObjectId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, formatter)
    }
}
