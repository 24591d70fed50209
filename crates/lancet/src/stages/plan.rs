//! A plan: what a writing call would do, worked out to the last byte and not yet carried out. *examine* makes it and
//! *approve* takes it by value; nothing reaches the disk without it.

mod obstacles;

use std::collections::{HashMap, HashSet};
use std::ffi::OsString;
use std::ops::Range;
use std::path::PathBuf;

use lancet_formats::syntax::SyntaxError;
use lancet_history::{
    ChangeKind, LineNumbers, OperationKind, ReversedChange, SeenRanges, StoredContent,
};
use lancet_text::{Encoding, Endings, Hunk, RawChange, Rung};
use lancet_workspace::{ExecutableChange, ExpectedState, Revision, Snapshot, Source, WriteOutcome};

pub(crate) use obstacles::PlannedObstacles;

use super::locate::Target;
use super::omitted::OmittedParts;
use crate::message::Message;
use crate::order::Turn;
use crate::refusal::Refusal;
pub(crate) use crate::request::DryRun;

/// The files that a call would write: one file or several, all or none.
pub(crate) struct Plan {
    pub(super) files: Vec<FilePlan>,
    pub(super) dry_run: DryRun,
    /// The lock on the files (their turn) until the change is recorded, so that no other call of this process writes
    /// them in between.
    pub(super) turn: Option<Turn>,
    pub(super) origin: PlanRecord,
}

/// The facts that the history records about a plan besides its files.
pub(crate) struct PlanRecord {
    pub(super) kind: OperationKind,
    /// The changes that the plan undoes, for each file.
    pub(super) takes_back: Vec<ReversedChange>,
    /// The changes of which the plan undoes a hunk; their other hunks remain in effect.
    pub(super) takes_part_of: Vec<ReversedChange>,
    /// A sentence at the beginning of the answer that says what is undone.
    pub(super) lead: Option<Message>,
    /// Files that already have the state that undoing would give them; they are not written.
    pub(super) found_back: Vec<AlreadyUndoneFile>,
    /// Files that are in conflict and are not written.
    pub(super) left_out: Vec<ConflictingFile>,
    /// Who approved the plan, or which rule; set by *approve*.
    pub(super) approved: Option<String>,
    /// The recorded question whose approval the plan uses up; set by *approve*.
    pub(super) question: Option<String>,
    /// Whether the person who was asked changed the text, or left parts of it out.
    pub(super) user_modified: bool,
    /// The parts that the person who was asked left out.
    pub(super) omitted: OmittedParts,
    /// Whether a person may approve only a part of the plan.
    pub(super) parts: PartialApproval,
    /// Files of the plan, by their index, that a person approves together or not at all.
    pub(super) together: Vec<Vec<usize>>,
    /// The names that are given to new files, even if their files have other names (hard links) or may not be written.
    pub(super) new_inodes: HashSet<PathBuf>,
    /// What is removed before the other files are written.
    pub(super) obstacles: PlannedObstacles,
    /// The user and group that files which are created belong to, if known.
    pub(super) owners: HashMap<PathBuf, (u32, u32)>,
}

/// Whether the files and pieces of a plan can be approved one by one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum PartialApproval {
    /// Each is useful without the others.
    #[default]
    Separate,
    /// They belong together: lines that are moved would otherwise be lost, or duplicated.
    Inseparable,
}

/// A file that already has the state that undoing a change would give it.
pub(crate) struct AlreadyUndoneFile {
    pub(super) path: PathBuf,
    /// The changes that therefore count as undone.
    pub(super) operations: Vec<String>,
    /// The folders that these changes created, outermost first: they are removed if they are empty.
    pub(super) folders: Vec<PathBuf>,
}

/// A file that is in conflict and was left out.
pub(crate) struct ConflictingFile {
    pub(super) path: PathBuf,
    /// The change that stays in effect.
    pub(super) operation: String,
    /// The refusal that the call would have had because of this file.
    pub(super) refusal: Refusal,
}

impl Plan {
    /// Returns whether the answer to the plan refers to files that the commit does not compare.
    pub(super) fn mentions_unchecked_files(&self) -> bool {
        self.files.is_empty()
            || !self.origin.found_back.is_empty()
            || !self.origin.left_out.is_empty()
    }

    /// Returns whether the answer names files that are not written.
    pub(super) fn names_unwritten_files(&self) -> bool {
        let origin = &self.origin;
        let mut omitted = origin.omitted.files.iter();
        !origin.found_back.is_empty()
            || !origin.left_out.is_empty()
            || omitted.any(|file| file.lines.is_none())
    }
}

