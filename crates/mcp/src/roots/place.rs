//! Finds out where calls may work, by the roots that a client named.

use std::path::PathBuf;
use std::sync::PoisonError;

use lancet_serving::Level;
use lancet_serving::pool::{JobError, Progress};

use super::words::{HOW, cut, listed};
use super::{ClientRoots, RootsOrigin, WorkPlace, uri};

/// How many roots of a client are read; further ones are ignored.
const MOST: usize = 1_000;

impl ClientRoots {
    /// Finds out where calls may work, by the roots of the client.
    pub(super) async fn place(&self, uris: Vec<String>) -> Result<WorkPlace, JobError> {
        let mut folders: Vec<PathBuf> = Vec::new();
        for given in uris.iter().take(MOST) {
            match uri::folder(given) {
                Some(folder) => folders.push(folder),
                None => self.log.say(Level::Warn, || {
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
        let why_not = match self.pool.run(&Progress::default(), work).await? {
            Ok(lancet) => {
                self.log.say(Level::Info, || {
                    format!("the client's roots narrow lancet's to {:?}", lancet.roots())
                });
                return Ok(WorkPlace::Client(lancet));
            }
            Err(why_not) => why_not,
        };
        let theirs = listed(uris.iter().map(|uri| format!("{uri:?}")));
        self.log.say(Level::Warn, || {
            format!("the client's roots ({theirs}) have nothing in common with lancet's")
        });
        if says_nothing {
            return Ok(WorkPlace::Own);
        }
        let own = listed(self.lancet.roots().iter().map(|root| format!("{root:?}")));
        Ok(match &self.origin {
            RootsOrigin::Named => {
                let mut notice = self.notice.lock().unwrap_or_else(PoisonError::into_inner);
                *notice = Some(format!(
                    "[lancet: the client's roots have nothing in common with lancet's; lancet's hold: {}]",
                    cut(&own, 80)
                ));
                WorkPlace::Own
            }
            RootsOrigin::Found => WorkPlace::Nowhere(format!(
                "The roots of the client ({theirs}) and those of lancet ({own}) have nothing in common, so it is not known where work is allowed. {HOW}"
            )),
            RootsOrigin::Wanted(late) => WorkPlace::Nowhere(format!(
                "{} The roots of the client: {theirs}. {} {HOW}",
                late.why(),
                cut(&why_not, 500)
            )),
        })
    }
}
