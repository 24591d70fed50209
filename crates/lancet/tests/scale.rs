//! Large inputs: files of a gigabyte in little memory, long lines, many lines, long needles, many places. Answers stay
//! within their limit. The time that a call took is printed, never asserted.

use std::fs::{self, File};
use std::io::{Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use lancet::{Cancel, Lancet, Mode, RawCall, Reply, Session};
use lancet_testing::TestFolder;
use lancet_testing::replies::{done, is_refused};
use serde_json::{Value, json};

/// The memory that a page of a large file, and an exact edit in it, may take.
const MOST_MEMORY: u64 = 128 << 20;
const LINE: usize = 128;
const FILE: &str = "LANCET_TEST_LARGE_FILE";
const WANTED: &str = "LANCET_TEST_WANTED_LINE";

/// Returns a gigabyte where the laws are tried in full. Without optimisation it is a twelfth, which takes the same code
/// path.
fn large_size() -> u64 {
    if std::env::var_os("LANCET_LAW_CASES").is_some() {
        1 << 30
    } else {
        80 << 20
    }
}

fn folder() -> TestFolder {
    // On the disk and not in memory, where the file itself would count.
    TestFolder::below(env!("CARGO_TARGET_TMPDIR"))
}

fn engine(root: &Path) -> Lancet {
    Lancet::builder()
        .root(root)
        .mode(Mode::AcceptEdits)
        .open()
        .unwrap()
}

#[allow(clippy::print_stderr, reason = "a figure for whoever looks")]
fn tell(what: &str, began: Instant, reply: &Reply) {
    eprintln!(
        "{what}: {:?}, {} characters, {} bytes of data",
        began.elapsed(),
        reply.text().chars().count(),
        reply.data().to_string().len()
    );
}

#[track_caller]
fn call(lancet: &Lancet, session: &Session, tool: &str, arguments: Value) -> Reply {
    let began = Instant::now();
    let mut call = RawCall::new(tool, arguments);
    call.cancel = Cancel::with_time_limit(Duration::from_secs(900));
    let reply = session.call(call);
    tell(tool, began, &reply);
    assert!(reply.text().chars().count() <= lancet.answer_limit());
    reply
}

fn line(number: u64) -> String {
    let mut line = format!("line {number} ");
    line.push_str(&".".repeat(LINE - 1 - line.len()));
    line.push('\n');
    line
}

/// Makes a file of equal lines, except for those around the wanted one, which are numbered.
fn make_large(path: &Path, size: u64, wanted: u64) {
    let mut file = File::create(path).unwrap();
    let block = format!("{}\n", "=".repeat(LINE - 1)).repeat((1 << 20) / LINE);
    for _ in 0..size / block.len() as u64 {
        file.write_all(block.as_bytes()).unwrap();
    }
    for number in wanted..wanted + 100 {
        file.seek(SeekFrom::Start((number - 1) * LINE as u64))
            .unwrap();
        file.write_all(line(number).as_bytes()).unwrap();
    }
}

/// Returns the peak memory of this process.
fn peak_memory() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let line = status
        .lines()
        .find(|line| line.starts_with("VmHWM:"))
        .unwrap();
    let kilobytes: u64 = line.split_whitespace().nth(1).unwrap().parse().unwrap();
    kilobytes << 10
}

