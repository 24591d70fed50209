//! Plays the sections of a page against the library and collects the answers and the faults.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use lancet::settings::{Layer, Origin};
use lancet::settings::{SettingsChange, SettingsSource};
use lancet::{Lancet, Mode, RawCall, Session, Settings};
use lancet_syntax::TreeReader;
use serde_json::{Value, json};
use tempfile::TempDir;

use super::content::{bytes, escape_bytes};
use super::page::{Answer, Block, Page, Section, Wrong};
use super::values::arguments;

/// The result of playing a page.
#[derive(Default)]
pub(crate) struct Played {
    /// The answers that did not fit, by the line of their call.
    pub(crate) answers: BTreeMap<usize, Answer>,
    /// The faults, ready to print.
    pub(crate) wrong: Vec<String>,
}

pub(crate) fn all(page: &Page<'_>) -> Played {
    let mut played = Played::default();
    for section in &page.sections {
        if let Err(wrong) = play(section, &mut played) {
            played.wrong.push(format!("{}: {wrong}", section.title));
        }
    }
    played
}

/// One conversation: a fresh folder, a fresh session.
struct Scene {
    folder: TempDir,
    settings: String,
    session: Option<Session>,
    /// The data of the last answer.
    data: Value,
    lancet: Option<Lancet>,
    news: News,
    /// The operations so far: `$OP1` and so on in calls and answers, since no two runs have the same ids.
    operations: Vec<String>,
}

/// Settings that were changed since the last call.
#[derive(Clone, Default)]
struct News(Arc<Mutex<Option<SettingsChange>>>);

impl SettingsSource for News {
    fn poll(&self) -> SettingsChange {
        let news = self.0.lock().expect("not poisoned").take();
        news.unwrap_or(SettingsChange::Unchanged)
    }
}

fn load(text: &str) -> Result<Settings, String> {
    let layer = Layer {
        origin: Origin::CommandLine,
        path: "settings".into(),
        text: text.to_owned(),
    };
    Settings::load(&[layer]).map_err(|error| error.to_string())
}

impl Scene {
    fn root(&self) -> std::path::PathBuf {
        self.folder
            .path()
            .canonicalize()
            .expect("the folder is there")
            .join("root")
    }

    /// Replaces the placeholders in a page's text with the values of this run.
    fn unfold(&self, text: &str) -> String {
        let mut text = text.replace("$ROOT", &self.root().display().to_string());
        for (at, id) in self.operations.iter().enumerate().rev() {
            text = text.replace(&format!("$OP{}", at + 1), id);
        }
        text
    }

    /// Replaces the values of this run with the placeholders.
    fn fold(&self, text: &str) -> String {
        let mut text = text.replace(&self.root().display().to_string(), "$ROOT");
        for (at, id) in self.operations.iter().enumerate() {
            text = text.replace(id, &format!("$OP{}", at + 1));
        }
        text
    }

    /// Sets the settings: before the first call as passed in, later as changed while the engine is open.
    fn set(&mut self, text: &str) {
        self.settings = text.to_owned();
        if self.session.is_some() {
            let news = match load(text) {
                Ok(settings) => SettingsChange::Changed(Box::new(settings.into())),
                Err(why) => SettingsChange::Broken(why),
            };
            *self.news.0.lock().expect("not poisoned") = Some(news);
        }
    }

    /// Narrows the roots to those that the client names from now on.
    fn narrow(&mut self, names: &str) -> Result<(), String> {
        let session = self.session()?;
        let folders: Vec<_> = names.lines().map(|name| self.root().join(name)).collect();
        let lancet = self.lancet.as_ref().ok_or("not open")?;
        let narrowed = lancet.narrowed(&folders);
        self.session = Some(session.with_view(narrowed.as_ref().unwrap_or(lancet)));
        Ok(())
    }

    /// Returns the session, opened at the first call so that settings may come anywhere before it.
    fn session(&mut self) -> Result<Session, String> {
        if let Some(session) = &self.session {
            return Ok(session.clone());
        }
        let mut builder = Lancet::builder()
            .root(self.root())
            .settings(load(&self.settings)?)
            .settings_source(self.news.clone())
            .syntax_reader(TreeReader::with_time_limit(Duration::from_secs(60)))
            .mode(Mode::AcceptEdits);
        // Most pages are about files alone, and are faster without a history.
        if ["Undo", "text-editor"]
            .iter()
            .any(|word| self.settings.contains(word))
        {
            builder = builder.state_dir(self.root().with_file_name("state"));
        }
        let lancet = builder.open().map_err(|error| error.to_string())?;
        let session = lancet.new_session();
        self.lancet = Some(lancet);
        self.session = Some(session.clone());
        Ok(session)
    }
}

