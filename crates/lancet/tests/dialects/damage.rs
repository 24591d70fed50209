//! Damage to replies in transit: other formatting around them, and mistakes in them.

use lancet::dialects::Dialect;

use crate::model::Dice;

/// Returns a reply with the same meaning: prose, thinking, fences, CR LF line ends, wrong line numbers, lost blanks at
/// line ends.
pub(crate) fn cosmetic(reply: &str, dialect: Dialect, dice: &mut Dice) -> String {
    match dice.below(6) {
        0 => format!("Here is the change.\n\n{reply}\nThat is all.\n"),
        1 => format!("<think>\nI would write foo.\n</think>\n\n{reply}"),
        2 => reply.replace('\n', "\r\n"),
        3 if dialect == Dialect::Unified || dialect == Dialect::V4a => {
            format!("Here it is:\n\n```diff\n{reply}```\n")
        }
        // If every line occurs once, or the number is out of range, a wrong number does no harm.
        4 if dialect == Dialect::Unified => reply
            .lines()
            .map(|line| match line.strip_prefix("@@ -") {
                Some(rest) => format!("@@ -9{rest}\n"),
                None => format!("{line}\n"),
            })
            .collect(),
        // A patch whose empty context lines have lost their blank.
        5 if dialect == Dialect::V4a => reply.replace("\n \n", "\n\n"),
        _ => format!("{reply}\n\n"),
    }
}

/// Returns a reply with one or several mistakes in it.
pub(crate) fn damaged(reply: &str, dice: &mut Dice) -> String {
    let mut lines: Vec<String> = reply.lines().map(str::to_owned).collect();
    for _ in 0..1 + dice.below(3) {
        damage_once(&mut lines, dice);
    }
    let mut text = lines.join("\n");
    if !dice.one_in(5) {
        text.push('\n');
    }
    if dice.one_in(6) {
        let at = text.floor_char_boundary(dice.below(text.len() + 1));
        text.truncate(at);
    }
    text
}

/// Lines that have a meaning in one format or another.
const SIGNS: [&str; 12] = [
    "<<<<<<< SEARCH",
    "=======",
    ">>>>>>> REPLACE",
    "```",
    "...",
    "*** Begin Patch",
    "*** End Patch",
    "@@",
    "@@ -1,2 +1,2 @@",
    "--- a/a.txt",
    "\\ No newline at end of file",
    "",
];

fn damage_once(lines: &mut Vec<String>, dice: &mut Dice) {
    if lines.is_empty() {
        return;
    }
    let at = dice.below(lines.len());
    match dice.below(9) {
        0 => drop(lines.remove(at)),
        1 => lines.insert(at, lines[at].clone()),
        2 => {
            let other = (at + 1).min(lines.len() - 1);
            lines.swap(at, other);
        }
        3 => lines.insert(at, SIGNS[dice.below(SIGNS.len())].to_owned()),
        4 => lines[at].insert(0, ' '),
        // A changed path names another file, which cannot be distinguished from the intended one.
        5 if !lines[at].contains('.') => drop(lines[at].pop()),
        6 => lines[at].push(' '),
        7 => lines[at] = lines[at].trim_start().to_owned(),
        _ if !lines[at].contains('.') => lines[at] = lines[at].to_uppercase(),
        _ => {}
    }
}
