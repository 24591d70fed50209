//! Glob and Grep of a large tree that is resident: the same answers as without, under the rules in force, including the
//! changes of every tool and program before the call.

use std::fs;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use lancet::doors::{IndexResidency, running_indexes};
use lancet::settings::{Settings, SettingsChange, SettingsSource};
use lancet::{RawCall, Session};
use lancet_testing::project::SharedProject;
use lancet_testing::settings;
use serde_json::{Value, json};

/// More files than a tree must have to be worth it.
const FILES: usize = 2_200;

/// Settings that a test changes while the engine is open.
#[derive(Clone, Default)]
struct Changing(Arc<Mutex<Option<Settings>>>);

impl SettingsSource for Changing {
    fn poll(&self) -> SettingsChange {
        match self.0.lock().expect("whole").take() {
            Some(settings) => SettingsChange::Changed(Box::new(settings.into())),
            None => SettingsChange::Unchanged,
        }
    }
}

/// Makes a tree that is large enough to be resident.
fn project() -> SharedProject {
    let project = SharedProject::new(&[
        ("shut/secret.txt", "needle 3\n"),
        (".gitignore", "*.log\n"),
        ("noise.log", "needle 3\n"),
    ]);
    for number in 0..FILES {
        let name = format!("folder{}/file{number:04}.txt", number % 50);
        let text = format!("the text of {number}\nneedle {}\n", number % 7);
        project.put(name, text);
    }
    project
}

/// Opens a session, and returns the state folder of its engine.
fn open(
    project: &SharedProject,
    changing: &Changing,
    text: &str,
    name: &str,
) -> (Session, PathBuf) {
    let state = project.around.join(name);
    let lancet = project.engine_with(|builder| {
        builder
            .state_dir(&state)
            .settings(settings(text))
            .settings_source(changing.clone())
    });
    (lancet.new_session(), state)
}

/// Returns the data of an answer, without the time it took.
fn ask(session: &Session, tool: &str, arguments: Value) -> Value {
    let reply = session.call(RawCall::new(tool, arguments));
    assert!(!reply.is_error(), "{}", reply.text());
    let mut data = reply.data().clone();
    if let Some(members) = data.as_object_mut() {
        members.remove("durationMs");
    }
    data
}

fn grep(session: &Session, pattern: &str, mode: &str) -> Value {
    let arguments = json!({ "pattern": pattern, "output_mode": mode, "head_limit": 0 });
    ask(session, "Grep", arguments)
}

