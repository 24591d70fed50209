//! Searches for a person at the shell: results are printed while the search runs, without a limit on number or time.
//! Start folders, ignore rules and policy are the same as for the tools.

use std::io::Read;
use std::path::{Path, PathBuf};

use lancet_search::{
    FileFilter, FileRow, HiddenFiles, IgnoreFiles, LineRole, ListedFile, LiteralNames, Output,
    Pattern, PrintNames, PrintOptions, PrintSearch, Printout, ResultOrder, SearchProgress, Walk,
    WalkStart, WalkedFile, list_files,
};
use lancet_workspace::{EntryKind, FileType};

use super::filter_refusals::{bad_glob_refusal, unknown_type_refusal};
use super::gate::{LinkUse, WalkGuard};
use super::rules_of_files::{configured_encoding, global_excludes};
use super::scope::{glob_starts, path_of, thread_count};
use crate::engine::{EngineView, Lancet};
use crate::refusal::Refusal;
use crate::row::{Role, Row};
use crate::stages::locate::{Intent, LinkIndex, locate};
use crate::stages::open;

/// The places that a person searches, and the files that are included.
#[derive(Clone, Debug)]
pub struct ShellSearch {
    /// The files and folders, each as typed and as an absolute path.
    pub paths: Vec<(PathBuf, String)>,
    /// The folder that names are relative to.
    pub working: PathBuf,
    /// Globs that files must match; a glob that begins with `!` leaves files out.
    pub globs: Vec<String>,
    /// The same, ignoring case.
    pub case_insensitive_globs: Vec<String>,
    /// Types that files must have.
    pub types: Vec<String>,
    /// Types that files must not have.
    pub not_types: Vec<String>,
    /// Extensions that names must have.
    pub extensions: Vec<String>,
    /// Whether ignore files apply.
    pub ignoring: IgnoreFiles,
    /// Whether hidden entries are included.
    pub hidden: HiddenFiles,
    /// The order; none where files are printed as they are found.
    pub sort: Option<SortOrder>,
    /// How many levels below the start folders files are included; none for all.
    pub depth: Option<usize>,
    /// What is done with symbolic links.
    pub links: LinkUse,
    /// The most threads; none for as many as the machine has cores.
    pub threads: Option<usize>,
}

/// The order in which files are printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SortOrder {
    /// The property by which files are compared.
    pub by: ResultOrder,
    /// Whether the last file of that order comes first.
    pub reversed: bool,
}

/// The format of the output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ShellFormat {
    /// Text for people.
    Text,
    /// One JSON object per line.
    Rows,
}

/// The end of a search at the shell.
#[derive(Debug, Default)]
pub struct ShellReport {
    /// The counts of what was printed and what was left out.
    pub printout: Printout,
    /// The paths that were not searched, as typed, and why.
    pub refused: Vec<(PathBuf, Refusal)>,
    /// The number of files that were not sorted for lack of memory, and so not searched.
    pub unsorted: u64,
}

impl ShellSearch {
    /// Prints the matches of a pattern.
    pub fn grep(
        &self,
        lancet: &Lancet,
        pattern: &Pattern,
        options: &PrintOptions,
        format: ShellFormat,
        output: &Output,
    ) -> Result<ShellReport, Refusal> {
        let engine = &*lancet.engine();
        let mut report = ShellReport::default();
        let starts = self.starts(engine, &mut report);
        let mut bases: Vec<&Path> = vec![&self.working];
        bases.extend(starts.iter().map(|(start, _)| start.path()));
        let filter = self.filter(&bases, &self.globs)?;
        let named = LiteralNames::new(self.globs.iter().map(String::as_str));
        self.with_walk(engine, starts, &filter, &named, output, |walk, typed| {
            let links = LinkIndex::new(engine, engine.permissions.policy());
            let search = PrintSearch {
                pattern,
                options,
                typed,
                encodings: &|path| configured_encoding(engine, path),
                linked: &|file: &WalkedFile<'_>, _| links.may_show(file.target_path()),
                rows: (format == ShellFormat::Rows).then_some(&push_row),
                output,
            };
            let Some(sort) = self.sort else {
                report.printout = search.run(walk);
                return;
            };
            let (files, tally) = self.find_and_sort(walk, sort, &mut report);
            let paths: Vec<PathBuf> = walk.starts.iter().map(|s| s.path().to_path_buf()).collect();
            report.printout = search.run_on(walk, files.iter(), &|file| {
                let path = path_of(&paths, file);
                match self.links {
                    LinkUse::Counted => engine.full_workspace().locate_as_spelled(&path).ok(),
                    LinkUse::Followed => walk.gate.follow(&path),
                }
            });
            let searched = report.printout.tally.searched;
            report.printout.tally += tally;
            report.printout.tally.searched = searched;
        });
        Ok(report)
    }

