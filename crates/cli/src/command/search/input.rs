//! `lancet grep` on standard input: where it is a pipe or a file and no path is given, or for the path `-`.

use std::io;
use std::os::fd::AsFd as _;
use std::os::unix::fs::FileTypeExt as _;
use std::path::{Path, PathBuf};

use lancet::doors::{
    NamePlacement, Output, Pattern, PrintOptions, ShellFormat, ShellReport, ShellSearch,
};

use crate::arguments::GrepArguments;

/// The name of standard input, as ripgrep prints it.
const NAME: &str = "<stdin>";

/// Whether standard input is searched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum StandardInput {
    /// It is not.
    Left,
    /// It is all that is searched.
    Alone,
    /// It is searched after the files.
    AmongOthers,
}

/// Reports whether standard input is a pipe or a file. A socket is not counted: programs that start others often leave one
/// open and write nothing.
pub(super) fn is_piped() -> bool {
    let input = io::stdin().as_fd().try_clone_to_owned();
    let found = input.and_then(|input| std::fs::File::from(input).metadata());
    found.is_ok_and(|found| found.file_type().is_fifo() || found.is_file())
}

/// Takes `-` out of the paths.
pub(super) fn take_dash(typed: &mut Vec<PathBuf>) -> StandardInput {
    let number = typed.len();
    typed.retain(|path| path != Path::new("-"));
    match (typed.len() == number, typed.is_empty()) {
        (true, _) => StandardInput::Left,
        (false, true) => StandardInput::Alone,
        (false, false) => StandardInput::AmongOthers,
    }
}

/// Returns the options for a stream that is searched alone: without a name and, unless asked for, without numbers, so that
/// the command is a filter.
pub(super) fn stream_options(arguments: &GrepArguments, options: PrintOptions) -> PrintOptions {
    PrintOptions {
        naming: match arguments.with_filename || arguments.vimgrep {
            true => NamePlacement::EachLine,
            false => NamePlacement::None,
        },
        line_numbers: !arguments.no_line_number
            && (arguments.line_number || arguments.column || arguments.vimgrep || arguments.pretty),
        ..options
    }
}

/// Prints the matches in standard input.
pub(super) fn grep_standard_input(
    pattern: &Pattern,
    options: &PrintOptions,
    format: ShellFormat,
    output: &Output,
) -> ShellReport {
    let stream = (Path::new(NAME), io::stdin().lock());
    ShellReport {
        printout: ShellSearch::grep_stream(pattern, options, format, output, stream),
        ..ShellReport::default()
    }
}
