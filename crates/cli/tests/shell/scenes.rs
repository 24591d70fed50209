//! The pages in `scenarios/shell/`: commands as a person types them, run with the program itself. Each `##` heading is
//! an empty project and an empty home. Text that differs from run to run is replaced by `$ROOT`, `$OP1`, `$TIME` and
//! similar names.

use std::fs;
use std::path::PathBuf;

use crate::page::{Answer, Page, Section, Wrong};
use crate::stage::{LANCET, Stage, finish};

struct Scene {
    stage: Stage,
    /// The operations so far, in the order of their time.
    operations: Vec<String>,
}

impl Scene {
    /// Runs a line in the shell.
    fn run(&mut self, line: &str) -> Answer {
        let folder = PathBuf::from(LANCET);
        let folder = folder.parent().expect("a folder").display().to_string();
        let path = std::env::var("PATH").unwrap_or_default();
        let mut command = self.stage.command("sh");
        command
            .env("PATH", format!("{folder}:{path}"))
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .args(["-c", &format!("exec 2>&1\n{}", self.unfold(line))]);
        let run = finish(command, b"");
        self.operations = self.log();
        let words = match run.code {
            0 => "answer".to_owned(),
            code => format!("exit {code}"),
        };
        Answer {
            words,
            text: self.fold(&run.out),
        }
    }

    fn log(&self) -> Vec<String> {
        let log = self.stage.run(&["log", "--json", "-n", "1000"]);
        let mut ids: Vec<String> = log
            .out
            .lines()
            .filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok())
            .filter_map(|line| Some(line["operation"].as_str()?.to_owned()))
            .collect();
        ids.sort();
        ids
    }

    fn unfold(&self, text: &str) -> String {
        let mut text = text.to_owned();
        for (at, id) in self.operations.iter().enumerate().rev() {
            text = text.replace(&format!("$OP{}", at + 1), id);
        }
        text
    }

    fn fold(&self, text: &str) -> String {
        let mut text = text.replace(&self.stage.project().display().to_string(), "$ROOT");
        for (at, id) in self.operations.iter().enumerate() {
            text = text.replace(id, &format!("$OP{}", at + 1));
        }
        text = self.fold_short(&text);
        text = replace_shape(&text, "0000-00-00 00:00:00", "$TIME");
        text = replace_shape(&text, "0000-00-00T00:00:00Z", "$TIME");
        text = replace_shape(&text, "0000-00-00T00:00:00.000Z", "$TIME");
        let workspace = format!("\"workspace\":\"{}\"", "*".repeat(16));
        text = replace_shape(&text, &workspace, "\"workspace\":\"$WORKSPACE\"");
        for zone in ["$TIME +00:00", "$TIME -00:00"] {
            text = replace_shape(&text, zone, "$TIME $ZONE");
        }
        text = text.replace(env!("CARGO_PKG_VERSION"), "$VERSION");
        text = replace_shape(&text, "\"mode\":\"000\"", "\"mode\":\"$MODE\"");
        for letters in 2..12 {
            let shape = format!("\"short\":\"{}\"", "*".repeat(letters));
            text = replace_shape(&text, &shape, "\"short\":\"$SHORT\"");
        }
        text = replace_shape(&text, "unnamed-************", "unnamed-$SESSION");
        for digits in (1..4).rev() {
            let shape = format!("{}.0 KiB", "0".repeat(digits));
            text = replace_shape(&text, &shape, "$MANY KiB");
        }
        for digits in (4..9).rev() {
            text = replace_shape(
                &text,
                &format!("{} bytes", "0".repeat(digits)),
                "$MANY bytes",
            );
        }
        text
    }

    /// Replaces the ending of an id at the beginning of a line, as the log has it.
    fn fold_short(&self, text: &str) -> String {
        let mut out = String::new();
        for line in text.split_inclusive('\n') {
            let short = line.split_once("  ").map(|(short, _)| short);
            // `ID^` is the state before a change.
            let short = short.map(|short| short.trim_end_matches('^'));
            let short = short.filter(|short| (2..12).contains(&short.len()));
            let found = short.and_then(|short| {
                let mut ids = self.operations.iter();
                Some((short, ids.position(|id| id.ends_with(short))?))
            });
            match found {
                Some((short, at)) => {
                    // A short id is filled up to the longest of the list.
                    let rest = line[short.len()..].trim_start_matches(' ');
                    let gap = if rest.starts_with('^') { "" } else { "  " };
                    out.push_str(&format!("$OP{}{gap}{rest}", at + 1));
                }
                None => out.push_str(line),
            }
        }
        out
    }
}

