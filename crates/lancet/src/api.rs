//! The public calls of a session: a model's tool call, a host's typed call, a person's undo and restore.

use std::path::Path;

use crate::applied_by::AppliedBy;
use crate::arguments::{
    EditArguments, GlobArguments, GrepArguments, MultiEditArguments, NotebookEditArguments,
    ReadArguments, WriteArguments,
};
use crate::builtin;
use crate::call::{Caller, Cancel, RawCall, SeenAs};
use crate::dialects::{ResponseOptions, ResponsePart};
use crate::refusal::Refusal;
use crate::reply::Reply;
use crate::request::{Change, Request, UndoScope};
use crate::session::{Check, Session};
use crate::stages;
use crate::undo::{Direction, HunkUndoRequest, Restore, Selection, UndoRequest};

impl Session {
    /// Reads a file for the host itself. The same rules apply, but the ledger is not changed: the lines do not count as
    /// seen by the model.
    pub fn peek(&self, arguments: ReadArguments) -> Reply {
        self.for_host().read(arguments)
    }

    /// Carries out one call and returns its answer. No arguments make it panic; a refusal is an answer, too.
    pub fn call(&self, call: RawCall) -> Reply {
        stages::run(self, call)
    }

    /// Predicts what a call would do. Nothing is written and the ledger is not changed.
    pub fn check(&self, call: RawCall) -> Check {
        stages::predict::check(self, call)
    }

    /// Reads a file.
    pub fn read(&self, arguments: ReadArguments) -> Reply {
        let path = Some(arguments.file_path.clone());
        stages::run_typed(self, &builtin::read::Read, path, arguments.into_request())
    }

    /// Edits a file.
    pub fn edit(&self, arguments: EditArguments) -> Reply {
        let path = Some(arguments.file_path.clone());
        stages::run_typed(self, &builtin::edit::Edit, path, arguments.into_request())
    }

    /// Edits one or several files, all or nothing.
    pub fn multi_edit(&self, arguments: MultiEditArguments) -> Reply {
        let path = arguments.first_path().map(str::to_owned);
        stages::run_typed(
            self,
            &builtin::multi_edit::MultiEdit,
            path,
            arguments.into_request(),
        )
    }

    /// Writes a file.
    pub fn write(&self, arguments: WriteArguments) -> Reply {
        let path = Some(arguments.file_path.clone());
        stages::run_typed(self, &builtin::write::Write, path, arguments.into_request())
    }

    /// Replaces, inserts or deletes one cell of a notebook.
    pub fn notebook_edit(&self, arguments: NotebookEditArguments) -> Reply {
        let path = Some(arguments.notebook_path.clone());
        stages::run_typed(
            self,
            &builtin::notebook_edit::NotebookEdit,
            path,
            arguments.into_request(),
        )
    }

    /// Lists files by a pattern of names.
    pub fn glob(&self, arguments: GlobArguments) -> Reply {
        let path = arguments.path.clone();
        stages::run_typed(self, &builtin::glob::Glob, path, arguments.into_request())
    }

    /// Searches files for a regular expression.
    pub fn grep(&self, arguments: GrepArguments) -> Reply {
        let path = arguments.path.clone();
        stages::run_typed(self, &builtin::grep::Grep, path, arguments.into_request())
    }

    /// Applies a response in which a model wrote its edits: SEARCH/REPLACE blocks, `apply_patch`, unified diffs, whole
    /// files, also several of them, with prose around them. The whole response is parsed and applied as one change, all
    /// of it or nothing.
    ///
    /// ```
    /// use lancet::dialects::{AppliedBy, ResponseOptions};
    /// use lancet::{Lancet, Mode};
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let folder = tempfile::tempdir()?;
    /// std::fs::write(folder.path().join("greet.py"), "def greet():\n    print('hi')\n")?;
    /// let lancet = Lancet::builder()
    ///     .root(folder.path())
    ///     .mode(Mode::AcceptEdits)
    ///     .open()?;
    /// let response = "\
    /// I change the greeting.
    ///
    /// greet.py
    /// <<<<<<< SEARCH
    ///     print('hi')
    /// =======
    ///     print('hello')
    /// >>>>>>> REPLACE
    /// ";
    /// let mut options = ResponseOptions::default();
    /// options.applied_by = AppliedBy::Person;
    /// let answer = lancet.new_session().apply_response(response, options);
    /// assert!(!answer.is_error(), "{}", answer.text());
    /// let text = std::fs::read_to_string(folder.path().join("greet.py"))?;
    /// assert_eq!(text, "def greet():\n    print('hello')\n");
    /// # Ok(())
    /// # }
    /// ```
    pub fn apply_response(&self, text: &str, options: ResponseOptions) -> Reply {
        stages::apply_response(self, text, options)
    }

