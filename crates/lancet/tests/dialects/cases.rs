//! The cases of the folder `dialects`, applied: exact bytes, modes, and files that must not be touched.

use lancet::dialects::{AppliedBy, Dialect, ResponseOptions};
use lancet::{Lancet, Mode};
use lancet_testing::TestFolder;
use serde_json::Value;

use crate::case_files::{Tree, content, put};

fn cases() -> Vec<Value> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../dialects");
    let mut cases = Vec::new();
    for entry in std::fs::read_dir(folder).expect("the folder of cases") {
        let path = entry.expect("an entry").path();
        if path.extension().is_some_and(|name| name == "json") {
            let text = std::fs::read_to_string(&path).expect("a file of cases");
            let list: Vec<Value> = serde_json::from_str(&text).expect("a list of cases");
            cases.extend(list);
        }
    }
    assert!(cases.len() > 200, "{}", cases.len());
    cases
}

/// Applies the reply of a case to its files.
fn play(case: &Value, format: Option<Dialect>) -> Result<(), String> {
    let folder = TestFolder::in_memory();
    let beside = folder.make("beside");
    let root = folder.make("beside/root");
    put(&root, &case["files"]);
    put(&beside, &case["outside"]);
    let (before, around) = (Tree::load(&root), Tree::load(&beside));
    let lancet = Lancet::builder()
        .root(&root)
        .state_dir(folder.join("state"))
        .mode(Mode::AcceptEdits)
        .open()
        .expect("the engine opens");
    let reply = String::from_utf8(content(&case["reply"])).expect("a text");
    let reply = reply.replace("$ROOT", &root.display().to_string());
    let mut options = ResponseOptions::default();
    options.format = format;
    options.applied_by = AppliedBy::Person;
    let answer = lancet.new_session().apply_response(&reply, options);
    let nothing = Value::Null;
    let after = match answer.is_error() {
        true => &nothing,
        false => &case["after"],
    };
    Tree::load(&root)
        .check(&before, after)
        .map_err(|wrong| format!("{wrong}\n    {}", answer.text()))?;
    if case["ok"] != "either" {
        check_answer(case, answer.is_error(), answer.data())?;
    }
    let told = format!("{}\n{}", answer.text(), answer.data());
    for pattern in case["says"].as_array().into_iter().flatten() {
        let pattern = pattern.as_str().expect("a pattern");
        if !says(&told, pattern) {
            return Err(format!("the answer lacks {pattern}: {told}"));
        }
    }
    // The root itself is compared above.
    let beside_now = Tree::load(&beside).without("root/");
    match beside_now == around.without("root/") {
        true => Ok(()),
        false => Err("a file outside the root was touched".to_owned()),
    }
}

fn check_answer(case: &Value, is_error: bool, data: &Value) -> Result<(), String> {
    let names: Option<Vec<&str>> = match &case["error"] {
        Value::String(name) => Some(vec![name]),
        Value::Array(names) => Some(names.iter().filter_map(Value::as_str).collect()),
        _ => None,
    };
    let Some(names) = names else {
        return match is_error {
            true => Err(format!("refused: {data}")),
            false => Ok(()),
        };
    };
    let error = &data["error"];
    let name = error["name"].as_str().unwrap_or("applied");
    if !is_error || (names != ["any"] && !names.contains(&name)) {
        return Err(format!("wanted {names:?}, got {name}: {data}"));
    }
    if !case["line"].is_null() && error["line"] != case["line"] {
        return Err(format!("wanted line {}, got {error}", case["line"]));
    }
    match case["line"].is_null() || error["column"].as_u64() >= Some(1) {
        true => Ok(()),
        false => Err(format!("no column: {error}")),
    }
}

/// Returns whether a text matches the pattern of a case: plain text, `|` between alternatives, `(?i)` before and `\b`
/// around them.
fn says(text: &str, pattern: &str) -> bool {
    let (text, pattern) = match pattern.strip_prefix("(?i)") {
        Some(pattern) => (text.to_lowercase(), pattern.to_lowercase()),
        None => (text.to_owned(), pattern.to_owned()),
    };
    pattern.split('|').any(|word| {
        let plain = word.replace("\\.", ".").replace("\\b", "");
        let is_word = |letter: char| letter.is_alphanumeric() || letter == '_';
        text.match_indices(&plain).any(|(at, _)| {
            let before = text[..at].chars().next_back();
            let after = text[at + plain.len()..].chars().next();
            !word.contains("\\b") || !(before.is_some_and(is_word) || after.is_some_and(is_word))
        })
    })
}

/// How many cases are played at a time: most of the time goes into flushing files.
const THREADS: usize = 8;

/// Plays every case for which `format_of` returns a format option, and returns those that come out otherwise.
fn wrong(format_of: impl Fn(&Value) -> Option<Option<Dialect>> + Sync) -> Vec<String> {
    let cases = cases();
    let (cases, format_of) = (&cases, &format_of);
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..THREADS)
            .map(|first| {
                scope.spawn(move || {
                    let cases = cases.iter().skip(first).step_by(THREADS);
                    let played = cases.filter_map(|case| Some((case, format_of(case)?)));
                    let wrong = played.filter_map(|(case, format)| {
                        let words = play(case, format).err()?;
                        Some(format!("{}: {words}", case["id"]))
                    });
                    wrong.collect::<Vec<_>>()
                })
            })
            .collect();
        let lists = threads.into_iter().map(|thread| thread.join());
        lists.flat_map(|list| list.expect("no panic")).collect()
    })
}

#[test]
fn every_case_comes_out_as_it_says_in_its_format() {
    let wrong = wrong(|case| match case["format"].as_str().map(str::parse) {
        None => Some(None),
        Some(Ok(format)) => Some(Some(format)),
        // Refusing a format that does not exist is left to the command line.
        Some(Err(_)) => None,
    });
    assert!(wrong.is_empty(), "{}:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn every_case_comes_out_as_it_says_where_its_format_is_detected() {
    let wrong = wrong(|case| match case["detect"] != false && case["exit"] != 2 {
        true => Some(None),
        false => None,
    });
    assert!(wrong.is_empty(), "{}:\n{}", wrong.len(), wrong.join("\n"));
}
