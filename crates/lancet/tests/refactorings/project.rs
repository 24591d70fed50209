//! A project with a scripted language server.

use std::io;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use lancet::language::{
    LanguageOptions, LanguageServers, ServerEntry, ServerProcess, ServerStarter,
};
use lancet::{Builder, Reply};
use lancet_testing::replies::done;
use lancet_testing::{TestFolder, TestProject, settings};
use serde_json::{Value, json};

const SCRIPT: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../language/tests/odd/planner.py"
);

/// Longer than a script takes to start on a loaded machine.
const PATIENCE: Duration = Duration::from_secs(60);

/// Starts the script as a plain child of the test.
struct Starter(String);

struct Alive(Child);

impl Drop for Alive {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

impl ServerStarter for Starter {
    fn start(&self, _: &str, folder: &Path) -> io::Result<ServerProcess> {
        let mut child = Command::new("python3")
            .args([SCRIPT, &self.0])
            .current_dir(folder)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()?;
        let input = child.stdin.take().ok_or(io::ErrorKind::BrokenPipe)?;
        let output = child.stdout.take().ok_or(io::ErrorKind::BrokenPipe)?;
        Ok(ServerProcess {
            input: Box::new(input),
            output: Box::new(output),
            alive: Box::new(Alive(child)),
        })
    }
}

pub(crate) const A: &str = "one\nthe name\r\nname and name\n";
pub(crate) const B: &str = "\u{feff}😀 name\nuse a\nnames\n";

/// Opens a project whose server behaves in this way.
pub(crate) fn open(way: &str) -> TestProject {
    open_with(way, "", |builder, _| builder)
}

pub(crate) fn open_with(
    way: &str,
    more: &str,
    change: impl FnOnce(Builder, &Path) -> Builder,
) -> TestProject {
    let around = TestFolder::new();
    for (name, text) in [("a.txt", A), ("b.txt", B), ("c.txt", "nothing\n")] {
        around.put(Path::new("root").join(name), text);
    }
    TestProject::inside(around, |builder, around| {
        let root = around.join("root");
        let entry = ServerEntry::new("planner", &["*.txt"], &["planner"]);
        let options = LanguageOptions::new(vec![entry], vec![root.clone()]);
        let language = LanguageServers::new(options, Arc::new(Starter(way.to_owned())));
        let text = format!("tools = [\"all\"]\n{more}\n[language]\nwait = 200\n");
        let builder = builder
            .state_dir(around.join("state"))
            .settings(settings(&text))
            .language(language);
        change(builder, &root)
    })
}

/// Reads files, so that the server is started and notified.
pub(crate) fn read_all(project: &TestProject, names: &[&str]) {
    for name in names {
        let path = project.path(name);
        done(&project.read(&path));
    }
}

/// Renames, and calls again where the server is not ready yet or, on a loaded machine, answers late.
pub(crate) fn rename(project: &TestProject, line: u64, symbol: &str, new_name: &str) -> Reply {
    let arguments = rename_arguments(project, line, symbol, new_name);
    again_while(project, "Rename", &arguments, |text| {
        is_not_ready(text) || text.contains("did not answer in time")
    })
}

pub(crate) fn rename_arguments(
    project: &TestProject,
    line: u64,
    symbol: &str,
    new_name: &str,
) -> Value {
    json!({
        "file_path": project.path("a.txt"), "line": line, "symbol": symbol, "new_name": new_name,
    })
}

/// Calls a tool, again where the server is not ready yet.
pub(crate) fn patiently(project: &TestProject, tool: &str, arguments: &Value) -> Reply {
    again_while(project, tool, arguments, is_not_ready)
}

fn is_not_ready(text: &str) -> bool {
    text.contains("does not know the project yet") || text.contains("is not ready")
}

fn again_while(
    project: &TestProject,
    tool: &str,
    arguments: &Value,
    waits: impl Fn(&str) -> bool,
) -> Reply {
    let until = Instant::now() + PATIENCE;
    loop {
        let reply = project.call(tool, arguments.clone());
        if !waits(reply.text()) || Instant::now() > until {
            return reply;
        }
    }
}

/// Asserts that nothing was written.
#[track_caller]
pub(crate) fn assert_untouched(project: &TestProject) {
    assert_eq!(
        (project.text("a.txt"), project.text("b.txt")),
        (A.to_owned(), B.to_owned())
    );
}
