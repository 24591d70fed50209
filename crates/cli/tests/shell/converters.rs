//! Files that programs of the settings convert to text, through the real program and its launcher.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde_json::json;

use crate::agent::Agent;
use crate::stage::Stage;
use crate::wall::has_wall;

const ARCHIVE: &[u8] = b"PK\x03\x04\0\0seven kites";

/// Makes a stage with an archive and these entries of the user's settings.
fn stage(entries: &str) -> (Stage, PathBuf) {
    let stage = Stage::new();
    stage.user_settings(&format!("[read.converters]\n{entries}\n"));
    let file = archive(&stage, "report.docx");
    (stage, file)
}

fn archive(stage: &Stage, name: &str) -> PathBuf {
    let path = stage.project().join(name);
    fs::write(&path, ARCHIVE).expect("written");
    path
}

/// Entries whose programs are shell scripts.
fn entry(pattern: &str, script: &str) -> String {
    format!("{pattern:?} = [\"sh\", \"-c\", {script:?}, \"x\", \"-\"]\n")
}

fn read(stage: &Stage, file: &Path) -> (String, String) {
    Agent::new(stage, &[]).call("Read", json!({ "file_path": file }))
}

#[test]
fn a_converted_file_is_shown_like_text_and_cannot_be_edited() {
    let (stage, file) = stage(&entry("*.docx", "tail -c 11; echo; echo second"));
    let mut agent = Agent::new(&stage, &[]);
    let (refused, text) = agent.call("Read", json!({ "file_path": file }));
    assert_eq!(refused, "");
    assert!(
        text.starts_with("1→seven kites\n2→second\n[lancet: converted to text by `sh -c"),
        "{text}"
    );
    let page = json!({ "file_path": file, "offset": 2, "limit": 1 });
    let (_, text) = agent.call("Read", page);
    assert!(text.starts_with("2→second\n[lancet: converted"), "{text}");
    let edit = json!({ "file_path": file, "old_string": "seven", "new_string": "nine" });
    assert_eq!(agent.call("Edit", edit).0, "binary");
    assert_eq!(fs::read(&file).expect("there"), ARCHIVE);
}

#[test]
fn text_pictures_and_pdfs_are_not_converted() {
    let (stage, _) = stage(&entry("*", "echo converted"));
    let file = stage.file("a.txt", "plain\n");
    assert!(read(&stage, &file).1.starts_with("1→plain\n"));
}

#[test]
fn a_program_writes_in_its_own_folder_only_and_the_folder_goes() {
    let (stage, file) = stage("");
    let script = "cmp \"$1\" report.docx && echo x > \"$TMPDIR/a\" && cat a; echo x > \"$2\"";
    let outside = stage.project().join("outside");
    stage.user_settings(&format!(
        "[read.converters]\n\"*.docx\" = [\"sh\", \"-c\", {script:?}, \"x\", \"{{path}}\", {outside:?}]\n"
    ));
    let temporary = stage.home().join("temporary");
    fs::create_dir(&temporary).expect("made");
    let stage = stage.with("TMPDIR", &temporary);
    let (refused, text) = read(&stage, &file);
    assert_eq!(fs::read_dir(&temporary).expect("there").count(), 0);
    if has_wall(&stage) {
        assert!(!outside.exists(), "{text}");
        assert_eq!(refused, "damaged", "{text}");
        assert!(text.contains("Permission denied"), "{text}");
    } else {
        assert!(text.starts_with("1→x\n"), "{text}");
    }
}

