//! Compares the places of lines after changes with a reference that moves lines one by one.

use proptest::prelude::*;

use super::*;

/// A line of the reference model; each has a distinct identity.
type Line = u32;

/// The reference model: the lines themselves, and for each number the line that was last shown with it.
#[derive(Default)]
struct Judge {
    lines: Vec<Line>,
    shown: Vec<Line>,
    next: Line,
}

impl Judge {
    fn new(count: usize) -> Self {
        let lines: Vec<Line> = (0..count as Line).collect();
        Self {
            shown: lines.clone(),
            next: count as Line,
            lines,
        }
    }

    fn change(&mut self, changes: &[LineChange]) {
        for change in changes.iter().rev() {
            let fresh = self.next..self.next + change.new as Line;
            self.next = fresh.end;
            let old = change.old.start as usize..change.old.end as usize;
            self.lines.splice(old, fresh);
        }
    }

    fn show(&mut self, lines: Range<u64>) {
        for line in lines {
            if let (Some(line), Some(shown)) = (
                self.lines.get(line as usize),
                self.shown.get_mut(line as usize),
            ) {
                *shown = *line;
            }
        }
    }

    fn standing(&self, number: usize) -> Option<u64> {
        let line = self.shown[number];
        let at = self.lines.iter().position(|other| *other == line);
        at.map(|at| at as u64)
    }
}

#[derive(Clone, Debug)]
enum Step {
    Change(Vec<(usize, usize, usize)>),
    Show(usize, usize),
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        prop::collection::vec((0..8_usize, 0..4_usize, 0..4_usize), 1..4).prop_map(Step::Change),
        (0..40_usize, 0..8_usize).prop_map(|(from, count)| Step::Show(from, count)),
    ]
}

/// Returns changes of a file of that many lines, each some lines behind the one before.
fn changes_of(steps: &[(usize, usize, usize)], total: usize) -> Vec<LineChange> {
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
            detail: Detail::Exact,
        });
        at = end;
    }
    changes
}

proptest! {
    #[test]
    fn a_number_leads_to_the_line_that_was_last_shown_with_it(steps in prop::collection::vec(step(), 0..12)) {
        let mut judge = Judge::new(30);
        let mut numbers = LineNumbers::default();
        for step in steps {
            match step {
                Step::Change(steps) => {
                    let changes = changes_of(&steps, judge.lines.len());
                    judge.change(&changes);
                    numbers.changed(&changes, Mover::Session);
                }
                Step::Show(from, count) => {
                    let end = (from + count).min(judge.lines.len());
                    let lines = from as u64..end.max(from) as u64;
                    judge.show(lines.clone());
                    numbers.mark_shown(lines);
                }
            }
            for number in 0..judge.shown.len() {
                match numbers.standing(number as u64) {
                    Standing::At { line, mover } => {
                        prop_assert_eq!(mover, Mover::Session);
                        // A line that one other line replaced keeps its number.
                        if let Some(at) = judge.standing(number) {
                            prop_assert_eq!(line, at);
                        }
                    }
                    Standing::Replaced => prop_assert_eq!(judge.standing(number), None),
                    Standing::Unknown => prop_assert!(false, "few changes are all known"),
                }
            }
            let encoded = numbers.encode();
            prop_assert_eq!(&LineNumbers::decode(encoded.as_deref()), &numbers);
        }
    }
}

fn insertion(at: u64, new: u64) -> LineChange {
    LineChange {
        old: at..at,
        new,
        detail: Detail::Exact,
    }
}

#[test]
fn a_change_that_moves_no_line_keeps_nothing() {
    let mut numbers = LineNumbers::default();
    let change = LineChange {
        old: 3..5,
        new: 2,
        detail: Detail::Exact,
    };
    numbers.changed(&[change], Mover::Session);
    assert!(numbers.is_empty());
    assert_eq!(numbers.encode(), None);
}

#[test]
fn lines_that_another_program_moved_are_told_apart() {
    let mut numbers = LineNumbers::default();
    numbers.changed(&[insertion(10, 2)], Mover::Session);
    numbers.changed(&[insertion(20, 1)], Mover::Other);
    let at = |number| numbers.standing(number);
    let moved = |line, mover| Standing::At { line, mover };
    assert_eq!(at(5), moved(5, Mover::Session));
    assert_eq!(at(12), moved(14, Mover::Session));
    assert_eq!(at(30), moved(33, Mover::Other));
}

#[test]
fn what_is_coarse_or_too_much_is_unknown_until_it_is_shown() {
    let mut numbers = LineNumbers::default();
    let coarse = LineChange {
        old: 5..9,
        new: 6,
        detail: Detail::Coarse,
    };
    numbers.changed(&[coarse], Mover::Session);
    assert_eq!(numbers.standing(6), Standing::Unknown);
    assert_eq!(
        numbers.standing(9),
        Standing::At {
            line: 11,
            mover: Mover::Session
        }
    );
    let many: Vec<_> = (0..1_000).map(|at| insertion(10 * at, 1)).collect();
    numbers.changed(&many, Mover::Session);
    assert_eq!(numbers, LineNumbers::unknown());
    numbers.mark_shown(3..4);
    assert_eq!(numbers.standing(2), Standing::Unknown);
    assert_eq!(
        numbers.standing(3),
        Standing::At {
            line: 3,
            mover: Mover::Session
        }
    );
    assert_eq!(numbers.standing(4), Standing::Unknown);
}

#[test]
fn bytes_that_are_no_numbers_leave_them_unknown() {
    for bytes in [
        &[1_u8, 2, 3][..],
        &[9; PIECE_BYTES],
        &[0xFF; 3 * PIECE_BYTES],
    ] {
        assert_eq!(LineNumbers::decode(Some(bytes)), LineNumbers::unknown());
    }
}
