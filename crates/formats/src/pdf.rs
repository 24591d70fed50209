//! The request to a reader of PDFs, and its answer. This crate contains no reader: no known reader limits its time and
//! its memory, so the host provides one that runs in a separate process.

use crate::picture::{Picture, VisionBudget};

/// The maximum number of pages per request.
pub const MAX_PAGES: u32 = 20;

/// The largest file that is read as a PDF.
pub const MAX_PDF_BYTES: u64 = 96 << 20;

/// The beginning of a PDF.
const PDF_HEADER: &[u8] = b"%PDF-";

/// The end of a PDF.
const PDF_END: &[u8] = b"%%EOF";

/// How far into a file the header may be. Some programs write a few bytes before it.
const MAX_HEADER_OFFSET: usize = 1_024;

/// Returns whether a file that begins with these bytes has the header of a PDF.
#[must_use]
pub fn has_header(head: &[u8]) -> bool {
    let end = head.len().min(MAX_HEADER_OFFSET + PDF_HEADER.len());
    head[..end]
        .windows(PDF_HEADER.len())
        .any(|part| part == PDF_HEADER)
}

/// Returns whether a file that ends with these bytes has the end of a PDF. Some programs write a few bytes after it.
#[must_use]
pub fn has_end(bytes: &[u8]) -> bool {
    let tail = &bytes[bytes.len().saturating_sub(MAX_HEADER_OFFSET)..];
    tail.windows(PDF_END.len()).any(|part| part == PDF_END)
}

/// The form in which pages are returned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PageForm {
    /// As text if the text of the page is usable and there is no large picture on it, otherwise as a picture with its
    /// text.
    Auto,
    /// As text alone.
    Text,
    /// As a picture alone.
    Picture,
    /// As a picture with its text.
    Both,
}

/// The pages that are requested.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PdfRequest {
    /// The first page, from 1.
    pub first: u32,
    /// The maximum number of pages; never more than [`MAX_PAGES`] are returned.
    pub count: u32,
    /// The form of the pages.
    pub form: PageForm,
    /// The limits that pictures of pages are scaled to.
    pub budget: VisionBudget,
}

/// A page that was read. One with neither text nor picture cannot be shown.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PdfPage {
    /// The number of the page, from 1.
    pub number: u32,
    /// The text of the page, line by line.
    pub text: Option<String>,
    /// The page as a picture.
    pub picture: Option<Picture>,
}

/// The requested pages of a document.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PdfPages {
    /// The total number of pages of the document.
    pub total: u32,
    /// The pages that were read, in order.
    pub pages: Vec<PdfPage>,
    /// Why the pages after these could not be read.
    pub ended: Option<PdfError>,
}

/// Why a PDF cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PdfError {
    /// It is encrypted, and opens only with a password.
    #[error("it is protected by a password")]
    Password,
    /// It is encrypted with an unknown method.
    #[error("it is encrypted in a way that is not supported")]
    Encryption,
    /// Its structure cannot be read.
    #[error("it is damaged: its pages cannot be found")]
    Damaged,
    /// It has no page.
    #[error("it has no pages")]
    NoPages,
    /// Reading it took longer than is allowed.
    #[error("reading it took too long")]
    TooLong,
    /// The process that read it ended early.
    #[error("reading it failed: it is damaged, or takes more memory than is allowed")]
    Crashed,
    /// The process that reads it could not be started.
    #[error("the process that reads PDFs could not be started: {0}")]
    Unavailable(String),
    /// The caller stopped it.
    #[error("reading it was stopped")]
    Stopped,
}

/// Reads PDFs. An implementation must withstand every file, and finish within seconds.
pub trait PdfReader: Send + Sync {
    /// Reads pages of a document. `is_stopped` is checked from time to time, and if it returns true the reading ends
    /// with [`PdfError::Stopped`].
    ///
    /// # Errors
    /// No page could be read.
    fn read(
        &self,
        pdf: &[u8],
        request: &PdfRequest,
        is_stopped: &dyn Fn() -> bool,
    ) -> Result<PdfPages, PdfError>;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accepts_header_near_beginning() {
        assert!(has_header(b"%PDF-1.7\n"));
        assert!(has_header(b"\r\n%PDF-1.7\n"));
        assert!(!has_header(b"%PDF"));
        assert!(!has_header(b""));
        let far = [&[b' '; 2_000], b"%PDF-1.7\n".as_slice()].concat();
        assert!(!has_header(&far));
    }

    #[test]
    fn accepts_end_marker_near_end() {
        assert!(has_end(b"startxref\n9\n%%EOF\n"));
        assert!(!has_end(b"startxref\n9\n%%EO"));
        assert!(!has_end(b""));
        let far = [b"%%EOF".as_slice(), &[b' '; 2_000]].concat();
        assert!(!has_end(&far));
    }
}
