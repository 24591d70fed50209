//! The host's implementations: readers for files that lancet does not read itself, and runners for programs that it
//! does not start itself.

use std::sync::Arc;

use lancet_language::LanguageServers;

use super::EngineView;
use crate::convert::FileConverter;
use crate::pdf::PdfReader;
use crate::programs::ProgramRunner;
use crate::syntax::SyntaxReader;

impl EngineView {
    /// Returns the host's reader of PDFs.
    pub(crate) fn pdf_reader(&self) -> Option<&dyn PdfReader> {
        self.base.pdf_reader.as_deref()
    }

    /// Returns the host's reader of source code.
    pub(crate) fn syntax_reader(&self) -> Option<&dyn SyntaxReader> {
        self.base.syntax_reader.as_deref()
    }

    /// Returns the host's starter of the programs that convert files.
    pub(crate) fn file_converter(&self) -> Option<&dyn FileConverter> {
        self.base.file_converter.as_deref()
    }

    /// Returns the host's language servers.
    pub(crate) fn language(&self) -> Option<&LanguageServers> {
        self.base.language.as_deref()
    }

    /// Returns the same, shared, for work that outlives a call.
    pub(crate) fn shared_language(&self) -> Option<Arc<LanguageServers>> {
        self.base.language.clone()
    }

    /// Returns the host's starter of formatters.
    pub(crate) fn program_runner(&self) -> Option<&dyn ProgramRunner> {
        self.base.program_runner.as_deref()
    }
}
