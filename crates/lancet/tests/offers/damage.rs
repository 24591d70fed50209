//! Damage to a text that a model quotes: each kind as a function of an edit that was right.

/// Pseudo-random numbers that are the same in every run.
pub(crate) struct Dice(u64);

impl Dice {
    pub(crate) fn new(seed: u64) -> Dice {
        Dice(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    pub(crate) fn below(&mut self, most: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % most.max(1)
    }

    pub(crate) fn one_of<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len())]
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Damage {
    Fence,
    DoubledLine,
    HalfGutter,
    WrongNumbers,
    Elision,
    MissingBlank,
    ExtraBlank,
    ChangedWord,
    CutEnd,
    /// A line is left out.
    MissingLine,
    /// An additional blank inside a line.
    InnerBlank,
}

pub(crate) const DAMAGES: [Damage; 11] = [
    Damage::Fence,
    Damage::DoubledLine,
    Damage::HalfGutter,
    Damage::WrongNumbers,
    Damage::Elision,
    Damage::MissingBlank,
    Damage::ExtraBlank,
    Damage::ChangedWord,
    Damage::CutEnd,
    Damage::MissingLine,
    Damage::InnerBlank,
];

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Where {
    Old,
    New,
    Both,
}

pub(crate) const WHERE: [Where; 3] = [Where::Old, Where::New, Where::Both];

/// An edit: the lines from `first` on, counted from 0, and the lines that replace them.
#[derive(Debug, Clone)]
pub(crate) struct Edit {
    pub(crate) first: usize,
    pub(crate) old: Vec<String>,
    pub(crate) new: Vec<String>,
    /// Lines at the start, and at the end, that both share.
    pub(crate) head: usize,
    pub(crate) tail: usize,
    /// Whether both texts are sent with the newline of their last line.
    pub(crate) is_ended: bool,
}

impl Edit {
    /// Chooses some lines of a text, and a change in one of them.
    pub(crate) fn random(text: &str, dice: &mut Dice) -> Option<Edit> {
        let lines: Vec<&str> = text.lines().collect();
        let count = 1 + dice.below(12);
        let first = dice.below(lines.len().checked_sub(count)?);
        let old = &lines[first..first + count];
        if text.matches(&old.join("\n")).count() != 1 {
            return None;
        }
        let at = dice.below(count);
        if old[at].trim().len() < 4 {
            return None;
        }
        let mut new: Vec<String> = old.iter().map(|line| (*line).to_owned()).collect();
        let indent = &old[at][..old[at].len() - old[at].trim_start().len()];
        let mut tail = count - at - 1;
        match dice.below(4) {
            0 => {
                new.insert(
                    at,
                    format!("{indent}prepare(everything, {});", dice.below(90)),
                );
                tail += 1;
            }
            1 if count > 2 => {
                new.remove(at);
            }
            _ => {
                let (from, to) = dice_word(&new[at], dice)?;
                let word = dice.one_of(&["renamed", "changed_value", "other"]);
                new[at].replace_range(from..to, word);
            }
        }
        let old: Vec<String> = old.iter().map(|line| (*line).to_owned()).collect();
        (old != new).then_some(Edit {
            first,
            old,
            new,
            head: at,
            tail,
            is_ended: dice.below(3) == 0,
        })
    }

    /// Returns lines as they are sent.
    pub(crate) fn sent(&self, lines: &[String]) -> String {
        let end = if self.is_ended { "\n" } else { "" };
        lines.join("\n") + end
    }

