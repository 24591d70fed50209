//! The order of a file's recorded changes between two of its states. Programs that lancet did not record may have
//! written in between, and a recorded command may have run while other changes were made.

use lancet_history::RecordedState;

use super::super::line_owners::Writer;

/// How many changes before the oldest selected one are searched for the committed state.
const MAX_EARLIER_CHANGES: usize = 200;

/// What is compared of a state: no two states with the same key differ, but for the mode. None where there is no file.
pub(super) type StateKey = Option<[u8; 32]>;

/// A recorded change of the file.
pub(super) struct StateChange {
    /// The index of its operation among those of the file.
    pub(super) operation: usize,
    pub(super) before: Option<RecordedState>,
    pub(super) after: Option<RecordedState>,
    /// The keys of both states.
    pub(super) keys: [StateKey; 2],
    pub(super) is_selected: bool,
}

impl StateChange {
    /// Returns this change, the one with this index, as a writer.
    pub(super) fn writer(&self, index: usize) -> Writer {
        match self.is_selected {
            true => Writer::Selected(index),
            false => Writer::Other(index),
        }
    }
}

/// A step to a state.
pub(super) struct Step {
    pub(super) to: Option<RecordedState>,
    pub(super) key: StateKey,
    pub(super) writer: Writer,
}

/// The steps from the committed state to the present one.
#[derive(Default)]
pub(super) struct Chain {
    /// The state that the oldest step found, if it is not the committed one.
    pub(super) baseline: Option<(Option<RecordedState>, StateKey)>,
    /// The steps, oldest first.
    pub(super) steps: Vec<Step>,
    /// Whether another program wrote the present state, after the last step.
    pub(super) ends_unrecorded: bool,
}

/// Finds the steps by going back from the present state: the change that left a state comes before the one that found
/// it. If no change left a state, another program wrote it. `changes` are in the order of recording.
pub(super) fn find_chain(changes: &[StateChange], committed: StateKey, present: StateKey) -> Chain {
    let mut chain = Chain::default();
    let mut used = vec![false; changes.len()];
    let mut oldest_used = changes.len();
    let mut selected_left = changes.iter().filter(|change| change.is_selected).count();
    let mut earlier = 0;
    // The state that is not explained yet.
    let (mut key, mut state) = (present, None);
    while key != committed && earlier < MAX_EARLIER_CHANGES {
        let newest_first = (0..changes.len()).rev();
        let linked = newest_first
            .filter(|index| !used[*index])
            .find(|index| changes[*index].keys[1] == key);
        let next = linked.or_else(|| (0..oldest_used).rev().find(|index| !used[*index]));
        let Some(index) = next else { break };
        let change = &changes[index];
        if change.keys[1] != key {
            match chain.steps.is_empty() {
                true => chain.ends_unrecorded = true,
                false => chain.steps.push(Step {
                    to: state,
                    key,
                    writer: Writer::Unknown,
                }),
            }
            key = change.keys[1];
            if key == committed {
                break;
            }
        }
        used[index] = true;
        oldest_used = oldest_used.min(index);
        earlier += usize::from(selected_left == 0);
        selected_left -= usize::from(change.is_selected);
        chain.steps.push(Step {
            to: change.after.clone(),
            key,
            writer: change.writer(index),
        });
        key = change.keys[0];
        state = change.before.clone();
    }
    if key != committed {
        // Changes before the oldest selected one are part of the first difference.
        let mut steps = chain.steps.iter();
        let oldest = steps.rposition(|step| step.writer.is_selected());
        chain.steps.truncate(oldest.map_or(0, |oldest| oldest + 1));
        let first = chain.steps.last().and_then(|step| match step.writer {
            Writer::Selected(index) => changes.get(index),
            _ => None,
        });
        chain.baseline = first.map(|change| (change.before.clone(), change.keys[0]));
    }
    chain.steps.reverse();
    chain
}

#[cfg(test)]
mod tests {
    use super::*;

    const OWN: Writer = Writer::Selected(0);

    fn change(is_selected: bool, from: u8, to: u8) -> StateChange {
        StateChange {
            operation: 0,
            before: None,
            after: None,
            keys: [state(from), state(to)],
            is_selected,
        }
    }

    fn state(number: u8) -> StateKey {
        Some([number; 32])
    }

    /// Returns the writers of the steps, oldest first, and the state that they begin with if it is not committed.
    fn chain(
        changes: &[StateChange],
        committed: u8,
        present: u8,
    ) -> (Vec<Writer>, Option<StateKey>) {
        let chain = find_chain(changes, state(committed), state(present));
        let mut writers: Vec<Writer> = chain.steps.iter().map(|step| step.writer).collect();
        if chain.ends_unrecorded {
            writers.push(Writer::Unknown);
        }
        (writers, chain.baseline.map(|(_, key)| key))
    }

    #[test]
    fn begins_with_newest_committed_state() {
        let changes = [change(true, 1, 2), change(false, 2, 3), change(true, 3, 4)];
        assert_eq!(
            chain(&changes, 2, 4).0,
            [Writer::Other(1), Writer::Selected(2)]
        );
        assert_eq!(chain(&changes, 4, 4).0, []);
    }

    #[test]
    fn another_programs_writing_is_a_step() {
        let changes = [change(true, 1, 2), change(false, 5, 6)];
        let found = chain(&changes, 1, 7).0;
        assert_eq!(
            found,
            [OWN, Writer::Unknown, Writer::Other(1), Writer::Unknown]
        );
    }

    #[test]
    fn changes_within_a_recorded_command_are_in_their_place() {
        // The command was recorded at its end; the change in the middle was recorded before.
        let changes = [change(true, 2, 3), change(false, 1, 2), change(false, 3, 4)];
        assert_eq!(
            chain(&changes, 1, 4).0,
            [Writer::Other(1), OWN, Writer::Other(2)]
        );
    }

    #[test]
    fn without_committed_state_it_begins_before_oldest_selected_change() {
        let changes = [change(false, 1, 2), change(true, 2, 3)];
        assert_eq!(
            chain(&changes, 9, 3),
            (vec![Writer::Selected(1)], Some(state(2)))
        );
    }
}