/// The child's part, a separate process so that its memory can be measured alone.
#[test]
fn in_a_process_of_its_own() {
    let Some(path) = std::env::var_os(FILE).map(PathBuf::from) else {
        return;
    };
    let wanted: u64 = std::env::var(WANTED).unwrap().parse().unwrap();
    let lancet = engine(path.parent().unwrap());
    let session = lancet.new_session();
    let reply = call(
        &lancet,
        &session,
        "Read",
        json!({ "file_path": path, "offset": wanted, "limit": 101 }),
    );
    done(&reply);
    assert!(
        reply
            .text()
            .starts_with(&format!("{wanted}→line {wanted} ."))
    );
    assert_eq!(reply.data()["numLines"], json!(101));
    let read_peak = peak_memory();
    assert!(read_peak < MOST_MEMORY, "Read took {read_peak} bytes");
    let unseen = json!({ "file_path": path, "old_string": "=\n=", "new_string": "" });
    assert!(call(&lancet, &session, "Edit", unseen).is_error());
    let missing = json!({ "file_path": path, "old_string": "no such line", "new_string": "" });
    is_refused(&call(&lancet, &session, "Edit", missing), "not_found");
    let refusal_peak = peak_memory();
    assert!(
        refusal_peak < MOST_MEMORY,
        "refusals took {refusal_peak} bytes"
    );
    // Last, because it makes the file longer than any that may be edited.
    let target = wanted + 50;
    let edit = json!({ "file_path": path, "old_string": format!("line {target} ."), "new_string": format!("LINE {target}, longer,") });
    let reply = call(&lancet, &session, "Edit", edit);
    done(&reply);
    let edit_peak = peak_memory();
    assert!(edit_peak < MOST_MEMORY, "Edit took {edit_peak} bytes");
    #[allow(clippy::print_stderr, reason = "a figure for whoever looks")]
    {
        eprintln!(
            "memory: Read {} MiB, refusals {} MiB, Edit {} MiB",
            read_peak >> 20,
            refusal_peak >> 20,
            edit_peak >> 20
        );
    }
}

#[test]
fn a_gigabyte_is_read_and_edited_in_little_memory() {
    let folder = folder();
    let path = folder.join("large.txt");
    let size = large_size();
    let wanted = if size == 1 << 30 { 5_000_000 } else { 300_000 };
    make_large(&path, size, wanted);
    assert_eq!(fs::metadata(&path).unwrap().len(), size);
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "in_a_process_of_its_own", "--nocapture"])
        .env(FILE, &path)
        .env(WANTED, wanted.to_string())
        .output()
        .unwrap();
    let words = String::from_utf8_lossy(&output.stderr).into_owned()
        + &String::from_utf8_lossy(&output.stdout);
    #[allow(clippy::print_stderr, reason = "the child's figures")]
    {
        eprintln!("{words}");
    }
    assert!(
        output.status.success() && words.contains("1 passed"),
        "{words}"
    );
    // The edit is there, nothing else moved, and nothing is left next to the file.
    let grown = ", longer,".len() as u64 - " .".len() as u64;
    assert_eq!(fs::metadata(&path).unwrap().len(), size + grown);
    let mut around = vec![0; 3 * LINE];
    let at = (wanted + 49 - 1) * LINE as u64;
    std::os::unix::fs::FileExt::read_exact_at(&File::open(&path).unwrap(), &mut around, at)
        .unwrap();
    let target = wanted + 50;
    let expected = [
        line(wanted + 49),
        line(target).replace(
            &format!("line {target} ."),
            &format!("LINE {target}, longer,"),
        ),
        line(wanted + 51),
    ]
    .concat();
    assert_eq!(String::from_utf8_lossy(&around), expected[..3 * LINE]);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[test]
fn over_a_gigabyte_is_too_large_to_write() {
    let folder = folder();
    let root = folder.path().to_owned();
    let path = root.join("sparse.txt");
    File::create(&path).unwrap().set_len((1 << 30) + 1).unwrap();
    let lancet = engine(&root);
    let session = lancet.new_session();
    let edit = json!({ "file_path": path, "old_string": "a", "new_string": "b" });
    for (tool, arguments) in [
        ("Edit", edit.clone()),
        ("MultiEdit", json!({ "edits": [edit.clone(), edit] })),
        ("Write", json!({ "file_path": path, "content": "b\n" })),
        (
            "Write",
            json!({ "file_path": path, "content": "b\n", "mode": "append" }),
        ),
    ] {
        let reply = call(&lancet, &session, tool, arguments);
        is_refused(&reply, "too_large");
        assert_eq!(reply.data()["error"]["code"], json!(10));
    }
}