    /// Returns the edit with a damage in it; `None` where the edit cannot have this damage.
    pub(crate) fn damaged(
        &self,
        damage: Damage,
        place: Where,
        dice: &mut Dice,
    ) -> Option<(String, String)> {
        let (mut old, mut new) = (self.old.clone(), self.new.clone());
        let (in_old, in_new) = (place != Where::New, place != Where::Old);
        // A line that both texts share, by its position in each.
        let pairs: Vec<(usize, usize)> = (0..self.head)
            .map(|at| (at, at))
            .chain((1..=self.tail).map(|back| (old.len() - back, new.len() - back)))
            .filter(|(at, _)| !self.old[*at].trim().is_empty())
            .collect();
        match damage {
            Damage::Fence => {
                let open = dice.one_of(&["```", "```python", "```ts", "~~~"]);
                let close = &open[..3];
                for (lines, wanted) in [(&mut old, in_old), (&mut new, in_new)] {
                    if wanted {
                        lines.insert(0, open.to_owned());
                        lines.push(close.to_owned());
                    }
                }
            }
            Damage::DoubledLine => {
                let (one, other) =
                    if pairs.is_empty() || (place != Where::Both && dice.below(2) == 0) {
                        if place == Where::Both {
                            return None;
                        }
                        (dice.below(old.len()), dice.below(new.len()))
                    } else {
                        dice.one_of(&pairs)
                    };
                for (lines, at, wanted) in [(&mut old, one, in_old), (&mut new, other, in_new)] {
                    if wanted {
                        if lines[at].trim().is_empty() {
                            return None;
                        }
                        let line = lines[at].clone();
                        lines.insert(at, line);
                    }
                }
            }
            Damage::HalfGutter => {
                let form = dice.below(4);
                let keep = dice.below(2);
                for (lines, wanted) in [(&mut old, in_old), (&mut new, in_new)] {
                    if !wanted {
                        continue;
                    }
                    let count = lines.len();
                    for (at, line) in lines.iter_mut().enumerate() {
                        if (at < count.div_ceil(2)) == (keep == 0) {
                            *line = numbered(form, self.first + at + 1, line);
                        }
                    }
                }
            }
            Damage::WrongNumbers => {
                let form = dice.below(4);
                let off = 1 + dice.below(40);
                for (lines, wanted) in [(&mut old, in_old), (&mut new, in_new)] {
                    if wanted {
                        for (at, line) in lines.iter_mut().enumerate() {
                            *line = numbered(form, self.first + at + 1 + off, line);
                        }
                    }
                }
            }
            Damage::Elision => {
                // Lines inside, shared by both, with at least one line before and one after.
                let in_head = self.head.saturating_sub(1);
                let in_tail = self.tail.saturating_sub(1);
                let (one, other, count) = if in_head >= in_tail {
                    (1, 1, in_head)
                } else {
                    (old.len() - self.tail, new.len() - self.tail, in_tail)
                };
                let is_inside = |at: usize, lines: &[String]| at > 0 && at + count < lines.len();
                if count < 2 || !is_inside(one, &old) || !is_inside(other, &new) {
                    return None;
                }
                let gap = dice.one_of(&[
                    "...",
                    "    ...",
                    "    # ...",
                    "    // ...",
                    "<!-- ... -->",
                    "/* ... */",
                    "    // ... existing code ...",
                ]);
                if in_old {
                    old.splice(one..one + count, [gap.to_owned()]);
                }
                if in_new {
                    new.splice(other..other + count, [gap.to_owned()]);
                }
            }
            Damage::MissingBlank => {
                let blank = |lines: &[String], at: usize| lines[at].trim().is_empty();
                let at = (0..old.len()).find(|&at| blank(&old, at))?;
                let other = if at < self.head {
                    at
                } else if old.len() - at <= self.tail {
                    new.len() - (old.len() - at)
                } else {
                    return None;
                };
                if in_old {
                    old.remove(at);
                }
                if in_new {
                    new.remove(other);
                }
            }
            Damage::ExtraBlank => {
                let (one, other) = if pairs.is_empty() {
                    return None;
                } else {
                    dice.one_of(&pairs)
                };
                if one == 0
                    || self.old[one - 1].trim().is_empty()
                    || other == 0
                    || self.new[other - 1].trim().is_empty()
                {
                    return None;
                }
                if in_old {
                    old.insert(one, String::new());
                }
                if in_new {
                    new.insert(other, String::new());
                }
            }
            Damage::ChangedWord => {
                let word = dice.one_of(&["thing", "value2", "amount", "wrong_name", "x"]);
                let misspelt = dice.below(2) == 0;
                let (one, other) =
                    if pairs.is_empty() || (place == Where::Old && dice.below(2) == 0) {
                        let at = self.head.min(old.len() - 1);
                        (at, at.min(new.len() - 1))
                    } else {
                        dice.one_of(&pairs)
                    };
                let (from, to) = dice_word(&old[one], dice)?;
                let was = old[one][from..to].to_owned();
                let word = match misspelt {
                    true => format!("{}{}", &was[..was.len() - 1], "qx"),
                    false => word.to_owned(),
                };
                if in_old {
                    old[one].replace_range(from..to, &word);
                }
                if in_new {
                    let before = self.old[one][..from].matches(&was).count();
                    let (at, _) = new[other].match_indices(&was).nth(before)?;
                    new[other].replace_range(at..at + was.len(), &word);
                }
            }
            Damage::MissingLine => {
                if place == Where::New || pairs.is_empty() {
                    return None;
                }
                let (one, other) = dice.one_of(&pairs);
                if old.len() < 3 || one == 0 || one + 1 == old.len() {
                    return None;
                }
                old.remove(one);
                if in_new {
                    new.remove(other);
                }
            }
            Damage::InnerBlank => {
                let (one, other) = match pairs.is_empty() {
                    true => (self.head.min(old.len() - 1), self.head.min(new.len() - 1)),
                    false => dice.one_of(&pairs),
                };
                let marks = ["(", ", ", "=", " "];
                let mark = dice.one_of(&marks);
                for (lines, at, wanted) in [(&mut old, one, in_old), (&mut new, other, in_new)] {
                    if wanted {
                        let line = &mut lines[at];
                        let indent = line.len() - line.trim_start().len();
                        let behind = indent + line[indent..].find(mark)? + mark.len();
                        line.insert(behind, ' ');
                    }
                }
            }
            Damage::CutEnd if self.is_ended => return None,
            Damage::CutEnd => {
                for (lines, wanted) in [(&mut old, in_old), (&mut new, in_new)] {
                    if wanted {
                        let line = lines.last_mut()?;
                        let keep = line.len().checked_sub(1 + dice.below(4))?;
                        if !line.is_char_boundary(keep) || line[..keep].trim().is_empty() {
                            return None;
                        }
                        line.truncate(keep);
                    }
                }
            }
        }
        Some((self.sent(&old), self.sent(&new)))
    }
}

fn numbered(form: usize, number: usize, line: &str) -> String {
    match form {
        0 => format!("{number}→{line}"),
        1 => format!("{number:6}\t{line}"),
        2 => format!("{number}:{line}"),
        _ => format!("{number} | {line}"),
    }
}

/// Returns the position of one of the words of a line.
fn dice_word(line: &str, dice: &mut Dice) -> Option<(usize, usize)> {
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    let bytes = line.as_bytes();
    let mut words = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let start = at;
        while at < bytes.len() && is_word(bytes[at]) {
            at += 1;
        }
        if at - start >= 3 {
            words.push((start, at));
        }
        at += 1;
    }
    (!words.is_empty()).then(|| dice.one_of(&words))
}
