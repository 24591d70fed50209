//! The name of an object: 20 bytes in a SHA-1 repository, 32 in a SHA-256 one. Nothing is hashed here: what an object holds
//! is taken as it stands, as its checksum was when git wrote it.

use std::fmt;

/// The longest there is.
const MOST: usize = 32;

/// The name of an object.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Id {
    bytes: [u8; MOST],
    length: Length,
}

/// How long the names of a repository are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Length {
    Sha1,
    Sha256,
}

impl Length {
    pub(crate) fn bytes(self) -> usize {
        match self {
            Self::Sha1 => 20,
            Self::Sha256 => MOST,
        }
    }
}

impl Id {
    /// From raw bytes, of exactly that length.
    pub(crate) fn from_bytes(raw: &[u8], length: Length) -> Option<Id> {
        let mut bytes = [0; MOST];
        bytes
            .get_mut(..length.bytes())?
            .copy_from_slice((raw.len() == length.bytes()).then_some(raw)?);
        Some(Id { bytes, length })
    }

    /// From hexadecimal digits, of exactly that length.
    pub(crate) fn from_hex(hex: &[u8], length: Length) -> Option<Id> {
        if hex.len() != length.bytes() * 2 {
            return None;
        }
        let mut bytes = [0; MOST];
        for (byte, pair) in bytes.iter_mut().zip(hex.chunks_exact(2)) {
            *byte = digit(pair[0])? << 4 | digit(pair[1])?;
        }
        Some(Id { bytes, length })
    }

    pub(crate) fn as_bytes(&self) -> &[u8] {
        &self.bytes[..self.length.bytes()]
    }

    pub(crate) fn first(&self) -> u8 {
        self.bytes[0]
    }

    pub(crate) fn length(&self) -> Length {
        self.length
    }
}

fn digit(character: u8) -> Option<u8> {
    (character as char)
        .to_digit(16)
        .and_then(|digit| u8::try_from(digit).ok())
}

impl fmt::Display for Id {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.as_bytes()
            .iter()
            .try_for_each(|byte| write!(formatter, "{byte:02x}"))
    }
}

impl fmt::Debug for Id {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, formatter)
    }
}
