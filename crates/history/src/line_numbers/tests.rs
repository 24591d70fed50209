//! Compares the places of lines after changes with a reference that moves lines one by one.

use proptest::prelude::*;

use super::*;

/// A line of the reference model; each has a distinct identity.
type Line = u32;

/// The reference model: the lines themselves, and for each number the line that was last shown with it.
#[derive(Default)]
struct ReferenceModel {
    lines: Vec<Line>,
    shown: Vec<Line>,
    next: Line,
}

impl ReferenceModel {
    fn new(count: usize) -> Self {
        let lines: Vec<Line> = (0..count as Line).collect();
        Self {
            shown: lines.clone(),
            next: count as Line,
            lines,
        }
    }

    fn apply_changes(&mut self, changes: &[LineChange]) {
        for change in changes.iter().rev() {
            let fresh = self.next..self.next + change.new as Line;
            self.next = fresh.end;
            let old = change.old.start as usize..change.old.end as usize;
            self.lines.splice(old, fresh);
        }
    }

    fn mark_shown(&mut self, lines: Range<u64>) {
        for line in lines {
            if let (Some(line), Some(shown)) = (
                self.lines.get(line as usize),
                self.shown.get_mut(line as usize),
            ) {
                *shown = *line;
            }
        }
    }

    fn current_line(&self, number: usize) -> Option<u64> {
        let line = self.shown[number];
        let at = self.lines.iter().position(|other| *other == line);
        at.map(|at| at as u64)
    }
}

#[derive(Clone, Debug)]
enum NumberStep {
    Change(Vec<(usize, usize, usize)>),
    Show(usize, usize),
}

fn generated_step() -> impl Strategy<Value = NumberStep> {
    prop_oneof![
        prop::collection::vec((0..8_usize, 0..4_usize, 0..4_usize), 1..4)
            .prop_map(NumberStep::Change),
        (0..40_usize, 0..8_usize).prop_map(|(from, count)| NumberStep::Show(from, count)),
    ]
}

/// Returns changes of a file of that many lines, each some lines behind the one before.
fn build_changes(steps: &[(usize, usize, usize)], total: usize) -> Vec<LineChange> {
    let mut at = 0;
    let mut changes = Vec::new();
    for &(skip, old, new) in steps {
        let start = at + skip + 1;
        if start > total {
            break;
        }
        let end = (start + old).min(total);
        changes.push(LineChange {
            old: start as u64..end as u64,
            new: new as u64,
            detail: ChangeDetail::Exact,
        });
        at = end;
    }
    changes
}

proptest! {
    #[test]
    fn number_maps_to_line_last_shown_with_it(steps in prop::collection::vec(generated_step(), 0..12)) {
        let mut judge = ReferenceModel::new(30);
        let mut numbers = LineNumbers::default();
        for step in steps {
            match step {
                NumberStep::Change(steps) => {
                    let changes = build_changes(&steps, judge.lines.len());
                    judge.apply_changes(&changes);
                    numbers.record_changes(&changes, MoveOrigin::Session);
                }
                NumberStep::Show(from, count) => {
                    let end = (from + count).min(judge.lines.len());
                    let lines = from as u64..end.max(from) as u64;
                    judge.mark_shown(lines.clone());
                    numbers.mark_shown(lines);
                }
            }
            for number in 0..judge.shown.len() {
                match numbers.current_place(number as u64) {
                    LinePlace::At { line, mover } => {
                        prop_assert_eq!(mover, MoveOrigin::Session);
                        // A line that one other line replaced keeps its number.
                        if let Some(at) = judge.current_line(number) {
                            prop_assert_eq!(line, at);
                        }
                    }
                    LinePlace::Replaced => prop_assert_eq!(judge.current_line(number), None),
                    LinePlace::Unknown => prop_assert!(false, "few changes are all known"),
                }
            }
            let encoded = numbers.encode();
            prop_assert_eq!(&LineNumbers::decode(encoded.as_deref()), &numbers);
        }
    }
}

fn insertion_change(at: u64, new: u64) -> LineChange {
    LineChange {
        old: at..at,
        new,
        detail: ChangeDetail::Exact,
    }
}

#[test]
fn change_without_moved_lines_stores_nothing() {
    let mut numbers = LineNumbers::default();
    let change = LineChange {
        old: 3..5,
        new: 2,
        detail: ChangeDetail::Exact,
    };
    numbers.record_changes(&[change], MoveOrigin::Session);
    assert!(numbers.is_empty());
    assert_eq!(numbers.encode(), None);
}

#[test]
fn distinguishes_moves_by_other_programs() {
    let mut numbers = LineNumbers::default();
    numbers.record_changes(&[insertion_change(10, 2)], MoveOrigin::Session);
    numbers.record_changes(&[insertion_change(20, 1)], MoveOrigin::Other);
    let at = |number| numbers.current_place(number);
    let moved = |line, mover| LinePlace::At { line, mover };
    assert_eq!(at(5), moved(5, MoveOrigin::Session));
    assert_eq!(at(12), moved(14, MoveOrigin::Session));
    assert_eq!(at(30), moved(33, MoveOrigin::Other));
}

#[test]
fn coarse_or_excessive_changes_make_lines_unknown_until_shown() {
    let mut numbers = LineNumbers::default();
    let coarse = LineChange {
        old: 5..9,
        new: 6,
        detail: ChangeDetail::Coarse,
    };
    numbers.record_changes(&[coarse], MoveOrigin::Session);
    assert_eq!(numbers.current_place(6), LinePlace::Unknown);
    assert_eq!(
        numbers.current_place(9),
        LinePlace::At {
            line: 11,
            mover: MoveOrigin::Session
        }
    );
    let many: Vec<_> = (0..1_000).map(|at| insertion_change(10 * at, 1)).collect();
    numbers.record_changes(&many, MoveOrigin::Session);
    assert_eq!(numbers, LineNumbers::all_unknown());
    numbers.mark_shown(3..4);
    assert_eq!(numbers.current_place(2), LinePlace::Unknown);
    assert_eq!(
        numbers.current_place(3),
        LinePlace::At {
            line: 3,
            mover: MoveOrigin::Session
        }
    );
    assert_eq!(numbers.current_place(4), LinePlace::Unknown);
}

#[test]
fn invalid_bytes_decode_to_unknown() {
    for bytes in [
        &[1_u8, 2, 3][..],
        &[9; PIECE_BYTES],
        &[0xFF; 3 * PIECE_BYTES],
    ] {
        assert_eq!(LineNumbers::decode(Some(bytes)), LineNumbers::all_unknown());
    }
}
