//! Names binary data by its first bytes ("magic numbers"). The name is for a refusal; it does not decide whether a file
//! is text.

const PDF_KIND: &str = "PDF document";
const PDF_HEAD: &[u8] = b"%PDF-";
const PDF_END: &[u8] = b"%%EOF";

/// The end marker of a PDF may be anywhere in this many last bytes of the file.
pub(crate) const PDF_TAIL_LENGTH: usize = 1_024;

/// First bytes, and the data that begins with them. A longer sequence comes before a shorter one that it starts with.
const BINARY_SIGNATURES: [(&[u8], &str); 46] = [
    (b"\x7FELF", "ELF program"),
    (b"\x89PNG\r\n\x1A\n", "PNG picture"),
    (b"\xFF\xD8\xFF", "JPEG picture"),
    (b"GIF87a", "GIF picture"),
    (b"GIF89a", "GIF picture"),
    (b"II*\0", "TIFF picture"),
    (b"MM\0*", "TIFF picture"),
    (b"BM", "BMP picture"),
    (b"\0\0\x01\0", "icon"),
    (b"8BPS", "Photoshop picture"),
    (PDF_HEAD, PDF_KIND),
    (b"PK\x03\x04", "ZIP archive"),
    (b"PK\x05\x06", "ZIP archive"),
    (b"\x1F\x8B", "gzip archive"),
    (b"BZh", "bzip2 archive"),
    (b"\xFD7zXZ\0", "xz archive"),
    (b"\x28\xB5\x2F\xFD", "zstd archive"),
    (b"\x04\x22\x4D\x18", "LZ4 archive"),
    (b"7z\xBC\xAF\x27\x1C", "7-Zip archive"),
    (b"Rar!\x1A\x07", "RAR archive"),
    (b"!<arch>\n", "ar archive"),
    (b"\xED\xAB\xEE\xDB", "RPM package"),
    (b"SQLite format 3\0", "SQLite database"),
    (b"\xCA\xFE\xBA\xBE", "Java class or Mach-O program"),
    (b"\xFE\xED\xFA\xCE", "Mach-O program"),
    (b"\xFE\xED\xFA\xCF", "Mach-O program"),
    (b"\xCE\xFA\xED\xFE", "Mach-O program"),
    (b"\xCF\xFA\xED\xFE", "Mach-O program"),
    (b"MZ", "Windows program"),
    (b"\0asm", "WebAssembly module"),
    (b"BC\xC0\xDE", "LLVM bitcode"),
    (b"OggS", "Ogg media"),
    (b"ID3", "MP3 sound"),
    (b"\xFF\xFB", "MP3 sound"),
    (b"fLaC", "FLAC sound"),
    (b"MThd", "MIDI sound"),
    (b"\x1A\x45\xDF\xA3", "Matroska video"),
    (b"wOFF", "web font"),
    (b"wOF2", "web font"),
    (b"OTTO", "OpenType font"),
    (b"\0\x01\0\0\0", "TrueType font"),
    (b"\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1", "old Office document"),
    (b"\xD4\xC3\xB2\xA1", "network capture"),
    (b"\x80\x04\x95", "Python pickle"),
    (b"DIRC", "git index"),
    (b"\x89HDF\r\n\x1A\n", "HDF5 data"),
];

/// Sequences that are not at the start: offset, bytes, name.
const INNER_SIGNATURES: [(usize, &[u8], &str); 5] = [
    (8, b"WEBP", "WebP picture"),
    (8, b"WAVE", "WAV sound"),
    (8, b"AVI ", "AVI video"),
    (4, b"ftyp", "MP4 media"),
    (257, b"ustar", "tar archive"),
];

/// Returns the name of the binary data that begins with these bytes, for a refusal. The first 300 bytes of a file are
/// enough.
pub fn binary_kind(head: &[u8]) -> &'static str {
    let inner = INNER_SIGNATURES
        .iter()
        .find(|(at, mark, _)| head.get(*at..).is_some_and(|rest| rest.starts_with(mark)))
        .map(|(_, _, kind)| *kind);
    let first = || {
        BINARY_SIGNATURES
            .iter()
            .find(|(mark, _)| head.starts_with(mark))
            .map(|(_, kind)| *kind)
    };
    inner.or_else(first).unwrap_or("unknown binary data")
}

/// Returns the name of a file that looks like text and is not: a PDF without NUL bytes, recognized by its header and
/// its end marker. The last [`PDF_TAIL_LENGTH`] bytes of the file are enough.
pub(crate) fn binary_kind_without_nul(head: &[u8], tail: &[u8]) -> Option<&'static str> {
    let tail = &tail[tail.len().saturating_sub(PDF_TAIL_LENGTH)..];
    let is_pdf = head.starts_with(PDF_HEAD) && memchr::memmem::find(tail, PDF_END).is_some();
    is_pdf.then_some(PDF_KIND)
}
