//! Settings that change while an agent is served: they apply from the next call on. With the real program, and another
//! process or thread that changes the files.

use std::fs;
use std::io::Write as _;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use serde_json::json;

use crate::agent::Agent;
use crate::stage::{Stage, path_argument};

pub(crate) fn user_settings(stage: &Stage) -> PathBuf {
    let path = stage.home().join(".config/lancet/lancet.toml");
    fs::create_dir_all(path.parent().expect("a folder")).expect("made");
    path
}

#[test]
fn a_rule_counts_from_the_next_call_on_and_goes_with_the_next() {
    let stage = Stage::new();
    let (a, b) = (stage.file("a.txt", "one\n"), stage.file("b.txt", "two\n"));
    let settings = user_settings(&stage);
    let mut agent = Agent::new(&stage, &[]);
    assert_eq!(agent.read(&a), "");
    for _ in 0..3 {
        fs::write(&settings, "permissions.deny = [\"Read(a.txt)\"]\n").expect("written");
        assert_eq!(
            (agent.read(&a), agent.read(&b)),
            ("denied".into(), "".into())
        );
        // The length and the modification time stay the same, and the change is noticed nevertheless.
        let stamp = fs::metadata(&settings)
            .expect("there")
            .modified()
            .expect("a time");
        let file = fs::OpenOptions::new()
            .write(true)
            .open(&settings)
            .expect("opened");
        (&file)
            .write_all(b"permissions.deny = [\"Read(b.txt)\"]\n")
            .expect("written");
        file.set_modified(stamp).expect("set");
        drop(file);
        assert_eq!(
            (agent.read(&a), agent.read(&b)),
            ("".into(), "denied".into())
        );
        fs::remove_file(&settings).expect("removed");
        assert_eq!((agent.read(&a), agent.read(&b)), ("".into(), "".into()));
    }
    // Pages of a search that were cached under other rules are not shown.
    let search = |offset: u64| json!({ "pattern": "*.txt", "limit": 1, "offset": offset });
    agent.call("Glob", search(0));
    fs::write(&settings, "permissions.deny = [\"Read(*.txt)\"]\n").expect("written");
    let (_, text) = agent.call("Glob", search(1));
    assert!(!text.contains("a.txt") && !text.contains("b.txt"), "{text}");
}

#[test]
fn a_projects_file_tightens_at_once_and_loosens_only_when_trusted() {
    let stage = Stage::new().with_token();
    let (a, made) = (
        stage.file("a.txt", "one\n"),
        stage.project().join("made.txt"),
    );
    fs::write(user_settings(&stage), "mode = \"ask\"\n").expect("written");
    let mut agent = Agent::new(&stage, &[]);
    assert_eq!(agent.read(&a), "");
    stage.file(
        "lancet.toml",
        "permissions.deny = [\"Read(a.txt)\"]\npermissions.allow = [\"Edit(made.txt)\"]\n",
    );
    assert_eq!(agent.read(&a), "denied");
    assert_eq!(agent.write(&made).0, "declined");
    let trusted = stage.run(&["trust", "--yes"]);
    assert_eq!(trusted.code, 0, "{trusted:?}");
    assert_eq!(agent.write(&made).0, "");
    // Trust is by hash: any other text has to be trusted again.
    stage.file(
        "lancet.toml",
        "permissions.allow = [\"Edit(made.txt)\", \"Edit(a.txt)\"]\n",
    );
    assert_eq!(agent.write(&made).0, "declined");
    assert_eq!(agent.read(&a), "");
}

#[test]
fn settings_that_do_not_load_leave_the_last_good_ones_and_are_told() {
    let stage = Stage::new();
    let (a, made) = (
        stage.file("a.txt", "one\n"),
        stage.project().join("made.txt"),
    );
    let settings = user_settings(&stage);
    fs::write(&settings, "permissions.deny = [\"Read(a.txt)\"]\n").expect("written");
    let mut agent = Agent::new(&stage, &[]);
    for broken in [
        "permissions.denied = []\n",
        "permissions.deny = [\n",
        "permissions.deny = [\"Read()\"]\n",
    ] {
        fs::write(&settings, broken).expect("written");
        assert_eq!(agent.read(&a), "denied");
        for _ in 0..2 {
            let (error, text) = agent.write(&made);
            assert_eq!(error, "", "{text}");
            assert!(
                text.contains("do not load") && text.contains("lancet.toml:1:"),
                "{text}"
            );
        }
        let (_, text) = agent.write(&stage.project().join(".git/config"));
        assert!(
            text.contains("do not load"),
            "a refusal says so as well: {text}"
        );
        let (_, text) = agent.call("Read", json!({ "file_path": made, "force": true }));
        assert!(!text.contains("do not load"), "{text}");
    }
    // The settings cannot be read at all: there is a folder in their place.
    fs::remove_file(&settings).expect("removed");
    fs::create_dir(&settings).expect("made");
    assert_eq!(agent.read(&a), "denied");
    assert!(agent.write(&made).1.contains("do not load"));
    fs::remove_dir(&settings).expect("removed");
    assert_eq!(agent.read(&a), "");
    assert!(!agent.write(&made).1.contains("do not load"));
}

