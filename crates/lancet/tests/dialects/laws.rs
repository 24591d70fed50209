//! Replies in every format, written without a mistake, do exactly what they mean; damaged ones change nothing
//! elsewhere.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::Arc;

use lancet::dialects::{AppliedBy, Dialect, ResponseOptions};
use lancet::request::Insist;
use lancet::testing::FaultyDisk;
use lancet::{Lancet, Mode, Reply};
use lancet_testing::{TestFolder, laws};
use proptest::prelude::*;
use proptest::test_runner::Config;

use crate::damage::{cosmetic, damaged};
use crate::model::{Dice, Ends, LineKind, Meant, Says, Story};
use crate::render::render;

/// How often a law is tried, unless configured otherwise.
const CASES: u32 = 64;

pub(crate) fn config() -> Config {
    laws::config_of(laws::requested_cases().unwrap_or(CASES))
}

/// Returns what a format can express.
fn says(dialect: Dialect) -> Says {
    match dialect {
        Dialect::V4a | Dialect::Unified => Says::All,
        _ => Says::EditsAndNewFiles,
    }
}

/// Returns a story that changes something.
pub(crate) fn story(dice: &mut Dice, dialect: Dialect, kind: LineKind, ends: Ends) -> Story {
    loop {
        let story = Story::random(dice, says(dialect), kind, ends);
        if !story.changes.is_empty() {
            return story;
        }
    }
}

/// Returns the result of the story in this format: a whole file cannot express that the newline of its last line comes
/// or goes.
pub(crate) fn meant(story: &Story, dialect: Dialect) -> BTreeMap<String, Vec<u8>> {
    let mut after = story.after();
    for (name, meant) in &story.changes {
        if let (Dialect::Whole, Meant::Edited(edits)) = (dialect, meant) {
            let doc = &story.files[name];
            let mut edited = doc.edited(edits);
            edited.ended = doc.ended || doc.lines.is_empty();
            after.insert(name.clone(), edited.bytes());
        }
    }
    after
}

/// Returns the files that a reply may leave with or without a final newline: those that had none and whose last lines
/// are among those that both sides of a block share. Whether the last line goes or is replaced depends on which lines
/// are shared; a diff has marks for it.
fn open_ends(story: &Story, dialect: Dialect) -> Vec<String> {
    let mut names = Vec::new();
    for (name, meant) in &story.changes {
        let to = match meant {
            Meant::Edited(_) => name,
            Meant::Moved(to, _) => to,
            _ => continue,
        };
        let has_marks = dialect == Dialect::Unified || dialect == Dialect::Whole;
        if !has_marks && !story.files[name].ended {
            names.push(to.clone());
        }
    }
    names
}

/// Returns files without the final newline for those where it is optional.
fn trimmed(mut files: BTreeMap<String, Vec<u8>>, open: &[String]) -> BTreeMap<String, Vec<u8>> {
    for name in open {
        if let Some(bytes) = files.get_mut(name) {
            let is_end = |byte: &u8| *byte == b'\n' || *byte == b'\r';
            let end = bytes.iter().rev().take_while(|byte| is_end(byte)).count();
            bytes.truncate(bytes.len() - end);
        }
    }
    files
}

