//! Prints what a walk finds while it runs, as ripgrep prints it: lines, names or counts. It collects only the lines of
//! the file that is being searched, and a bounded part of those. ripgrep's own printer lays out the lines.

mod left_out;
mod lines;
mod names;
mod options;
mod output;
mod sink;
mod stats;
mod stream;

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use grep_printer::{
    ColorSpecs, HyperlinkConfig, HyperlinkEnvironment, HyperlinkFormat, Standard, StandardBuilder,
    Summary, SummaryBuilder, SummaryKind, default_color_specs,
};
use lancet_workspace::Located;

use crate::excerpt::ExcerptLine;
use crate::file_search::{Encodings, FileOutcome};
use crate::gate::Stop;
use crate::list::ListedFile;
use crate::pattern::Pattern;
use crate::reader::SearchReader;
use crate::stoppable::StoppableMatcher;
use crate::summary::LinkedFileFilter;
use crate::tally::Tally;
use crate::walk::{Visitor, Walk, WalkEnd, WalkedFile};

pub use left_out::LeftOut;
pub use names::PrintNames;
pub use options::{BinaryFiles, LineLimit, NamePlacement, PrintMode, PrintOptions, SelectedLines};
use output::FileOutput;
pub use output::{MakeVisible, Output, OutputStyle};
use sink::{FirstMatchSink, GuardedSink};
pub use stats::SearchStats;

/// The names of the files, as the caller typed the starts: the path of each start, empty for the working folder.
#[derive(Clone, Debug)]
pub struct TypedStarts(pub Vec<PathBuf>);

impl TypedStarts {
    /// Returns the name under which a file or folder is printed.
    pub fn name<'f>(&self, start: usize, relative: &'f Path) -> Cow<'f, Path> {
        match self.0.get(start) {
            Some(typed) if relative.as_os_str().is_empty() => Cow::Owned(typed.clone()),
            Some(typed) if !typed.as_os_str().is_empty() => Cow::Owned(typed.join(relative)),
            _ => Cow::Borrowed(relative),
        }
    }
}

/// Formats the selected and context lines of a file for programs; `None` where people read them.
pub type RowFormat<'f> = &'f (dyn Fn(&Path, FileRow<'_>, &mut Vec<u8>) + Sync);

/// A row of output for programs.
pub enum FileRow<'l> {
    /// A line of a file.
    Line(&'l ExcerptLine),
    /// A file, with the number of its matches if that was requested.
    File(Option<u64>),
}

/// A search whose matches are printed.
pub struct PrintSearch<'p> {
    /// The pattern.
    pub pattern: &'p Pattern,
    /// The options for printing matches.
    pub options: &'p PrintOptions,
    /// The names of the starts.
    pub typed: &'p TypedStarts,
    /// The encodings that settings give files.
    pub encodings: Encodings<'p>,
    /// Decides whether files with several hard links in which the pattern matches may be shown.
    pub linked: LinkedFileFilter<'p>,
    /// The format for programs.
    pub rows: Option<RowFormat<'p>>,
    /// Where everything is printed.
    pub output: &'p Output,
}

/// The counts of a search whose matches were printed as they were found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Printout {
    /// Counts of what was searched and what was left out.
    pub tally: Tally,
    /// The number of files of which something was printed.
    pub files: u64,
    /// The number of matching lines or matches, where they were counted.
    pub matches: u64,
    /// The names of some of the files that were not searched, or not whole.
    pub left_out: LeftOut,
    /// What the searches did; counted only with [`PrintOptions::stats`].
    pub stats: SearchStats,
}

impl Printout {
    /// Adds the counts of another search.
    pub fn append(&mut self, other: Printout) {
        self.tally += other.tally;
        self.files += other.files;
        self.matches += other.matches;
        self.left_out.append(other.left_out);
        self.stats += other.stats;
    }
}

