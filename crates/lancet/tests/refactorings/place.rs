//! A project with a scripted language server.

use std::io;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use lancet::language::{Language, LanguageOptions, ServerEntry, ServerProcess, ServerStarter};
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

pub(crate) struct Place {
    pub(crate) project: TestProject,
}

pub(crate) const A: &str = "one\nthe name\r\nname and name\n";
pub(crate) const B: &str = "\u{feff}😀 name\nuse a\nnames\n";

impl Place {
    /// Makes a project whose server behaves in this way.
    pub(crate) fn new(way: &str) -> Place {
        Place::with(way, "", |builder, _| builder)
    }

    pub(crate) fn with(
        way: &str,
        more: &str,
        change: impl FnOnce(Builder, &Path) -> Builder,
    ) -> Place {
        let around = TestFolder::new();
        let root = around.make("root");
        for (name, text) in [("a.txt", A), ("b.txt", B), ("c.txt", "nothing\n")] {
            std::fs::write(root.join(name), text).expect("a file");
        }
        let project = TestProject::inside(around, |builder, around| {
            let entry = ServerEntry::new("planner", &["*.txt"], &["planner"]);
            let options = LanguageOptions::new(vec![entry], vec![root.clone()]);
            let language = Language::new(options, Arc::new(Starter(way.to_owned())));
            let text = format!("tools = [\"all\"]\n{more}\n[language]\nwait = 200\n");
            let builder = builder
                .state_dir(around.join("state"))
                .settings(settings(&text))
                .mode(lancet::Mode::AcceptEdits)
                .language(language);
            change(builder, &root)
        });
        Place { project }
    }

    pub(crate) fn call(&self, tool: &str, arguments: Value) -> Reply {
        self.project.call(tool, arguments)
    }

    /// Reads files, so that the server is started and notified.
    pub(crate) fn read(&self, names: &[&str]) {
        for name in names {
            let path = self.project.path(name);
            done(&self.project.read(&path));
        }
    }

    /// Renames, and waits where the server is not ready yet.
    pub(crate) fn rename(&self, line: u64, symbol: &str, new_name: &str) -> Reply {
        let arguments = json!({
            "file_path": self.project.path("a.txt"), "line": line, "symbol": symbol, "new_name": new_name,
        });
        self.patiently("Rename", &arguments)
    }

    pub(crate) fn patiently(&self, tool: &str, arguments: &Value) -> Reply {
        let until = Instant::now() + PATIENCE;
        loop {
            let reply = self.call(tool, arguments.clone());
            let waits = reply.text().contains("does not know the project yet")
                || reply.text().contains("is not ready");
            if !waits || Instant::now() > until {
                return reply;
            }
        }
    }

    pub(crate) fn text(&self, name: &str) -> String {
        self.project.text(name)
    }

    /// Asserts that nothing was written.
    #[track_caller]
    pub(crate) fn assert_untouched(&self) {
        assert_eq!(
            (self.text("a.txt"), self.text("b.txt")),
            (A.to_owned(), B.to_owned())
        );
    }
}