/// Replaces text of a given shape: `0` matches any digit, `*` any lower-case letter or digit, and anything else itself.
fn replace_shape(text: &str, shape: &str, with: &str) -> String {
    let fits = |byte: u8, wanted: u8| match wanted {
        b'0' => byte.is_ascii_digit(),
        b'*' => byte.is_ascii_digit() || byte.is_ascii_lowercase(),
        same => byte == same,
    };
    let mut out = String::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let head = rest.as_bytes().get(..shape.len());
        if head.is_some_and(|head| {
            head.iter()
                .zip(shape.bytes())
                .all(|(byte, wanted)| fits(*byte, wanted))
        }) {
            out.push_str(with);
            rest = &rest[shape.len()..];
        } else {
            out.push(first);
            rest = &rest[first.len_utf8()..];
        }
    }
    out
}

fn play(
    section: &Section<'_>,
    answers: &mut std::collections::BTreeMap<usize, Answer>,
) -> Result<Vec<String>, Wrong> {
    let mut scene = Scene {
        stage: Stage::new(),
        operations: Vec::new(),
    };
    let mut wrong = Vec::new();
    let mut blocks = section.blocks.iter().peekable();
    while let Some(block) = blocks.next() {
        let name = || {
            block
                .words
                .get(1)
                .copied()
                .ok_or_else(|| block.wrong("which file?"))
        };
        match block.kind() {
            "file" | "meanwhile" => drop(scene.stage.file(name()?, block.body)),
            "settings" => {
                let folder = scene.stage.home().join(".config/lancet");
                fs::create_dir_all(&folder).expect("a folder");
                fs::write(folder.join("lancet.toml"), block.body).expect("written");
            }
            "run" => {
                let answer = scene.run(block.body);
                let next = blocks.next_if(|next| next.is_answer());
                if next.is_none_or(|next| !next.expects(&answer)) {
                    wrong.push(format!(
                        "{}: {}: got {}\n{}",
                        block.line, section.title, answer.words, answer.text
                    ));
                    answers.insert(block.line, answer);
                }
            }
            "after" if scene.stage.text(name()?) == block.body => {}
            "after" => wrong.push(format!(
                "{}: {}: the file is\n{}",
                block.line,
                section.title,
                scene.stage.text(name()?)
            )),
            "gone" if !scene.stage.project().join(name()?).exists() => {}
            "gone" => wrong.push(format!("{}: the file is still there", block.line)),
            other => return Err(block.wrong(format!("`{other}` is no kind of block"))),
        }
    }
    Ok(wrong)
}

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../scenarios/shell")
}

fn play_page(name: &str) {
    let path = folder().join(format!("{name}.md"));
    let text = fs::read_to_string(&path).expect("the page is there");
    let page = Page::parse(&text).unwrap_or_else(|wrong| panic!("{name}.md:{wrong}"));
    let mut answers = std::collections::BTreeMap::new();
    let mut wrong = Vec::new();
    for section in &page.sections {
        match play(section, &mut answers) {
            Ok(found) => wrong.extend(found),
            Err(found) => wrong.push(found.to_string()),
        }
    }
    if std::env::var_os("LANCET_BLESS").is_some() {
        fs::write(&path, page.with_answers(&answers)).expect("the page can be written");
    } else {
        assert!(wrong.is_empty(), "{name}.md\n{}", wrong.join("\n"));
    }
}

#[test]
fn what_became_of_the_files() {
    play_page("diff");
}

#[test]
fn out_of_the_history_into_git() {
    play_page("commit");
}

#[test]
fn a_change_that_proves_itself() {
    play_page("exec");
}

#[test]
fn moving_and_removing_files() {
    play_page("moving");
}

#[test]
fn all_projects() {
    play_page("projects");
}

#[test]
fn the_history_from_the_shell() {
    play_page("history");
}

#[test]
fn agents_settings() {
    play_page("agents");
}

#[test]
fn what_agents_tell_by_their_hooks() {
    play_page("hooks");
}

#[test]
fn ten_everyday_tasks() {
    play_page("everyday");
}

#[test]
#[cfg(target_os = "linux")]
fn files_that_other_programs_convert() {
    play_page("converters");
}

#[test]
#[cfg(target_os = "linux")]
fn formatters_that_the_person_names() {
    play_page("formatters");
}

#[test]
fn what_other_programs_changed() {
    play_page("recorded");
}

#[test]
fn wrong_turns_lead_on() {
    play_page("wrong-turns");
}

#[test]
fn every_page_of_the_shell_is_played() {
    let mut there: Vec<_> = fs::read_dir(folder())
        .expect("the folder is there")
        .map(|entry| entry.expect("an entry").file_name())
        .collect();
    there.sort();
    let played = [
        "agents.md",
        "commit.md",
        "converters.md",
        "diff.md",
        "everyday.md",
        "exec.md",
        "formatters.md",
        "history.md",
        "hooks.md",
        "moving.md",
        "projects.md",
        "recorded.md",
        "wrong-turns.md",
    ];
    assert_eq!(there, played);
}
