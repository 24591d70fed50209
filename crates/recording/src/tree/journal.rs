//! Which names changed at which position, and which checkpoint has the state of which position.

use std::collections::{BTreeMap, VecDeque};

/// The number of checkpoints that are remembered.
const MAX_CHECKPOINTS: usize = 64;

/// The changes of a root in their order. A position is the number of updates that found a change.
#[derive(Default)]
pub(super) struct ChangeJournal {
    position: u64,
    /// The position of the last change of each name.
    changed: BTreeMap<Vec<u8>, u64>,
    /// Checkpoints with the position whose state they have, oldest first.
    checkpoints: VecDeque<(i64, u64)>,
}

impl ChangeJournal {
    /// Returns the present position.
    pub(super) fn position(&self) -> u64 {
        self.position
    }

    /// Adds the names that changed since the last call.
    pub(super) fn add_changes(&mut self, names: impl IntoIterator<Item = Vec<u8>>) {
        let next = self.position + 1;
        for name in names {
            self.changed.insert(name, next);
            self.position = next;
        }
    }

    /// Notes that a checkpoint has the state of a position. Changes that no remembered checkpoint lacks are dropped.
    pub(super) fn note_checkpoint(&mut self, number: i64, position: u64) {
        self.checkpoints.retain(|(known, _)| *known != number);
        self.checkpoints.push_back((number, position));
        if self.checkpoints.len() > MAX_CHECKPOINTS {
            self.checkpoints.pop_front();
        }
        let positions = self.checkpoints.iter().map(|(_, position)| *position);
        if let Some(oldest) = positions.min() {
            self.changed.retain(|_, changed| *changed > oldest);
        }
    }

    /// Returns the names that changed since a checkpoint; none if the checkpoint is not known.
    pub(super) fn changed_since(&self, number: i64) -> Option<Vec<&Vec<u8>>> {
        let mut known = self.checkpoints.iter();
        let (_, since) = known.find(|(known, _)| *known == number)?;
        let changed = self.changed.iter();
        Some(
            changed
                .filter(|(_, position)| *position > since)
                .map(|(name, _)| name)
                .collect(),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_are_those_after_the_position_of_a_checkpoint() {
        let mut journal = ChangeJournal::default();
        let name = |text: &str| text.as_bytes().to_vec();
        let since = |journal: &ChangeJournal, number| {
            let names = journal.changed_since(number)?;
            Some(names.into_iter().cloned().collect::<Vec<_>>())
        };
        journal.add_changes([name("a")]);
        assert_eq!(since(&journal, 7), None, "no checkpoint is known");
        journal.note_checkpoint(7, 0);
        assert_eq!(since(&journal, 7), Some(vec![name("a")]));
        journal.note_checkpoint(8, journal.position());
        journal.add_changes([]);
        assert_eq!(since(&journal, 8), Some(vec![]), "nothing changed");
        journal.add_changes([name("b"), name("c")]);
        journal.add_changes([name("b")]);
        assert_eq!(since(&journal, 8), Some(vec![name("b"), name("c")]));
        assert_eq!(
            since(&journal, 7),
            Some(vec![name("a"), name("b"), name("c")])
        );
    }

    #[test]
    fn changes_that_every_checkpoint_has_are_dropped() {
        let mut journal = ChangeJournal::default();
        for number in 0..100 {
            journal.add_changes([number.to_string().into_bytes()]);
            journal.note_checkpoint(number, journal.position());
        }
        assert_eq!(journal.changed_since(0), None);
        assert_eq!(journal.changed.len(), MAX_CHECKPOINTS - 1);
    }
}