/// Searches until the tree is resident.
fn wait_until_resident(session: &Session, state: &std::path::Path) {
    let begun = Instant::now();
    let is_resident = || {
        let running = running_indexes(state);
        let mut residencies = running.iter().map(|index| &index.status.residency);
        residencies.any(|residency| matches!(residency, IndexResidency::Resident(_)))
    };
    while !is_resident() {
        assert!(
            begun.elapsed() < Duration::from_secs(60),
            "not resident: {:?}",
            running_indexes(state)
        );
        grep(session, "never to be found", "content");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn a_resident_tree_answers_like_a_walk_and_follows_rules_and_writes() {
    let (project, changing) = (project(), Changing::default());
    let rules = "permissions.deny = [\"Read(shut/**)\"]\n";
    let (walking, _) = open(
        &project,
        &changing,
        &format!("{rules}search.index = \"off\"\n"),
        "state-walk",
    );
    for contents in ["on", "off"] {
        let text = format!("{rules}search.contents = \"{contents}\"\n");
        let (session, state) = open(&project, &changing, &text, &format!("state-{contents}"));
        wait_until_resident(&session, &state);
        let compare = |what: &str| {
            for mode in ["content", "files_with_matches", "count"] {
                for pattern in [
                    "needle 3",
                    "text of 21",
                    "(?i)NEEDLE [34]",
                    "nothing like it",
                ] {
                    let (ours, theirs) =
                        (grep(&session, pattern, mode), grep(&walking, pattern, mode));
                    assert_eq!(
                        ours, theirs,
                        "{what}: {pattern}, {mode}, contents {contents}"
                    );
                }
            }
            for pattern in ["**/*.txt", "**/file0042.txt", "folder1*/**", "*.log"] {
                let arguments = json!({ "pattern": pattern, "limit": 3_000 });
                let ours = ask(&session, "Glob", arguments.clone());
                assert_eq!(ours, ask(&walking, "Glob", arguments), "{what}: {pattern}");
            }
        };
        compare("as it was built");
        let found = grep(&session, "needle 3", "count");
        assert_eq!(found["skipped"]["denied"], 1, "{found}");
        assert!(!found.to_string().contains("secret"), "{found}");

        // A change by a tool, and one by another program.
        let file = project.path("folder1/file0001.txt");
        let read = json!({ "file_path": file });
        ask(&session, "Read", read);
        let word = format!("edited_with_contents_{contents}");
        let edit = json!({ "file_path": file, "old_string": "the text", "new_string": word });
        ask(&session, "Edit", edit);
        assert_eq!(grep(&session, &word, "content")["numMatches"], 1);
        fs::write(project.path("folder2/new.txt"), &word).expect("written");
        assert_eq!(grep(&session, &word, "content")["numMatches"], 2);
        compare("after two changes");
        fs::remove_file(project.path("folder2/new.txt")).expect("removed");
        fs::write(&file, "the text of 1\nneedle 1\n").expect("written");
        compare("after all was taken back");
    }
}

#[test]
fn a_rule_that_is_added_holds_from_the_next_search_on() {
    let (project, changing) = (project(), Changing::default());
    let (session, state) = open(&project, &changing, "", "state");
    wait_until_resident(&session, &state);
    let found = grep(&session, "needle 3", "files_with_matches");
    assert!(found.to_string().contains("secret.txt"), "{found}");
    let denying = settings("permissions.deny = [\"Read(shut/**)\"]\n");
    *changing.0.lock().expect("whole") = Some(denying);
    for _ in 0..3 {
        let found = grep(&session, "needle 3", "files_with_matches");
        assert!(!found.to_string().contains("secret.txt"), "{found}");
        assert_eq!(found["skipped"]["denied"], 1, "{found}");
    }
    *changing.0.lock().expect("whole") = Some(settings("search.index = \"off\"\n"));
    let found = grep(&session, "needle 3", "files_with_matches");
    assert!(found.to_string().contains("secret.txt"), "{found}");
}

#[test]
fn a_search_without_a_match_names_the_ignored_files_that_have_one_now() {
    let (project, changing) = (project(), Changing::default());
    let rules = "permissions.deny = [\"Read(**/*.pem.log)\"]\n";
    project.put("key.pem.log", "hidden_word\n");
    project.put("folder3/deep.log", "other_word\n");
    let (session, state) = open(&project, &changing, rules, "state");
    wait_until_resident(&session, &state);
    let hint = |pattern: &str| {
        let arguments = json!({ "pattern": pattern, "output_mode": "content" });
        let reply = session.call(RawCall::new("Grep", arguments));
        assert_eq!(reply.data()["numMatches"], 0, "{}", reply.text());
        reply.text().to_owned()
    };
    let ignored = "it is in ignored files";
    assert!(hint("other_word").contains("deep.log"));
    assert!(!hint("hidden_word").contains(ignored));
    // Changed, replaced, made and removed after the tree was built.
    fs::write(project.path("noise.log"), "written_word\n").expect("written");
    assert!(hint("written_word").contains("noise.log"));
    let beside = project.around.join("beside");
    fs::write(&beside, "renamed_word\n").expect("written");
    fs::rename(&beside, project.path("folder3/deep.log")).expect("renamed");
    assert!(hint("renamed_word").contains("deep.log"));
    assert!(!hint("other_word").contains(ignored));
    fs::write(project.path("folder4/new.log"), "new_word\n").expect("written");
    assert!(hint("new_word").contains("new.log"));
    fs::remove_file(project.path("folder4/new.log")).expect("removed");
    assert!(!hint("new_word").contains(ignored));
}
