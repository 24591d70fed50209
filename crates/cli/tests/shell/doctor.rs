//! `lancet doctor`.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt as _;

use serde_json::Value;

use crate::stage::{Stage, path_argument};

#[test]
fn all_is_well_and_nothing_is_made() {
    let stage = Stage::new();
    let (code, data) = stage.json(&["doctor", "--json"]);
    assert_eq!(code, 0, "{data}");
    assert_eq!(data["version"], env!("CARGO_PKG_VERSION"));
    assert_eq!(data["roots"][0]["path"], path_argument(&stage.project()));
    assert_eq!(data["roots"][0]["writable"], true);
    assert_eq!(data["stateFolder"]["exists"], false);
    assert_eq!(data["mode"], "accept-edits");
    assert_eq!(
        data["tools"],
        serde_json::json!([
            "Read",
            "Edit",
            "MultiEdit",
            "Write",
            "NotebookEdit",
            "Glob",
            "Grep"
        ])
    );
    assert_eq!(data["problems"], serde_json::json!([]));
    assert!(
        data["text"]
            .as_str()
            .is_some_and(|text| text.contains("Nothing is wrong."))
    );
    assert_eq!(fs::read_dir(stage.home()).expect("home").count(), 0);
    assert_eq!(fs::read_dir(stage.project()).expect("project").count(), 0);
}

#[test]
fn every_setting_is_told_with_its_layer() {
    let stage = Stage::new();
    stage.file(
        "lancet.toml",
        "stale = \"merge\"\n[read]\ngutter = \"tab\"\n",
    );
    let (code, data) = stage.json(&["doctor", "--json", "--mode", "plan"]);
    assert_eq!(code, 0, "{data}");
    let of = |key: &str| -> (String, String) {
        let all = data["settings"].as_array().expect("a list");
        let one = all
            .iter()
            .find(|setting| setting["key"] == key)
            .expect("the key");
        let text = |field: &str| one[field].as_str().expect("a text").to_owned();
        (text("value"), text("origin"))
    };
    assert_eq!(of("read.gutter"), ("\"tab\"".into(), "project".into()));
    assert_eq!(of("mode"), ("\"plan\"".into(), "command line".into()));
    assert_eq!(of("match").1, "built in");
    assert_eq!(data["ignored"][0]["key"], "stale");
    assert_eq!(data["ignored"][0]["line"], 1);
    let text = stage.run(&["doctor"]).out;
    assert!(
        text.contains("not applied") && text.contains("read.gutter"),
        "{text}"
    );
}

#[test]
fn what_is_wrong_is_told_with_the_command_that_mends_it() {
    let stage = Stage::new();
    let state = stage.project().join("state");
    fs::create_dir(&state).expect("a folder");
    fs::set_permissions(&state, Permissions::from_mode(0o755)).expect("its mode");
    let arguments = ["doctor", "--json", "--state-dir", path_argument(&state)];
    let (code, data) = stage.json(&arguments);
    assert_eq!(code, 3, "{data}");
    assert_eq!(
        data["problems"][0]["mend"],
        format!("chmod 700 {}", state.display())
    );
    fs::set_permissions(&state, Permissions::from_mode(0o700)).expect("its mode");
    assert_eq!(stage.json(&arguments).0, 0);
    fs::write(
        state.join("lancet.db"),
        "this is no database, however long it may be",
    )
    .expect("a file");
    let (code, data) = stage.json(&arguments);
    assert_eq!(code, 3, "{data}");
    let kept = fs::read_to_string(state.join("lancet.db")).expect("it is there");
    assert!(
        kept.starts_with("this is no database"),
        "the doctor looks and does not touch"
    );
}

#[test]
fn wrong_settings_and_roots_do_not_stop_the_report() {
    let stage = Stage::new();
    stage.file("lancet.toml", "[read]\nguter = 1\n");
    let (code, data) = stage.json(&["doctor", "--json"]);
    assert_eq!(code, 2, "{data}");
    let told = |data: &Value| {
        data["problems"][0]["message"]
            .as_str()
            .unwrap_or_default()
            .to_owned()
    };
    assert!(told(&data).contains("lancet.toml:2"), "{data}");
    assert_eq!(
        data["problems"].as_array().map(Vec::len),
        Some(1),
        "told once: {data}"
    );
    let (code, data) = stage.json(&["doctor", "--json", "--root", "nowhere"]);
    assert_eq!(code, 2, "{data}");
    assert!(told(&data).contains("nowhere"), "{data}");
}

