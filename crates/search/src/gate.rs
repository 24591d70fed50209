//! The two questions that a walk asks its caller: may this be read, and should it stop?

use std::path::Path;

use lancet_workspace::EntryKind;

/// Whether what stands at a path may be read. Asked for every file and folder that the ignore rules leave in; what it
/// holds back is counted and told by nothing else.
pub trait Gate: Sync {
    /// Whether this file may be shown, or this folder entered. The path is absolute and as it was reached: no link was
    /// followed on the way from the start.
    fn may_read(&self, path: &Path, kind: EntryKind) -> bool;
}

impl<G: Fn(&Path, EntryKind) -> bool + Sync> Gate for G {
    fn may_read(&self, path: &Path, kind: EntryKind) -> bool {
        self(path, kind)
    }
}

/// A gate that holds nothing back.
#[derive(Clone, Copy, Debug)]
pub struct Open;

impl Gate for Open {
    fn may_read(&self, _: &Path, _: EntryKind) -> bool {
        true
    }
}

/// Whether the search should stop: its caller is gone, or its time is over. Asked for every file and every 64 KiB of a
/// large one.
pub trait Stop: Sync {
    /// True from the moment on that nobody wants more.
    fn is_over(&self) -> bool;
}

impl<S: Fn() -> bool + Sync> Stop for S {
    fn is_over(&self) -> bool {
        self()
    }
}