impl Default for PlanRecord {
    /// Returns the origin of an ordinary change, which undoes nothing.
    fn default() -> Self {
        Self {
            kind: OperationKind::Change,
            takes_back: Vec::new(),
            takes_part_of: Vec::new(),
            lead: None,
            found_back: Vec::new(),
            left_out: Vec::new(),
            approved: None,
            question: None,
            user_modified: false,
            omitted: OmittedParts::default(),
            parts: PartialApproval::default(),
            together: Vec::new(),
            new_inodes: HashSet::new(),
            obstacles: PlannedObstacles::default(),
            owners: HashMap::new(),
        }
    }
}

/// The change of one file.
pub(crate) struct FilePlan {
    pub(super) target: Target,
    /// The content that the disk must still have when the change is made.
    pub(super) expected: ExpectedState,
    /// The version that the plan is based on; none for a new file and for a file too large for memory.
    pub(super) base: Option<Snapshot>,
    pub(super) new: NewContent,
    pub(super) view: ChangeView,
    pub(super) encoding: Encoding,
    pub(super) endings: Endings,
    /// The parts of the new version that the session will have seen.
    pub(super) seen: SeenRanges,
    /// Whether the permission to execute the file changes.
    pub(super) executable: ExecutableChange,
}

/// The new bytes.
pub(crate) enum NewContent {
    /// The whole content.
    Whole(Vec<u8>),
    /// Replacements in the base.
    Changes(Vec<RawChange>),
    /// Replacements in a base that is streamed from the disk.
    Streamed(Vec<RawChange>),
    /// The whole content, and the new permission bits where they are to change.
    Restored { bytes: Vec<u8>, mode: Option<u32> },
    /// A symbolic link with this target.
    Link { target: OsString },
    /// An empty folder with these permission bits.
    EmptyFolder { mode: u32 },
    /// A state in the history that is too large for memory.
    Copied {
        content: HistoryContent,
        revision: Revision,
        mode: Option<u32>,
    },
    /// The content of another file, which is moved to this name.
    Moved(Box<PlannedMove>),
    /// A file that has other names gets this one as well (a hard link).
    HardLink(Box<PlannedHardLink>),
    /// The file is removed, and so are these folders if they are then empty, outermost first.
    Removed { folders: Vec<PathBuf> },
}

/// A move to the name that a plan is for.
pub(crate) struct PlannedMove {
    /// The file that gets the name. What the plan expects, and its base, are about this one.
    pub(super) from: Target,
    /// Replacements in its content.
    pub(super) changes: Vec<RawChange>,
    /// The permission bits that the file is to have, where they are to change.
    pub(super) mode: Option<u32>,
    /// Folders that are removed with the old name if they are empty, outermost first.
    pub(super) folders: Vec<PathBuf>,
    /// How the ledger is updated for the file.
    pub(super) ledger: LedgerUpdate,
}

/// A further name for a file.
pub(crate) struct PlannedHardLink {
    /// The file.
    pub(super) to: Target,
    /// The content that it has.
    pub(super) revision: Revision,
    /// The same content for a file of its own, where the file system has no hard links.
    pub(super) otherwise: NewContent,
}

/// How the ledger treats a move that changes the content.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LedgerUpdate {
    /// The replacements count as seen, and the parts that were seen around them still count.
    Revise,
    /// Only what the plan says counts as seen.
    Replace,
}

/// A content in the history, in the form that the workspace reads.
#[derive(Debug)]
pub(crate) struct HistoryContent(pub(super) StoredContent);

impl Source for HistoryContent {
    fn read_at(&self, into: &mut [u8], offset: u64) -> std::io::Result<usize> {
        self.0.read_at(into, offset)
    }
}

impl NewContent {
    /// Returns the new permission bits of the file, where they are to change.
    pub(super) fn mode(&self) -> Option<u32> {
        match self {
            Self::Restored { mode, .. } | Self::Copied { mode, .. } => *mode,
            Self::Moved(moved) => moved.mode,
            Self::HardLink(link) => link.otherwise.mode(),
            _ => None,
        }
    }

    /// Returns the folders that are removed with a name if they are empty, outermost first.
    pub(super) fn folders_to_remove(&self) -> &[PathBuf] {
        match self {
            Self::Removed { folders } => folders,
            Self::Moved(moved) => &moved.folders,
            _ => &[],
        }
    }
}