#[test]
fn a_single_line_of_300_kilobytes() {
    let folder = folder();
    let root = folder.path().to_owned();
    let path = root.join("one.json");
    let text: String = (0..30_000)
        .map(|number| format!("{{\"n\":{number:05}}},"))
        .collect();
    fs::write(&path, &text).unwrap();
    let lancet = engine(&root);
    let session = lancet.new_session();
    let read = call(&lancet, &session, "Read", json!({ "file_path": path }));
    done(&read);
    let edit = |old: &str, new: &str, all: bool| {
        let arguments =
            json!({ "file_path": path, "old_string": old, "new_string": new, "replace_all": all });
        call(&lancet, &session, "Edit", arguments)
    };
    // Only what was shown of the line may be changed.
    is_refused(&edit("\"n\":20000", "\"n\":x", false), "not_read");
    done(&edit("\"n\":00010", "\"n\":tenth", false));
    is_refused(&edit("\"n\":", "\"m\":", false), "ambiguous");
    is_refused(&edit("\"n\":", "\"m\":", true), "not_read");
    is_refused(&edit("\"n\": 00020", "", false), "not_found");
    is_refused(
        &edit(&text[..200_000].replace("15000", "15O00"), "", false),
        "not_found",
    );
    let mut column = 2_001;
    while column < text.len() {
        let reply = call(
            &lancet,
            &session,
            "Read",
            json!({ "file_path": path, "offset": 1, "column": column }),
        );
        done(&reply);
        let shown = reply.text().lines().next().unwrap().chars().count() - 2;
        assert!(shown > 0);
        column += shown;
    }
    done(&edit("\"n\":20000", "\"n\":x", false));
    done(&edit("\"n\":", "\"m\":", true));
    let wanted = text
        .replace("\"n\":00010", "\"n\":tenth")
        .replace("\"n\":20000", "\"n\":x")
        .replace("\"n\":", "\"m\":");
    assert!(fs::read_to_string(&path).unwrap() == wanted);
}

#[test]
fn two_hundred_thousand_lines() {
    let folder = folder();
    let root = folder.path().to_owned();
    let path = root.join("many.txt");
    let text: String = (1..=200_000)
        .map(|number| format!("    value_{number} = compute({number});\n"))
        .collect();
    fs::write(&path, &text).unwrap();
    let lancet = engine(&root);
    let session = lancet.new_session();
    done(&call(
        &lancet,
        &session,
        "Read",
        json!({ "file_path": path, "offset": 150_000, "limit": 50 }),
    ));
    let edit = |old: &str, new: &str| {
        call(
            &lancet,
            &session,
            "Edit",
            json!({ "file_path": path, "old_string": old, "new_string": new }),
        )
    };
    is_refused(&edit("value_77 = compute(77);", "x"), "not_read");
    is_refused(&edit("value_150010 = compute(150O10);", "x"), "not_found");
    is_refused(
        &edit(&text[..40_000].replace("value_500 ", "value_5oo "), "x"),
        "not_found",
    );
    is_refused(&edit("compute(", "x("), "ambiguous");
    done(&edit(
        "  value_150010 = compute(150010);\n  value_150011 = compute(150011);",
        "  both();",
    ));
    let wanted = text.replace(
        "    value_150010 = compute(150010);\n    value_150011 = compute(150011);",
        "    both();",
    );
    assert!(fs::read_to_string(&path).unwrap() == wanted);
}