impl PrintSearch<'_> {
    /// Searches the files of a walk and prints the matches of each as soon as it has been searched.
    pub fn run(&self, walk: &Walk<'_>) -> Printout {
        let (printers, ended) = walk.run(|| self.new_printer(walk));
        self.sum_up(printers, &ended)
    }

    /// Searches files that an earlier walk found, one after the other.
    pub fn run_on<'l>(
        &self,
        walk: &Walk<'_>,
        files: impl Iterator<Item = &'l ListedFile>,
        locate: &dyn Fn(&ListedFile) -> Option<Located>,
    ) -> Printout {
        let mut printer = self.new_printer(walk);
        let mut tally = Tally::default();
        for file in files {
            if walk.stop.should_stop() {
                break;
            }
            if let Some(located) = locate(file) {
                let found = WalkedFile::from_earlier_walk(file.start, &file.relative, &located);
                printer.visit(&found, &mut tally);
            }
        }
        let ended = WalkEnd {
            tally,
            stopped_at: None,
        };
        self.sum_up(vec![printer], &ended)
    }

    fn sum_up(&self, printers: Vec<FilePrinter<'_, '_>>, ended: &WalkEnd) -> Printout {
        let mut printout = Printout {
            tally: ended.tally,
            ..Printout::default()
        };
        for printer in printers {
            printout.files += printer.files;
            printout.matches += printer.matches;
            printout.left_out.append(printer.left_out);
            printout.stats += printer.stats;
        }
        printout
    }

    fn new_reader<'v>(&'v self, stop: &'v dyn Stop) -> SearchReader<'v> {
        let options = self.options;
        SearchReader::new(self.pattern, stop).with_options(|builder| {
            builder
                .before_context(options.before)
                .after_context(options.after)
                .invert_match(options.selected == SelectedLines::NotMatching)
                .passthru(options.all_lines)
                .max_matches(options.most);
            let in_lines = matches!(options.printed, PrintMode::Lines | PrintMode::Matches);
            builder.line_number(self.rows.is_some() || (in_lines && options.line_numbers));
        })
    }

    fn new_printer<'v, 'w>(&'v self, walk: &'v Walk<'w>) -> FilePrinter<'v, 'w> {
        FilePrinter {
            search: self,
            walk,
            matcher: StoppableMatcher::new(self.pattern, walk.stop),
            reader: self.new_reader(walk.stop),
            named: None,
            layout: self.new_layout(),
            files: 0,
            matches: 0,
            left_out: LeftOut::default(),
            stats: SearchStats::default(),
        }
    }

    fn new_layout(&self) -> PrinterLayout<'_> {
        let options = self.options;
        let output = FileOutput::new(self.output);
        if self.rows.is_some() {
            return PrinterLayout::Rows(output);
        }
        let colours = ColorSpecs::new(&default_color_specs());
        let paint = self.output.style();
        let names = options.naming != NamePlacement::None;
        let terminator = options.null.then_some(0);
        let kind = match options.printed {
            PrintMode::Lines | PrintMode::Matches => {
                let mut builder = StandardBuilder::new();
                builder
                    .color_specs(colours)
                    .hyperlink(hyperlink_config(paint))
                    .heading(options.naming == NamePlacement::Heading)
                    .path(names)
                    .only_matching(options.printed == PrintMode::Matches)
                    .column(options.columns)
                    .per_match(options.each_match)
                    .per_match_one_line(true)
                    .replacement(options.replacement.clone().map(String::into_bytes))
                    .stats(options.stats)
                    .trim_ascii(options.trim)
                    .max_columns(options.longest.map(|limit| limit.bytes))
                    .max_columns_preview(options.longest.is_some_and(|limit| limit.preview))
                    .path_terminator(terminator);
                return PrinterLayout::Lines(Box::new(builder.build(output)));
            }
            PrintMode::Nothing if options.stats => SummaryKind::QuietWithMatch,
            PrintMode::Nothing => return PrinterLayout::Nothing(output),
            PrintMode::Names => SummaryKind::PathWithMatch,
            PrintMode::NamesWithoutMatch => SummaryKind::PathWithoutMatch,
            PrintMode::LineCounts => SummaryKind::Count,
            PrintMode::MatchCounts => SummaryKind::CountMatches,
        };
        let mut builder = SummaryBuilder::new();
        builder
            .kind(kind)
            .color_specs(colours)
            .hyperlink(hyperlink_config(paint))
            .path(names)
            .stats(options.stats)
            .path_terminator(terminator);
        PrinterLayout::Summary(Box::new(builder.build(output)))
    }
}

fn hyperlink_config(paint: OutputStyle) -> HyperlinkConfig {
    let format: HyperlinkFormat = match paint {
        OutputStyle::ColourAndLinks(_) => "default".parse().unwrap_or_default(),
        OutputStyle::Plain | OutputStyle::Visible(_) | OutputStyle::Colour(_) => {
            HyperlinkFormat::empty()
        }
    };
    format.into_config(HyperlinkEnvironment::new())
}