    /// Prints the matches of a pattern in a stream, such as standard input. No rule applies to it.
    pub fn grep_stream(
        pattern: &Pattern,
        options: &PrintOptions,
        format: ShellFormat,
        output: &Output,
        (name, stream): (&Path, impl Read),
    ) -> Printout {
        let search = PrintSearch {
            pattern,
            options,
            typed: &lancet_search::TypedStarts(Vec::new()),
            encodings: &|_| None,
            linked: &|_, _| true,
            rows: (format == ShellFormat::Rows).then_some(&push_row),
            output,
        };
        search.run_on_stream(name, stream)
    }

    /// Prints the names of files and folders.
    pub fn list(
        &self,
        lancet: &Lancet,
        pattern: Option<&str>,
        kinds: &[EntryKind],
        null: bool,
        format: ShellFormat,
        output: &Output,
    ) -> Result<ShellReport, Refusal> {
        let engine = &*lancet.engine();
        let mut report = ShellReport::default();
        let mut starts = self.starts(engine, &mut report);
        let mut globs = self.globs.clone();
        if let Some(pattern) = pattern.filter(|_| !starts.is_empty()) {
            let known: Vec<WalkStart> = starts.iter().map(|(start, _)| start.clone()).collect();
            let (led, rest) = glob_starts(engine, known, pattern)?;
            // A glob that names a folder starts there.
            if led.len() != starts.len()
                || led
                    .iter()
                    .zip(&starts)
                    .any(|(a, (b, _))| a.path() != b.path())
            {
                let typed = |start: &WalkStart| {
                    let path = start.path();
                    path.strip_prefix(&self.working)
                        .unwrap_or(path)
                        .to_path_buf()
                };
                starts = led
                    .into_iter()
                    .map(|start| (start.clone(), typed(&start)))
                    .collect();
            }
            globs.insert(0, rest);
        }
        let bases: Vec<&Path> = starts.iter().map(|(start, _)| start.path()).collect();
        let filter = self.filter(&bases, &globs)?;
        let named = LiteralNames::new(globs.iter().map(String::as_str));
        self.with_walk(engine, starts, &filter, &named, output, |walk, typed| {
            let names = PrintNames {
                typed,
                kinds,
                null,
                rows: (format == ShellFormat::Rows).then_some(&push_row),
                output,
            };
            let Some(sort) = self.sort else {
                report.printout = names.run(walk);
                return;
            };
            let (files, tally) = self.find_and_sort(walk, sort, &mut report);
            report.printout = names.run_on(walk, files.iter());
            report.printout.tally = tally;
        });
        Ok(report)
    }

    /// Returns the start folders with their names as typed; paths that cannot be searched are reported.
    fn starts(&self, engine: &EngineView, report: &mut ShellReport) -> Vec<(WalkStart, PathBuf)> {
        let mut starts = Vec::new();
        for (typed, path) in &self.paths {
            let found = locate(engine, path, Intent::Show).and_then(|target| {
                match target.located.kind() {
                    FileType::File | FileType::Directory => {}
                    _ => open::require_file(engine, &target)?,
                }
                Ok(WalkStart::new(target.located))
            });
            match found {
                Ok(start) => starts.push((start, typed.clone())),
                Err(refusal) => report.refused.push((typed.clone(), refusal)),
            }
        }
        starts
    }