#[test]
fn a_needle_of_a_megabyte() {
    let folder = folder();
    let root = folder.path().to_owned();
    let path = root.join("two.txt");
    let text: String = (0..40_000)
        .map(|number| format!("{number:06} the quick brown fox jumps over the dog\n"))
        .collect();
    fs::write(&path, &text).unwrap();
    let lancet = engine(&root);
    let session = lancet.new_session();
    let mut offset = 1;
    loop {
        let reply = call(
            &lancet,
            &session,
            "Read",
            json!({ "file_path": path, "offset": offset }),
        );
        done(&reply);
        offset += reply.data()["numLines"].as_u64().unwrap();
        if offset > 40_000 {
            break;
        }
    }
    let middle = text.len() / 4 / 50 * 50;
    let needle = &text[middle..middle + (1 << 20) / 50 * 50];
    let edit = |old: &str, new: &str| {
        call(
            &lancet,
            &session,
            "Edit",
            json!({ "file_path": path, "old_string": old, "new_string": new }),
        )
    };
    is_refused(&edit(&needle.replace("020000", "0200OO"), "x"), "not_found");
    is_refused(
        &edit(&needle.chars().rev().collect::<String>(), "x"),
        "not_found",
    );
    is_refused(&edit(&"y".repeat(1 << 20), "x"), "not_found");
    done(&edit(needle, &needle.replace("020000", "twenty")));
    assert!(fs::read_to_string(&path).unwrap() == text.replace("020000", "twenty"));
}

#[test]
fn ten_thousand_places() {
    let folder = folder();
    let root = folder.path().to_owned();
    let path = root.join("places.txt");
    let text = "call(old_name); // and some more text\n".repeat(10_000);
    fs::write(&path, &text).unwrap();
    let lancet = engine(&root);
    let session = lancet.new_session();
    for page in 0..10 {
        done(&call(
            &lancet,
            &session,
            "Read",
            json!({ "file_path": path, "offset": page * 1_000 + 1, "limit": 1_000 }),
        ));
    }
    let edit = |more: Value| {
        let mut arguments =
            json!({ "file_path": path, "old_string": "old_name", "new_string": "a_new_name" });
        for (key, value) in more.as_object().unwrap() {
            arguments[key] = value.clone();
        }
        call(&lancet, &session, "Edit", arguments)
    };
    let reply = edit(json!({}));
    is_refused(&reply, "ambiguous");
    assert_eq!(reply.data()["error"]["count"], json!(10_000));
    is_refused(
        &edit(json!({ "replace_all": true, "expect_count": 9_999 })),
        "count",
    );
    done(&edit(json!({ "replace_all": true, "dry_run": true })));
    let reply = edit(json!({ "replace_all": true, "expect_count": 10_000 }));
    done(&reply);
    assert_eq!(reply.data()["replacements"], json!(10_000));
    assert!(fs::read_to_string(&path).unwrap() == text.replace("old_name", "a_new_name"));
    // The same on a tolerant rung, and in one call with other edits.
    let list: Vec<Value> = vec![
        json!({ "old_string": "call(a_new_name);  ", "new_string": "x" }),
        json!({ "old_string": "a_new_name", "new_string": "b", "replace_all": true }),
        json!({ "old_string": "b", "new_string": "c", "replace_all": true }),
    ];
    is_refused(
        &call(
            &lancet,
            &session,
            "MultiEdit",
            json!({ "file_path": path, "edits": list }),
        ),
        "not_found",
    );
    done(&call(
        &lancet,
        &session,
        "MultiEdit",
        json!({ "file_path": path, "edits": list[1..] }),
    ));
    assert!(fs::read_to_string(&path).unwrap() == text.replace("old_name", "c"));
}

/// Whether the file is in memory or streamed, places are counted, and a call that would change too many of them is
/// refused.
#[test]
fn more_places_than_one_call_changes() {
    let folder = folder();
    let root = folder.path().to_owned();
    let path = root.join("places.txt");
    for line in ["x\n".to_owned(), format!("x{}\n", ".".repeat(38))] {
        let text = line.repeat(1_000_003);
        fs::write(&path, &text).unwrap();
        let lancet = engine(&root);
        let session = lancet.new_session();
        let read = call(&lancet, &session, "Read", json!({ "file_path": path }));
        let revision = read.data()["revision"].clone();
        let edit = json!({ "file_path": path, "old_string": "x", "new_string": "y" });
        let with = |key: &str, value: Value| {
            let mut edit = edit.clone();
            edit[key] = value;
            edit
        };
        let reply = call(&lancet, &session, "Edit", edit.clone());
        is_refused(&reply, "ambiguous");
        assert_eq!(reply.data()["error"]["count"], json!(1_000_003));
        let all = with("replace_all", json!(true));
        is_refused(&call(&lancet, &session, "Edit", all.clone()), "not_read");
        if line.len() == 2 {
            let again = json!({ "edits": [all.clone(), all.clone()] });
            is_refused(&call(&lancet, &session, "MultiEdit", again), "not_read");
        }
        let mut counted = all.clone();
        counted["expect_count"] = json!(7);
        is_refused(&call(&lancet, &session, "Edit", counted), "count");
        let mut named = all;
        named["revision"] = revision;
        let reply = call(&lancet, &lancet.new_session(), "Edit", named);
        is_refused(&reply, "too_large");
        assert_eq!(reply.data()["error"]["count"], json!(1_000_003));
        assert!(fs::read_to_string(&path).unwrap() == text);
    }
}

