//! `lancet grep` and `lancet glob`: searches for people, with ripgrep's flags, output and exit codes.

mod expand;
mod input;
mod options;
mod pattern;
mod screen;
mod types;

use std::path::{Path, PathBuf};
use std::time::Instant;

use lancet::Lancet;
use lancet::doors::{
    EntryKind, HiddenFiles, IgnoreFiles, LinkUse, PrintMode, PrintOptions, ResultOrder,
    ShellSearch, SortOrder,
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
use options::{has_headings, print_options};
use pattern::compile_pattern;
use screen::{SearchScreen, TotalsUnit};

/// Runs `lancet grep`.
pub(super) fn grep(arguments: &GrepArguments, around: &Surroundings) -> Result<Exit, Failure> {
    if arguments.type_list {
        return types::print_types();
    }
    let began = Instant::now();
    let mut typed = arguments.paths.clone();
    let expressions = collect_expressions(arguments, &mut typed, around)?;
    let mut filter = arguments.filter.clone();
    filter.no_ignore |= arguments.unrestricted > 0;
    filter.hidden |= arguments.unrestricted > 1;
    let mut screen = SearchScreen::from_arguments(&filter, around);
    screen.quiet = arguments.quiet;
    let shows_stats = arguments.stats && !arguments.files && !filter.json;
    screen.stats_since = shows_stats.then_some(began);
    if arguments.pretty {
        screen.make_pretty();
    }
    let streams = choose_standard_input(arguments, &mut typed);
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
        case_insensitive_globs: arguments.iglob.clone(),
        threads: arguments.threads,
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
    let output = screen.open_output(separator(arguments, &options, &screen))?;
    let mut report = search.grep(&lancet, &pattern, &options, screen.format, &output);
    if let (StandardInput::AmongOthers, Ok(report)) = (streams, &mut report) {
        let more = input::grep_standard_input(&pattern, &options, screen.format, &output);
        report.printout.append(more.printout);
    }
    screen.finish(report, output, TotalsUnit::Matches)
}

/// Returns the expressions from all options and files. The first word is one of them, or else the first path.
fn collect_expressions(
    arguments: &GrepArguments,
    typed: &mut Vec<PathBuf>,
    around: &Surroundings,
) -> Result<Vec<String>, Failure> {
    let has_expressions = !arguments.regexp.is_empty() || !arguments.file.is_empty();
    let is_path = arguments.files || has_expressions;
    if let Some(word) = arguments.pattern.as_ref().filter(|_| is_path) {
        typed.insert(0, word.into());
    }
    let dash = Path::new("-");
    if arguments.file.iter().any(|file| file == dash) && typed.iter().any(|path| path == dash) {
        return Err(Failure::usage(
            "standard input can be read once: as the patterns (-f -), or as the text that is searched (-)",
        ));
    }
    let mut expressions = arguments.regexp.clone();
    for file in &arguments.file {
        let text = read_text_file(file, "the patterns", around)?;
        expressions.extend(text.lines().map(str::to_owned));
    }
    if !is_path {
        expressions.extend(arguments.pattern.clone());
    }
    Ok(expressions)
}

/// Returns whether standard input is searched, and removes it from the paths.
fn choose_standard_input(arguments: &GrepArguments, typed: &mut Vec<PathBuf>) -> StandardInput {
    match (arguments.files, typed.is_empty()) {
        (true, _) => StandardInput::Left,
        (false, true) if input::is_piped() && !arguments.file.contains(&"-".into()) => {
            StandardInput::Alone
        }
        _ => input::take_dash(typed),
    }
}

/// Returns the line that is printed between two files.
fn separator(
    arguments: &GrepArguments,
    options: &PrintOptions,
    screen: &SearchScreen,
) -> Option<&'static str> {
    match options.printed {
        PrintMode::Lines | PrintMode::Matches if has_headings(arguments, screen) => Some(""),
        PrintMode::Lines | PrintMode::Matches if options.before + options.after > 0 => Some("--"),
        _ => None,
    }
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
        case_insensitive_globs: Vec::new(),
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
        links: match filter.follow {
            true => LinkUse::Followed,
            false => LinkUse::Counted,
        },
        threads: None,
        sort: match (filter.sort, filter.sortr) {
            (Some(by), _) => sort(by, false),
            (_, Some(by)) => sort(by, true),
            _ => None,
        },
    };
    Ok((search, lancet))
}
