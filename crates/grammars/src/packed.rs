//! The tables of a grammar, unpacked when the grammar is first used.

#[path = "../build/places.rs"]
mod places;

use std::sync::OnceLock;

use miniz_oxide::inflate::decompress_slice_iter_to_slice;

use places::places;

/// The function of a grammar's `parser.c`: with the whole rows, the groups, and the positions of states among the groups
/// it returns the grammar. It may be called once.
pub(crate) type Complete = unsafe extern "C" fn(*const u16, *const u16, *const u32) -> *const ();

/// A grammar whose tables are packed by `build/packing.rs`.
pub(crate) struct Packed {
    bytes: &'static [u8],
    complete: Complete,
    unpacked: OnceLock<Unpacked>,
}

/// A grammar and the tables that it points to.
struct Unpacked {
    _words: Vec<u16>,
    _places: Vec<u32>,
    grammar: *const (),
}

// SAFETY: the grammar is only read once it is complete, and it points only to what is never changed or freed.
#[allow(unsafe_code, reason = "the grammar is C")]
unsafe impl Send for Unpacked {}
// SAFETY: as above.
#[allow(unsafe_code, reason = "the grammar is C")]
unsafe impl Sync for Unpacked {}

impl Packed {
    /// # Safety
    ///
    /// `complete` is the function of the `parser.c` that the tables were taken out of, and nothing else calls it.
    #[allow(unsafe_code, reason = "the grammar is C")]
    pub(crate) const unsafe fn new(bytes: &'static [u8], complete: Complete) -> Self {
        Packed {
            bytes,
            complete,
            unpacked: OnceLock::new(),
        }
    }

    /// Returns the grammar. The first call unpacks its tables; others wait for it.
    pub(crate) fn grammar(&self) -> *const () {
        self.unpacked.get_or_init(|| self.unpack()).grammar
    }

    fn unpack(&self) -> Unpacked {
        let (words, whole) = unpack_words(self.bytes);
        let places = places(&words[whole..]);
        // SAFETY: the vectors are in a static from here on and never change, and this is called once.
        #[allow(unsafe_code, reason = "the grammar is C")]
        let grammar =
            unsafe { (self.complete)(words.as_ptr(), words[whole..].as_ptr(), places.as_ptr()) };
        Unpacked {
            _words: words,
            _places: places,
            grammar,
        }
    }
}

/// Returns the words of packed tables and the number of those in whole rows.
fn unpack_words(packed: &[u8]) -> (Vec<u16>, usize) {
    let count = |at: usize| {
        let bytes = packed[at..at + 4].try_into().expect("four bytes");
        u32::from_le_bytes(bytes) as usize
    };
    let (all, whole) = (count(0), count(4));
    let mut bytes = vec![0; all * 2];
    let stream = std::iter::once(&packed[8..]);
    let length = decompress_slice_iter_to_slice(&mut bytes, stream, true, false);
    assert_eq!(length, Ok(bytes.len()), "the build script packed them");
    let words = bytes
        .chunks_exact(2)
        .map(|pair| u16::from_le_bytes([pair[0], pair[1]]))
        .collect();
    (words, whole)
}