/// A sparse file of a terabyte: reading all of it would not come to an end.
#[test]
fn what_is_no_text_by_its_beginning_is_not_read() {
    let folder = folder();
    let root = folder.path().to_owned();
    let lancet = engine(&root);
    let session = lancet.new_session();
    let terabyte = root.join("zeros.bin");
    File::create(&terabyte).unwrap().set_len(1 << 40).unwrap();
    let read = json!({ "file_path": terabyte });
    is_refused(&call(&lancet, &session, "Read", read), "binary");
    let reply = call(&lancet, &session, "Grep", json!({ "pattern": "x" }));
    assert!(!reply.text().contains("no file was searched"));
    assert!(reply.text().contains("1 binary"), "{}", reply.text());
    // The beginning is text; the NUL after it makes the file binary.
    let mixed = root.join("mixed.bin");
    fs::write(&mixed, "text\n".repeat(20_000)).unwrap();
    let file = File::options().write(true).open(&mixed).unwrap();
    file.set_len(1 << 40).unwrap();
    let read = json!({ "file_path": mixed });
    is_refused(&call(&lancet, &session, "Read", read), "binary");
    let edited = root.join("edited.bin");
    File::create(&edited).unwrap().set_len(900 << 20).unwrap();
    let edit = json!({ "file_path": edited, "old_string": "a", "new_string": "b" });
    is_refused(&call(&lancet, &session, "Edit", edit.clone()), "binary");
    let edits = json!({ "edits": [edit.clone(), edit] });
    is_refused(&call(&lancet, &session, "MultiEdit", edits), "binary");
    let write = json!({ "file_path": edited, "content": "b" });
    is_refused(&call(&lancet, &session, "Write", write), "binary");
}

/// A search that was cut short does not know that there was nothing to search.
#[test]
fn out_of_time_is_not_nothing_there() {
    let folder = folder();
    let root = folder.path().to_owned();
    fs::write(root.join("a.txt"), "a".repeat(200_000)).unwrap();
    let mut settings = lancet::Settings::default();
    settings.search.time_budget = 300;
    let lancet = Lancet::builder()
        .root(&root)
        .settings(settings)
        .open()
        .unwrap();
    let session = lancet.new_session();
    for multiline in [false, true] {
        let slow = json!({ "pattern": "[a-z]{1,5000}b", "multiline": multiline });
        let reply = call(&lancet, &session, "Grep", slow);
        done(&reply);
        assert!(reply.text().contains("the time of 300 ms was over"));
        assert!(!reply.text().contains("no file was searched"));
    }
}

/// Any number of braces must not crash the process, nor may a long glob use up its memory.
#[test]
fn a_glob_has_a_length() {
    let folder = folder();
    let root = folder.path().to_owned();
    let lancet = engine(&root);
    let session = lancet.new_session();
    let braces = json!({ "pattern": "{a}".repeat(10_000) });
    done(&call(&lancet, &session, "Glob", braces));
    let long = "{a}".repeat(200_000);
    let reply = call(&lancet, &session, "Glob", json!({ "pattern": long }));
    is_refused(&reply, "invalid");
    let grep = json!({ "pattern": "x", "glob": long });
    is_refused(&call(&lancet, &session, "Grep", grep), "invalid");
}
