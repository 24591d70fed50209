//! Figures that the history must show: an undo after another program's edit (17), and many edits within limits (18).
//! They are printed; the loss of anything is a failure.

use std::fs;
use std::sync::Arc;
use std::time::Duration;

use lancet::history::LogQuery;
use lancet::testing::FaultyDisk;
use lancet::undo::{Direction, Overlap, Selection};
use lancet::{Lancet, Mode, Settings};
use lancet_testing::TestFolder;
use lancet_testing::judges::is_torture_run;
use rusqlite::Connection;

use crate::child::{edit, read};
use crate::project::{Changes as _, operation, project};

const LINES: usize = 9;

/// The change that another program makes to the lines.
type Foreign = fn(&mut Vec<String>, usize);

#[test]
#[expect(clippy::print_stdout, reason = "the figure")]
fn figure_17_an_undo_after_a_foreign_edit() {
    let foreign: [(&str, Foreign); 4] = [
        ("change", |lines, at| lines[at] = "theirs".into()),
        ("insert", |lines, at| lines.insert(at, "theirs".into())),
        ("replace all", |lines, _| *lines = vec!["theirs".into()]),
        ("append", |lines, _| lines.push("theirs".into())),
    ];
    let (mut refused, mut merged, mut kept_apart) = (0, 0, 0);
    for (name, act) in foreign {
        for at in 0..LINES {
            for overlap in [Overlap::Refuse, Overlap::Merge] {
                let project = project();
                let lines: Vec<String> = (0..LINES).map(|line| format!("line {line}")).collect();
                project.put("a.txt", lines.join("\n") + "\n");
                operation(&project.edit_file("a.txt", "line 4", "ours"));
                let text = String::from_utf8(project.bytes("a.txt")).expect("text");
                let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
                act(&mut lines, at);
                project.put("a.txt", lines.join("\n") + "\n");
                let theirs = project.bytes("a.txt");
                let reply = project.take_back(Selection::Newest, Direction::Undo, overlap);
                let now = project.bytes("a.txt");
                let what = format!("{name} at {at}, {overlap:?}: {}", reply.text());
                if reply.is_error() {
                    assert_eq!(now, theirs, "{what}");
                    assert_eq!(
                        reply.refusal().map(lancet::RefusalKind::name),
                        Some("conflict"),
                        "{what}"
                    );
                    refused += 1;
                    continue;
                }
                assert_eq!(overlap, Overlap::Merge, "{what}");
                let text = String::from_utf8(now).expect("text");
                assert!(
                    text.contains("theirs") && !text.contains("ours"),
                    "{what}: {text}"
                );
                assert!(text.contains("line 4"), "{what}: {text}");
                merged += 1;
                // Undoing the undo restores exactly what the other program had left.
                operation(&project.redo());
                assert_eq!(project.bytes("a.txt"), theirs, "{what}");
                kept_apart += 1;
            }
        }
    }
    println!(
        "figure 17: {refused} refused with the file as it was, {merged} merged with both changes apart, {kept_apart} of these restored by an undo of the undo, 0 discarded"
    );
    assert!(refused > 0 && merged > 0);
}

#[test]
#[expect(clippy::print_stdout, reason = "the figure")]
fn figure_18_many_edits_stay_within_limits() {
    const LIMIT: u64 = 1 << 20;
    let edits = if is_torture_run() { 10_000 } else { 600 };
    let folder = TestFolder::below(env!("CARGO_TARGET_TMPDIR"));
    let folder = folder.path().canonicalize().expect("there");
    let root = folder.join("root");
    fs::create_dir(&root).expect("made");
    let mut settings = Settings::default();
    settings.history.max_size = LIMIT;
    let lancet = Lancet::builder()
        .root(&root)
        .state_dir(folder.join("state"))
        .settings(settings)
        .mode(Mode::AcceptEdits)
        .disk(Arc::new(FaultyDisk::without_flushes()))
        .open()
        .expect("opens");
    let session = lancet.new_session();
    let history = lancet.history().expect("kept");
    let mut largest = 0;
    for number in 0..edits {
        // Every tenth file is too large for the database.
        let file = number % 20;
        let path = root.join(format!("{file}.txt"));
        let filler = if file % 10 == 9 { 3_000 } else { 100 };
        if number < 20 {
            let lines: String = (0..filler)
                .map(|line| format!("{} of {file}\n", blake3::hash(format!("{line}").as_bytes())))
                .collect();
            fs::write(&path, format!("edit -\n{lines}")).expect("written");
        }
        read(&session, &path);
        let text = fs::read_to_string(&path).expect("text");
        let old = text.lines().next().expect("a line").to_owned();
        operation(&edit(
            &session,
            &path,
            &format!("{old}\n"),
            &format!("edit {number}\n"),
        ));
        if number % 100 == 99 {
            let (removed, _) = history.tidy(Duration::from_secs(60)).expect("tidied");
            largest = largest.max(removed.left);
        }
    }
    let (removed, _) = history.tidy(Duration::from_secs(60)).expect("tidied");
    let log = history.log(&LogQuery::default()).expect("read");
    let database = Connection::open(folder.join("state/lancet.db")).expect("opens");
    let revisions: Vec<[u8; 32]> = database
        .prepare("SELECT revision FROM contents")
        .and_then(|mut statement| {
            let rows = statement.query_map([], |row| row.get(0))?;
            rows.collect()
        })
        .expect("read");
    let wrong = revisions
        .iter()
        .filter(|revision| history.content(revision).expect("read").is_none())
        .count();
    println!(
        "figure 18: {edits} edits, {} still on record, {} bytes kept (limit {LIMIT}, largest after a tidying {largest}), {} contents, {wrong} whose hash is not their name",
        log.len(),
        removed.left,
        revisions.len()
    );
    assert_eq!(wrong, 0);
    assert!(removed.left <= LIMIT, "{}", removed.left);
    let mut newest: Vec<&std::path::Path> = log
        .iter()
        .flat_map(|found| &found.files)
        .map(|file| file.path.as_path())
        .collect();
    newest.sort_unstable();
    newest.dedup();
    assert_eq!(newest.len(), 20, "the newest of each file stays");
}
