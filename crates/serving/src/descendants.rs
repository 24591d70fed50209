//! The processes below the launcher. Those that leave their process group and lose their parent become children of
//! the launcher (it is a subreaper), and end with it.

use std::collections::HashSet;
use std::sync::{Mutex, PoisonError};

/// The programs that the launcher has started itself and waits for.
#[derive(Debug, Default)]
pub(crate) struct ChildRegistry(Mutex<HashSet<i32>>);

impl ChildRegistry {
    /// Starts a program; `id` returns its process number. Nothing is reaped meanwhile, because a program that ends at
    /// once must be waited for by the caller that started it.
    pub(crate) fn start_child<T>(
        &self,
        start: impl FnOnce() -> T,
        id: impl Fn(&T) -> Option<i32>,
    ) -> T {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let started = start();
        known.extend(id(&started));
        started
    }

    /// Removes a program that has ended, and reaps the ended processes that other programs left behind.
    pub(crate) fn remove_ended(&self, id: i32) {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.remove(&id);
        system::reap_unknown_children(&known);
    }
}

pub(crate) use system::{become_subreaper, end_all_descendants};

#[cfg(target_os = "linux")]
mod system {
    use std::collections::{HashMap, HashSet};
    use std::fs;

    use rustix::process::{
        Pid, Signal, WaitOptions, getpid, kill_process, set_child_subreaper, waitpid,
    };

    /// The number of passes over the processes at the end: a process may start another while they are being ended.
    const MAX_PASSES: usize = 200;

    /// Makes this process the parent of every process below it that loses its own.
    pub(crate) fn become_subreaper() {
        // If the kernel refuses, process groups are still ended.
        let _ = set_child_subreaper(Some(getpid()));
    }

    /// Ends every process below this one.
    pub(crate) fn end_all_descendants() {
        for _ in 0..MAX_PASSES {
            let below = descendants_of(getpid());
            if below.is_empty() {
                return;
            }
            for process in below {
                let _ = kill_process(process, Signal::KILL);
                let _ = waitpid(Some(process), WaitOptions::NOHANG);
            }
            std::thread::yield_now();
        }
    }

    /// Reaps ended children that are none of these.
    pub(super) fn reap_unknown_children(known: &HashSet<i32>) {
        let Ok(threads) = fs::read_dir("/proc/self/task") else {
            return;
        };
        for thread in threads.flatten() {
            let children = fs::read_to_string(thread.path().join("children"));
            let children = children.unwrap_or_default();
            let ids = children.split_whitespace();
            for id in ids.filter_map(|id| id.parse::<i32>().ok()) {
                if !known.contains(&id) {
                    let _ = waitpid(Pid::from_raw(id), WaitOptions::NOHANG);
                }
            }
        }
    }

    /// Returns the processes below a process, at any depth.
    fn descendants_of(process: Pid) -> Vec<Pid> {
        let mut children: HashMap<i32, Vec<i32>> = HashMap::new();
        for entry in fs::read_dir("/proc").into_iter().flatten().flatten() {
            let id = entry.file_name();
            let Some(id) = id.to_str().and_then(|id| id.parse::<i32>().ok()) else {
                continue;
            };
            // `number (name) state parent …`; the name may contain brackets and blanks.
            let facts = fs::read_to_string(entry.path().join("stat")).unwrap_or_default();
            let fields = facts.rsplit_once(')').map_or("", |(_, fields)| fields);
            let parent = fields.split_whitespace().nth(1);
            if let Some(parent) = parent.and_then(|parent| parent.parse().ok()) {
                children.entry(parent).or_default().push(id);
            }
        }
        let mut found = Vec::new();
        let mut waiting = vec![process.as_raw_nonzero().get()];
        while let Some(next) = waiting.pop() {
            let ids = children.remove(&next).unwrap_or_default();
            found.extend(ids.iter().filter_map(|&id| Pid::from_raw(id)));
            waiting.extend(ids);
        }
        found
    }
}

#[cfg(not(target_os = "linux"))]
mod system {
    use std::collections::HashSet;

    /// Does nothing: no other system makes a process the parent of the orphans below it.
    pub(crate) fn adopt() {}

    pub(crate) fn end_all() {}

    pub(super) fn reap_others(_: &HashSet<i32>) {}
}
