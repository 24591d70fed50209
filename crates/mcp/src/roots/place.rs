//! Finds out where calls may work, by the roots that a client named.

use std::path::PathBuf;
use std::sync::PoisonError;

use lancet_serving::Level;
use lancet_serving::pool::{JobError, JobProgress};

use super::words::{ADVICE, join_first, truncate_bytes};
use super::{ClientRoots, RootsOrigin, WorkScope, uri};

/// How many roots of a client are read; further ones are ignored.
const MAX_ROOTS: usize = 1_000;

impl ClientRoots {
    /// Finds out where calls may work, by the roots of the client.
    pub(super) async fn resolve_scope(&self, uris: Vec<String>) -> Result<WorkScope, JobError> {
        let mut folders: Vec<PathBuf> = Vec::new();
        for given in uris.iter().take(MAX_ROOTS) {
            match uri::folder_from_uri(given) {
                Some(folder) => folders.push(folder),
                None => self.log.log(Level::Warn, || {
                    format!("a root of the client is no folder of this machine and is passed over: {given:?}")
                }),
            }
        }
        // A client without a folder of this machine says nothing about where to work.
        let says_nothing = folders.is_empty();
        let (lancet, origin) = (self.lancet.clone(), self.origin.clone());
        // This runs on a thread of the pool, because the folders may be on a file system that does not respond.
        let work = move || match origin {
            RootsOrigin::Wanted(late) => late.open(&folders),
            RootsOrigin::Named | RootsOrigin::Found => {
                lancet.narrowed(&folders).ok_or_else(String::new)
            }
        };
        let why_not = match self.pool.run(&JobProgress::default(), work).await? {
            Ok(lancet) => {
                self.log.log(Level::Info, || {
                    format!("the client's roots narrow lancet's to {:?}", lancet.roots())
                });
                return Ok(WorkScope::Client(lancet));
            }
            Err(why_not) => why_not,
        };
        let theirs = join_first(uris.iter().map(|uri| format!("{uri:?}")));
        self.log.log(Level::Warn, || {
            format!("the client's roots ({theirs}) have nothing in common with lancet's")
        });
        if says_nothing {
            return Ok(WorkScope::Own);
        }
        let own = join_first(self.lancet.roots().iter().map(|root| format!("{root:?}")));
        Ok(match &self.origin {
            RootsOrigin::Named => {
                let mut notice = self.notice.lock().unwrap_or_else(PoisonError::into_inner);
                *notice = Some(format!(
                    "[lancet: the client's roots have nothing in common with lancet's; lancet's hold: {}]",
                    truncate_bytes(&own, 80)
                ));
                WorkScope::Own
            }
            RootsOrigin::Found => WorkScope::Nowhere(format!(
                "The roots of the client ({theirs}) and those of lancet ({own}) have nothing in common, so it is not known where work is allowed. {ADVICE}"
            )),
            RootsOrigin::Wanted(late) => WorkScope::Nowhere(format!(
                "{} The roots of the client: {theirs}. {} {ADVICE}",
                late.explain_missing_roots(),
                truncate_bytes(&why_not, 500)
            )),
        })
    }
}
