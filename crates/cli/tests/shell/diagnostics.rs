//! What language servers find after a change, over the real program, its launcher and real servers.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde_json::json;

use crate::agent::Agent;
use crate::stage::Stage;

/// How long a server may take to know a project of two files.
const PATIENCE: Duration = Duration::from_secs(60);

/// Returns a stage whose PATH has the servers that the tests use; none where they are not installed.
pub(crate) fn stage_with(server: &str) -> Option<Stage> {
    let folders = std::env::var_os("LANCET_LANGUAGE_SERVERS").unwrap_or_default();
    let is_there = |folder: PathBuf| folder.join(server).is_file();
    if !std::env::split_paths(&folders).any(is_there) {
        lancet_testing::judges::missing(&format!("{server} (LANCET_LANGUAGE_SERVERS)"));
        return None;
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    let all = std::env::split_paths(&folders).chain(std::env::split_paths(&path));
    let all = std::env::join_paths(all).expect("a path");
    Some(Stage::new().with("PATH", PathBuf::from(all)).with_token())
}

pub(crate) fn trust(stage: &Stage) {
    let run = stage.run(&["trust", "--yes"]);
    assert_eq!(run.code, 0, "{run:?}");
}

/// Makes two files of which one needs the other, and an old problem.
pub(crate) fn project(stage: &Stage) -> (PathBuf, PathBuf) {
    stage.file(
        "pyproject.toml",
        "[project]\nname = \"shop\"\nversion = \"1\"\n",
    );
    let prices = stage.file(
        "prices.py",
        "def price(count: int) -> int:\n    return count * 2\n\n\nold = nothing_of_this_name\n",
    );
    let cart = stage.file("cart.py", "from prices import price\n\nprint(price(2))\n");
    (prices, cart)
}

/// Makes changes that break nothing until the servers know the project.
fn warm(agent: &mut Agent, file: &Path) {
    let until = Instant::now() + PATIENCE;
    for number in 0.. {
        let (error, text) = append(agent, file, &format!("warm_{number} = {number}\n"));
        assert_eq!(error, "", "{text}");
        if !text.contains("not ready") {
            return;
        }
        assert!(
            Instant::now() < until,
            "the servers do not get ready: {text}"
        );
    }
}

fn append(agent: &mut Agent, file: &Path, text: &str) -> (String, String) {
    let asked = json!({ "file_path": file, "content": text, "mode": "append" });
    agent.call("Write", asked)
}

fn edit(agent: &mut Agent, file: &Path, old: &str, new: &str) -> String {
    let asked = json!({ "file_path": file, "old_string": old, "new_string": new });
    let (error, text) = agent.call("Edit", asked);
    assert_eq!(error, "", "{text}");
    text
}

#[test]
fn an_answer_tells_what_the_change_broke_here_and_elsewhere_and_nothing_old() {
    let Some(stage) = stage_with("ty") else {
        return;
    };
    let (prices, cart) = project(&stage);
    trust(&stage);
    let mut agent = Agent::new(&stage, &["--diagnostics", "after-edit"]);
    for file in [&prices, &cart] {
        assert_eq!(agent.read(file), "");
    }
    warm(&mut agent, &prices);
    let text = edit(&mut agent, &prices, "count * 2", "count * rate");
    let made = text.find("prices.py").expect("the change is told");
    let told = text
        .find("new problem")
        .unwrap_or_else(|| panic!("nothing is told: {text}"));
    assert!(made < told, "the change is told first: {text}");
    assert!(text.contains("prices.py:2:20: error"), "{text}");
    assert!(text.contains("rate"), "{text}");
    assert!(
        !text[told..].contains("nothing_of_this_name"),
        "an old problem is told: {text}"
    );
    let text = edit(&mut agent, &prices, "count * rate", "count * 3");
    assert!(!text.contains("new problem"), "it is mended: {text}");
    // The file that imports it is broken, too.
    let text = edit(&mut agent, &prices, "def price(", "def price_of(");
    assert!(
        text.contains("cart.py:1:"),
        "the importer is not told of: {text}"
    );
    let told = text.find("new problem").expect("told");
    assert!(!text[told..].contains("nothing_of_this_name"), "{text}");
    let text = edit(&mut agent, &prices, "def price_of(", "def price(");
    assert!(!text.contains("new problem"), "{text}");
}

#[test]
fn the_tool_lists_old_problems_too() {
    let Some(stage) = stage_with("ty") else {
        return;
    };
    let (prices, _) = project(&stage);
    let list = |agent: &mut Agent| {
        let asked = json!({ "file_path": prices });
        agent.call("Diagnostics", asked).1
    };
    let mut agent = Agent::new(&stage, &["--tools", "default,Diagnostics"]);
    assert!(list(&mut agent).contains("lancet trust"), "it says why not");
    trust(&stage);
    let mut agent = Agent::new(&stage, &["--tools", "default,Diagnostics"]);
    let until = Instant::now() + PATIENCE;
    loop {
        let text = list(&mut agent);
        if !text.contains("not ready") {
            assert!(text.contains("prices.py:5:7: error"), "{text}");
            return;
        }
        assert!(Instant::now() < until, "{text}");
    }
}

#[test]
fn a_hidden_file_is_not_named() {
    let Some(stage) = stage_with("ty") else {
        return;
    };
    let (prices, cart) = project(&stage);
    stage.user_settings("permissions.deny = [\"Read(cart.py)\"]\n");
    trust(&stage);
    let mut agent = Agent::new(&stage, &[]);
    assert_eq!(agent.read(&prices), "");
    assert_ne!(agent.read(&cart), "");
    warm(&mut agent, &prices);
    let text = edit(&mut agent, &prices, "def price(", "def price_of(");
    assert!(!text.contains("cart"), "{text}");
}

#[test]
fn on_read_keeps_problems_for_the_next_reading_call() {
    let Some(stage) = stage_with("ruff") else {
        return;
    };
    let (prices, _) = project(&stage);
    trust(&stage);
    let mut agent = Agent::new(&stage, &["--diagnostics", "on-read"]);
    assert_eq!(agent.read(&prices), "");
    let until = Instant::now() + PATIENCE;
    let mut at = 0;
    loop {
        at += 1;
        let (_, text) = append(
            &mut agent,
            &prices,
            &format!("unknown_{at}_ = missing_{at}_\n"),
        );
        assert!(!text.contains("problem"), "told with a change: {text}");
        let (_, text) = agent.call("Read", json!({ "file_path": prices, "force": true }));
        if text.contains("a new problem since an earlier change") {
            assert!(text.contains(&format!("missing_{at}_")), "{text}");
            return;
        }
        assert!(Instant::now() < until, "nothing is told: {text}");
        std::thread::sleep(Duration::from_millis(50));
    }
}

#[test]
fn without_trust_and_with_off_no_server_is_started() {
    let Some(stage) = stage_with("ruff") else {
        return;
    };
    let (prices, _) = project(&stage);
    for (trusted, arguments) in [(false, &[][..]), (true, &["--diagnostics", "off"][..])] {
        if trusted {
            trust(&stage);
        }
        let mut agent = Agent::new(&stage, arguments);
        assert_eq!(agent.read(&prices), "");
        let (_, text) = append(&mut agent, &prices, "x = missing_name\n");
        assert!(
            !text.contains("problem") && !text.contains("not ready"),
            "{text}"
        );
        let running = servers_in(&stage.project());
        assert!(running.is_empty(), "{running:?}");
    }
}

#[test]
fn a_server_that_does_not_run_is_named_as_such() {
    let stage = Stage::new().with_token();
    stage.user_settings(
        "[[language.server]]\nname = \"broken\"\nfiles = [\"*.odd\"]\nrun = [\"false\"]\n",
    );
    let file = stage.file("a.odd", "one\n");
    trust(&stage);
    let mut agent = Agent::new(&stage, &[]);
    assert_eq!(agent.read(&file), "");
    let until = Instant::now() + PATIENCE;
    loop {
        let (error, text) = append(&mut agent, &file, "more\n");
        assert_eq!(error, "", "{text}");
        if text.contains("no diagnostics by broken, which does not run") {
            return;
        }
        assert!(Instant::now() < until, "{text}");
    }
}

#[test]
fn servers_end_with_lancet_however_it_ends() {
    let Some(stage) = stage_with("ruff") else {
        return;
    };
    let (prices, _) = project(&stage);
    trust(&stage);
    let mut agents: Vec<Agent> = (0..20).map(|_| Agent::new(&stage, &[])).collect();
    for agent in &mut agents {
        assert_eq!(agent.read(&prices), "");
    }
    let wait_for = |wanted: &dyn Fn(usize) -> bool, what: &str| {
        let until = Instant::now() + PATIENCE;
        while !wanted(servers_in(&stage.project()).len()) {
            assert!(Instant::now() < until, "{what}");
            std::thread::sleep(Duration::from_millis(20));
        }
    };
    wait_for(&|running| running >= 20, "not all servers were started");
    agents.iter_mut().for_each(Agent::kill);
    wait_for(&|running| running == 0, "a server outlives lancet");
}

/// Returns the language servers that run in a folder.
fn servers_in(folder: &Path) -> Vec<String> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir("/proc").expect("it is there").flatten() {
        let works_in = std::fs::read_link(entry.path().join("cwd"));
        let command = std::fs::read(entry.path().join("cmdline")).unwrap_or_default();
        let command = String::from_utf8_lossy(&command).replace('\0', " ");
        let is_server = command.contains("ruff server") || command.contains("ty server");
        if is_server && works_in.is_ok_and(|works_in| works_in == folder) {
            found.push(command);
        }
    }
    found
}
