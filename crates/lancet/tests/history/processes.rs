//! Two and eight processes that write one history at once: no operation is lost, the database is sound.

use std::fs;
use std::path::Path;

use lancet::history::LogQuery;
use lancet_testing::TestFolder;
use rusqlite::Connection;

use crate::child::{edit, open, part, read, session};

/// Changes of each process, to a private file and to one that all share.
const TIMES: u64 = 15;

/// Plays one of the processes: counts up its own file and the shared one.
pub(crate) fn beside(folder: &Path, number: u64) {
    let lancet = open(folder, None);
    let session = session(&lancet, &format!("process-{number}"));
    for name in [format!("own-{number}.txt"), "shared.txt".to_owned()] {
        let path = folder.join("root").join(name);
        let mut done = 0;
        let mut tries = 0;
        while done < TIMES {
            tries += 1;
            assert!(tries < 10_000, "no turn for {}", path.display());
            read(&session, &path);
            let text = fs::read_to_string(&path).expect("a text");
            let count: u64 = text.trim().parse().expect("a number");
            let reply = edit(
                &session,
                &path,
                &format!("{count}"),
                &format!("{}", count + 1),
            );
            match reply.refusal().map(lancet::RefusalKind::name) {
                None => done += 1,
                // Another process was quicker, or is writing just now.
                Some("stale" | "busy" | "no_match" | "not_found" | "conflict") => {}
                Some(other) => panic!("{other}: {}", reply.text()),
            }
        }
    }
}

fn at_once(processes: u64) {
    let folder = TestFolder::below(env!("CARGO_TARGET_TMPDIR"));
    let folder = folder.path().canonicalize().expect("there");
    let root = folder.join("root");
    fs::create_dir(&root).expect("made");
    fs::write(root.join("shared.txt"), "0\n").expect("written");
    for number in 0..processes {
        fs::write(root.join(format!("own-{number}.txt")), "0\n").expect("written");
    }
    let children: Vec<_> = (0..processes)
        .map(|number| part("beside", &folder, number).spawn().expect("started"))
        .collect();
    for child in children {
        let output = child.wait_with_output().expect("ended");
        let words =
            String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{words}");
    }
    let count = |name: &str| fs::read_to_string(root.join(name)).expect("a text");
    assert_eq!(count("shared.txt"), format!("{}\n", processes * TIMES));
    let history = open(&folder, None).history().expect("kept");
    let log = history.log(&LogQuery::default()).expect("read");
    assert_eq!(
        log.len() as u64,
        processes * TIMES * 2,
        "none lost, none twice"
    );
    // Each file's changes form a chain: what one left is what the next one found.
    let names = (0..processes).map(|number| format!("own-{number}.txt"));
    for name in names.chain(["shared.txt".to_owned()]) {
        let path = root.join(&name);
        let mut left = *blake3::hash(b"0\n").as_bytes();
        let mut waiting: Vec<_> = log
            .iter()
            .flat_map(|operation| &operation.files)
            .filter(|change| change.path == path)
            .collect();
        while !waiting.is_empty() {
            let next = waiting.iter().position(|change| {
                change
                    .before
                    .as_ref()
                    .is_some_and(|kept| kept.revision == left)
            });
            let next = waiting.remove(next.unwrap_or_else(|| panic!("{name}: a gap")));
            left = next.after.as_ref().expect("a file").revision;
        }
        assert_eq!(left, *blake3::hash(count(&name).as_bytes()).as_bytes());
    }
    let database = Connection::open(folder.join("state/lancet.db")).expect("opens");
    let verdict: String = database
        .pragma_query_value(None, "integrity_check", |row| row.get(0))
        .expect("checked");
    assert_eq!(verdict, "ok");
    let strays: i64 = database
        .query_row(
            "SELECT (SELECT count(*) FROM pragma_foreign_key_check) + (SELECT count(*) FROM begun)",
            [],
            |row| row.get(0),
        )
        .expect("counted");
    assert_eq!(strays, 0);
}

#[test]
fn two_processes_write_one_history() {
    at_once(2);
}

#[test]
fn eight_processes_write_one_history() {
    at_once(8);
}
