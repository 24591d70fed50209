//! `lancet grep` and `lancet glob`: searches for people, with ripgrep's flags, output and exit codes.

mod expand;
mod input;
mod screen;

use std::path::{Path, PathBuf};

use lancet::Lancet;
use lancet::doors::{
    BinaryFiles, CaseMatching, DotMatching, EntryKind, HiddenFiles, IgnoreFiles, LineLimit,
    MatchBoundary, MatchSpan, NamePlacement, Pattern, PatternOptions, PrintMode, PrintOptions,
    ResultOrder, SelectedLines, ShellSearch, SortOrder, escape_regex, smart_case,
};

use super::read_text_file;
use crate::arguments::{
    FilterArguments, GlobArguments, GrepArguments, ListedKind, SortBy, WorkArguments,
};
use crate::failure::{Exit, Failure};
use crate::opening::{OpenRequest, WriteAuthor};
use crate::surroundings::{RootHint, Surroundings, as_text};

pub(super) use expand::{entries_below, expand_glob};
use input::StandardInput;
use screen::{SearchScreen, TotalsUnit};

/// The longest line that a terminal shows whole: a match in a minified file would fill the screen many times over.
const LONGEST_ON_TERMINAL: LineLimit = LineLimit {
    bytes: 2_000,
    preview: true,
};

/// Runs `lancet grep`.
pub(super) fn grep(arguments: &GrepArguments, around: &Surroundings) -> Result<Exit, Failure> {
    let mut expressions = arguments.regexp.clone();
    for file in &arguments.file {
        let text = read_text_file(file, "the patterns", around)?;
        expressions.extend(text.lines().map(str::to_owned));
    }
    let has_expressions = !arguments.regexp.is_empty() || !arguments.file.is_empty();
    let mut typed = arguments.paths.clone();
    match &arguments.pattern {
        Some(word) if arguments.files || has_expressions => typed.insert(0, word.into()),
        Some(word) => expressions.push(word.clone()),
        None => {}
    }
    let mut filter = arguments.filter.clone();
    filter.no_ignore |= arguments.unrestricted > 0;
    filter.hidden |= arguments.unrestricted > 1;
    let mut screen = SearchScreen::from_arguments(&filter, around);
    screen.quiet = arguments.quiet;
    if arguments.pretty {
        screen.make_pretty();
    }
    let streams = match (arguments.files, typed.is_empty()) {
        (true, _) => StandardInput::Left,
        (false, true) if input::is_piped() && !arguments.file.contains(&"-".into()) => {
            StandardInput::Alone
        }
        _ => input::take_dash(&mut typed),
    };
    if streams == StandardInput::Alone {
        let pattern = compile_pattern(arguments, &expressions)?;
        let options = input::stream_options(arguments, print_options(arguments, &screen));
        let output = screen.open_output(None)?;
        let report = input::grep_standard_input(&pattern, &options, screen.format, &output);
        return screen.finish(Ok(report), output, TotalsUnit::Matches);
    }
    let (search, lancet) = open_on_paths(&typed, &filter, &arguments.place, around)?;
    let search = ShellSearch {
        types: arguments.kind.clone(),
        not_types: arguments.type_not.clone(),
        ..search
    };
    if arguments.files {
        let kinds = [EntryKind::File];
        let output = screen.open_output(None)?;
        let report = search.list(&lancet, None, &kinds, screen.null, screen.format, &output);
        return screen.finish(report, output, TotalsUnit::Files);
    }
    let pattern = compile_pattern(arguments, &expressions)?;
    let options = print_options(arguments, &screen);
    let separator = match options.printed {
        PrintMode::Lines | PrintMode::Matches if has_headings(arguments, &screen) => Some(""),
        PrintMode::Lines | PrintMode::Matches if options.before + options.after > 0 => Some("--"),
        _ => None,
    };
    let output = screen.open_output(separator)?;
    let mut report = search.grep(&lancet, &pattern, &options, screen.format, &output);
    if let (StandardInput::AmongOthers, Ok(report)) = (streams, &mut report) {
        let more = input::grep_standard_input(&pattern, &options, screen.format, &output);
        report.printout.append(more.printout);
    }
    screen.finish(report, output, TotalsUnit::Matches)
}

/// Runs `lancet glob`.
pub(super) fn glob(arguments: &GlobArguments, around: &Surroundings) -> Result<Exit, Failure> {
    let (search, lancet) = open_on_paths(
        &arguments.paths,
        &arguments.filter,
        &arguments.place,
        around,
    )?;
    let search = ShellSearch {
        extensions: arguments.extension.clone(),
        ..search
    };
    let kinds: Vec<EntryKind> = arguments
        .kind
        .iter()
        .map(|kind| match kind {
            ListedKind::File => EntryKind::File,
            ListedKind::Folder => EntryKind::Folder,
        })
        .collect();
    if search.sort.is_some() && kinds.contains(&EntryKind::Folder) {
        return Err(Failure::usage(
            "--sort sorts files; folders (-t d) come as they are found",
        ));
    }
    let screen = SearchScreen::from_arguments(&arguments.filter, around);
    let output = screen.open_output(None)?;
    let pattern = arguments.pattern.as_deref();
    let report = search.list(
        &lancet,
        pattern,
        &kinds,
        screen.null,
        screen.format,
        &output,
    );
    screen.finish(report, output, TotalsUnit::Files)
}

