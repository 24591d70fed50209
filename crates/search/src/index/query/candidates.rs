//! Which files of a resident tree can match: those that the filter wants and the signatures let through.

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

/// Gathers the files of a part that can match.
pub(super) fn gather(
    part: &Part<'_>,
    at: usize,
    query: &LiteralQuery,
    wanted: &Wanted<'_>,
    candidates: &mut Vec<CandidateFile>,
) {
    let table = &part.index.table;
    let first = candidates.len();
    let mut take = |rank: u32, id: FileId| {
        if wanted.has(part, rank, id) {
            candidates.push(CandidateFile { part: at, id });
        }
    };
    let columns = part.index.blocks.candidates(query);
    let kinds = table.kinds_in(part.span.clone());
    let is_text = |kind: TextKind| matches!(kind, TextKind::Text | TextKind::CutText);
    if columns.is_all() {
        for ((rank, id), kind) in (part.span.start..)
            .zip(table.files_in(part.span.clone()))
            .zip(kinds)
        {
            if *kind != TextKind::Binary {
                take(rank, *id);
            }
        }
        return;
    }
    part.index.blocks.files_of(&columns, |id| {
        let rank = table.rank(id);
        let inside = part.span.contains(&rank);
        if inside && is_text(kinds[(rank - part.span.start) as usize]) {
            take(rank, id);
        }
    });
    // A file of several blocks comes once for each of them.
    let own = &mut candidates[first..];
    own.sort_unstable_by_key(|candidate| table.rank(candidate.id));
    let mut kept = first;
    for at in first..candidates.len() {
        if kept == first || candidates[kept - 1].id != candidates[at].id {
            candidates[kept] = candidates[at];
            kept += 1;
        }
    }
    candidates.truncate(kept);
    for rank in table.unsigned_in(part.span.clone()) {
        if let Some(id) = table.files_in(rank..rank + 1).first()
            && wanted.has(part, rank, *id)
        {
            candidates.push(CandidateFile { part: at, id: *id });
        }
    }
}