    fn filter(&self, bases: &[&Path], globs: &[String]) -> Result<FileFilter, Refusal> {
        let strip = |globs: &'_ [String]| -> Vec<String> {
            let stripped = globs
                .iter()
                .map(|glob| glob.strip_prefix("./").unwrap_or(glob));
            stripped.map(str::to_owned).collect()
        };
        let mut filter = FileFilter::default();
        if !globs.is_empty() {
            let globs = strip(globs);
            let globs: Vec<&str> = globs.iter().map(String::as_str).collect();
            filter = filter
                .with_globs(bases, &globs)
                .map_err(|error| bad_glob_refusal("the glob", &error.why))?;
        }
        if !self.case_insensitive_globs.is_empty() {
            let globs = strip(&self.case_insensitive_globs);
            let globs: Vec<&str> = globs.iter().map(String::as_str).collect();
            filter = filter
                .with_case_insensitive_globs(bases, &globs)
                .map_err(|error| bad_glob_refusal("the glob", &error.why))?;
        }
        if !self.types.is_empty() || !self.not_types.is_empty() {
            let names = |names: &'_ [String]| {
                names
                    .iter()
                    .map(|n| n.as_str().to_owned())
                    .collect::<Vec<_>>()
            };
            let (of, not_of) = (names(&self.types), names(&self.not_types));
            let of: Vec<&str> = of.iter().map(String::as_str).collect();
            let not_of: Vec<&str> = not_of.iter().map(String::as_str).collect();
            filter = filter
                .with_types(&of, &not_of)
                .map_err(|error| unknown_type_refusal(&error.name))?;
        }
        let extensions: Vec<&str> = self.extensions.iter().map(String::as_str).collect();
        if let Some(depth) = self.depth {
            filter = filter.with_max_depth(bases, depth);
        }
        Ok(filter.with_extensions(&extensions))
    }

    fn with_walk(
        &self,
        engine: &EngineView,
        starts: Vec<(WalkStart, PathBuf)>,
        filter: &FileFilter,
        named: &LiteralNames,
        output: &Output,
        work: impl FnOnce(&Walk<'_>, &lancet_search::TypedStarts),
    ) {
        let (starts, typed): (Vec<WalkStart>, Vec<PathBuf>) = starts.into_iter().unzip();
        let gate = WalkGuard::new(engine).with_links(self.links);
        let excludes = global_excludes(engine);
        let walk = Walk {
            starts: &starts,
            ignoring: self.ignoring,
            hidden: self.hidden,
            excludes: excludes.as_ref(),
            filter,
            named,
            gate: &gate,
            stop: &|| output.is_closed(),
            progress: &SearchProgress::default(),
            threads: match self.threads {
                Some(most @ 1..) => most.min(thread_count()),
                Some(0) | None => thread_count(),
            },
        };
        work(&walk, &lancet_search::TypedStarts(typed));
    }

    /// Finds all files and sorts them.
    fn find_and_sort(
        &self,
        walk: &Walk<'_>,
        sort: SortOrder,
        report: &mut ShellReport,
    ) -> (Vec<ListedFile>, lancet_search::Tally) {
        let mut summary = list_files(walk, sort.by, &|_, _| true);
        let mut files = summary.files.all_entries().to_vec();
        report.unsorted = summary.total.saturating_sub(files.len() as u64);
        if sort.reversed {
            files.reverse();
        }
        (files, summary.tally)
    }
}

/// Appends a row of the output for programs to `out`, in the form that `lancet call` uses.
fn push_row(path: &Path, row: FileRow<'_>, out: &mut Vec<u8>) {
    let path = path.to_string_lossy().into();
    let row = match row {
        FileRow::File(matches) => Row::file(path, matches),
        FileRow::Line(line) => {
            let role = match line.role {
                LineRole::Match => Role::Match,
                LineRole::Context => Role::Context,
            };
            let spans = line.spans.iter();
            let spans = spans.map(|span| [span.start as u32, span.end as u32]);
            let text = super::lines::line_text(line);
            Row::line(path, line.number, role, text, spans.collect())
        }
    };
    // Rows have no value that JSON cannot express.
    if serde_json::to_writer(&mut *out, &row).is_ok() {
        out.push(b'\n');
    }
}
