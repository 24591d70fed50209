//! The examples in the README and the pages of `docs/`: the opening answer is lancet's own, the recorded session shows
//! it, and lancet accepts every command.

use std::fs;
use std::path::{Path, PathBuf};

use crate::stage::Stage;

/// The file of the README's opening and of the recorded session.
const CLIENT: &str = "def fetch(url):\n    return get(url, timeout=10)\n\ndef upload(url, body):\n    return put(url, body, timeout=10)\n";

fn top() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Returns the blocks of code of one kind.
fn fenced(page: &str, kind: &str) -> Vec<String> {
    let opening = format!("```{kind}\n");
    page.split(&opening)
        .skip(1)
        .filter_map(|rest| rest.split("```").next())
        .map(str::to_owned)
        .collect()
}

/// Splits a command line into plain arguments and arguments in single quotes; it ends at a comment or an operator.
fn split_arguments(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quoted = false;
    for mark in line.chars() {
        match mark {
            '\'' => {
                quoted = !quoted;
                word.get_or_insert_default();
            }
            '#' | '|' | '>' if !quoted && word.is_none() => break,
            ' ' if !quoted => words.extend(word.take()),
            mark => word.get_or_insert_default().push(mark),
        }
    }
    words.extend(word);
    words
}

/// Runs a line that begins with `lancet`.
fn typed(stage: &Stage, line: &str) -> crate::stage::Run {
    let words = split_arguments(line);
    let arguments: Vec<&str> = words.iter().skip(1).map(String::as_str).collect();
    stage.run(&arguments)
}

#[test]
fn the_readme_opens_with_a_real_answer() {
    let readme = fs::read_to_string(top().join("README.md")).expect("the README");
    let opening = fenced(&readme, "console").remove(0);
    let (command, answer) = opening.split_once('\n').expect("a command and its answer");
    let stage = Stage::new();
    stage.file("client.py", CLIENT);
    let run = typed(&stage, command.strip_prefix("$ ").expect("a prompt"));
    assert_eq!(
        (run.code, run.err.as_str()),
        (1, answer),
        "where the answer was changed on purpose, README.md gets the new one, and docs/session/record.py records again"
    );
    assert_eq!(stage.text("client.py"), CLIENT);
    // On a terminal the answer begins without the program's name.
    let answer = answer.strip_prefix("lancet: ").expect("the program's name");
    for theme in ["light", "dark"] {
        let picture = top().join(format!("docs/session/session-{theme}.svg"));
        let picture = fs::read_to_string(picture).expect("the picture");
        assert_eq!(
            picture_text(&picture, answer.lines().count()),
            answer,
            "{theme}"
        );
    }
}

/// Returns the lines of a drawn session after its first, as text without the colours.
fn picture_text(picture: &str, count: usize) -> String {
    let mut lines: Vec<(String, String)> = Vec::new();
    for element in picture.lines().filter(|line| line.starts_with("<text ")) {
        let attribute = |name: &str| {
            let (_, rest) = element
                .split_once(&format!(" {name}=\""))
                .expect("it has one");
            rest.split('"').next().unwrap_or_default().to_owned()
        };
        let (_, text) = element.split_once('>').expect("an element");
        let text = text.strip_suffix("</text>").expect("its end");
        match lines.last_mut() {
            Some((line, before)) if *line == attribute("y") => before.push_str(text),
            _ => lines.push((attribute("y"), text.to_owned())),
        }
    }
    let lines = lines.iter().skip(1).take(count);
    lines.map(|(_, text)| format!("{text}\n")).collect()
}

#[test]
fn lancet_takes_every_command_of_the_documentation() {
    let stage = Stage::new();
    stage.file("src/main.rs", "fn main() {\n    let limit = 10;\n}\n");
    stage.file("src/limit.rs", "// a limit\n");
    let mut pages = vec![top().join("README.md")];
    let entries = fs::read_dir(top().join("docs")).expect("the pages");
    pages.extend(entries.map(|entry| entry.expect("an entry").path()));
    let mut taken = 0;
    for page in pages
        .iter()
        .filter(|page| page.extension().is_some_and(|kind| kind == "md"))
    {
        let text = fs::read_to_string(page).expect("a page");
        for line in fenced(&text, "sh").iter().flat_map(|block| block.lines()) {
            if line.starts_with("lancet ") {
                let run = typed(&stage, line);
                assert_ne!(run.code, 2, "{}: {line}: {run:?}", page.display());
                taken += 1;
            }
        }
    }
    assert!(taken >= 10, "{taken}");
}
