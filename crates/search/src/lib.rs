//! Walks, globs and greps below the roots of a workspace, with ripgrep's answers (`docs/search.md` lists where they
//! differ).
//!
//! - [`Walk`] finds the files that ripgrep would search and counts what it leaves out by reason ([`Tally`]).
//! - [`list_files`] and [`count_matches`] run a walk and return a [`SearchSummary`], sorted as far as it is read
//!   ([`Listing`]).
//! - [`FileSearcher`] searches one file for a [`Pattern`] and returns an [`Excerpt`] of its lines.
//! - [`PrintSearch`] and [`PrintNames`] print what a walk finds while it runs, as ripgrep does.
//! - [`FileFilter`] and [`LiteralNames`] say which files a glob or a type wants, [`Gate`] which entries may be read,
//!   [`Stop`] when to end.
//!
//! ```
//! use std::path::Path;
//! use std::sync::Arc;
//! use lancet_search::{
//!     AllowAll, CaseMatching, FileFilter, HiddenFiles, IgnoreFiles, LiteralNames, MatchSpan, ResultOrder, Pattern, SearchProgress, WalkStart, Walk,
//!     count_matches,
//! };
//! use lancet_workspace::{RealDisk, Workspace};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let folder = tempfile::tempdir()?;
//! std::fs::write(folder.path().join("a.txt"), "one needle\n")?;
//! std::fs::write(folder.path().join("b.txt"), "hay\n")?;
//!
//! let workspace = Workspace::open(&[folder.path().to_path_buf()], Arc::new(RealDisk), None)?;
//! let root = workspace.locate(&workspace.roots()[0])?;
//! let walk = Walk {
//!     starts: &[WalkStart::new(root)],
//!     ignoring: IgnoreFiles::Respect,
//!     hidden: HiddenFiles::Skip,
//!     excludes: None,
//!     filter: &FileFilter::default(),
//!     named: &LiteralNames::default(),
//!     gate: &AllowAll,
//!     stop: &|| false,
//!     progress: &SearchProgress::default(),
//!     threads: 2,
//! };
//! let pattern = Pattern::new("needle", CaseMatching::Sensitive, MatchSpan::SingleLine)?;
//! let mut summary = count_matches(&walk, &pattern, ResultOrder::Path, &|_| None, &|_, _| true);
//! assert_eq!(summary.matches, 1);
//! assert_eq!(&*summary.files.all_entries()[0].relative, Path::new("a.txt"));
//! # Ok(())
//! # }
//! ```
//!
//! # Limitations
//! Symbolic links are counted, and followed only where the gate says so. A pattern that can span lines is not searched for in files over 32 MiB,
//! nor any pattern in lines over 32 MiB; a compiled pattern takes at most 8 MiB. Permissions, sessions and answers are
//! the caller's business.

mod excerpt;
mod file_search;
mod filter;
mod gate;
mod glob;
mod held;
mod index;
mod list;
mod literal_names;
mod name_key;
mod name_prefilter;
mod pattern;
mod print;
mod reader;
mod rule_record;
mod rule_watch;
mod rules;
mod shared_path;
mod stoppable;
mod substitution;
mod summary;
mod tally;
mod walk;
mod wide_mark;
mod window;

#[cfg(test)]
use lancet_testing::laws;

pub use excerpt::{Excerpt, ExcerptLine, ExcerptRange, LineRole};
pub use file_search::{Encodings, FileOutcome, FileSearcher};
pub use filter::{FileFilter, GlobError, UnknownType, type_definitions, type_names};
pub use gate::{AllowAll, Gate, GateBasis, Stop};
pub use glob::escape_brackets;
pub use held::{FileInMemory, HeldContents};
pub use ignore::gitignore::gitconfig_excludes_path as excludes_path;
pub use index::{
    AbsenceReason, CannotAnswer, Exhausted, IndexResidency, IndexScope, IndexSize, IndexStatus,
    KeepContents, MemoryBudget, NotResident, PageNeed, PageUnit, Reservation, ResidentFacts,
    ResidentTree, SLOT_BYTES, TreeIndex, WATCHES_PER_PORTION, WatchAllowance, count_resident,
    is_home_folder, list_resident,
};
pub use list::{ListedFile, Listing, RankedFiles, RemainingFiles, ResultOrder};
pub use literal_names::LiteralNames;
pub use pattern::{
    CaseMatching, DotMatching, MatchBoundary, MatchSpan, Pattern, PatternCache, PatternError,
    PatternOptions, smart_case,
};
pub use print::{
    BinaryFiles, FileRow, LeftOut, LineLimit, MakeVisible, NamePlacement, Output, OutputStyle,
    PrintMode, PrintNames, PrintOptions, PrintSearch, Printout, RowFormat, SearchStats,
    SelectedLines, TypedStarts,
};
pub use rule_record::RuleRecord;
pub use rule_watch::OutsideRuleFiles;
pub use rules::{Excludes, FolderRules};
pub use shared_path::SharedPath;
pub use substitution::{Substitution, SubstitutionError, TemplateError};
pub use summary::{
    LinkedFileFilter, SearchExtent, SearchSummary, SearchTotals, count_matches, list_files,
};
pub use tally::{SearchProgress, Tally};
pub use walk::{
    EnteredFolder, HiddenFiles, IgnoreFiles, Visitor, Walk, WalkEnd, WalkStart, WalkedFile,
};
