//! The write journal of the workspace, backed by the history. Entries that must survive a power cut (several files at
//! once, the slower write methods) are rows in the history's database. A single exchange only has to survive the end of
//! its process: it is a line in a file, which costs a fraction of that. Where the database cannot be written, the
//! former go to files, too, in a separate folder: every write searches for those of dead processes, and must not read
//! the files of all others for that.

use std::collections::{HashMap, HashSet};
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use lancet_history::OperationStore;
use lancet_local_state::LocalState;
use lancet_workspace::{
    CommitIntent, CommitProgress, Disk, EntryId, FileJournal, FlushTime, Journal, OpenEntry,
};

/// The folder, inside that of the journal files, for entries that the database did not accept.
const FALLBACK_FOLDER: &str = "several";

/// The database journal and the file journal, combined.
pub(crate) struct CombinedJournal {
    local: Arc<dyn LocalState>,
    records: Arc<dyn OperationStore>,
    files: FileJournal,
    /// The entries that the database did not accept.
    fallback: FileJournal,
    /// The open rows of the database, by the ticket that the workspace knows them by.
    rows: Mutex<HashMap<EntryId, i64>>,
    in_fallback: Mutex<HashSet<EntryId>>,
    /// How often the state folder had been removed at the journal's last check.
    losses: AtomicUsize,
}

impl fmt::Debug for CombinedJournal {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = formatter.debug_struct("CombinedJournal");
        shown
            .field("local", &self.local)
            .field("files", &self.files);
        shown.finish_non_exhaustive()
    }
}

impl CombinedJournal {
    pub(crate) fn new(
        local: Arc<dyn LocalState>,
        records: Arc<dyn OperationStore>,
        disk: Arc<dyn Disk>,
        folder: PathBuf,
    ) -> CombinedJournal {
        CombinedJournal {
            local,
            records,
            fallback: FileJournal::new(Arc::clone(&disk), folder.join(FALLBACK_FOLDER)),
            files: FileJournal::new(disk, folder),
            rows: Mutex::default(),
            in_fallback: Mutex::default(),
            losses: AtomicUsize::new(0),
        }
    }

    /// Returns the journal of an entry that is not in the database.
    fn file_journal(&self, ticket: EntryId) -> &FileJournal {
        let in_fallback = self
            .in_fallback
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        match in_fallback.contains(&ticket) {
            true => &self.fallback,
            false => &self.files,
        }
    }

    fn note_fallback(&self, ticket: EntryId) {
        let mut in_fallback = self
            .in_fallback
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        in_fallback.insert(ticket);
    }

    fn rows(&self) -> MutexGuard<'_, HashMap<EntryId, i64>> {
        self.rows.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn row(&self, ticket: EntryId) -> Option<i64> {
        self.rows().get(&ticket).copied()
    }

    fn issue_ticket(&self, row: i64) -> EntryId {
        // Tickets of the file journal are random 64-bit numbers, so a small number is always a row of the database.
        let ticket = EntryId(row.unsigned_abs());
        self.rows().insert(ticket, row);
        ticket
    }
}

impl Journal for CombinedJournal {
    fn open(&self, intent: &CommitIntent, flush: FlushTime) -> io::Result<EntryId> {
        let losses = self.local.database_loss_count();
        if self.losses.swap(losses, Ordering::Relaxed) != losses {
            self.files.start_new_file();
            self.fallback.start_new_file();
        }
        if flush == FlushTime::Later {
            return self.files.open(intent, flush);
        }
        if let Ok(row) = self.local.open_intent(&intent.encode()) {
            return Ok(self.issue_ticket(row));
        }
        let ticket = self.fallback.open(intent, flush)?;
        self.note_fallback(ticket);
        Ok(ticket)
    }

    fn mark_decided(&self, ticket: EntryId, flush: FlushTime) -> io::Result<()> {
        match self.row(ticket) {
            Some(row) => self.local.decide_intent(row),
            None => self.file_journal(ticket).mark_decided(ticket, flush),
        }
    }

    fn close(&self, ticket: EntryId) -> io::Result<()> {
        let Some(row) = self.row(ticket) else {
            return self.file_journal(ticket).close(ticket);
        };
        self.local.close_intent(row)?;
        self.rows().remove(&ticket);
        Ok(())
    }

    fn list(&self) -> io::Result<Vec<OpenEntry>> {
        let mut all = self.fallback.list()?;
        for record in &all {
            self.note_fallback(record.ticket);
        }
        all.extend(self.files.list()?);
        // An unreadable database is reported by the call that needs it; its entries are lost.
        for left in self.local.take_over_intents().unwrap_or_default() {
            let Some(intent) = CommitIntent::decode(&left.intent) else {
                continue;
            };
            all.push(OpenEntry {
                ticket: self.issue_ticket(left.id),
                intent,
                progress: if left.decided {
                    CommitProgress::Decided
                } else {
                    CommitProgress::Begun
                },
            });
        }
        Ok(all)
    }

    fn release(&self, ticket: EntryId) {
        let Some(row) = self.row(ticket) else {
            return self.file_journal(ticket).release(ticket);
        };
        self.rows().remove(&ticket);
        let _ = self.local.release_intent(row);
    }

    fn record_kept_folder(&self, folder: &Path) -> io::Result<()> {
        // The undo of the change that has a file in the folder removes the folder. Nothing else would.
        self.records
            .add_made_folder(folder)
            .map_err(io::Error::other)
    }

    fn undecided_entries(&self) -> io::Result<Vec<OpenEntry>> {
        let mut all = self.fallback.undecided_entries()?;
        for open in self.local.undecided_intents()? {
            // An intent in the format of a newer lancet is left to that version.
            if let Some(intent) = CommitIntent::decode(&open.intent) {
                all.push(OpenEntry {
                    ticket: EntryId(open.id.unsigned_abs()),
                    intent,
                    progress: CommitProgress::Begun,
                });
            }
        }
        Ok(all)
    }
}
