//! Where the roots of a server come from, which decides how the roots of a client may change them.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use lancet::Lancet;

/// Where the roots come from.
#[derive(Clone, Debug, Default)]
pub enum RootsOrigin {
    /// They were named explicitly: they apply even where the client's roots have nothing in common with them.
    #[default]
    Named,
    /// They follow from the working folder: where the client's have nothing in common with them, every call is refused.
    Found,
    /// There are none yet: the client's are taken. Without any, every call is refused.
    Wanted(Arc<dyn LateRoots>),
}

/// Opens an engine on the roots that a client names, for a server that was started without any.
pub trait LateRoots: fmt::Debug + Send + Sync {
    /// Opens an engine on those of these folders that may be roots.
    ///
    /// # Errors
    /// None of them may, or the engine does not open; the text is a whole sentence.
    fn open(&self, folders: &[PathBuf]) -> Result<Lancet, String>;

    /// Says why there are no roots, as a whole sentence.
    fn explain_missing_roots(&self) -> String;
}
