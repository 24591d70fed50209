//! The journal as plain files in the state folder, one for each process, locked while the process lives: a file that
//! can be locked belongs to a dead process.

use std::collections::HashMap;
use std::ffi::{OsStr, OsString};
use std::io::{self, IoSlice};
use std::ops::ControlFlow;
use std::os::fd::{AsFd as _, OwnedFd};
use std::os::unix::ffi::OsStrExt as _;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::line::JournalLine;
use super::{CommitIntent, CommitProgress, EntryId, FlushTime, Journal, OpenEntry};
use crate::disk::{Disk, EntryKind, OpenMode};
use crate::random::random;
use crate::scan::scan_file;

/// A file of at least this length is truncated once none of its entries is open.
const TRUNCATION_LENGTH: u64 = 64 * 1024;
/// How often a new file is tried if another process has just claimed it.
const MAX_TRIES: usize = 8;

/// A [`Journal`] in plain files, the default of a workspace with a state folder.
#[derive(Debug)]
pub struct FileJournal {
    disk: Arc<dyn Disk>,
    path: PathBuf,
    state: Mutex<OpenJournal>,
}

#[derive(Debug, Default)]
struct OpenJournal {
    folder: Option<Arc<OwnedFd>>,
    own: Option<JournalFile>,
    /// The entries of dead processes, each with its file.
    claimed: HashMap<u64, Arc<Mutex<JournalFile>>>,
}

/// One journal file; its lock is released with its handle.
#[derive(Debug)]
struct JournalFile {
    file: OwnedFd,
    name: OsString,
    length: u64,
    open: usize,
    name_flush: NameFlush,
}

/// Whether the name of the file has been flushed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum NameFlush {
    Flushed,
    Pending,
}

impl FileJournal {
    /// Creates a journal in this folder, which is created on first use.
    pub fn new(disk: Arc<dyn Disk>, path: PathBuf) -> FileJournal {
        FileJournal {
            disk,
            path,
            state: Mutex::default(),
        }
    }

    /// Starts a new file: the folder was removed, and no process would find what is written to a file without a name.
    pub fn start_new_file(&self) {
        let mut state = self.lock_state();
        if state.own.as_ref().is_none_or(|log| log.open == 0) {
            state.own = None;
            state.folder = None;
        }
    }

