//! A project in a temporary folder, with language servers that are started as plain children of the test.
#![allow(
    dead_code,
    reason = "each test program that has this file uses a part of it"
)]

use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use lancet_language::{
    ChangedText, LanguageOptions, LanguageServers, NewProblems, Problem, ServerEntry,
    ServerProcess, ServerStarter, built_in,
};

/// The session of a test.
pub(crate) const SESSION: &str = "session";

/// Longer than any server takes on a busy machine; the assertions do not depend on it.
pub(crate) const LONG: Duration = Duration::from_secs(30);

/// Returns the entry of the built-in table with the program that the test command installed; none, with a message, if
/// there is none.
pub(crate) fn entry(name: &str) -> Option<ServerEntry> {
    let mut entry = built_in().into_iter().find(|entry| entry.name == name)?;
    let folders = std::env::var_os("LANCET_LANGUAGE_SERVERS").unwrap_or_default();
    let program = entry.run[0].clone();
    let found = std::env::split_paths(&folders)
        .map(|folder| folder.join(&program))
        .find(|program| program.exists());
    let Some(found) = found else {
        lancet_testing::judges::missing(&format!("{program} (LANCET_LANGUAGE_SERVERS)"));
        return None;
    };
    assert!(
        lancet_language::is_matching_program(&entry, &found),
        "{found:?} is another version"
    );
    entry.run[0] = found.to_str().expect("a path in UTF-8").to_owned();
    Some(entry)
}

/// Starts servers, and can kill the one it started last.
#[derive(Default)]
pub(crate) struct Children {
    commands: HashMap<String, Vec<String>>,
    last: Mutex<Option<Arc<Mutex<Child>>>>,
    started: Mutex<usize>,
}

struct Alive(Arc<Mutex<Child>>);

impl Drop for Alive {
    fn drop(&mut self) {
        let mut child = self.0.lock().expect("the child");
        let _ = child.kill();
        let _ = child.wait();
    }
}

impl ServerStarter for Children {
    fn start(&self, entry: &str, folder: &Path) -> io::Result<ServerProcess> {
        let run = &self.commands[entry];
        let mut child = Command::new(&run[0])
            .args(&run[1..])
            .current_dir(folder)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()?;
        let input = child.stdin.take().ok_or(io::ErrorKind::BrokenPipe)?;
        let output = child.stdout.take().ok_or(io::ErrorKind::BrokenPipe)?;
        let child = Arc::new(Mutex::new(child));
        *self.last.lock().expect("the last one") = Some(child.clone());
        *self.started.lock().expect("the count") += 1;
        Ok(ServerProcess {
            input: Box::new(input),
            output: Box::new(output),
            alive: Box::new(Alive(child)),
        })
    }
}

impl Children {
    /// Kills the server that was started last, as SIGKILL does.
    pub(crate) fn kill(&self) {
        if let Some(child) = &*self.last.lock().expect("the last one") {
            let _ = child.lock().expect("the child").kill();
        }
    }

    /// Returns how many servers were started.
    pub(crate) fn started(&self) -> usize {
        *self.started.lock().expect("the count")
    }
}

/// A folder with files, and the servers that look at it.
pub(crate) struct Project {
    folder: tempfile::TempDir,
    pub(crate) language: LanguageServers,
    pub(crate) children: Arc<Children>,
    revisions: std::cell::Cell<u32>,
}

impl Project {
    /// Creates a project with these files.
    pub(crate) fn new(entries: Vec<ServerEntry>, files: &[(&str, &str)]) -> Project {
        Project::with(entries, files, |_| {})
    }

    /// Creates a project with these files and options.
    pub(crate) fn with(
        entries: Vec<ServerEntry>,
        files: &[(&str, &str)],
        adjust: impl FnOnce(&mut LanguageOptions),
    ) -> Project {
        let folder = tempfile::tempdir().expect("a folder");
        for (name, text) in files {
            std::fs::write(folder.path().join(name), text).expect("a file");
        }
        let commands = entries
            .iter()
            .map(|entry| (entry.name.clone(), entry.run.clone()));
        let children = Arc::new(Children {
            commands: commands.collect(),
            ..Children::default()
        });
        let mut options = LanguageOptions::new(entries, vec![folder.path().to_path_buf()]);
        adjust(&mut options);
        Project {
            language: LanguageServers::new(options, children.clone()),
            children,
            folder,
            revisions: std::cell::Cell::new(0),
        }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn text(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).expect("the text")
    }

    /// Announces files as read, and waits until the servers know them.
    pub(crate) fn read(&self, names: &[&str]) {
        for name in names {
            self.language
                .announce_read(&self.path(name), &self.text(name));
        }
        let settled = self.language.wait_until_processed(Instant::now() + LONG);
        assert!(settled, "{:?}", self.language.server_states());
    }

    /// Writes a file, and returns the new problems; the servers must have answered.
    pub(crate) fn edit(&self, name: &str, after: &str) -> Vec<Problem> {
        let found = self.edit_within(name, after, LONG);
        assert_eq!(found.not_ready, Vec::<String>::new());
        found.new
    }

    /// Writes a file, and returns the problems found within a time.
    pub(crate) fn edit_within(&self, name: &str, after: &str, time: Duration) -> NewProblems {
        let path = self.path(name);
        let before = std::fs::read_to_string(&path).ok();
        std::fs::write(&path, after).expect("a write");
        let change = ChangedText {
            path: &path,
            before: before.as_deref(),
            after: Some(after),
            revision: &self.next_revision(),
        };
        let pending = self.language.announce_changes(SESSION, &[change]);
        self.language
            .wait_for_problems(pending, Instant::now() + time)
    }

    /// Removes a file, and returns the new problems.
    pub(crate) fn remove(&self, name: &str) -> Vec<Problem> {
        let (path, before) = (self.path(name), self.text(name));
        std::fs::remove_file(&path).expect("removed");
        let change = ChangedText {
            path: &path,
            before: Some(&before),
            after: None,
            revision: &self.next_revision(),
        };
        let pending = self.language.announce_changes(SESSION, &[change]);
        let found = self
            .language
            .wait_for_problems(pending, Instant::now() + LONG);
        assert_eq!(found.not_ready, Vec::<String>::new());
        found.new
    }

    /// Returns the revision of the last change.
    pub(crate) fn revision(&self) -> String {
        format!("r{}", self.revisions.get())
    }

    fn next_revision(&self) -> String {
        self.revisions.set(self.revisions.get() + 1);
        self.revision()
    }
}

/// Formats problems: file, line, column and message.
pub(crate) fn format_problems(problems: &[Problem]) -> Vec<String> {
    let line = |problem: &Problem| {
        let name = problem.path.file_name().expect("a name").to_string_lossy();
        format!(
            "{name}:{}:{} {}",
            problem.line, problem.column, problem.message
        )
    };
    problems.iter().map(line).collect()
}

/// Asserts that the problems are at these places, in this order, with these messages.
#[track_caller]
pub(crate) fn assert_told(problems: &[Problem], expected: &[(&str, &str)]) {
    let told = format_problems(problems);
    let fits = |(text, (place, words)): (&String, &(&str, &str))| {
        text.starts_with(&format!("{place} ")) && text.contains(words)
    };
    assert!(
        told.len() == expected.len() && told.iter().zip(expected).all(fits),
        "told {told:#?}, expected {expected:#?}"
    );
}
