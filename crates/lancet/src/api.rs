//! The calls of a session, above the rooms: what a model's tool call, a typed call of a host, and a person's undo go through.

use std::path::Path;

use crate::arguments::{
    EditArguments, GlobArguments, GrepArguments, MultiEditArguments, ReadArguments, WriteArguments,
};
use crate::builtin;
use crate::call::{Caller, RawCall, SeenAs};
use crate::refusal::Refusal;
use crate::reply::Reply;
use crate::request::{Change, Whose};
use crate::rooms;
use crate::session::{Check, Session};
use crate::undo::{Direction, Restore, Selection, TakeBack};

impl Session {
    /// Reads a file for the host itself: under the same rules, but the ledger is left alone, so that it does not count as
    /// seen by the model.
    pub fn peek(&self, arguments: ReadArguments) -> Reply {
        self.apart().read(arguments)
    }

    /// Carries out one call and answers it. Never panics on any arguments; a refusal is an answer, too.
    pub fn call(&self, call: RawCall) -> Reply {
        rooms::run(self, call)
    }

    /// What a call would come to; nothing is written and the ledger stays as it is.
    pub fn check(&self, call: RawCall) -> Check {
        rooms::check(self, call)
    }

    /// Reads a file.
    pub fn read(&self, arguments: ReadArguments) -> Reply {
        let path = Some(arguments.file_path.clone());
        rooms::run_typed(self, &builtin::read::Read, path, arguments.asked())
    }

    /// Edits a file.
    pub fn edit(&self, arguments: EditArguments) -> Reply {
        let path = Some(arguments.file_path.clone());
        rooms::run_typed(self, &builtin::edit::Edit, path, arguments.asked())
    }

    /// Edits one or several files, all or nothing.
    pub fn multi_edit(&self, arguments: MultiEditArguments) -> Reply {
        let path = arguments.first_path().map(str::to_owned);
        rooms::run_typed(
            self,
            &builtin::multi_edit::MultiEdit,
            path,
            arguments.asked(),
        )
    }

    /// Writes a file.
    pub fn write(&self, arguments: WriteArguments) -> Reply {
        let path = Some(arguments.file_path.clone());
        rooms::run_typed(self, &builtin::write::Write, path, arguments.asked())
    }

    /// Lists files by a pattern of names.
    pub fn glob(&self, arguments: GlobArguments) -> Reply {
        let path = arguments.path.clone();
        rooms::run_typed(self, &builtin::glob::Glob, path, arguments.asked())
    }

    /// Searches files for a regular expression.
    pub fn grep(&self, arguments: GrepArguments) -> Reply {
        let path = arguments.path.clone();
        rooms::run_typed(self, &builtin::grep::Grep, path, arguments.asked())
    }

    /// Takes back the newest change of this session that has not been taken back. It needs a state folder.
    ///
    /// ```
    /// use lancet::tools::WriteArguments;
    /// use lancet::{Lancet, Mode};
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let (folder, state) = (tempfile::tempdir()?, tempfile::tempdir()?);
    /// let lancet = Lancet::builder()
    ///     .root(folder.path())
    ///     .state_dir(state.path())
    ///     .mode(Mode::AcceptEdits)
    ///     .open()?;
    /// let session = lancet.new_session();
    /// let path = folder.path().join("new.txt");
    /// session.write(WriteArguments::new(&path, "text\n"));
    /// assert!(path.exists());
    /// assert!(!session.undo().is_error());
    /// assert!(!path.exists());
    /// # Ok(())
    /// # }
    /// ```
    pub fn undo(&self) -> Reply {
        self.undo_own(Selection::Newest)
    }

    /// Takes back all changes of this session, as one operation.
    pub fn undo_all(&self) -> Reply {
        self.undo_own(Selection::Session(self.key().to_owned()))
    }

    /// Takes back one operation below the roots, whoever made it, by the beginning of its id.
    pub fn undo_operation(&self, id: impl Into<String>) -> Reply {
        let asked = TakeBack::undo(Selection::Operation(id.into()));
        self.take_back(asked, Caller::default())
    }

    fn undo_own(&self, selection: Selection) -> Reply {
        let change = Change::TakeBack(TakeBack::undo(selection), Whose::Own);
        rooms::run_change(self, "Undo", Caller::default(), &change)
    }

    /// Takes changes back, or does them again. All below the roots may be meant, whoever made them: this is for a person
    /// or a host; models have the tool Undo for the session's own.
    pub fn take_back(&self, asked: TakeBack, caller: Caller) -> Reply {
        let name = match asked.direction {
            Direction::Undo => "Undo",
            Direction::Redo => "Redo",
        };
        let change = Change::TakeBack(asked, Whose::Everyone);
        rooms::run_change(self, name, caller, &change)
    }

    /// Brings one file back to a state that the history has.
    pub fn restore(&self, asked: Restore, caller: Caller) -> Reply {
        rooms::run_change(self, "Restore", caller, &Change::Restore(asked))
    }

    /// Says what the host put before the model by itself. Text equal to the file's, or to whole lines of it, counts as
    /// a read of those lines; any other is a partial view, which does not allow an edit.
    ///
    /// # Errors
    /// A file that is not there, not text, or not below a root.
    pub fn seen(&self, path: impl AsRef<Path>, text: &str) -> Result<SeenAs, Refusal> {
        rooms::note_seen(self, path.as_ref(), text)
    }
}
