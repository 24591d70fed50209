//! The typed calls of a session as futures. Each runs on a separate thread, so that an approver in the same async
//! runtime can answer meanwhile.

use super::CallFuture;
use crate::arguments::{
    EditArguments, GlobArguments, GrepArguments, MultiEditArguments, NotebookEditArguments,
    ReadArguments, WriteArguments,
};
use crate::call::Cancel;
use crate::dialects::ResponseOptions;
use crate::reply::Reply;
use crate::session::Session;

impl Session {
    /// Makes any call of this session on a separate thread. Dropping the future cancels the call, if it is a typed one
    /// without a [`Cancel`] of its own, but a write that has begun is finished. Several typed calls in it share one
    /// time limit.
    ///
    /// ```
    /// use lancet::call::Caller;
    /// use lancet::undo::{Selection, UndoRequest};
    /// use lancet::{CallFuture, Session};
    ///
    /// /// Undoes what every session changed in one turn.
    /// fn undo_turn(session: &Session, turn: &str) -> CallFuture {
    ///     let asked = UndoRequest::undo(Selection::Turn(turn.to_owned()));
    ///     session.run_async(move |session| session.undo_or_redo(asked, Caller::default()))
    /// }
    /// ```
    pub fn run_async(&self, call: impl FnOnce(&Session) -> Reply + Send + 'static) -> CallFuture {
        let cancel = Cancel::new();
        let session = self.with_cancel(&cancel);
        CallFuture::new(cancel, move || call(&session))
    }

    /// Applies a response in which a model wrote its edits; see [`apply_response`](Session::apply_response).
    pub fn apply_response_async(
        &self,
        text: impl Into<String>,
        mut options: ResponseOptions,
    ) -> CallFuture {
        let (text, session) = (text.into(), self.clone());
        let cancel = options.cancel.get_or_insert_default().clone();
        CallFuture::new(cancel, move || session.apply_response(&text, options))
    }

    /// Reads a file; see [`read`](Session::read).
    pub fn read_async(&self, arguments: ReadArguments) -> CallFuture {
        self.run_async(move |session| session.read(arguments))
    }

    /// Edits a file; see [`edit`](Session::edit).
    pub fn edit_async(&self, arguments: EditArguments) -> CallFuture {
        self.run_async(move |session| session.edit(arguments))
    }

    /// Edits one or several files, all or nothing; see [`multi_edit`](Session::multi_edit).
    pub fn multi_edit_async(&self, arguments: MultiEditArguments) -> CallFuture {
        self.run_async(move |session| session.multi_edit(arguments))
    }

    /// Writes a file; see [`write`](Session::write).
    pub fn write_async(&self, arguments: WriteArguments) -> CallFuture {
        self.run_async(move |session| session.write(arguments))
    }

    /// Changes one cell of a notebook; see [`notebook_edit`](Session::notebook_edit).
    pub fn notebook_edit_async(&self, arguments: NotebookEditArguments) -> CallFuture {
        self.run_async(move |session| session.notebook_edit(arguments))
    }

    /// Lists files by a pattern of names; see [`glob`](Session::glob).
    pub fn glob_async(&self, arguments: GlobArguments) -> CallFuture {
        self.run_async(move |session| session.glob(arguments))
    }

    /// Searches files for a regular expression; see [`grep`](Session::grep).
    pub fn grep_async(&self, arguments: GrepArguments) -> CallFuture {
        self.run_async(move |session| session.grep(arguments))
    }

    /// Undoes the newest change of this session; see [`undo`](Session::undo).
    pub fn undo_async(&self) -> CallFuture {
        self.run_async(move |session| session.undo())
    }

    /// Undoes all changes of this session, as one operation; see [`undo_all`](Session::undo_all).
    pub fn undo_all_async(&self) -> CallFuture {
        self.run_async(move |session| session.undo_all())
    }

    /// Undoes one operation; see [`undo_operation`](Session::undo_operation).
    pub fn undo_operation_async(&self, id: impl Into<String>) -> CallFuture {
        let id = id.into();
        self.run_async(move |session| session.undo_operation(id))
    }
}