#[test]
fn a_state_folder_that_takes_no_bytes_is_told() {
    let stage = Stage::new();
    let state = stage.home().join("state");
    fs::create_dir(&state).expect("a folder");
    fs::set_permissions(&state, Permissions::from_mode(0o700)).expect("its mode");
    // A limit on the size of files simulates a full disk, which not every user can make.
    let script = format!(
        "trap '' XFSZ; ulimit -f 8; exec {} doctor --json --state-dir {}",
        crate::stage::LANCET,
        path_argument(&state)
    );
    let mut command = stage.command("sh");
    command.args(["-c", &script]);
    let run = crate::stage::finish(command, b"");
    assert_eq!(run.code, 3, "{run:?}");
    assert!(run.out.contains("does not take 500 kB more"), "{run:?}");
    assert!(run.out.contains("LANCET_STATE_DIR"), "{run:?}");
    assert_eq!(fs::read_dir(&state).expect("there").count(), 0);
}

#[test]
fn a_record_that_is_only_closed_is_not_moved_away() {
    let stage = Stage::new();
    let state = stage.home().join("state");
    fs::create_dir(&state).expect("a folder");
    fs::set_permissions(&state, Permissions::from_mode(0o700)).expect("its mode");
    stage.file("a.txt", "one\n");
    let state = path_argument(&state);
    let read = ["read", "a.txt", "--session", "s", "--state-dir", state];
    assert_eq!(stage.run(&read).code, 0);
    let record = format!("{state}/lancet.db");
    fs::set_permissions(&record, Permissions::from_mode(0o000)).expect("its mode");
    let mut command = stage.unprivileged();
    command.args(["doctor", "--json", "--state-dir", state]);
    let run = crate::stage::finish(command, b"");
    assert_eq!(run.code, 3, "{run:?}");
    assert!(run.out.contains("&& chmod 600"), "{run:?}");
    assert!(!run.out.contains(".old"), "{run:?}");
    // A folder that cannot be entered is reported once, without its files.
    fs::set_permissions(state, Permissions::from_mode(0o500)).expect("its mode");
    let mut command = stage.unprivileged();
    command.args(["doctor", "--json", "--state-dir", state]);
    let run = crate::stage::finish(command, b"");
    assert!(!run.out.contains(".old"), "{run:?}");
    assert!(run.out.contains("chmod 700"), "{run:?}");
}

/// The indexes that a process reports are listed as long as the process lives.
#[test]
fn what_is_resident_is_told_for_each_running_process() {
    let stage = Stage::new();
    let state = stage.project().join("state");
    fs::create_dir(&state).expect("a folder");
    fs::set_permissions(&state, Permissions::from_mode(0o700)).expect("its mode");
    let arguments = ["doctor", "--json", "--state-dir", path_argument(&state)];
    let (_, data) = stage.json(&arguments);
    assert_eq!(data["searchIndexes"], serde_json::json!([]));
    let text = data["text"].as_str().expect("a text");
    assert!(
        text.contains("no running lancet has searched yet"),
        "{text}"
    );

    let notes = state.join("search");
    fs::create_dir(&notes).expect("a folder");
    let status = fs::read_to_string("/proc/self/stat").expect("of this process");
    let (_, fields) = status.rsplit_once(')').expect("a name in parentheses");
    let began = fields.split_whitespace().nth(19).expect("field 22");
    let process = std::process::id();
    let note = format!(
        r#"{{"process":{process},"indexes":[{{"root":"/p/a","residency":"resident","facts":{{"since":1700000000123,"builtIn":900,"files":59950,"watches":4000,
        "text":199229440,"table":9437184,"signatures":15728640,"contents":0,"answered":512}}}},{{"root":"/p/b","residency":"absent","why":"watch_limit"}}]}}"#
    );
    fs::write(notes.join(format!("{process}:{began}.0.json")), &note).expect("written");
    fs::write(notes.join("00000000000000aa.0.json"), &note).expect("of an ended process");
    let (code, data) = stage.json(&arguments);
    assert_eq!(code, 0, "{data}");
    let indexes = data["searchIndexes"].as_array().expect("a list");
    assert_eq!(indexes.len(), 2, "{data}");
    assert_eq!(indexes[0]["process"], process);
    assert_eq!(indexes[0]["residency"], "resident");
    assert_eq!(indexes[0]["since"], "2023-11-14T22:13:20Z");
    assert_eq!(indexes[0]["signatureBytes"], 15_728_640);
    assert_eq!(indexes[1]["why"], "watch_limit");
    let text = stage
        .run(&["doctor", "--state-dir", path_argument(&state)])
        .out;
    for part in [
        "/p/a: 59950 files since",
        "signatures 15.0 MiB for 190.0 MiB of text, no contents",
        "at least 512 searches answered",
        "/p/b: none: watch limit",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
}