#[test]
fn files_that_were_named_count_as_well() {
    let stage = Stage::new();
    let (a, made) = (
        stage.file("a.txt", "one\n"),
        stage.project().join("made.txt"),
    );
    let (config, claude) = (
        stage.home().join("more.toml"),
        stage.home().join("claude.json"),
    );
    fs::write(&config, "").expect("written");
    fs::write(&claude, "{}").expect("written");
    let mut agent = Agent::new(
        &stage,
        &[
            "--config",
            path_argument(&config),
            "--settings",
            path_argument(&claude),
        ],
    );
    assert_eq!(agent.read(&a), "");
    fs::write(&claude, "{\"permissions\": {\"deny\": [\"Read(a.txt)\"]}}").expect("written");
    assert_eq!(agent.read(&a), "denied");
    fs::write(&claude, "{}").expect("written");
    fs::write(&config, "mode = \"plan\"\n").expect("written");
    assert_eq!(
        (agent.read(&a), agent.write(&made).0),
        ("".into(), "declined".into())
    );
    let tools = agent.request("tools/list", json!({}))["tools"].clone();
    assert_eq!(tools.as_array().map(Vec::len), Some(3), "{tools}");
    fs::remove_file(&config).expect("removed");
    assert_eq!(
        agent.write(&made).0,
        "declined",
        "what was named and is gone loosens nothing"
    );
}

#[test]
fn a_file_in_the_middle_of_being_written_opens_no_gap() {
    let stage = Stage::new();
    let a = stage.file("a.txt", "hush\n");
    let settings = user_settings(&stage);
    let text = "# long enough\n[permissions]\ndeny = [\"Read(a.txt)\"]\n";
    fs::write(&settings, text).expect("written");
    let mut agent = Agent::new(&stage, &[]);
    let over = AtomicBool::new(false);
    let mut calls = 0;
    std::thread::scope(|scope| {
        let writer = scope.spawn(|| {
            for round in 0..12 {
                // Some editors truncate a file first and write it a while later.
                let mut file = fs::File::create(&settings).expect("emptied");
                std::thread::sleep(Duration::from_millis(2));
                writeln!(file, "# {round}").expect("written");
                std::thread::sleep(Duration::from_millis(2));
                file.write_all(text.as_bytes()).expect("written");
                drop(file);
                std::thread::sleep(Duration::from_millis(90));
            }
            over.store(true, Ordering::SeqCst);
        });
        while !over.load(Ordering::SeqCst) {
            assert_eq!(agent.read(&a), "denied", "call {calls}");
            calls += 1;
        }
        writer.join().expect("not panicked");
    });
    assert!(
        calls > 12,
        "only {calls} calls while the settings were rewritten"
    );
}

#[test]
fn no_file_that_rules_are_read_from_is_written_unasked_whatever_it_is_called() {
    let stage = Stage::new();
    let config = stage.file("conf/mine.toml", "permissions.deny = [\"Edit(shut/**)\"]\n");
    let claude = stage.file("conf/agents.json", "{}\n");
    // The user's file is stored together with others, in the project.
    let dotfile = stage.file(
        "dotfiles/lancet",
        "permissions.deny = [\"Read(hush.txt)\"]\n",
    );
    std::os::unix::fs::symlink(&dotfile, user_settings(&stage)).expect("made");
    std::os::unix::fs::symlink("mine.toml", stage.project().join("conf/link")).expect("made");
    fs::hard_link(&config, stage.project().join("twin.txt")).expect("made");
    let mut agent = Agent::new(
        &stage,
        &[
            "--mode",
            "bypass",
            "--config",
            path_argument(&config),
            "--settings",
            path_argument(&claude),
        ],
    );
    for name in [
        "conf/mine.toml",
        "conf/agents.json",
        "dotfiles/lancet",
        "conf/link",
        "twin.txt",
        "conf/../conf/mine.toml",
    ] {
        let path = stage.project().join(name);
        let (error, text) = agent.call("Read", json!({ "file_path": path, "force": true }));
        assert_eq!(error, "", "{name}: {text}");
        let (error, text) = agent.write(&path);
        assert_eq!(error, "declined", "{name}: {text}");
    }
    assert_eq!(agent.write(&stage.project().join("conf/other.toml")).0, "");
    assert_eq!(agent.write(&stage.project().join("shut/a")).0, "denied");
}

#[test]
fn a_state_folder_that_is_made_again_is_used_or_the_refusal_says_to_restart() {
    use std::os::unix::fs::PermissionsExt as _;
    let stage = Stage::new();
    // The folder around the second one is the home folder, which the kernel's sandbox does not open.
    for (state, may_refuse) in [(".local/state/lancet", false), ("state", true)] {
        let state = stage.home().join(state);
        let mut agent = Agent::new(&stage, &["--state-dir", state.to_str().expect("UTF-8")]);
        let path = |number: u32| stage.project().join(format!("{may_refuse}{number:o}.txt"));
        assert_eq!(agent.write(&path(0)).0, "");
        for mode in [0o755, 0o700, 0o750] {
            fs::remove_dir_all(&state).expect("removed");
            fs::create_dir(&state).expect("made");
            fs::set_permissions(&state, fs::Permissions::from_mode(mode)).expect("set");
            let (error, text) = agent.write(&path(mode));
            let refused = error == "io" && text.contains("Restart lancet");
            assert!(
                error.is_empty() || (may_refuse && refused),
                "{error}: {text}"
            );
            assert_eq!(path(mode).exists(), error.is_empty());
        }
    }
}