#[test]
fn a_program_that_fails_is_told_in_a_sentence() {
    let long = "head -c 17000000 /dev/zero | tr '\\0' x";
    let cases = [
        (
            "*.code",
            "echo wrong >&2; exit 7",
            "damaged",
            "it ended with exit code 7: wrong. ",
        ),
        (
            "*.signal",
            "kill -9 $$",
            "damaged",
            "it ended with signal 9. ",
        ),
        (
            "*.long",
            long,
            "too_large",
            "it gave more than 16 MiB of text. ",
        ),
        (
            "*.zero",
            "printf 'a\\0b'",
            "binary",
            "what that gave is not text. ",
        ),
    ];
    let entries: String = cases
        .iter()
        .map(|(pattern, script, ..)| entry(pattern, script))
        .collect();
    let (stage, _) = stage(&format!("{entries}\"*.gone\" = [\"no-such-program\"]\n"));
    let mut agent = Agent::new(&stage, &[]);
    let mut check = |pattern: &str, name: &str, words: &str| {
        let file = archive(&stage, &pattern.replace('*', "a"));
        let (refused, text) = agent.call("Read", json!({ "file_path": file }));
        assert_eq!(refused, name, "{text}");
        assert!(text.contains(words), "{text}");
    };
    for (pattern, _, name, words) in cases {
        check(pattern, name, words);
    }
    check("*.gone", "io", "it could not be started: No such file");
    check(
        "*.other",
        "binary",
        "[read.converters] \"*.other\" = [\"PROGRAM\", \"-\"]",
    );
}

#[test]
fn a_project_starts_a_program_only_once_it_is_trusted() {
    let stage = Stage::new().with_token();
    let file = archive(&stage, "report.docx");
    let settings = format!("[read.converters]\n{}", entry("*.docx", "echo converted"));
    stage.file("lancet.toml", &settings);
    assert_eq!(read(&stage, &file).0, "binary");
    assert_eq!(stage.run(&["trust", "--yes"]).code, 0);
    assert!(read(&stage, &file).1.starts_with("1→converted\n"));
}

#[test]
fn an_entry_that_is_added_or_changed_counts_from_the_next_start() {
    let (stage, file) = stage(&entry("*.docx", "echo first"));
    let mut agent = Agent::new(&stage, &[]);
    let mut read = |file: &Path| agent.call("Read", json!({ "file_path": file, "force": true }));
    assert!(read(&file).1.starts_with("1→first\n"));
    let added = archive(&stage, "report.odt");
    let entries = entry("*.docx", "echo second") + &entry("*.odt", "echo third");
    stage.user_settings(&format!("[read.converters]\n{entries}"));
    for file in [&file, &added] {
        let (refused, text) = read(file);
        assert_eq!(refused, "io", "{text}");
        assert!(text.contains("after lancet was started"), "{text}");
    }
    assert!(self::read(&stage, &added).1.starts_with("1→third\n"));
}

#[test]
fn a_program_ends_with_lancet_even_where_lancet_is_killed() {
    let (stage, file) = stage(&entry("*.docx", "echo $$ > pid; sleep 600 & wait"));
    let temporary = stage.home().join("temporary");
    fs::create_dir(&temporary).expect("made");
    let stage = stage.with("TMPDIR", &temporary);
    let mut agent = Agent::new(&stage, &[]);
    agent.ask("Read", json!({ "file_path": file }));
    let group = until(|| {
        let folder = fs::read_dir(&temporary).ok()?.next()?.ok()?.path();
        let pid = fs::read_to_string(folder.join("pid")).ok()?;
        pid.trim().parse::<u32>().ok()
    });
    assert!(!members(group).is_empty());
    agent.kill();
    until(|| members(group).is_empty().then_some(()));
    until(|| (fs::read_dir(&temporary).ok()?.count() == 0).then_some(()));
}

/// Waits until something is there.
fn until<T>(mut found: impl FnMut() -> Option<T>) -> T {
    let end = Instant::now() + Duration::from_secs(30);
    loop {
        match found() {
            Some(found) => return found,
            None => assert!(Instant::now() < end, "it never came"),
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Returns the processes of a group that have not ended.
fn members(group: u32) -> Vec<String> {
    let processes = fs::read_dir("/proc").expect("there");
    let stat = |entry: fs::DirEntry| fs::read_to_string(entry.path().join("stat")).ok();
    let stats = processes.flatten().filter_map(stat);
    let of_group = stats.filter(|stat| {
        // After the name, which may have blanks: state, parent, group.
        let fields: Vec<&str> = match stat.rsplit_once(')') {
            Some((_, rest)) => rest.split_whitespace().collect(),
            None => Vec::new(),
        };
        fields.first() != Some(&"Z") && fields.get(2) == Some(&group.to_string().as_str())
    });
    of_group.collect()
}
