//! A document and its pages, read in the calling process: for the worker, and for tests.

use std::panic::{AssertUnwindSafe, catch_unwind};

use hayro::RenderCache;
use hayro::hayro_interpret::{InterpreterCache, InterpreterSettings};
use hayro::hayro_syntax::{DecryptionError, LoadPdfError, Pdf};
use lancet_formats::pdf::{MAX_PAGES, PageForm, PdfError, PdfPage, PdfRequest};

use crate::page_picture::render_page;
use crate::page_text::{TextLayer, text_layer};

/// A document that was opened.
pub struct Document(Pdf);

impl Document {
    /// Opens a document.
    ///
    /// # Errors
    /// The document is encrypted, damaged, or has no page.
    pub fn open(bytes: Vec<u8>) -> Result<Self, PdfError> {
        let opened = catch_unwind(AssertUnwindSafe(|| Pdf::new(bytes)));
        let pdf = opened
            .map_err(|_| PdfError::Damaged)?
            .map_err(|error| match error {
                LoadPdfError::Decryption(DecryptionError::PasswordProtected) => PdfError::Password,
                LoadPdfError::Decryption(DecryptionError::UnsupportedAlgorithm) => {
                    PdfError::Encryption
                }
                _ => PdfError::Damaged,
            })?;
        match pdf.pages().is_empty() {
            true => Err(PdfError::NoPages),
            false => Ok(Self(pdf)),
        }
    }

    /// Returns the number of pages of the document.
    pub fn page_count(&self) -> u32 {
        u32::try_from(self.0.pages().len()).unwrap_or(u32::MAX)
    }
}

/// Reads the requested pages, and passes each to `each`, which can stop the reading with an error.
///
/// # Errors
/// The error of `each`.
pub fn read_pages<E>(
    document: &Document,
    request: &PdfRequest,
    mut each: impl FnMut(PdfPage) -> Result<(), E>,
) -> Result<(), E> {
    let settings = InterpreterSettings::default();
    let cache = RenderCache::new();
    let fonts = InterpreterCache::new();
    let first = request.first.max(1);
    let count = request.count.min(MAX_PAGES) as usize;
    let pages = document
        .0
        .pages()
        .iter()
        .skip(first as usize - 1)
        .take(count);
    for (number, page) in (first..).zip(pages) {
        // A panic of the reader on one page does not affect the others.
        let read = catch_unwind(AssertUnwindSafe(|| {
            let layer = match request.form {
                PageForm::Picture => TextLayer::default(),
                _ => text_layer(page, &fonts, &settings),
            };
            let is_drawn = match request.form {
                PageForm::Text => false,
                PageForm::Picture | PageForm::Both => true,
                PageForm::Auto => !layer.is_enough(),
            };
            let picture = is_drawn
                .then(|| render_page(page, &cache, &settings, request.budget))
                .flatten();
            let text = (request.form != PageForm::Picture).then_some(layer.text);
            PdfPage {
                number,
                text,
                picture,
            }
        }));
        each(read.unwrap_or_else(|_| PdfPage {
            number,
            ..PdfPage::default()
        }))?;
    }
    Ok(())
}
