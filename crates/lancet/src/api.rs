//! The calls of a session, above the rooms: what a model's tool call, a typed call of a host, and a person's undo go through.

use std::path::Path;

use crate::arguments::{
    EditArguments, GlobArguments, GrepArguments, MultiEditArguments, ReadArguments, WriteArguments,
};
use crate::call::{Caller, RawCall};
use crate::refusal::Refusal;
use crate::reply::Reply;
use crate::rooms;
use crate::rooms::request::{Change, Whose};
use crate::session::{Check, Session};
use crate::undo::{Direction, Restore, TakeBack};

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
        self.call(RawCall::new("Read", to_value(&arguments)))
    }

    /// Edits a file.
    pub fn edit(&self, arguments: EditArguments) -> Reply {
        self.call(RawCall::new("Edit", to_value(&arguments)))
    }

    /// Edits one or several files, all or nothing.
    pub fn multi_edit(&self, arguments: MultiEditArguments) -> Reply {
        self.call(RawCall::new("MultiEdit", to_value(&arguments)))
    }

    /// Writes a file.
    pub fn write(&self, arguments: WriteArguments) -> Reply {
        self.call(RawCall::new("Write", to_value(&arguments)))
    }

    /// Lists files by a pattern of names.
    pub fn glob(&self, arguments: GlobArguments) -> Reply {
        self.call(RawCall::new("Glob", to_value(&arguments)))
    }

    /// Searches files for a regular expression.
    pub fn grep(&self, arguments: GrepArguments) -> Reply {
        self.call(RawCall::new("Grep", to_value(&arguments)))
    }

    /// Takes changes back, or does them again. All below the roots may be meant, whoever made them: this is for a person
    /// or a host; models have the tool Undo for the session's own.
    pub fn take_back(&self, asked: TakeBack, caller: Caller) -> Reply {
        let name = match asked.direction {
            Direction::Undo => "Undo",
            Direction::Redo => "Redo",
        };
        rooms::run_change(
            self,
            name,
            caller,
            &Change::TakeBack(asked, Whose::Everyone),
        )
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
    pub fn seen(&self, path: &Path, text: &str) -> Result<(), Refusal> {
        rooms::note_seen(self, path, text)
    }
}

fn to_value(arguments: &impl serde::Serialize) -> serde_json::Value {
    serde_json::to_value(arguments).unwrap_or_default()
}
