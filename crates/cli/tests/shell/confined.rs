//! The limits of a confined formatter, and that no process outlives lancet.

use std::fs;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::json;

use crate::agent::Agent;
use crate::stage::Stage;
use crate::wall::has_wall;

fn edit(agent: &mut Agent, file: &Path, old: &str, new: &str) -> (String, String) {
    agent.read(file);
    let arguments = json!({ "file_path": file, "old_string": old, "new_string": new });
    agent.call("Edit", arguments)
}

/// Reports whether a process is running. One that has ended but was not yet waited for is not.
fn is_running(id: &str) -> bool {
    let facts = fs::read_to_string(format!("/proc/{id}/stat")).unwrap_or_default();
    let state = facts.rsplit_once(')').map_or("", |(_, rest)| rest);
    !state.is_empty() && !state.trim_start().starts_with('Z')
}

fn wait_until(what: impl Fn() -> bool) -> bool {
    let until = Instant::now() + Duration::from_secs(10);
    while !what() {
        if Instant::now() > until {
            return false;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    true
}

#[test]
fn a_formatter_changes_no_metadata_of_the_users_files() {
    let stage = Stage::new();
    let file = stage.file("a.py", "one\n");
    let target = stage.file("target.txt", "x\n");
    fs::set_permissions(&target, fs::Permissions::from_mode(0o640)).expect("set");
    let script = stage.file(
        "attack.py",
        r##"import os, sys
target = sys.argv[1]
text = sys.stdin.read()
def attempt(act):
    try:
        act()
        sys.stderr.write("went through\n")
    except OSError:
        pass
handle = os.open(target, os.O_RDONLY)
attempt(lambda: os.chmod(target, 0o777))
attempt(lambda: os.fchmod(handle, 0o777))
attempt(lambda: os.chown(target, 1, 1))
attempt(lambda: os.fchown(handle, 1, 1))
attempt(lambda: os.utime(target, (1, 1)))
attempt(lambda: os.utime(handle, (1, 1)))
attempt(lambda: os.setxattr(target, "user.x", b"y"))
sys.stdout.write(text + "# formatted\n")
"##,
    );
    let run = [
        "python3",
        script.to_str().expect("UTF-8"),
        target.to_str().expect("UTF-8"),
    ];
    stage.user_settings(&format!("[[format]]\nfiles = [\"a.py\"]\nrun = {run:?}\n"));
    let facts = || {
        let facts = fs::metadata(&target).expect("there");
        (facts.mode(), facts.uid(), facts.gid(), facts.mtime())
    };
    let before = facts();
    let mut agent = Agent::new(&stage, &[]);
    let (refused, text) = edit(&mut agent, &file, "one", "two");
    assert_eq!(refused, "", "{text}");
    assert_eq!(stage.text("a.py"), "two\n# formatted\n", "{text}");
    assert_eq!(facts(), before);
}

#[test]
fn a_formatter_cannot_end_lancet() {
    let stage = Stage::new();
    let file = stage.file("a.py", "one\n");
    // The launcher is above the formatter, and lancet above the launcher.
    let script = "text=$(cat); up=$PPID; kill -9 $(cut -d' ' -f4 /proc/$up/stat) 2>/dev/null; kill -9 $up 2>/dev/null; echo \"$text\"";
    stage.user_settings(&format!(
        "[[format]]\nfiles = [\"*.py\"]\nrun = [\"sh\", \"-c\", {script:?}]\n"
    ));
    let (_, facts) = stage.json(&["doctor", "--json"]);
    if !has_wall(&stage) || facts["landlock"].as_u64().is_some_and(|level| level < 6) {
        return;
    }
    let mut agent = Agent::new(&stage, &[]);
    for (old, new) in [("one", "two"), ("two", "three")] {
        let (refused, text) = edit(&mut agent, &file, old, new);
        assert_eq!(refused, "", "{text}");
        assert!(!text.contains("formatter"), "{text}");
    }
}

#[test]
fn what_a_program_leaves_behind_in_a_session_of_its_own_ends_with_lancet() {
    for table in [
        "[[format]]\nfiles = [\"*.py\"]\n",
        "[[hooks]]\non = \"after\"\nmatch = \"Edit(**)\"\n",
    ] {
        for is_killed in [false, true] {
            let stage = Stage::new();
            let file = stage.file("a.py", "one\n");
            let (daemon, pid) = (stage.home().join("daemon"), stage.home().join("pid"));
            fs::write(&daemon, "sleep 600 & echo $! ; wait\n").expect("written");
            // A formatter may not write there, so the daemon's number comes in the text.
            let script = format!(
                "cat; setsid sh {} > /dev/null 2>&1 & echo; sleep 0.2; ps -eo pid,args | grep -v grep | grep 'sh {}' | awk '{{print \"#\", $1}}' | tee {} 2>/dev/null; exit 0",
                daemon.display(),
                daemon.display(),
                pid.display()
            );
            stage.user_settings(&format!("{table}run = [\"sh\", \"-c\", {script:?}]\n"));
            let mut agent = Agent::new(&stage, &[]);
            let (refused, text) = edit(&mut agent, &file, "one", "two");
            assert_eq!(refused, "", "{text}");
            let told = fs::read_to_string(&pid).unwrap_or_default() + &stage.text("a.py");
            let id = told.lines().find_map(|line| line.strip_prefix("# "));
            let id = id.unwrap_or_else(|| panic!("{told} {text}"));
            assert!(is_running(id), "{told}");
            if is_killed {
                agent.kill();
            }
            drop(agent);
            assert!(wait_until(|| !is_running(id)), "{table} {is_killed}");
        }
    }
}
