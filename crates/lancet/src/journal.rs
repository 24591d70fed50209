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
use lancet_workspace::{Disk, FileJournal, Flush, Intent, Journal, Progress, Record, Ticket};

/// The folder, inside that of the journal files, for entries that the database did not accept.
const FALLBACK: &str = "several";

/// The database journal and the file journal, combined.
pub(crate) struct CombinedJournal {
    local: Arc<dyn LocalState>,
    records: Arc<dyn OperationStore>,
    files: FileJournal,
    /// The entries that the database did not accept.
    fallback: FileJournal,
    /// The open rows of the database, by the ticket that the workspace knows them by.
    rows: Mutex<HashMap<Ticket, i64>>,
    in_fallback: Mutex<HashSet<Ticket>>,
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
            fallback: FileJournal::new(Arc::clone(&disk), folder.join(FALLBACK)),
            files: FileJournal::new(disk, folder),
            rows: Mutex::default(),
            in_fallback: Mutex::default(),
            losses: AtomicUsize::new(0),
        }
    }

    /// Returns the journal of an entry that is not in the database.
    fn of_files(&self, ticket: Ticket) -> &FileJournal {
        let in_fallback = self
            .in_fallback
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        match in_fallback.contains(&ticket) {
            true => &self.fallback,
            false => &self.files,
        }
    }

    fn note_fallback(&self, ticket: Ticket) {
        let mut in_fallback = self
            .in_fallback
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        in_fallback.insert(ticket);
    }

    fn rows(&self) -> MutexGuard<'_, HashMap<Ticket, i64>> {
        self.rows.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn row(&self, ticket: Ticket) -> Option<i64> {
        self.rows().get(&ticket).copied()
    }

    fn note(&self, row: i64) -> Ticket {
        // Tickets of the file journal are random 64-bit numbers, so a small number is always a row of the database.
        let ticket = Ticket(row.unsigned_abs());
        self.rows().insert(ticket, row);
        ticket
    }
}

impl Journal for CombinedJournal {
    fn open(&self, intent: &Intent, flush: Flush) -> io::Result<Ticket> {
        let losses = self.local.losses();
        if self.losses.swap(losses, Ordering::Relaxed) != losses {
            self.files.renew();
            self.fallback.renew();
        }
        if flush == Flush::Later {
            return self.files.open(intent, flush);
        }
        if let Ok(row) = self.local.open_intent(&intent.encode()) {
            return Ok(self.note(row));
        }
        let ticket = self.fallback.open(intent, flush)?;
        self.note_fallback(ticket);
        Ok(ticket)
    }

    fn mark(&self, ticket: Ticket, flush: Flush) -> io::Result<()> {
        match self.row(ticket) {
            Some(row) => self.local.decide_intent(row),
            None => self.of_files(ticket).mark(ticket, flush),
        }
    }

    fn close(&self, ticket: Ticket) -> io::Result<()> {
        let Some(row) = self.row(ticket) else {
            return self.of_files(ticket).close(ticket);
        };
        self.local.close_intent(row)?;
        self.rows().remove(&ticket);
        Ok(())
    }

    fn list(&self) -> io::Result<Vec<Record>> {
        let mut all = self.fallback.list()?;
        for record in &all {
            self.note_fallback(record.ticket);
        }
        all.extend(self.files.list()?);
        // An unreadable database is reported by the call that needs it; its entries are lost.
        for left in self.local.left_intents().unwrap_or_default() {
            let Some(intent) = Intent::decode(&left.intent) else {
                continue;
            };
            all.push(Record {
                ticket: self.note(left.id),
                intent,
                progress: if left.decided {
                    Progress::Decided
                } else {
                    Progress::Begun
                },
            });
        }
        Ok(all)
    }

    fn let_go(&self, ticket: Ticket) {
        let Some(row) = self.row(ticket) else {
            return self.of_files(ticket).let_go(ticket);
        };
        self.rows().remove(&ticket);
        let _ = self.local.let_go_intent(row);
    }

    fn keep_folder(&self, folder: &Path) -> io::Result<()> {
        // The undo of the change that has a file in the folder removes the folder. Nothing else would.
        self.records
            .add_made_folder(folder)
            .map_err(io::Error::other)
    }

    fn undecided(&self) -> io::Result<Vec<Record>> {
        let mut all = self.fallback.undecided()?;
        for open in self.local.undecided_intents()? {
            // An intent in the format of a newer lancet is left to that version.
            if let Some(intent) = Intent::decode(&open.intent) {
                all.push(Record {
                    ticket: Ticket(open.id.unsigned_abs()),
                    intent,
                    progress: Progress::Begun,
                });
            }
        }
        Ok(all)
    }
}
