//! Combines a walk with a visitor: lists the wanted files, or those in which a pattern matches.

use std::path::PathBuf;
use std::sync::Arc;

use lancet_workspace::Moment;

use crate::file_search::{Encodings, FileOutcome, FileSearcher};
use crate::held::HeldContents;
use crate::list::{ListedFile, Listing, RankedFiles, ResultOrder};
use crate::pattern::Pattern;
use crate::tally::Tally;
use crate::walk::{Visitor, Walk, WalkedFile};

/// The extent to which a search has to go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SearchExtent {
    /// To its end, so that the totals are exact.
    Whole,
    /// Until this many entries are known, files or matches, whichever the caller pages by. Then it may stop counting:
    /// its totals are "at least", and the known entries are those that come first in the order.
    FirstEntries(u64),
}

/// Whether the totals of a search are final. Those of a search that was stopped are not, whatever this says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SearchTotals {
    /// Everything was counted.
    Exact,
    /// There may be more.
    AtLeast,
}

/// The result of a search.
#[derive(Clone, Debug)]
pub struct SearchSummary {
    /// The files in order, each with all its matches; entries that sort last are missing where memory ran out, or the
    /// totals are not exact.
    pub files: Listing,
    /// The number of all files found.
    pub total: u64,
    /// The number of all matches found.
    pub matches: u64,
    /// Whether the two numbers are final; always for a walk.
    pub totals: SearchTotals,
    /// Counts of what was searched and what was left out.
    pub tally: Tally,
    /// Where the search was stopped; `None` where it ran to its end.
    pub stopped_at: Option<PathBuf>,
    /// The contents that the search has in memory, for the lines of a page.
    pub held: Option<Arc<dyn HeldContents>>,
}

impl SearchSummary {
    /// Returns the result of a search that has found nothing yet.
    pub(crate) fn empty(order: ResultOrder) -> Self {
        SearchSummary {
            files: RankedFiles::new(order, 1).finish().0,
            total: 0,
            matches: 0,
            tally: Tally::default(),
            stopped_at: None,
            totals: SearchTotals::Exact,
            held: None,
        }
    }
}

/// Decides whether a file with several hard links, given with their number, may be listed. It is called only for files
/// that would be listed.
pub type LinkedFileFilter<'f> = &'f (dyn Fn(&WalkedFile<'_>, u64) -> bool + Sync);

/// Lists the wanted files of a walk. `linked` is called for files with several hard links, where the order needs a
/// `stat` of each file.
pub fn list_files(
    walk: &Walk<'_>,
    order: ResultOrder,
    linked: LinkedFileFilter<'_>,
) -> SearchSummary {
    let (listers, ended) = walk.run(|| Lister {
        walk,
        order,
        linked,
        list: RankedFiles::new(order, walk.threads),
    });
    let (files, total) = join_lists(order, listers.into_iter().map(|lister| lister.list));
    SearchSummary {
        files,
        total,
        matches: 0,
        totals: SearchTotals::Exact,
        tally: ended.tally,
        stopped_at: ended.stopped_at,
        held: None,
    }
}

fn join_lists(order: ResultOrder, lists: impl IntoIterator<Item = RankedFiles>) -> (Listing, u64) {
    let mut lists = lists.into_iter();
    let mut all = lists.next().unwrap_or_else(|| RankedFiles::new(order, 1));
    for list in lists {
        all.merge(list);
    }
    all.finish()
}

struct Lister<'l, 'w> {
    walk: &'l Walk<'w>,
    order: ResultOrder,
    linked: LinkedFileFilter<'l>,
    list: RankedFiles,
}

impl Visitor for Lister<'_, '_> {
    fn visit(&mut self, file: &WalkedFile<'_>, tally: &mut Tally) {
        tally.searched += 1;
        self.walk.progress.count_visited();
        if !file.is_start() && !self.walk.filter.wants_file(file.path) {
            return;
        }
        let modified = match self.order {
            ResultOrder::Newest => match file.stat() {
                Ok(stamp) if stamp.links > 1 && !(self.linked)(file, stamp.links) => return,
                Ok(stamp) => stamp.mtime,
                // The file was removed since it was listed.
                Err(_) => return,
            },
            ResultOrder::Path => Moment::default(),
        };
        self.walk.progress.count_found();
        self.list.add(ListedFile {
            start: file.start,
            relative: file.relative.into(),
            modified,
            matches: 0,
        });
    }
}

/// Counts the matches of a pattern in the wanted files of a walk. `linked` is called for files with several hard links
/// in which the pattern matches.
pub fn count_matches(
    walk: &Walk<'_>,
    pattern: &Pattern,
    order: ResultOrder,
    encodings: Encodings<'_>,
    linked: LinkedFileFilter<'_>,
) -> SearchSummary {
    let (counters, ended) = walk.run(|| Counter {
        walk,
        seeker: FileSearcher::new(pattern, walk.stop),
        encodings,
        linked,
        list: RankedFiles::new(order, walk.threads),
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
    let (files, total) = join_lists(order, lists);
    SearchSummary {
        files,
        total,
        matches,
        totals: SearchTotals::Exact,
        tally: ended.tally,
        stopped_at,
        held: None,
    }
}

struct Counter<'c, 'w> {
    walk: &'c Walk<'w>,
    seeker: FileSearcher<'c>,
    encodings: Encodings<'c>,
    linked: LinkedFileFilter<'c>,
    list: RankedFiles,
    matches: u64,
    stopped_at: Option<PathBuf>,
}

impl Visitor for Counter<'_, '_> {
    fn visit(&mut self, file: &WalkedFile<'_>, tally: &mut Tally) {
        if !file.is_start() && !self.walk.filter.wants_file(file.path) {
            return;
        }
        self.walk.progress.count_visited();
        let counted = self.seeker.count(file.open(), (self.encodings)(file.path));
        match counted {
            FileOutcome::Matches { matches, cut } => {
                tally.searched += 1;
                tally.cut += u64::from(cut);
                if matches == 0 {
                    return;
                }
                // The file was removed since it was searched.
                let Ok(stamp) = file.stat() else { return };
                if stamp.links > 1 && !(self.linked)(file, stamp.links) {
                    return;
                }
                self.walk.progress.count_found();
                self.matches += matches;
                self.list.add(ListedFile {
                    start: file.start,
                    relative: file.relative.into(),
                    modified: stamp.mtime,
                    matches,
                });
            }
            FileOutcome::Binary => tally.binary += 1,
            FileOutcome::TooLarge => tally.too_large += 1,
            FileOutcome::Unreadable => tally.unreadable += 1,
            FileOutcome::Gone => {}
            FileOutcome::Stopped => self.stopped_at = Some(file.path.to_path_buf()),
        }
    }
}
