//! Figure 10: what programs that watch the folder report about a write: chokidar (Vite and many more), @parcel/watcher
//! (VS Code) and the crate notify. Each reports a change of the file, and the last event of none is a removal.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

use notify::event::{ModifyKind, RenameMode};
use notify::{EventKind, RecursiveMode, Watcher as _};

use crate::commit_kind::CommitKind;
use lancet_testing::TestFolder;
use lancet_testing::place::text;

use crate::runner::{Form, Skipped, figure, missing, skip};

const RUNGS: [&str; 3] = ["exchange+lease", "aside", "in-place-leased"];
/// After this time without an event no more are expected.
const SILENCE: Duration = Duration::from_millis(700);
/// How long the first event about the file may take.
const PATIENCE: Duration = Duration::from_secs(20);

/// How often a watcher may report nothing about the file before it has failed.
const MOST_SILENT: usize = 2;

/// An event about a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum FileEvent {
    /// It is new, or it changed.
    Changed,
    Gone,
}

type Heard = (FileEvent, String);

/// A watcher.
struct Subscription {
    heard: Receiver<Heard>,
    _child: Option<Closing>,
    _watcher: Option<notify::RecommendedWatcher>,
}

type Listen = fn(&Path) -> Result<Subscription, String>;

/// A process that is killed on drop.
struct Closing(Child);

impl Drop for Closing {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

pub(crate) fn prove(_: Form) -> Result<(), Skipped> {
    let listeners: [(&str, Listen); 3] = [
        ("notify", notify_crate),
        ("chokidar", |folder| node("chokidar", folder)),
        ("@parcel/watcher", |folder| node("parcel", folder)),
    ];
    let mut heard_by = 0;
    'listeners: for (name, listen) in listeners {
        let mut lines = Vec::new();
        for rung in RUNGS {
            let mut silent = 0;
            let (heard, about) = loop {
                let heard = match told_of_a_write(rung, listen) {
                    Ok(heard) => heard,
                    Err(why) => {
                        skip(10, name, &why);
                        continue 'listeners;
                    }
                };
                let about: Vec<FileEvent> = heard
                    .iter()
                    .filter(|(_, file)| file == "a")
                    .map(|(word, _)| *word)
                    .collect();
                // A watcher on a loaded machine may lose events: @parcel/watcher reported nothing once in some hundred
                // runs.
                if !about.is_empty() || silent == MOST_SILENT {
                    break (heard, about);
                }
                silent += 1;
                figure(
                    10,
                    &format!("{name}, {rung}: silent about the file, once more: {heard:?}"),
                );
            };
            assert!(
                about.contains(&FileEvent::Changed),
                "{name}, {rung}: {heard:?}"
            );
            assert_eq!(
                about.last(),
                Some(&FileEvent::Changed),
                "{name}, {rung}: {heard:?}"
            );
            lines.push(format!("{rung} {}", about.len()));
        }
        if lines.len() == RUNGS.len() {
            heard_by += 1;
            figure(
                10,
                &format!(
                    "{name}: told of a change by every rung, last word never \"deleted\" (words about the file: {})",
                    lines.join(", ")
                ),
            );
        }
    }
    match heard_by {
        0 => Err(Skipped("no watcher is there".into())),
        _ => Ok(()),
    }
}

/// Returns what a watcher reports about one write; the error is the reason why the watcher is not available.
fn told_of_a_write(rung: &str, listen: Listen) -> Result<Vec<Heard>, String> {
    let folder = TestFolder::in_memory();
    let commit = CommitKind::named(rung);
    let site = commit.prepare(folder.path());
    let root = site.root.canonicalize().unwrap();
    let ear = listen(&root)?;
    let workspace = site.open(commit.disk());
    commit.act(&workspace, &site.root).unwrap();
    Ok(all(&ear.heard))
}

/// Collects all events until there are no more.
fn all(heard: &Receiver<Heard>) -> Vec<Heard> {
    let mut all = Vec::new();
    loop {
        let is_told = all.iter().any(|(_, file): &Heard| file == "a");
        match heard.recv_timeout(if is_told { SILENCE } else { PATIENCE }) {
            Ok(word) => all.push(word),
            Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => return all,
        }
    }
}

fn notify_crate(folder: &Path) -> Result<Subscription, String> {
    let (tell, heard) = channel();
    let told = move |event: notify::Result<notify::Event>| {
        let Ok(event) = event else { return };
        let word = match event.kind {
            EventKind::Create(_) => FileEvent::Changed,
            EventKind::Modify(ModifyKind::Name(RenameMode::From)) | EventKind::Remove(_) => {
                FileEvent::Gone
            }
            // An event with both names of a rename is repeated for each name alone.
            EventKind::Modify(ModifyKind::Name(RenameMode::Both)) => return,
            EventKind::Modify(_) => FileEvent::Changed,
            _ => return,
        };
        for path in event.paths {
            let name = path.file_name().unwrap_or_default();
            let _ = tell.send((word, name.to_string_lossy().into_owned()));
        }
    };
    let mut watcher = notify::recommended_watcher(told).map_err(|error| error.to_string())?;
    watcher
        .watch(folder, RecursiveMode::Recursive)
        .map_err(|error| error.to_string())?;
    Ok(Subscription {
        heard,
        _child: None,
        _watcher: Some(watcher),
    })
}

fn node(kind: &str, folder: &Path) -> Result<Subscription, String> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/clients/watchers");
    if !here.join("node_modules").exists() {
        let why =
            "its packages are not in target/clients/watchers (`cargo xtask test` installs them)";
        return Err(missing(kind, why));
    }
    let script = fs::canonicalize(here.join("watch.mjs")).map_err(|error| error.to_string())?;
    let mut child = Command::new("node")
        .args([text(&script), kind, text(folder)])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .map_err(|error| missing("node", &error.to_string()))?;
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let child = Closing(child);
    match lines.next() {
        Some(Ok(line)) if line == "ready" => {}
        other => return Err(format!("it did not begin: {other:?}")),
    }
    let (tell, heard) = channel();
    std::thread::spawn(move || {
        for line in lines.map_while(Result::ok) {
            let Some((kind, name)) = line.split_once(' ') else {
                continue;
            };
            let word = match kind {
                "unlink" | "delete" => FileEvent::Gone,
                _ => FileEvent::Changed,
            };
            if tell.send((word, name.to_owned())).is_err() {
                break;
            }
        }
    });
    Ok(Subscription {
        heard,
        _child: Some(child),
        _watcher: None,
    })
}
