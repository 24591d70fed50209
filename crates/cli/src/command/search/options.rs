//! The options for printing matches, from the arguments of `lancet grep`.

use lancet::doors::{
    BinaryFiles, LineLimit, NamePlacement, PrintMode, PrintOptions, SelectedLines,
};

use super::screen::SearchScreen;
use crate::arguments::GrepArguments;

/// The longest line that a terminal shows whole: a match in a minified file would fill the screen many times over.
const LONGEST_ON_TERMINAL: LineLimit = LineLimit {
    bytes: 2_000,
    preview: true,
};

/// Returns whether the name of each file is printed on a line of its own.
pub(super) fn has_headings(arguments: &GrepArguments, screen: &SearchScreen) -> bool {
    match (arguments.heading, arguments.no_heading) {
        _ if arguments.vimgrep => false,
        (true, _) => true,
        (_, true) => false,
        _ => screen.is_terminal || arguments.pretty,
    }
}

/// Returns the options for printing matches.
pub(super) fn print_options(arguments: &GrepArguments, screen: &SearchScreen) -> PrintOptions {
    let printed = match () {
        () if arguments.quiet && !arguments.files_without_match => PrintMode::Nothing,
        () if arguments.files_with_matches => PrintMode::Names,
        () if arguments.files_without_match => PrintMode::NamesWithoutMatch,
        () if arguments.count_matches && !arguments.invert_match => PrintMode::MatchCounts,
        () if arguments.count && arguments.only_matching => PrintMode::MatchCounts,
        () if arguments.count || arguments.count_matches => PrintMode::LineCounts,
        () if arguments.only_matching => PrintMode::Matches,
        () => PrintMode::Lines,
    };
    let lines = |own: Option<u32>| own.or(arguments.context).unwrap_or(0) as usize;
    let heading = has_headings(arguments, screen);
    PrintOptions {
        printed,
        selected: match arguments.invert_match {
            true => SelectedLines::NotMatching,
            false => SelectedLines::Matching,
        },
        naming: match (arguments.no_filename, heading) {
            (true, _) => NamePlacement::None,
            (_, true) => NamePlacement::Heading,
            _ => NamePlacement::EachLine,
        },
        line_numbers: !arguments.no_line_number,
        columns: arguments.column || arguments.vimgrep,
        each_match: arguments.vimgrep,
        replacement: arguments.replace.clone(),
        all_lines: arguments.passthru,
        stats: arguments.stats,
        before: lines(arguments.before_context),
        after: lines(arguments.after_context),
        most: arguments.max_count,
        null: screen.null,
        trim: arguments.trim,
        longest: match arguments.max_columns {
            Some(0) => None,
            Some(bytes) => Some(LineLimit {
                bytes,
                preview: arguments.max_columns_preview,
            }),
            None if screen.is_terminal => Some(LONGEST_ON_TERMINAL),
            None => None,
        },
        binary: match (
            arguments.text,
            arguments.binary || arguments.unrestricted > 2,
        ) {
            (true, _) => BinaryFiles::AsText,
            (false, true) => BinaryFiles::Search,
            (false, false) => BinaryFiles::Skip,
        },
    }
}