/// The text and data of an answer about the change of one file.
#[derive(Default)]
pub(crate) struct ChangeView {
    /// The rung of each edit, in order; empty for Write.
    pub(super) rungs: Vec<Rung>,
    pub(super) replacements: usize,
    pub(super) added: usize,
    pub(super) removed: usize,
    /// The hunks of the patch, with three lines of context.
    pub(super) patch: Vec<Hunk>,
    /// Whether the diff was too large to compute, so that the patch has line numbers only.
    pub(super) coarse: bool,
    /// Numbered lines, or a diff, for the model.
    pub(super) body: String,
    /// Sentences for the answer, in order.
    pub(super) notices: Vec<Message>,
    /// The changed lines of the new version, from 1, end excluded.
    pub(super) lines: Vec<Range<usize>>,
    /// The place where the file no longer parses after the change.
    pub(super) syntax_error: Option<SyntaxError>,
    /// Only the permission to execute the file changes.
    pub(super) mode_only: bool,
    /// Lines of the old version, from 0, end excluded, that one edit matched after an earlier edit had changed some of
    /// them: all changes within such a range are written as one piece.
    pub(super) together: Vec<Range<usize>>,
    /// The lines of the new version that the answer shows with their numbers, from 1, end excluded.
    pub(super) numbered: Vec<Range<usize>>,
    /// The bytes of the new version that a formatter wrote and the answer does not show, which do not count as seen.
    pub(super) unshown: Vec<Range<u64>>,
    /// Whether a hook removed the file after the change.
    pub(super) removed_later: bool,
    /// Whether the answer has no number of lines and no revision: the file may not be shown, and the change is one of
    /// the history.
    pub(super) is_hidden: bool,
    /// Maps line numbers from earlier results to lines in the base. Set only if the base differs from the version in
    /// the ledger.
    pub(super) base_numbers: Option<LineNumbers>,
}

impl ChangeView {
    /// Returns what counts as seen of a file that the caller wrote whole: everything except what a formatter wrote and
    /// the answer does not show.
    pub(super) fn seen_of_written_file(&self, length: usize) -> SeenRanges {
        let mut seen = SeenRanges::all_seen(length as u64);
        for range in &self.unshown {
            seen.remove(range.clone());
        }
        seen
    }
}

impl FilePlan {
    /// Returns whether the rules forbid showing the file's text.
    pub(super) fn is_withheld(&self) -> bool {
        self.targets().any(Target::is_withheld)
    }

    /// Returns the kind of change that the plan makes to the file.
    pub(super) fn kind(&self) -> ChangeKind {
        match (&self.new, &self.expected) {
            (NewContent::Moved(_), _) => ChangeKind::Move,
            (NewContent::Removed { .. }, _) => ChangeKind::Delete,
            (_, ExpectedState::Missing) => ChangeKind::Create,
            _ => ChangeKind::Update,
        }
    }

    /// Returns the move that gives the file its name, where the plan is one.
    pub(super) fn moved(&self) -> Option<&PlannedMove> {
        match &self.new {
            NewContent::Moved(moved) => Some(moved),
            _ => None,
        }
    }

    /// Returns the names that change, the future name of the file first.
    pub(super) fn targets(&self) -> impl Iterator<Item = &Target> {
        std::iter::once(&self.target).chain(self.moved().map(|moved| &moved.from))
    }

    /// Returns the file that the plan is based on: the one that is moved, or that of the name itself.
    pub(super) fn source(&self) -> &Target {
        self.moved().map_or(&self.target, |moved| &moved.from)
    }

    /// Returns whether nothing but the permission to execute the file changes.
    pub(super) fn changes_mode_only(&self) -> bool {
        self.view.mode_only
    }

    /// Returns how the permission to execute the file changes, by the call or by an undo: once the file is written, its
    /// bits show it. A removed file has none; a new one is executable only where the call requests it.
    pub(super) fn executable_change(&self, written: Option<&WriteOutcome>) -> ExecutableChange {
        let Some(stamp) = self.expected.stamp() else {
            return self.executable;
        };
        if self.removes() || self.is_without_bytes() {
            return ExecutableChange::Keep;
        }
        let before = stamp.permissions();
        let after = match written {
            Some(written) => written.stamp.permissions(),
            None => self
                .executable
                .apply_to_mode(self.new.mode().unwrap_or(before)),
        };
        match (before & 0o111 != 0, after & 0o111 != 0) {
            (false, true) => ExecutableChange::Yes,
            (true, false) => ExecutableChange::No,
            _ => ExecutableChange::Keep,
        }
    }

    /// Returns whether a symbolic link or an empty folder is replaced, moved or removed, or gets the name.
    pub(super) fn is_without_bytes(&self) -> bool {
        matches!(
            self.new,
            NewContent::Link { .. } | NewContent::EmptyFolder { .. }
        ) || matches!(
            self.expected,
            ExpectedState::Link { .. } | ExpectedState::EmptyFolder { .. }
        )
    }

    /// Returns whether the plan removes the file.
    pub(super) fn removes(&self) -> bool {
        matches!(self.new, NewContent::Removed { .. })
    }

    /// Returns whether the plan creates the file.
    pub(super) fn creates(&self) -> bool {
        matches!(self.expected, ExpectedState::Missing)
    }
}