fn play(section: &Section<'_>, played: &mut Played) -> Result<(), Wrong> {
    let mut scene = Scene {
        folder: tempfile::tempdir().expect("a folder"),
        settings: String::new(),
        session: None,
        data: Value::Null,
        lancet: None,
        news: News::default(),
        operations: Vec::new(),
    };
    std::fs::create_dir(scene.root()).expect("a folder");
    let mut blocks = section.blocks.iter().peekable();
    while let Some(block) = blocks.next() {
        let path = |scene: &Scene| match block.words.get(1) {
            Some(name) => Ok(scene.root().join(name)),
            None => Err(block.wrong("which file?")),
        };
        let words = block.words.get(2..).unwrap_or_default();
        match block.kind() {
            "file" | "meanwhile" => {
                let content = bytes(block.body, words).map_err(|words| block.wrong(words))?;
                let path = path(&scene)?;
                let parent = path.parent().unwrap_or(Path::new("/"));
                std::fs::create_dir_all(parent).expect("a folder");
                std::fs::write(&path, content).expect("a file");
                if words.contains(&"seen") {
                    let session = scene.session().map_err(|words| block.wrong(words))?;
                    let read = session.call(RawCall::new("Read", json!({ "file_path": path })));
                    if read.is_error() {
                        return Err(block.wrong(read.text()));
                    }
                }
            }
            "deleted" => std::fs::remove_file(path(&scene)?).expect("the file was there"),
            "settings" => scene.set(block.body),
            "roots" => scene
                .narrow(block.body)
                .map_err(|words| block.wrong(words))?,
            "call" => {
                let answer = call(&mut scene, block)?;
                match blocks.next_if(|next| next.is_answer()) {
                    Some(next) if next.expects(&answer) => {}
                    Some(next) => {
                        played.wrong.push(format!(
                            "{}: {}: wanted {}{}\ngot {}{}",
                            next.line,
                            section.title,
                            next.words.join(" "),
                            indented(next.body),
                            answer.words,
                            indented(&answer.text)
                        ));
                        played.answers.insert(block.line, answer);
                    }
                    None => {
                        played.wrong.push(format!(
                            "{}: {}: a call without an answer",
                            block.line, section.title
                        ));
                        played.answers.insert(block.line, answer);
                    }
                }
            }
            "after" => {
                let wanted = bytes(block.body, words).map_err(|words| block.wrong(words))?;
                let got =
                    std::fs::read(path(&scene)?).map_err(|error| block.wrong(error.to_string()))?;
                if got != wanted {
                    played.wrong.push(format!(
                        "{}: {}: the file should be\n{}\nand is\n{}",
                        block.line,
                        section.title,
                        indented(&escape_bytes(&wanted)),
                        indented(&escape_bytes(&got))
                    ));
                }
            }
            "data" => {
                let field = block
                    .words
                    .get(1)
                    .ok_or_else(|| block.wrong("which field?"))?;
                let wanted: Value = serde_json::from_str(&scene.unfold(block.body))
                    .map_err(|error| block.wrong(error.to_string()))?;
                let got = &scene.data[field];
                if *got != wanted {
                    let shown = scene.fold(&format!("{got:#}"));
                    played.wrong.push(format!(
                        "{}: {}: the data's {field} is{}",
                        block.line,
                        section.title,
                        indented(&shown)
                    ));
                }
            }
            "committed" => commit(&scene.root()).map_err(|words| block.wrong(words))?,
            "gone" => {
                if path(&scene)?.exists() {
                    played.wrong.push(format!(
                        "{}: {}: the file should not be there",
                        block.line, section.title
                    ));
                }
            }
            other => return Err(block.wrong(format!("`{other}` is no kind of block"))),
        }
    }
    Ok(())
}

fn call(scene: &mut Scene, block: &Block<'_>) -> Result<Answer, Wrong> {
    let tool = *block
        .words
        .get(1)
        .ok_or_else(|| block.wrong("which tool?"))?;
    let body = scene.unfold(block.body);
    let mut value = arguments(&body).map_err(|words| block.wrong(words))?;
    make_absolute(&mut value, &scene.root());
    let session = scene.session().map_err(|words| block.wrong(words))?;
    let reply = session.call(RawCall::new(tool, value));
    let error = &reply.data()["error"];
    let words = if reply.is_error() {
        format!(
            "refused {} {}",
            error["code"],
            error["name"].as_str().unwrap_or("?")
        )
    } else {
        "answer".to_owned()
    };
    if let Some(id) = reply.data()["operation"].as_str()
        && !reply.is_error()
    {
        scene.operations.push(id.to_owned());
    }
    scene.data = reply.data().clone();
    let text = scene.fold(reply.text());
    Ok(Answer { words, text })
}

/// Makes the folder a repository and commits everything in it, always with the same id.
fn commit(root: &Path) -> Result<(), String> {
    for arguments in [
        &["init", "-q", "-b", "main"][..],
        &["add", "-A"],
        &["commit", "-q", "-m", "as it was"],
    ] {
        let done = std::process::Command::new("git")
            .current_dir(root)
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", root.with_file_name("home"))
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env("GIT_AUTHOR_DATE", "1000000000 +0000")
            .env("GIT_COMMITTER_DATE", "1000000000 +0000")
            .args(["-c", "user.name=a", "-c", "user.email=a@b"])
            .args(arguments)
            .output()
            .map_err(|error| format!("git: {error}"))?;
        if !done.status.success() {
            return Err(String::from_utf8_lossy(&done.stderr).into_owned());
        }
    }
    Ok(())
}

/// Names on a page are relative to the root; tools are called with absolute paths. `./a.txt` stays as it is.
fn make_absolute(value: &mut Value, root: &Path) {
    // For Glob and Grep a relative path is part of what a page shows.
    let fields: &[&str] = match value.get("command") {
        Some(_) => &["path"],
        None => &["file_path", "notebook_path", "from_path", "to_path"],
    };
    for field in fields {
        if let Some(Value::String(path)) = value.get_mut(*field)
            && (!path.starts_with(['/', '~', '.']) || path.starts_with(".git/"))
        {
            *path = root.join(&*path).display().to_string();
        }
    }
    if let Some(Value::Array(edits)) = value.get_mut("edits") {
        for edit in edits {
            make_absolute(edit, root);
        }
    }
}

fn indented(text: &str) -> String {
    text.lines().map(|line| format!("\n    {line}")).collect()
}
