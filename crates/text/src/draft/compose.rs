//! Composes changes with earlier ones, so that a draft always knows its difference from the original.

use super::{ChangeCount, Draft, Span};
use crate::splice::{Change, apply_changes};
use std::borrow::Cow;
use std::ops::Range;

/// Spans and changes that overlap and become one span.
struct Cluster {
    /// Its range in the text before the changes.
    current: Range<usize>,
    /// The number of bytes by which its changes make it longer.
    growth: isize,
    /// The first and the last span in it.
    spans: Option<(Span, Span)>,
    made_by: ChangeCount,
}

impl Draft<'_> {
    /// Makes sorted changes of the current text that do not overlap.
    pub(super) fn compose(&mut self, changes: &[Change]) {
        debug_assert!(changes.is_sorted_by(|a, b| a.range.end <= b.range.start));
        let mut composer = Composer::default();
        let mut spans = std::mem::take(&mut self.spans).into_iter().peekable();
        for change in changes {
            let key = |range: &Range<usize>| (range.start, range.end);
            while let Some(span) = spans.next_if(|span| key(&span.current) <= key(&change.range)) {
                composer.add_span(span);
            }
            composer.add_change(change);
        }
        for span in spans {
            composer.add_span(span);
        }
        self.spans = composer.finish();
        self.text = Cow::Owned(apply_changes(&self.text, changes));
    }
}

/// The state of one pass over spans and changes.
#[derive(Default)]
struct Composer {
    done: Vec<Span>,
    open: Option<Cluster>,
    /// Where the last finished span ends: in the text before the changes, and in the original.
    last: (usize, usize),
    /// The number of bytes by which the changes so far make the text longer.
    shift: isize,
}

impl Composer {
    fn add_span(&mut self, span: Span) {
        match &mut self.open {
            Some(cluster) if cluster.joins(&span.current) => {
                cluster.current.end = cluster.current.end.max(span.current.end);
                cluster.made_by = ChangeCount::Several;
                let first = cluster
                    .spans
                    .take()
                    .map_or_else(|| span.clone(), |(first, _)| first);
                cluster.spans = Some((first, span));
            }
            _ => {
                self.finish_cluster();
                self.open = Some(Cluster {
                    current: span.current.clone(),
                    growth: 0,
                    made_by: span.made_by,
                    spans: Some((span.clone(), span)),
                });
            }
        }
    }

    fn add_change(&mut self, change: &Change) {
        let growth = change.text.len() as isize - change.range.len() as isize;
        match &mut self.open {
            Some(cluster) if cluster.joins(&change.range) => {
                cluster.current.end = cluster.current.end.max(change.range.end);
                cluster.growth += growth;
                cluster.made_by = ChangeCount::Several;
            }
            _ => {
                self.finish_cluster();
                self.open = Some(Cluster {
                    current: change.range.clone(),
                    growth,
                    spans: None,
                    made_by: ChangeCount::One,
                });
            }
        }
    }

    fn finish_cluster(&mut self) {
        let Some(cluster) = self.open.take() else {
            return;
        };
        let (last_current, last_original) = self.last;
        let copied = |current: usize| last_original + (current - last_current);
        let original = match &cluster.spans {
            None => copied(cluster.current.start)..copied(cluster.current.end),
            Some((first, last)) => {
                let before = first.current.start - cluster.current.start;
                let after = cluster.current.end - last.current.end;
                first.original.start - before..last.original.end + after
            }
        };
        self.last = (cluster.current.end, original.end);
        let start = cluster.current.start.strict_add_signed(self.shift);
        self.shift += cluster.growth;
        let end = cluster.current.end.strict_add_signed(self.shift);
        self.done.push(Span {
            original,
            current: start..end,
            made_by: cluster.made_by,
        });
    }

    fn finish(mut self) -> Vec<Span> {
        self.finish_cluster();
        self.done
    }
}

impl Cluster {
    /// Returns whether the next range belongs to this cluster. Ranges that only touch stay separate, so that each
    /// chooses its own line ends; but text that is inserted at the very point of a deletion replaces what was deleted.
    fn joins(&self, next: &Range<usize>) -> bool {
        next.start < self.current.end
            || (self.spans.is_some() && self.current.is_empty() && *next == self.current)
    }
}