/// Writes files into a folder.
pub(crate) fn put(root: &Path, files: &BTreeMap<String, Vec<u8>>) {
    for (name, bytes) in files {
        let path = root.join(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("folders");
        fs::write(path, bytes).expect("a file");
    }
}

/// Returns the files in a folder.
pub(crate) fn tree(root: &Path) -> BTreeMap<String, Vec<u8>> {
    fn add(folder: &Path, below: &str, tree: &mut BTreeMap<String, Vec<u8>>) {
        for entry in fs::read_dir(folder).expect("a folder") {
            let entry = entry.expect("an entry");
            let name = format!("{below}{}", entry.file_name().to_string_lossy());
            match entry.path().is_dir() {
                true => add(&entry.path(), &format!("{name}/"), tree),
                false => {
                    tree.insert(name, fs::read(entry.path()).expect("a file"));
                }
            }
        }
    }
    let mut files = BTreeMap::new();
    add(root, "", &mut files);
    files
}

/// Applies a reply to the files of a story. Returns the answer and the files afterwards.
pub(crate) fn apply(
    story: &Story,
    reply: &str,
    format: Option<Dialect>,
) -> (Reply, BTreeMap<String, Vec<u8>>) {
    // One engine serves all cases of a law: to open one takes longer than the rest of a case.
    thread_local! {
        static GROUND: (TestFolder, Lancet) = ground();
    }
    GROUND.with(|(folder, lancet)| {
        clear(folder.path());
        put(folder.path(), &untouched(story));
        let mut options = ResponseOptions::default();
        options.format = format;
        options.insist = Insist::Yes;
        options.applied_by = AppliedBy::Person;
        let answer = lancet.new_session().apply_response(reply, options);
        (answer, tree(folder.path()))
    })
}

/// Opens an engine on an empty folder.
fn ground() -> (TestFolder, Lancet) {
    let folder = TestFolder::in_memory();
    let lancet = Lancet::builder()
        .root(folder.path())
        .mode(Mode::AcceptEdits)
        .disk(Arc::new(FaultyDisk::without_flushes()))
        .open()
        .expect("the engine opens");
    (folder, lancet)
}

/// Removes everything in a folder.
fn clear(root: &Path) {
    for entry in fs::read_dir(root).expect("a folder") {
        let path = entry.expect("an entry").path();
        let is_folder = path.is_dir();
        let removed = match is_folder {
            true => fs::remove_dir_all(path),
            false => fs::remove_file(path),
        };
        removed.expect("removed");
    }
}

pub(crate) fn untouched(story: &Story) -> BTreeMap<String, Vec<u8>> {
    let files = story.files.iter();
    files
        .map(|(name, doc)| (name.clone(), doc.bytes()))
        .collect()
}

fn dialects() -> impl Strategy<Value = Dialect> {
    prop::sample::select(Dialect::ALL.to_vec())
}

fn kinds() -> impl Strategy<Value = LineKind> {
    prop_oneof![Just(LineKind::Common), Just(LineKind::Distinct)]
}

impl std::fmt::Debug for LineKind {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str(match self {
            LineKind::Common => "Common",
            LineKind::Distinct => "Distinct",
        })
    }
}

/// Returns whether a file still has every run of lines that no edit is near, whole and in order. `hulls` are the ranges
/// of lines that the reply is about.
fn keeps_the_rest(before: &[u8], after: &[u8], hulls: &[std::ops::Range<usize>]) -> bool {
    let before = String::from_utf8_lossy(before).into_owned();
    let after = String::from_utf8_lossy(after).into_owned();
    let lines: Vec<&str> = before.split_inclusive('\n').collect();
    let mut rest = after.as_str();
    let mut at = 0;
    for hull in hulls
        .iter()
        .cloned()
        .chain(std::iter::once(lines.len()..lines.len()))
    {
        let run: String = lines[at..hull.start.max(at)].concat();
        let found = match at {
            0 => rest.starts_with(&run).then_some(0),
            _ => rest.find(&run),
        };
        match found {
            Some(place) => rest = &rest[place + run.len()..],
            // The last line may get or lose its newline with an adjacent edit.
            None if rest.ends_with(run.trim_end()) && hull.start == lines.len() => return true,
            None => return false,
        }
        at = hull.end;
    }
    // After the last run nothing is added, unless an edit reaches the end. A file without lines has nothing to retain:
    // a line that ends up in it from the adjacent section is where the reply says.
    lines.is_empty() || hulls.last().is_some_and(|hull| hull.end == lines.len()) || rest.is_empty()
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn a_reply_without_a_mistake_does_exactly_what_it_means(seed in any::<u64>(), dialect in dialects(), kind in kinds()) {
        let mut dice = Dice::new(seed);
        let story = story(&mut dice, dialect, kind, Ends::Any);
        let reply = render(&story, dialect, &mut dice);
        let format = (!dice.one_in(2)).then_some(dialect);
        let (answer, after) = apply(&story, &reply, format);
        let open = open_ends(&story, dialect);
        // An edit of the same texts does not see the end of a file as the end of a line. Where it would change part of
        // another line instead, the block is refused.
        let an_edit_means_another_place = !open.is_empty()
            && ["rung `final-newline`", "in part of a line"].iter().any(|reason| answer.text().contains(reason));
        if answer.is_error() && an_edit_means_another_place {
            prop_assert_eq!(after, untouched(&story), "{}\n{}", answer.text(), reply);
            return Ok(());
        }
        prop_assert!(!answer.is_error(), "{}\n{reply}", answer.text());
        prop_assert_eq!(trimmed(after, &open), trimmed(meant(&story, dialect), &open), "{}", reply);
    }

    #[test]
    fn a_reply_that_is_only_dressed_otherwise_does_what_it_means_or_nothing(seed in any::<u64>(), dialect in dialects(), kind in kinds()) {
        let mut dice = Dice::new(seed);
        let story = story(&mut dice, dialect, kind, Ends::Any);
        let reply = cosmetic(&render(&story, dialect, &mut dice), dialect, &mut dice);
        let (answer, after) = apply(&story, &reply, None);
        if answer.is_error() {
            prop_assert_eq!(after, untouched(&story), "{}\n{}", answer.text(), reply);
        } else {
            let open = open_ends(&story, dialect);
            let wanted = trimmed(meant(&story, dialect), &open);
            prop_assert_eq!(trimmed(after, &open), wanted, "{}\n{}", answer.text(), reply);
        }
    }
}

