//! Which files of a resident tree can match: those that the filter wants and the signatures let through.

use std::cmp::Reverse;
use std::ops::Range;

use super::super::columns::bits;
use super::super::literal_query::LiteralQuery;
use super::super::table::{FileId, TextKind};
use super::Part;
use crate::name_key::NameKey;
use crate::tally::Tally;
use crate::walk::Walk;

/// A file that can match.
#[derive(Clone, Copy)]
pub(super) struct CandidateFile {
    pub(super) part: usize,
    pub(super) id: FileId,
}

/// The files of a part that the filter wants.
pub(super) enum Wanted<'w> {
    All,
    /// All with such a name.
    Named(&'w [FileId], &'w NameKey),
    /// By place in path order, relative to the part's first.
    Some(Vec<bool>),
}

impl<'w> Wanted<'w> {
    pub(super) fn of(part: &Part<'w>, walk: &Walk<'_>, key: Option<&'w NameKey>) -> Self {
        if walk.filter.wants_all() {
            return Wanted::All;
        }
        let table = &part.index.table;
        if let Some(key) = key
            && let Some(named) = table.known_newest(key)
        {
            return Wanted::Named(named, key);
        }
        let wants = |id: &FileId| table.path(*id).is_some_and(|path| walk.filter.keeps(&path));
        let files = table.files_in(part.span.clone());
        Wanted::Some(files.iter().map(wants).collect())
    }

    fn has(&self, part: &Part<'_>, rank: u32, id: FileId) -> bool {
        match self {
            Wanted::All => true,
            Wanted::Named(_, key) => key.fits(part.index.table.name(id).as_encoded_bytes()),
            Wanted::Some(wanted) => {
                let at = (rank - part.span.start) as usize;
                wanted.get(at).copied().unwrap_or(false)
            }
        }
    }

    pub(super) fn count_kinds(&self, part: &Part<'_>, tally: &mut Tally) {
        let table = &part.index.table;
        let kinds = table.kinds_in(part.span.clone());
        match self {
            Wanted::All if part.is_whole() => {
                tally.cut += table.number_of(TextKind::CutText);
                tally.searched +=
                    table.number_of(TextKind::Text) + table.number_of(TextKind::CutText);
                tally.binary += table.number_of(TextKind::Binary);
            }
            Wanted::All => Part::count_kinds(kinds, tally),
            Wanted::Named(named, _) => {
                let ranks = named.iter().map(|id| table.rank(*id));
                let inside = ranks.filter(|rank| part.span.contains(rank));
                Part::count_kinds(
                    inside.map(|rank| &kinds[(rank - part.span.start) as usize]),
                    tally,
                );
            }
            Wanted::Some(wanted) => {
                let both = kinds.iter().zip(wanted);
                Part::count_kinds(
                    both.filter(|(_, wanted)| **wanted).map(|(kind, _)| kind),
                    tally,
                );
            }
        }
    }
}

/// Gathers the files of a part that can match, in path order.
pub(super) fn gather(
    part: &Part<'_>,
    at: usize,
    query: &LiteralQuery,
    wanted: &Wanted<'_>,
    candidates: &mut Vec<CandidateFile>,
) {
    let index = part.index;
    let table = &index.table;
    let files = table.files_in(part.span.clone());
    let kinds = table.kinds_in(part.span.clone());
    let mut take = |place: usize, id: FileId| {
        if kinds[place] != TextKind::Binary && wanted.has(part, part.span.start + place as u32, id)
        {
            candidates.push(CandidateFile { part: at, id });
        }
    };
    let columns = index.blocks.candidates(query);
    if columns.is_all() {
        for (place, id) in files.iter().enumerate() {
            take(place, *id);
        }
        return;
    }
    // A set of places has them in order and each once: sorting the 31,000 files of a common word took 0.3 ms.
    let mut places = PlaceSet::new(files.len());
    index.blocks.files_of(&columns, |id| {
        places.insert(table.rank(id), &part.span);
    });
    for rank in table.unsigned_in(part.span.clone()) {
        places.insert(rank, &part.span);
    }
    for place in places.iter() {
        take(place, files[place]);
    }
}

/// Sorts by modification time, newest first, ties by path.
pub(super) fn sort_by_time(parts: &[Part<'_>], candidates: &mut [CandidateFile]) {
    // The sort is stable, and the candidates are in path order.
    candidates.sort_by_cached_key(|candidate| {
        let table = &parts[candidate.part].index.table;
        Reverse(table.file(candidate.id).map(|file| file.stamp.mtime))
    });
}

/// A set of places in the path order of a part.
struct PlaceSet {
    words: Vec<u64>,
}

impl PlaceSet {
    fn new(places: usize) -> Self {
        PlaceSet {
            words: vec![0; places.div_ceil(64)],
        }
    }

    fn insert(&mut self, rank: u32, span: &Range<u32>) {
        if span.contains(&rank) {
            let place = (rank - span.start) as usize;
            self.words[place / 64] |= 1 << (place % 64);
        }
    }

    fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        bits(&self.words)
    }
}
