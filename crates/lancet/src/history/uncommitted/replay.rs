//! The replay of a file's states from the committed one to the present one, with the writers of what differs.

use std::collections::HashMap;

use super::super::line_owners::{LineOwners, LineTexts, Writer, WrittenHunk};
use super::TreeVersion;
use super::chain::StateKey;

/// What a file was at one state.
#[derive(Clone)]
struct ReplayedFile {
    lines: LineOwners,
    existed: bool,
    exists: bool,
    /// The writer who created or removed the file since the committed state.
    presence: Option<Writer>,
    /// Whether only selected operations wrote since the committed state.
    is_own: bool,
}

/// The replay of one file.
pub(super) struct Replay {
    file: ReplayedFile,
    texts: LineTexts,
    /// The file at each state so far: in a state that comes again, the lines have the writers that they had.
    known: HashMap<StateKey, ReplayedFile>,
    /// Whether the committed version is none of the recorded ones.
    has_baseline: bool,
}

impl Replay {
    /// Begins with the committed version.
    pub(super) fn new(committed: Option<&TreeVersion>, key: StateKey) -> Self {
        let mut texts = LineTexts::default();
        let bytes = committed.map_or(&[][..], |version| &version.bytes);
        let file = ReplayedFile {
            lines: LineOwners::new(bytes, &mut texts),
            existed: committed.is_some(),
            exists: committed.is_some(),
            presence: None,
            is_own: true,
        };
        Self {
            known: HashMap::from([(key, file.clone())]),
            file,
            texts,
            has_baseline: false,
        }
    }

    /// Goes on to the next version, which `writer` wrote.
    pub(super) fn apply(&mut self, version: Option<&TreeVersion>, key: StateKey, writer: Writer) {
        self.has_baseline |= writer == Writer::Baseline;
        // An earlier state may lack lines that are committed meanwhile: then the selected change removed them.
        let may_return = !(self.has_baseline && writer.is_selected());
        if let Some(known) = self.known.get(&key).filter(|_| may_return) {
            self.file = known.clone();
            return;
        }
        let file = &mut self.file;
        let bytes = version.map_or(&[][..], |version| &version.bytes);
        file.lines.apply(bytes, writer, &mut self.texts);
        if file.exists != version.is_some() {
            file.exists = version.is_some();
            file.presence = (file.exists != file.existed).then_some(writer);
        }
        file.is_own &= writer.is_selected();
        self.known.insert(key, self.file.clone());
    }

    /// Returns where the present version differs from the committed one.
    pub(super) fn hunks(&self) -> Vec<WrittenHunk> {
        self.file.lines.hunks()
    }

    /// Returns who created or removed the file; none where both versions exist, or neither.
    pub(super) fn presence(&self) -> Option<Writer> {
        self.file.presence
    }

    /// Returns whether a version is one that selected operations alone made of the committed one.
    pub(super) fn is_own_version(&self, key: StateKey) -> bool {
        self.known.get(&key).is_some_and(|file| file.is_own)
    }
}
