//! What a host handed in for files that lancet does not read itself, and for the programs that it does not start itself.

use std::sync::Arc;

use lancet_language::Language;

use super::EngineView;
use crate::convert::FileConverter;
use crate::pdf::PdfReader;
use crate::programs::ProgramRunner;
use crate::syntax::SyntaxReader;

impl EngineView {
    /// The reader of PDFs that the host handed in.
    pub(crate) fn pdf_reader(&self) -> Option<&dyn PdfReader> {
        self.base.pdf_reader.as_deref()
    }

    /// The reader of source code that the host handed in.
    pub(crate) fn syntax_reader(&self) -> Option<&dyn SyntaxReader> {
        self.base.syntax_reader.as_deref()
    }

    /// What the host handed in to start the programs that convert files.
    pub(crate) fn file_converter(&self) -> Option<&dyn FileConverter> {
        self.base.file_converter.as_deref()
    }

    /// The language servers that the host handed in.
    pub(crate) fn language(&self) -> Option<&Language> {
        self.base.language.as_deref()
    }

    /// The same, for what outlives a call.
    pub(crate) fn shared_language(&self) -> Option<Arc<Language>> {
        self.base.language.clone()
    }

    /// What the host handed in to start formatters.
    pub(crate) fn program_runner(&self) -> Option<&dyn ProgramRunner> {
        self.base.program_runner.as_deref()
    }
}
