//! Figure 10: what a write looks like to those who watch the folder: chokidar (Vite and many more), @parcel/watcher (VS
//! Code) and the crate notify. Each is told of a change of the file, and none is left believing that it is gone.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

use notify::event::{ModifyKind, RenameMode};
use notify::{EventKind, RecursiveMode, Watcher as _};

use crate::deed::Deed;
use crate::place::text;
use lancet_testing::TestFolder;

use crate::runner::{Form, Skipped, figure, missing, skip};

const RUNGS: [&str; 3] = ["exchange+lease", "aside", "in-place-leased"];
/// After so long without a word nothing more comes.
const SILENCE: Duration = Duration::from_millis(700);
/// So long the first word about the file may take.
const PATIENCE: Duration = Duration::from_secs(20);

/// What a watcher says about a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Word {
    /// It is new, or it changed.
    Changed,
    Gone,
}

type Heard = (Word, String);

/// Somebody who watches.
struct Ear {
    heard: Receiver<Heard>,
    _child: Option<Closing>,
    _watcher: Option<notify::RecommendedWatcher>,
}

type Listen = fn(&Path) -> Result<Ear, String>;

/// A program that ends with us.
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
    for (name, listen) in listeners {
        let mut lines = Vec::new();
        for rung in RUNGS {
            let folder = TestFolder::in_memory();
            let deed = Deed::named(rung);
            let site = deed.prepare(folder.path());
            let root = site.root.canonicalize().unwrap();
            let ear = match listen(&root) {
                Ok(ear) => ear,
                Err(why) => {
                    skip(10, name, &why);
                    break;
                }
            };
            let workspace = site.open(deed.disk());
            deed.act(&workspace, &site.root).unwrap();
            let heard = all(&ear.heard);
            let about: Vec<Word> = heard
                .iter()
                .filter(|(_, file)| file == "a")
                .map(|(word, _)| *word)
                .collect();
            assert!(about.contains(&Word::Changed), "{name}, {rung}: {heard:?}");
            assert_eq!(
                about.last(),
                Some(&Word::Changed),
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

/// Everything that is said until it is silent.
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

fn notify_crate(folder: &Path) -> Result<Ear, String> {
    let (tell, heard) = channel();
    let told = move |event: notify::Result<notify::Event>| {
        let Ok(event) = event else { return };
        let word = match event.kind {
            EventKind::Create(_) => Word::Changed,
            EventKind::Modify(ModifyKind::Name(RenameMode::From)) | EventKind::Remove(_) => {
                Word::Gone
            }
            // Both names in one event: said of each by itself as well.
            EventKind::Modify(ModifyKind::Name(RenameMode::Both)) => return,
            EventKind::Modify(_) => Word::Changed,
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
    Ok(Ear {
        heard,
        _child: None,
        _watcher: Some(watcher),
    })
}

fn node(kind: &str, folder: &Path) -> Result<Ear, String> {
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
                "unlink" | "delete" => Word::Gone,
                _ => Word::Changed,
            };
            if tell.send((word, name.to_owned())).is_err() {
                break;
            }
        }
    });
    Ok(Ear {
        heard,
        _child: Some(child),
        _watcher: None,
    })
}
