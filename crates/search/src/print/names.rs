//! Prints the names of files and folders as a walk finds them.

use std::path::Path;

use lancet_workspace::EntryKind;

use super::output::{FileOutput, Output};
use super::{FileRow, LeftOut, Printout, RowFormat, TypedStarts};
use crate::list::ListedFile;
use crate::tally::Tally;
use crate::walk::{EnteredFolder, Visitor, Walk, WalkedFile};

/// A list of names that is printed.
pub struct PrintNames<'p> {
    /// The names of the starts.
    pub typed: &'p TypedStarts,
    /// Which entries are listed.
    pub kinds: &'p [EntryKind],
    /// Whether a NUL follows each name.
    pub null: bool,
    /// The format for programs.
    pub rows: Option<RowFormat<'p>>,
    /// Where everything is printed.
    pub output: &'p Output,
}

impl PrintNames<'_> {
    /// Prints the names of the entries of a walk as they are found.
    pub fn run(&self, walk: &Walk<'_>) -> Printout {
        let (printers, ended) = walk.run(|| NamePrinter {
            names: self,
            walk,
            output: FileOutput::new(self.output),
            files: 0,
            left_out: LeftOut::default(),
        });
        let mut printout = Printout {
            tally: ended.tally,
            ..Printout::default()
        };
        for printer in printers {
            printout.files += printer.files;
            printout.left_out.append(printer.left_out);
        }
        printout
    }

    /// Prints the names of files that an earlier walk found.
    pub fn run_on<'l>(
        &self,
        walk: &Walk<'_>,
        files: impl Iterator<Item = &'l ListedFile>,
    ) -> Printout {
        let mut printer = NamePrinter {
            names: self,
            walk,
            output: FileOutput::new(self.output),
            files: 0,
            left_out: LeftOut::default(),
        };
        for file in files {
            if self.output.is_closed() {
                break;
            }
            let path = walk.starts[file.start].path().join(&file.relative);
            printer.print_name(file.start, &path, &file.relative);
        }
        Printout {
            files: printer.files,
            ..Printout::default()
        }
    }
}

struct NamePrinter<'p, 'w> {
    names: &'p PrintNames<'p>,
    walk: &'p Walk<'w>,
    output: FileOutput<'p>,
    files: u64,
    left_out: LeftOut,
}

impl NamePrinter<'_, '_> {
    fn print_name(&mut self, start: usize, path: &Path, relative: &Path) {
        let name = self.names.typed.name(start, relative);
        let end = if self.names.null { b'\0' } else { b'\n' };
        match self.names.rows {
            Some(format) => self
                .output
                .add_row(|bytes| format(path, FileRow::File(None), bytes)),
            None => self.output.add_name(&name, end),
        }
        if self.output.end_file().is_ok() {
            self.files += 1;
        }
    }
}

impl Visitor for NamePrinter<'_, '_> {
    fn visit(&mut self, file: &WalkedFile<'_>, tally: &mut Tally) {
        tally.searched += 1;
        self.names.output.flush_if_due();
        let wanted = self.names.kinds.contains(&EntryKind::File)
            && (file.is_start() || self.walk.filter.wants_file(file.path));
        if wanted {
            self.print_name(file.start, file.path, file.relative);
        }
    }

    fn miss_folder(&mut self, start: usize, relative: &Path) {
        let name = self.names.typed.name(start, relative);
        self.left_out.add_unreadable(&name);
    }

    fn visit_folder(&mut self, folder: &EnteredFolder<'_>) {
        let wanted = self.names.kinds.contains(&EntryKind::Folder)
            && self.walk.filter.wants_entry(folder.path, EntryKind::Folder);
        if wanted {
            self.print_name(folder.start, folder.path, folder.relative);
        }
    }
}