/// Opens an engine on the typed paths, and returns where the search begins.
fn open_on_paths(
    typed: &[PathBuf],
    filter: &FilterArguments,
    place: &WorkArguments,
    around: &Surroundings,
) -> Result<(ShellSearch, Lancet), Failure> {
    let typed = match typed {
        // The names of the files then have no `./` before them.
        [] => &[PathBuf::new()][..],
        typed => typed,
    };
    let mut absolute = Vec::with_capacity(typed.len());
    for path in typed {
        absolute.push(if path.as_os_str().is_empty() {
            around.absolute(Path::new("."))?
        } else {
            around.absolute(path)?
        });
    }
    let request = OpenRequest::for_command(
        place,
        RootHint::AtAll(&absolute),
        WriteAuthor::Agent(lancet::Mode::Plan),
    );
    let lancet = request.open(around)?.lancet;
    let mut paths = Vec::with_capacity(typed.len());
    for (typed, absolute) in typed.iter().zip(&absolute) {
        paths.push((typed.clone(), as_text(absolute)?));
    }
    let sort = |by: SortBy, reversed: bool| {
        let (by, reversed) = match by {
            SortBy::None => return None,
            SortBy::Path => (ResultOrder::Path, reversed),
            // The engine sorts the newest file first.
            SortBy::Modified => (ResultOrder::Newest, !reversed),
        };
        Some(SortOrder { by, reversed })
    };
    let search = ShellSearch {
        paths,
        working: around.working.clone().unwrap_or_default(),
        globs: filter.glob.clone(),
        types: Vec::new(),
        not_types: Vec::new(),
        extensions: Vec::new(),
        ignoring: match filter.no_ignore {
            true => IgnoreFiles::Include,
            false => IgnoreFiles::Respect,
        },
        hidden: match filter.hidden {
            true => HiddenFiles::Include,
            false => HiddenFiles::Skip,
        },
        depth: filter.max_depth,
        sort: match (filter.sort, filter.sortr) {
            (Some(by), _) => sort(by, false),
            (_, Some(by)) => sort(by, true),
            _ => None,
        },
    };
    Ok((search, lancet))
}

/// Compiles the expressions.
fn compile_pattern(arguments: &GrepArguments, expressions: &[String]) -> Result<Pattern, Failure> {
    let texts: Vec<String> = expressions
        .iter()
        .map(|text| match arguments.fixed_strings {
            true => escape_regex(text),
            false => text.clone(),
        })
        .collect();
    let whole = match &texts[..] {
        [one] => one.clone(),
        // An empty file of patterns matches nothing, as in ripgrep.
        [] => r"[a&&b]".to_owned(),
        several => format!("(?:{})", several.join(")|(?:")),
    };
    let case = match arguments.smart_case {
        true => smart_case(&whole),
        false if arguments.ignore_case => CaseMatching::Insensitive,
        false => CaseMatching::Sensitive,
    };
    let options = PatternOptions {
        case,
        span: match arguments.multiline {
            true => MatchSpan::MultiLine,
            false => MatchSpan::SingleLine,
        },
        dot: match arguments.multiline_dotall {
            true => DotMatching::AnyCharacter,
            false => DotMatching::WithinLine,
        },
        boundary: match (arguments.word_regexp, arguments.line_regexp) {
            (true, _) => MatchBoundary::Word,
            (_, true) => MatchBoundary::Line,
            _ => MatchBoundary::None,
        },
    };
    // Each is compiled alone first, so that an error shows the expression that was typed.
    for text in texts.iter().filter(|_| texts.len() > 1) {
        Pattern::with_options(text, options)
            .map_err(|error| unusable_pattern_failure(text, &error))?;
    }
    Pattern::with_options(&whole, options).map_err(|error| unusable_pattern_failure(&whole, &error))
}

/// Explains why an expression cannot be used, and what to type instead.
fn unusable_pattern_failure(expression: &str, error: &lancet::doors::PatternError) -> Failure {
    if error.spans_lines {
        return Failure::usage(
            "the pattern has a line end, and a match stays on one line; use -U to search across lines",
        );
    }
    let mut words = error.words.trim_end().to_owned();
    let escaped = escape_regex(expression);
    if escaped != expression {
        let quoted = escaped.replace('\'', r"'\''");
        words.push_str(&format!(
            "\nTo search for it as it is, use -F, or type '{quoted}'."
        ));
    }
    Failure::usage(words)
}

fn has_headings(arguments: &GrepArguments, screen: &SearchScreen) -> bool {
    match (arguments.heading, arguments.no_heading) {
        (true, _) => true,
        (_, true) => false,
        _ => screen.is_terminal || arguments.pretty,
    }
}

fn print_options(arguments: &GrepArguments, screen: &SearchScreen) -> PrintOptions {
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
        columns: arguments.column,
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
