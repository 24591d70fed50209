//! The conditions that must hold when all servers have ended.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::book::{Book, Trace};
use crate::project::{Project, SHARED, Tree};

/// Checks all conditions, and fails with every violation.
pub(crate) fn everything(project: &Project, first: &Tree, books: &[Book], kills: usize) {
    print_results(books, kills);
    project.keep_copy();
    let mut found: Vec<String> = books.iter().flat_map(|book| book.faults.clone()).collect();
    verify(project, "after the work", &mut found);
    let tree = project.tree();
    no_temporary_files(&tree, &mut found);
    pairs(project, &tree, &mut found);
    let text = Text::from_tree(&tree);
    for (token, traces) in books.iter().flat_map(|book| &book.tokens) {
        text.check(token, traces, &mut found);
    }
    log(project, books, &mut found);
    let undone = project.run(&["undo", "--since", "1d", "--yes", "--json"]);
    if !undone.status.success() {
        let said = String::from_utf8_lossy(&undone.stdout);
        found.push(format!(
            "undo of everything: {}",
            &said[..said.len().min(3_000)]
        ));
    }
    compare(first, &project.tree(), &mut found);
    verify(project, "after the undo", &mut found);
    let journal = std::fs::read_dir(project.state().join("journal"));
    let left: Vec<_> = journal.into_iter().flatten().flatten().collect();
    let left = left.iter().filter(|entry| entry.path().is_file());
    found.extend(left.map(|entry| format!("left in the journal: {}", entry.path().display())));
    found.truncate(60);
    assert!(
        found.is_empty(),
        "{} faults:\n{}",
        found.len(),
        found.join("\n")
    );
}

fn print_results(books: &[Book], kills: usize) {
    let mut all: BTreeMap<&(String, String), usize> = BTreeMap::new();
    for (result, number) in books.iter().flat_map(|book| &book.results) {
        *all.entry(result).or_default() += number;
    }
    let told: usize = books.iter().map(|book| book.told).sum();
    let operations: usize = books.iter().map(|book| book.operations.len()).sum();
    eprintln!(
        "{kills} kills, {operations} changes answered, {told} answers told of an interrupted change"
    );
    for ((tool, result), number) in all {
        eprintln!("  {tool} {result}: {number}");
    }
}

/// Checks that `lancet verify` finds nothing. Only lancet has written here, so every change must have found the state
/// that an earlier change left.
fn verify(project: &Project, when: &str, found: &mut Vec<String>) {
    let answer = project
        .lines(&["verify", "--json"])
        .pop()
        .unwrap_or_default();
    let is_none = |field: &str| match &answer[field] {
        Value::Array(all) => all.is_empty(),
        other => *other == 0,
    };
    let fields = ["faults", "byOthers", "unread", "changesAfterOthers"];
    if answer["ok"] != true || !fields.iter().all(|field| is_none(field)) {
        let answer = answer.to_string();
        found.push(format!(
            "verify {when}: {}",
            &answer[..answer.len().min(3_000)]
        ));
    }
}

fn no_temporary_files(tree: &Tree, found: &mut Vec<String>) {
    let is_ours = |path: &&PathBuf| {
        let name = path.file_name().unwrap_or_default();
        name.to_string_lossy().starts_with(".lancet")
    };
    let left = tree.keys().filter(is_ours);
    found.extend(left.map(|path| format!("left behind: {}", path.display())));
}

fn pairs(project: &Project, tree: &Tree, found: &mut Vec<String>) {
    for number in 0..SHARED {
        let [left, right] = project.pair(number);
        let bytes = |path: &Path| tree.get(path).and_then(|entry| entry.bytes.clone());
        if bytes(&left) != bytes(&right) {
            found.push(format!("the pair {number} is torn"));
        }
    }
}

/// The places of the tokens.
struct Text {
    /// How often each token is in each file.
    lines: HashMap<String, HashMap<PathBuf, usize>>,
    /// The files that are named after each token.
    files: HashMap<String, Vec<PathBuf>>,
}

impl Text {
    fn from_tree(tree: &Tree) -> Text {
        let mut text = Text {
            lines: HashMap::new(),
            files: HashMap::new(),
        };
        for (path, entry) in tree {
            let Some(bytes) = &entry.bytes else { continue };
            let content = String::from_utf8_lossy(bytes);
            let stem = path.file_stem().unwrap_or_default().to_string_lossy();
            if stem.starts_with("token-") {
                // The content is the name: the file is neither torn nor another's.
                let name = if content == stem {
                    stem.into_owned()
                } else {
                    format!("{content} in {stem}")
                };
                text.files.entry(name).or_default().push(path.clone());
                continue;
            }
            for (at, _) in content.match_indices("token-") {
                let word = content[at..]
                    .split(['\n', '"', '\\'])
                    .next()
                    .unwrap_or_default();
                let counts = text.lines.entry(word.to_owned()).or_default();
                *counts.entry(path.clone()).or_default() += 1;
            }
        }
        text
    }

    /// Checks that the occurrences of a token are one of the traces that its changes may have left.
    fn check(&self, token: &str, traces: &[Trace], found: &mut Vec<String>) {
        let none = HashMap::new();
        let lines = self.lines.get(token).unwrap_or(&none);
        let files = self.files.get(token).map_or(&[][..], Vec::as_slice);
        let is_so = traces.iter().any(|trace| match trace {
            Trace::Nowhere => lines.is_empty() && files.is_empty(),
            Trace::File(path) => lines.is_empty() && files == [path.clone()],
            Trace::Lines(paths) => {
                let once = paths.iter().all(|path| lines.get(path) == Some(&1));
                once && lines.len() == paths.len() && files.is_empty()
            }
        });
        if !is_so {
            found.push(format!(
                "{token}: in {lines:?} {files:?}, may be {traces:?}"
            ));
        }
    }
}

/// Checks that every answered change is in the log once.
fn log(project: &Project, books: &[Book], found: &mut Vec<String>) {
    let mut times: HashMap<String, usize> = HashMap::new();
    for line in project.lines(&["log", "--json", "-n", "1000000"]) {
        if let Some(operation) = line["operation"].as_str() {
            *times.entry(operation.to_owned()).or_default() += 1;
        }
    }
    for operation in books.iter().flat_map(|book| &book.operations) {
        match times.get(operation) {
            Some(1) => {}
            other => found.push(format!("{operation} is in the log {other:?} times")),
        }
    }
}

fn compare(first: &Tree, now: &Tree, found: &mut Vec<String>) {
    for (path, entry) in first {
        match now.get(path) {
            None => found.push(format!("missing after the undo: {}", path.display())),
            Some(other) if other != entry => {
                found.push(format!("not as it was: {}", path.display()))
            }
            Some(_) => {}
        }
    }
    let more = now.keys().filter(|path| !first.contains_key(*path));
    found.extend(more.map(|path| format!("still there after the undo: {}", path.display())));
}