/// Checks a damaged reply in this format: no line changes that it is not about.
fn check_damaged(seed: u64, dialect: Dialect) -> Result<(), TestCaseError> {
    let mut dice = Dice::new(seed);
    let story = story(&mut dice, dialect, LineKind::Distinct, Ends::Any);
    let reply = damaged(&render(&story, dialect, &mut dice), &mut dice);
    let (answer, after) = apply(&story, &reply, None);
    let before = untouched(&story);
    if answer.is_error() {
        prop_assert_eq!(&after, &before, "{}\n{}", answer.text(), reply);
    }
    for (name, bytes) in &before {
        let change = story.changes.iter().find(|(changed, _)| changed == name);
        let Some((_, meant)) = change else {
            prop_assert_eq!(
                after.get(name),
                Some(bytes),
                "{} {}\n{}",
                name,
                answer.text(),
                reply
            );
            continue;
        };
        let (now, edits) = match meant {
            Meant::Edited(edits) => (after.get(name), edits),
            Meant::Moved(to, edits) => (after.get(to).or(after.get(name)), edits),
            Meant::Deleted | Meant::Created(_) => continue,
        };
        if dialect == Dialect::Whole {
            continue;
        }
        // A block has at most this many lines of context where every line is there once.
        const AROUND: usize = 4;
        let lines = story.files[name].lines.len();
        let mut hulls: Vec<std::ops::Range<usize>> = Vec::new();
        for edit in edits {
            let hull = edit.at.saturating_sub(AROUND)..(edit.at + edit.gone + AROUND).min(lines);
            match hulls.last_mut() {
                Some(last) if last.end >= hull.start => last.end = hull.end,
                _ => hulls.push(hull),
            }
        }
        let now = now.cloned().unwrap_or_default();
        prop_assert!(
            keeps_the_rest(bytes, &now, &hulls),
            "{} {:?}\n{}\n{}",
            name,
            String::from_utf8_lossy(&now),
            answer.text(),
            reply
        );
    }
    for name in after.keys() {
        let is_named = reply.contains(name.as_str());
        prop_assert!(before.contains_key(name) || is_named, "{} {}", name, reply);
    }
    Ok(())
}

/// Returns the number of cases for each format: a fifth of the configured number, which is two thousand in the test
/// command.
fn for_each_format() -> Config {
    laws::config_of(laws::requested_cases().map_or(CASES, |cases| cases.div_ceil(5)))
}

proptest! {
    #![proptest_config(for_each_format())]

    #[test]
    fn a_damaged_reply_changes_no_line_that_it_is_not_about(seed in any::<u64>()) {
        for dialect in Dialect::ALL {
            check_damaged(seed, dialect)?;
        }
    }
}

/// Checks the story of a seed whose reply in this format was once refused or wrong.
fn check_without_mistake(seed: u64, dialect: Dialect, kind: LineKind) {
    let mut dice = Dice::new(seed);
    let story = story(&mut dice, dialect, kind, Ends::Any);
    let reply = render(&story, dialect, &mut dice);
    let (answer, after) = apply(&story, &reply, Some(dialect));
    assert!(!answer.is_error(), "{}\n{reply}", answer.text());
    let open = open_ends(&story, dialect);
    assert_eq!(
        trimmed(after, &open),
        trimmed(meant(&story, dialect), &open),
        "{reply}"
    );
}

#[test]
fn blocks_that_could_cross_are_sent_as_one() {
    // Lines are inserted above equal ones, and the edit below begins in what then counts as inserted.
    check_without_mistake(
        1_835_836_241_113_936_072,
        Dialect::SearchReplace,
        LineKind::Common,
    );
}
