//! A walk and what is done with its files, put together: the list of them, or of those in which a pattern stands.

use std::path::PathBuf;

use lancet_workspace::Moment;

use crate::list::{Entry, Listing, Order, Ranked};
use crate::pattern::Pattern;
use crate::seek::{Counted, Encodings, Seeker};
use crate::tally::Tally;
use crate::walk::{File, Visitor, Walk};

/// What a search came to.
#[derive(Clone, Debug)]
pub struct Survey {
    /// The files, in their order; the last ones may be missing where there are more than memory is kept for.
    pub files: Listing,
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

/// Lists the wanted files of a walk. `linked` is asked about a file with several names, where the order needs a look at
/// each file: whether it may be told of.
pub fn list_files(walk: &Walk<'_>, order: Order, linked: Found<'_>) -> Survey {
    let (listers, ended) = walk.run(|| Lister {
        walk,
        order,
        linked,
        list: Ranked::new(order, walk.threads),
    });
    let (files, total) = joined(order, listers.into_iter().map(|lister| lister.list));
    Survey {
        files,
        total,
        matches: 0,
        tally: ended.tally,
        stopped_at: ended.stopped_at,
    }
}

fn joined(order: Order, lists: impl IntoIterator<Item = Ranked>) -> (Listing, u64) {
    let mut lists = lists.into_iter();
    let mut all = lists.next().unwrap_or_else(|| Ranked::new(order, 1));
    for list in lists {
        all.join(list);
    }
    all.finish()
}

struct Lister<'l, 'w> {
    walk: &'l Walk<'w>,
    order: Order,
    linked: Found<'l>,
    list: Ranked,
}

impl Visitor for Lister<'_, '_> {
    fn visit(&mut self, file: &File<'_>, tally: &mut Tally) {
        tally.searched += 1;
        self.walk.so_far.look();
        if !file.is_start() && !self.walk.filter.keeps(file.path) {
            return;
        }
        let modified = match self.order {
            Order::Newest => match file.stat() {
                Ok(stamp) if stamp.links > 1 && !(self.linked)(file, stamp.links) => return,
                Ok(stamp) => stamp.mtime,
                // Gone since it was listed: then it is not there.
                Err(_) => return,
            },
            Order::Path => Moment::default(),
        };
        self.walk.so_far.find();
        self.list.add(Entry {
            start: file.start,
            relative: file.relative.into(),
            modified,
            matches: 0,
        });
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
        list: Ranked::new(order, walk.threads),
        matches: 0,
        stopped_at: None,
    });
    let mut lists = Vec::new();
    let mut matches = 0;
    let mut stopped_at = ended.stopped_at;
    for counter in counters {
        lists.push(counter.list);
        matches += counter.matches;
        stopped_at = stopped_at.or(counter.stopped_at);
    }
    let (files, total) = joined(order, lists);
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
        self.walk.so_far.look();
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
                self.walk.so_far.find();
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