enum PrinterLayout<'o> {
    Lines(Box<Standard<FileOutput<'o>>>),
    Summary(Box<Summary<FileOutput<'o>>>),
    Rows(FileOutput<'o>),
    Nothing(FileOutput<'o>),
}

impl<'o> PrinterLayout<'o> {
    fn output(&mut self) -> &mut FileOutput<'o> {
        match self {
            PrinterLayout::Lines(printer) => printer.get_mut(),
            PrinterLayout::Summary(printer) => printer.get_mut(),
            PrinterLayout::Rows(output) | PrinterLayout::Nothing(output) => output,
        }
    }
}

/// Searches files and prints what it finds; one for each thread.
struct FilePrinter<'p, 'w> {
    search: &'p PrintSearch<'p>,
    walk: &'p Walk<'w>,
    matcher: StoppableMatcher<'p>,
    reader: SearchReader<'p>,
    /// The reader of files that were named, created for the first of them.
    named: Option<SearchReader<'p>>,
    layout: PrinterLayout<'p>,
    files: u64,
    matches: u64,
    left_out: LeftOut,
    stats: SearchStats,
}

impl FilePrinter<'_, '_> {
    /// Searches one file. Returns whether anything of it was selected, the number of matches, and whether the search
    /// ended at a NUL byte.
    fn search_file(&mut self, file: &WalkedFile<'_>) -> Result<(bool, u64, bool), FileOutcome> {
        let search = self.search;
        let name = search.typed.name(file.start, file.relative);
        let may_show = || match file.stat() {
            Ok(stamp) => stamp.links <= 1 || (search.linked)(file, stamp.links),
            // The file was removed since it was searched.
            Err(_) => false,
        };
        let encoding = (search.encodings)(file.path);
        let (matcher, opened) = (&self.matcher, file.open());
        let without = search.options.printed == PrintMode::NamesWithoutMatch;
        // Rows for programs are lines of text: a binary file has none.
        let is_named = file.relative.as_os_str().is_empty();
        let base = &self.reader;
        let reader = match search.options.binary {
            BinaryFiles::AsText => self
                .named
                .get_or_insert_with(|| base.for_any_files_as_text()),
            BinaryFiles::Skip if !is_named || search.rows.is_some() => &mut self.reader,
            BinaryFiles::Search if search.rows.is_some() => &mut self.reader,
            BinaryFiles::Skip | BinaryFiles::Search => {
                self.named.get_or_insert_with(|| base.for_named_files())
            }
        };
        match &mut self.layout {
            PrinterLayout::Lines(printer) => {
                let sink = printer.sink_with_path(matcher, &*name);
                let mut sink = GuardedSink::new(sink, &may_show, without);
                let cut = reader.search(matcher, opened, encoding, &mut sink)?;
                let count = sink.inner().match_count();
                self.stats.add_file(sink.inner().stats());
                Ok((sink.may_be_shown() && count > 0, count, cut))
            }
            PrinterLayout::Summary(printer) => {
                let sink = printer.sink_with_path(matcher, &*name);
                let mut sink = GuardedSink::new(sink, &may_show, without);
                let cut = reader.search(matcher, opened, encoding, &mut sink)?;
                let selected = sink.may_be_shown() && sink.inner().has_match();
                self.stats.add_file(sink.inner().stats());
                Ok((selected, u64::from(selected), cut))
            }
            PrinterLayout::Nothing(_) => {
                let mut sink = GuardedSink::new(FirstMatchSink::default(), &may_show, false);
                let cut = reader.search(matcher, opened, encoding, &mut sink)?;
                let selected = sink.may_be_shown() && sink.inner().found;
                Ok((selected, u64::from(selected), cut))
            }
            PrinterLayout::Rows(output) => {
                let sink = lines::RowSink::new(search, matcher, file.path, output);
                let mut sink = GuardedSink::new(sink, &may_show, without);
                let cut = reader.search(matcher, opened, encoding, &mut sink)?;
                let (found, count) = sink.inner().result();
                Ok((sink.may_be_shown() && found, count, cut))
            }
        }
    }
}

impl Visitor for FilePrinter<'_, '_> {
    fn visit(&mut self, file: &WalkedFile<'_>, tally: &mut Tally) {
        let output = self.search.output;
        output.flush_if_due();
        if output.is_closed() || (!file.is_start() && !self.walk.filter.wants_file(file.path)) {
            return;
        }
        let searched = self.search_file(file);
        let printed = self.layout.output().end_file();
        if output.is_closed() || printed.is_err() {
            return;
        }
        match searched {
            Ok((selected, matches, cut)) => {
                tally.searched += 1;
                if cut {
                    tally.cut += 1;
                    let name = self.search.typed.name(file.start, file.relative);
                    self.left_out.add_cut(&name);
                }
                if selected {
                    self.files += 1;
                    self.matches += matches;
                    let options = self.search.options;
                    if options.printed == PrintMode::Nothing && !options.stats {
                        output.close();
                    }
                }
            }
            Err(FileOutcome::Binary) => tally.binary += 1,
            Err(FileOutcome::TooLarge) => tally.too_large += 1,
            Err(FileOutcome::Unreadable) => {
                tally.unreadable += 1;
                let name = self.search.typed.name(file.start, file.relative);
                self.left_out.add_unreadable(&name);
            }
            Err(_) => {}
        }
    }

    fn miss_folder(&mut self, start: usize, relative: &Path) {
        let name = self.search.typed.name(start, relative);
        self.left_out.add_unreadable(&name);
    }
}
