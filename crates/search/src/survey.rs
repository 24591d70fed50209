//! A walk and what is done with its files, put together: the list of them, or of those in which a pattern stands.

use std::path::PathBuf;

use crate::list::{Entry, Order, Ranked};
use crate::pattern::Pattern;
use crate::seek::{Counted, Encodings, Seeker};
use crate::tally::Tally;
use crate::walk::{File, Visitor, Walk};

/// What a search came to.
#[derive(Clone, Debug)]
pub struct Survey {
    /// The files, in their order; the last ones may be missing where there are more than memory is kept for.
    pub files: Vec<Entry>,
    /// How many files there are in all.
    pub total: u64,
    /// How many matches there are in all.
    pub matches: u64,
    /// What was looked at, and what was not.
    pub tally: Tally,
    /// Where the search was told to stop, if it was.
    pub stopped_at: Option<PathBuf>,
}

/// Decides about one file that was found: asked only of those that would be listed.
pub type Found<'f> = &'f (dyn Fn(&File<'_>, u64) -> bool + Sync);

/// Lists the wanted files of a walk.
pub fn list_files(walk: &Walk<'_>, order: Order) -> Survey {
    let (listers, ended) = walk.run(|| Lister {
        walk,
        list: Ranked::new(order),
    });
    let mut list = Ranked::new(order);
    for lister in listers {
        list.join(lister.list);
    }
    let (files, total) = list.finish();
    Survey {
        files,
        total,
        matches: 0,
        tally: ended.tally,
        stopped_at: ended.stopped_at,
    }
}

struct Lister<'l, 'w> {
    walk: &'l Walk<'w>,
    list: Ranked,
}

impl Visitor for Lister<'_, '_> {
    fn visit(&mut self, file: &File<'_>, tally: &mut Tally) {
        tally.searched += 1;
        if !file.is_start() && !self.walk.filter.keeps(file.path) {
            return;
        }
        // Gone since it was listed: then it is not there.
        if let Ok(stamp) = file.stat() {
            self.list.add(Entry {
                start: file.start,
                relative: file.relative.into(),
                modified: stamp.mtime,
                matches: 0,
            });
        }
    }
}

/// Counts the matches of a pattern in the wanted files of a walk. `linked` is asked about a file with several names in
/// which the pattern stands: whether it may be told of.
pub fn count_matches(
    walk: &Walk<'_>,
    pattern: &Pattern,
    order: Order,
    encodings: Encodings<'_>,
    linked: Found<'_>,
) -> Survey {
    let (counters, ended) = walk.run(|| Counter {
        walk,
        seeker: Seeker::new(pattern, walk.stop),
        encodings,
        linked,
        list: Ranked::new(order),
        matches: 0,
        stopped_at: None,
    });
    let mut list = Ranked::new(order);
    let mut matches = 0;
    let mut stopped_at = ended.stopped_at;
    for counter in counters {
        list.join(counter.list);
        matches += counter.matches;
        stopped_at = stopped_at.or(counter.stopped_at);
    }
    let (files, total) = list.finish();
    Survey {
        files,
        total,
        matches,
        tally: ended.tally,
        stopped_at,
    }
}

struct Counter<'c, 'w> {
    walk: &'c Walk<'w>,
    seeker: Seeker<'c>,
    encodings: Encodings<'c>,
    linked: Found<'c>,
    list: Ranked,
    matches: u64,
    stopped_at: Option<PathBuf>,
}

impl Visitor for Counter<'_, '_> {
    fn visit(&mut self, file: &File<'_>, tally: &mut Tally) {
        if !file.is_start() && !self.walk.filter.keeps(file.path) {
            return;
        }
        let counted = self.seeker.count(file.open(), (self.encodings)(file.path));
        match counted {
            Counted::Matches { matches, cut } => {
                tally.searched += 1;
                tally.cut += u64::from(cut);
                if matches == 0 {
                    return;
                }
                // Gone since it was searched: then it is not there.
                let Ok(stamp) = file.stat() else { return };
                if stamp.links > 1 && !(self.linked)(file, stamp.links) {
                    return;
                }
                self.matches += matches;
                self.list.add(Entry {
                    start: file.start,
                    relative: file.relative.into(),
                    modified: stamp.mtime,
                    matches,
                });
            }
            Counted::Binary => tally.binary += 1,
            Counted::TooLarge => tally.too_large += 1,
            Counted::Unreadable => tally.unreadable += 1,
            Counted::Gone => {}
            Counted::Stopped => self.stopped_at = Some(file.path.to_path_buf()),
        }
    }
}
