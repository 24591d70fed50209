//! The two callbacks of a walk: whether an entry may be read, and whether to stop.

use std::any::Any;
use std::path::Path;
use std::sync::Arc;

use lancet_workspace::{EntryKind, Located};

/// Decides which entries may be read. It is called for every file and folder that the ignore rules leave in; what it
/// denies is counted in [`Tally::denied`](crate::Tally::denied) and not named anywhere.
pub trait Gate: Sync {
    /// Returns whether this file may be shown, or this folder entered. The path is absolute; no link was followed below
    /// the start, unless by [`follow`](Self::follow).
    fn may_read(&self, path: &Path, kind: EntryKind) -> bool;

    /// Returns the file or folder that a symbolic link leads to, if the walk is to follow it. Below a link to a folder,
    /// entries are asked about by both of their paths.
    fn follow(&self, _link: &Path) -> Option<Located> {
        None
    }

    /// Returns what the decisions depend on besides the path, if that never changes: two gates with the same value
    /// decide the same.
    fn decision_basis(&self) -> Option<GateBasis> {
        None
    }
}

/// The data that a gate decides by. It is compared by address; the `Arc` keeps that address from being reused.
pub type GateBasis = Arc<dyn Any + Send + Sync>;

impl<G: Fn(&Path, EntryKind) -> bool + Sync> Gate for G {
    fn may_read(&self, path: &Path, kind: EntryKind) -> bool {
        self(path, kind)
    }
}

/// A gate that allows everything.
#[derive(Clone, Copy, Debug)]
pub struct AllowAll;

impl Gate for AllowAll {
    fn may_read(&self, _: &Path, _: EntryKind) -> bool {
        true
    }
}

/// Decides when a search stops: its caller is gone, or its time is over. It is called for every file and every 64 KiB
/// of a large one.
pub trait Stop: Sync {
    /// Returns whether to stop. Once true it must stay true.
    fn should_stop(&self) -> bool;
}

impl<S: Fn() -> bool + Sync> Stop for S {
    fn should_stop(&self) -> bool {
        self()
    }
}