    /// Predicts the result of applying a response. Nothing is written and the ledger is not changed.
    pub fn check_response(&self, text: &str, options: ResponseOptions) -> Check {
        stages::predict::check_response(self, text, options)
    }

    /// Predicts the result of applying one part of a response, for hosts that read a response while it is written
    /// ([`ResponseStream`](crate::dialects::ResponseStream)) and stop the model early. The part is checked against the
    /// present files, without the parts before it. It never waits for other calls.
    pub fn check_part(&self, part: &ResponsePart, options: ResponseOptions) -> Check {
        stages::predict::check_part(self, part, options)
    }

    /// Carries out a change of files that a person typed as one command: the files count as read. It is for the command
    /// line and not part of the API.
    #[doc(hidden)]
    pub fn run_command(
        &self,
        tool: &str,
        request: Request,
        caller: Caller,
        cancel: Cancel,
    ) -> Reply {
        stages::run_command(self, tool, request, AppliedBy::Person, caller, cancel)
    }

    /// Carries out such a change under the rules of this session: the files must have been read in it. It is for the
    /// command line and not part of the API.
    #[doc(hidden)]
    pub fn run_session_command(
        &self,
        tool: &str,
        request: Request,
        caller: Caller,
        cancel: Cancel,
    ) -> Reply {
        stages::run_command(self, tool, request, AppliedBy::Model, caller, cancel)
    }

    /// Undoes the newest change of this session that has not been undone. It needs a state folder.
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

    /// Undoes all changes of this session, as one operation.
    pub fn undo_all(&self) -> Reply {
        self.undo_own(Selection::Session(self.key().to_owned()))
    }

    /// Undoes one operation on files below the roots, by its id, or by an ending or a beginning of it. Any session may
    /// have made it.
    pub fn undo_operation(&self, id: impl Into<String>) -> Reply {
        let asked = UndoRequest::undo(Selection::Operation(id.into()));
        self.undo_or_redo(asked, Caller::default())
    }

    /// Undoes one hunk, like [`Reviews::undo_hunk`](crate::review::Reviews::undo_hunk), and queries the engine's
    /// approver.
    pub fn undo_hunk(&self, asked: HunkUndoRequest, caller: Caller) -> Reply {
        stages::run_hunk_undo(self, caller, asked)
    }

    fn undo_own(&self, selection: Selection) -> Reply {
        let change = Change::TakeBack(UndoRequest::undo(selection), UndoScope::Own);
        stages::run_change(self, "Undo", Caller::default(), &change)
    }

    /// Undoes or redoes changes. They may be any changes below the roots, of any session: this is for a person or a
    /// host. Models have the tool Undo, which undoes only changes of their own session.
    pub fn undo_or_redo(&self, asked: UndoRequest, caller: Caller) -> Reply {
        let name = match asked.direction {
            Direction::Undo => "Undo",
            Direction::Redo => "Redo",
        };
        let change = Change::TakeBack(asked, UndoScope::Everyone);
        stages::run_change(self, name, caller, &change)
    }

    /// Restores one file to a state that is in the history.
    pub fn restore(&self, asked: Restore, caller: Caller) -> Reply {
        self.restore_all(vec![asked], caller)
    }

    /// Restores several files to states that are in the history, as one change: all of them or none. It is a dry run if
    /// one of the requests is, and the first handle among them stops it.
    pub fn restore_all(&self, asked: Vec<Restore>, caller: Caller) -> Reply {
        stages::run_change(self, "Restore", caller, &Change::Restore(asked))
    }

    /// Records text that the host showed the model by itself. Text equal to the file's, or to whole lines of it, counts
    /// as a read of those lines; any other text is a partial view, which does not allow an edit.
    ///
    /// # Errors
    /// The file does not exist, is not text, or is not below a root.
    pub fn note_seen(&self, path: impl AsRef<Path>, text: &str) -> Result<SeenAs, Refusal> {
        stages::injected::note_seen(self, path.as_ref(), text)
    }
}