    fn lock_state(&self) -> MutexGuard<'_, OpenJournal> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn folder(&self, state: &mut OpenJournal) -> io::Result<Arc<OwnedFd>> {
        if let Some(folder) = &state.folder {
            return Ok(Arc::clone(folder));
        }
        let folder = Arc::new(self.disk.open_state_folder(&self.path)?);
        state.folder = Some(Arc::clone(&folder));
        Ok(folder)
    }

    /// Creates this process's file and locks it before another process takes it for abandoned.
    fn create_file(&self, folder: &OwnedFd) -> io::Result<JournalFile> {
        for _ in 0..MAX_TRIES {
            let name = OsString::from(format!("{:016x}.log", random()));
            let file = self.disk.open_at(folder.as_fd(), &name, OpenMode::Lock)?;
            // Another process that lists the folder at this moment may lock the file and remove it as empty. Without
            // locks no process can determine that this one is dead; others then ignore the file.
            let taken = self.disk.try_lock(file.as_fd()).unwrap_or(true);
            if taken && self.disk.stat(file.as_fd())?.links > 0 {
                return Ok(JournalFile {
                    file,
                    name,
                    length: 0,
                    open: 0,
                    name_flush: NameFlush::Pending,
                });
            }
        }
        Err(io::ErrorKind::WouldBlock.into())
    }

    fn append(
        &self,
        folder: &OwnedFd,
        log: &mut JournalFile,
        line: &JournalLine,
        flush: FlushTime,
    ) -> io::Result<()> {
        let text = line.encode();
        let mut done = 0;
        while done < text.len() {
            let pieces = [IoSlice::new(&text[done..])];
            match self
                .disk
                .write_at(log.file.as_fd(), &pieces, log.length + done as u64)
            {
                Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
                Ok(written) => done += written,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        // The next line overwrites what a failed flush left.
        if flush == FlushTime::Now {
            self.disk.sync(log.file.as_fd())?;
            if log.name_flush == NameFlush::Pending {
                self.disk.sync(folder.as_fd())?;
                log.name_flush = NameFlush::Flushed;
            }
        }
        log.length += text.len() as u64;
        Ok(())
    }

    /// Locks and reads a file, if its process is dead.
    fn claim_dead_file(
        &self,
        folder: &OwnedFd,
        name: &OsStr,
    ) -> io::Result<Option<(JournalFile, Vec<OpenEntry>)>> {
        let file = match self.disk.open_at(folder.as_fd(), name, OpenMode::Rewrite) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error),
        };
        if !self.disk.try_lock(file.as_fd()).unwrap_or(false)
            || self.disk.stat(file.as_fd())?.links == 0
        {
            return Ok(None);
        }
        let (records, length) = self.read(&file)?;
        let log = JournalFile {
            file,
            name: name.to_owned(),
            // A torn line at the end is followed by a new line.
            length,
            open: records.len(),
            name_flush: NameFlush::Flushed,
        };
        Ok(Some((log, records)))
    }

    /// Reads the open entries of a file, and its length.
    fn read(&self, file: &OwnedFd) -> io::Result<(Vec<OpenEntry>, u64)> {
        let mut text = Vec::new();
        scan_file(&*self.disk, file.as_fd(), &mut |piece| {
            text.extend_from_slice(piece);
            ControlFlow::Continue(())
        })?;
        let mut records: Vec<OpenEntry> = Vec::new();
        for line in text.split(|&byte| byte == b'\n') {
            match JournalLine::decode(line) {
                Some(JournalLine::Open(id, intent)) => records.push(OpenEntry {
                    ticket: EntryId(id),
                    intent,
                    progress: CommitProgress::Begun,
                }),
                Some(JournalLine::Mark(id)) => records
                    .iter_mut()
                    .filter(|record| record.ticket.0 == id)
                    .for_each(|record| record.progress = CommitProgress::Decided),
                Some(JournalLine::Close(id)) => records.retain(|record| record.ticket.0 != id),
                None => {}
            }
        }
        Ok((records, text.len() as u64))
    }

    /// Returns the folder, if it exists: reading must not create it.
    fn existing_folder(&self, state: &mut OpenJournal) -> io::Result<Option<Arc<OwnedFd>>> {
        if state.folder.is_none() {
            match self.disk.open_folder(&self.path) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
                other => state.folder = Some(Arc::new(other?)),
            }
        }
        self.folder(state).map(Some)
    }

    fn log_names(&self, folder: &OwnedFd) -> io::Result<Vec<OsString>> {
        let mut names = Vec::new();
        self.disk.list(folder.as_fd(), &mut |name, kind| {
            if kind == EntryKind::File && name.as_bytes().ends_with(b".log") {
                names.push(name.to_owned());
            }
            ControlFlow::Continue(())
        })?;
        Ok(names)
    }
}

impl Journal for FileJournal {
    fn open(&self, intent: &CommitIntent, flush: FlushTime) -> io::Result<EntryId> {
        let mut state = self.lock_state();
        let folder = self.folder(&mut state)?;
        if state.own.is_none() {
            state.own = Some(self.create_file(&folder)?);
        }
        let Some(log) = &mut state.own else {
            return Err(io::ErrorKind::NotFound.into());
        };
        let id = random();
        let line = JournalLine::Open(id, intent.clone());
        self.append(&folder, log, &line, flush)?;
        log.open += 1;
        Ok(EntryId(id))
    }

