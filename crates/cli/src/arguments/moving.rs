//! The arguments of `lancet mv` and `lancet rm`.

use std::path::PathBuf;

use clap::Args;

use super::UndoFlags;

const MV: &str = "\
Examples:
  lancet mv src/util.rs src/paths.rs
      Another name.

  lancet mv a.txt b.txt 'notes/*.md' texts/
      Several files into a folder, as one change; the folder is made if it is not there.

  lancet mv src/old src/new
      A folder with all its files.

`lancet undo` gives everything its old name back.";

const RM: &str = "\
Examples:
  lancet rm scratch.py
  lancet rm 'src/**/*.orig' --dry-run
      What would go.

  lancet rm old
      A folder with all its files, as one change.

`lancet undo` brings everything back.";

/// Move or rename files and folders
///
/// One question, one undo, all or nothing; never over a file that is there. The target is the new name or, of several
/// sources, a folder: one that exists, or one that is made, with a slash at its end. Of a folder, everything that no
/// ignore file leaves out is moved, hidden files and empty folders too; what stays where it was is named.
#[derive(Debug, Args)]
#[command(
    override_usage = "lancet mv [OPTIONS] <SOURCE>... <TARGET>",
    after_long_help = MV
)]
pub(crate) struct MvArguments {
    /// Files, folders, or globs in quotes ('src/**/*.rs'), and at last the new name or the folder to move into
    #[arg(required = true, num_args = 2.., value_name = "SOURCE... TARGET")]
    pub(crate) paths: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) flags: UndoFlags,
}

/// Remove files and folders, so that they can be brought back
///
/// One question, one undo, all or nothing. Of a folder, everything that no ignore file leaves out is removed, hidden
/// files too, and the folder if it is empty then; what stays is named. A symbolic link is removed itself.
#[derive(Debug, Args)]
#[command(after_long_help = RM)]
pub(crate) struct RmArguments {
    /// Files, folders, or globs in quotes ('src/**/*.orig')
    #[arg(required = true, value_name = "PATH")]
    pub(crate) paths: Vec<PathBuf>,
    /// Accepted for those who are used to it: folders are removed with their files anyway
    #[arg(long, short = 'r', visible_short_alias = 'R', hide = true)]
    pub(crate) recursive: bool,
    #[command(flatten)]
    pub(crate) flags: UndoFlags,
}