    fn mark_decided(&self, ticket: EntryId, flush: FlushTime) -> io::Result<()> {
        let mut state = self.lock_state();
        let folder = self.folder(&mut state)?;
        let line = JournalLine::Mark(ticket.0);
        if let Some(claimed) = state.claimed.get(&ticket.0) {
            let claimed = Arc::clone(claimed);
            let mut log = claimed.lock().unwrap_or_else(PoisonError::into_inner);
            return self.append(&folder, &mut log, &line, flush);
        }
        match &mut state.own {
            Some(log) => self.append(&folder, log, &line, flush),
            None => Err(io::ErrorKind::NotFound.into()),
        }
    }

    fn close(&self, ticket: EntryId) -> io::Result<()> {
        let mut state = self.lock_state();
        let folder = self.folder(&mut state)?;
        let line = JournalLine::Close(ticket.0);
        if let Some(claimed) = state.claimed.remove(&ticket.0) {
            let mut log = claimed.lock().unwrap_or_else(PoisonError::into_inner);
            self.append(&folder, &mut log, &line, FlushTime::Later)?;
            log.open = log.open.saturating_sub(1);
            if log.open == 0 {
                self.disk.remove_at(folder.as_fd(), &log.name)?;
            }
            return Ok(());
        }
        let Some(log) = &mut state.own else {
            return Err(io::ErrorKind::NotFound.into());
        };
        self.append(&folder, log, &line, FlushTime::Later)?;
        log.open = log.open.saturating_sub(1);
        if log.open == 0 && log.length > TRUNCATION_LENGTH {
            self.disk.set_length(log.file.as_fd(), 0)?;
            log.length = 0;
        }
        Ok(())
    }

    fn list(&self) -> io::Result<Vec<OpenEntry>> {
        let mut state = self.lock_state();
        let Some(folder) = self.existing_folder(&mut state)? else {
            return Ok(Vec::new());
        };
        let mut all = Vec::new();
        for name in self.log_names(&folder)? {
            let Some((log, records)) = self.claim_dead_file(&folder, &name)? else {
                continue;
            };
            if records.is_empty() {
                let _ = self.disk.remove_at(folder.as_fd(), &log.name);
                continue;
            }
            let log = Arc::new(Mutex::new(log));
            for record in &records {
                state.claimed.insert(record.ticket.0, Arc::clone(&log));
            }
            all.extend(records);
        }
        Ok(all)
    }

    fn release(&self, ticket: EntryId) {
        self.lock_state().claimed.remove(&ticket.0);
    }

    fn undecided_entries(&self) -> io::Result<Vec<OpenEntry>> {
        let mut state = self.lock_state();
        let Some(folder) = self.existing_folder(&mut state)? else {
            return Ok(Vec::new());
        };
        let own = state.own.as_ref().map(|log| log.name.clone());
        drop(state);
        let mut all = Vec::new();
        for name in self.log_names(&folder)? {
            if own.as_ref() == Some(&name) {
                continue;
            }
            let file = match self.disk.open_at(folder.as_fd(), &name, OpenMode::Rewrite) {
                Ok(file) => file,
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                Err(error) => return Err(error),
            };
            // The lock is held for as long as its process lives. An entry of a living process that does not hold the
            // caller's folder locks is finished or rolled back, and about to be closed.
            if self.disk.try_lock(file.as_fd()).unwrap_or(false) {
                all.extend(self.read(&file)?.0);
            }
        }
        all.retain(|record| record.progress == CommitProgress::Begun && record.can_be_half_done());
        Ok(all)
    }
}

impl Drop for FileJournal {
    fn drop(&mut self) {
        let state = self.state.get_mut().unwrap_or_else(PoisonError::into_inner);
        if let (Some(folder), Some(log)) = (&state.folder, &state.own) {
            // A file without open entries is removed.
            if log.open == 0 {
                let _ = self.disk.remove_at(folder.as_fd(), &log.name);
            }
        }
    }
}
