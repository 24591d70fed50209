//! The dialect cases of the repository, as far as parsing decides them: valid input is parsed, and malformed input is
//! an error at its line.

use lancet_dialects::{Dialect, ParseErrorKind, ParseOptions, ResponseStream, parse};
use serde_json::Value;

fn cases() -> Vec<Value> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../dialects");
    let mut cases = Vec::new();
    for entry in std::fs::read_dir(folder).expect("the folder of cases") {
        let path = entry.expect("an entry").path();
        if path
            .extension()
            .is_some_and(|extension| extension == "json")
        {
            let text = std::fs::read_to_string(&path).expect("a file of cases");
            let list: Vec<Value> = serde_json::from_str(&text).expect("a list of cases");
            cases.extend(list);
        }
    }
    assert!(cases.len() > 100, "{}", cases.len());
    cases
}

fn reply_of(case: &Value) -> Option<String> {
    match &case["reply"] {
        Value::String(text) => Some(text.clone()),
        Value::Array(lines) => Some(
            lines
                .iter()
                .map(|line| format!("{}\n", line.as_str().expect("a line")))
                .collect(),
        ),
        _ => None,
    }
}

fn check(case: &Value, format: Option<Dialect>) -> Result<(), String> {
    let Some(reply) = reply_of(case) else {
        return Ok(());
    };
    // The case runner replaces this by the root.
    let reply = reply.replace("$ROOT", "/root-folder");
    let is_known = |path: &str| case["files"].get(path).is_some();
    let options = ParseOptions {
        format,
        is_known: &is_known,
    };
    let parsed = parse(&reply, &options);
    let mut stream = ResponseStream::new(&options);
    let fed: Result<Vec<_>, _> = reply
        .split_inclusive(['\n', 'e'])
        .try_for_each(|piece| stream.feed(piece).map(drop))
        .and_then(|()| stream.finish());
    if fed != parsed {
        return Err(format!("fed in pieces: {fed:?}, whole: {parsed:?}"));
    }
    let names: Vec<&str> = match &case["error"] {
        Value::String(name) => vec![name],
        Value::Array(names) => names.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    };
    match (&parsed, case["ok"].as_str()) {
        (_, Some("either")) => Ok(()),
        (Err(error), _) if !names.is_empty() => {
            let line = case["line"].as_u64();
            let at_line = line.is_none_or(|line| line == error.line as u64);
            let is_expected = names.contains(&"invalid")
                || names.contains(&"any")
                || error.kind == ParseErrorKind::Unsupported;
            match at_line && is_expected {
                true => Ok(()),
                false => Err(format!("wanted {names:?} at {line:?}, got {error:?}")),
            }
        }
        (Err(error), _) if case["exit"].is_null() => Err(format!("not read: {error}")),
        (Ok(parts), _) if names == ["invalid"] => Err(format!("read: {parts:?}")),
        _ => Ok(()),
    }
}

#[test]
fn every_case_is_read_or_refused_at_its_line_with_its_format_and_without() {
    let mut wrong = Vec::new();
    for case in cases() {
        let id = case["id"].as_str().expect("an id");
        let format = case["format"].as_str().and_then(|name| name.parse().ok());
        if let Err(words) = check(&case, format) {
            wrong.push(format!("{id}: {words}"));
        }
        if case["detect"] != Value::Bool(false)
            && let Err(words) = check(&case, None)
        {
            wrong.push(format!("{id}, detected: {words}"));
        }
    }
    assert!(
        wrong.is_empty(),
        "{} wrong:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

#[test]
fn headers_of_a_diff_that_contradict_each_other_are_an_error() {
    let start = "diff --git a/a.txt b/b.txt\n";
    for lines in [
        "rename from a.txt\nrename to b.txt\ndeleted file mode 100644\n",
        "rename from a.txt\nrename to b.txt\nnew file mode 100644\n",
        "new file mode 100644\ndeleted file mode 100644\n",
        "rename from a.txt\n--- a/a.txt\n+++ b/b.txt\n@@ -1 +1 @@\n-x\n+y\n",
        "rename to b.txt\n--- a/a.txt\n+++ b/b.txt\n@@ -1 +1 @@\n-x\n+y\n",
    ] {
        let error = parse(&format!("{start}{lines}"), &ParseOptions::default()).expect_err(lines);
        assert_eq!(
            (error.line, error.kind),
            (1, ParseErrorKind::Malformed),
            "{lines}"
        );
    }
}

#[test]
fn a_rename_that_ends_inside_its_new_name_is_cut_off() {
    let reply = "diff --git a/a.txt b/moved/a.txt\nrename from a.txt\nrename to mov";
    let error = parse(reply, &ParseOptions::default()).expect_err("cut off");
    assert_eq!(error.kind, ParseErrorKind::CutOff);
}

#[test]
fn names_that_do_not_belong_together_are_no_section() {
    let new = "@@ -0,0 +1 @@\n+x\n";
    let git = "diff --git a/new.txt b/new.txt\nnew file mode 100644\n";
    let kind = |reply: String| parse(&reply, &ParseOptions::default()).map_err(|error| error.kind);
    for reply in [
        format!("--- /dev/null\n--- a/a.txt\n+++ b/new.txt\n{new}"),
        format!("{git}--- /dev/null\n--- a/a.txt\n+++ b/new.txt\n{new}"),
        format!("{git}--- /dev/null\n{new}"),
        format!("{git}--- /dev/null\n+++ b/other.txt\n{new}"),
        "diff --git a/a.txt b/a.txt\n--- a/b.txt\n+++ b/b.txt\n@@ -1 +1 @@\n-x\n+y\n".to_owned(),
    ] {
        assert_eq!(
            kind(reply.clone()),
            Err(ParseErrorKind::Malformed),
            "{reply}"
        );
    }
    let cut = format!("{git}--- /dev/null\n");
    assert_eq!(kind(cut), Err(ParseErrorKind::CutOff));
    for reply in [
        format!("{git}--- /dev/null\n+++ b/new.txt\n{new}"),
        format!("{git}--- /dev/null\n+++ new.txt\n{new}"),
        git.to_owned(),
    ] {
        assert_eq!(
            kind(reply.clone()).map(|parts| parts.len()),
            Ok(1),
            "{reply}"
        );
    }
}

#[test]
fn the_examples_of_every_prompt_are_edits_in_its_format() {
    for dialect in Dialect::ALL {
        let options = ParseOptions {
            format: Some(dialect),
            ..ParseOptions::default()
        };
        let parts =
            parse(dialect.prompt(), &options).unwrap_or_else(|error| panic!("{dialect}: {error}"));
        assert!(parts.len() >= 3, "{dialect}: {parts:?}");
        assert!(parts.iter().all(|part| part.dialect == dialect));
    }
}

#[test]
fn the_edits_of_a_reply_have_at_most_so_many_lines() {
    let context = " \n".repeat(600_000);
    let replies = [
        format!("a.txt\n<<<<<<< SEARCH\n{}", "\n".repeat(1_000_001)),
        format!("*** Begin Patch\n*** Update File: a.txt\n@@ a\n{context}@@ b\n{context}"),
    ];
    for reply in replies {
        let error = lancet_dialects::parse(&reply, &lancet_dialects::ParseOptions::default())
            .expect_err("too many");
        assert_eq!(error.kind, lancet_dialects::ParseErrorKind::Unsupported);
        assert!(error.message.contains("1000000 lines"), "{error}");
    }
}

#[test]
fn empty_lines_in_a_hunk_are_passed_once() {
    // Each of them looked up the line after all of them: 100,000 took minutes.
    let empty = "\n".repeat(100_000);
    let reply = format!("--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-x\n+y\n z\n{empty} z\n");
    let parts = lancet_dialects::parse(&reply, &lancet_dialects::ParseOptions::default());
    let parts = parts.expect("a diff");
    let lancet_dialects::PartAction::Edit(hunk) = &parts[0].action else {
        panic!("{:?}", parts[0].action);
    };
    assert_eq!(hunk.lines.len(), 100_004);
}

#[test]
fn a_reply_has_at_most_so_many_edits() {
    let block = "a.txt\n<<<<<<< SEARCH\nx\n=======\ny\n>>>>>>> REPLACE\n";
    let hunk = "@@ -1 +1 @@\n-x\n+y\n";
    let replies = [
        block.repeat(50_001),
        format!("--- a/a.txt\n+++ b/a.txt\n{}", hunk.repeat(50_001)),
        format!(
            "*** Begin Patch\n{}*** End Patch\n",
            "*** Delete File: a\n".repeat(50_001)
        ),
        "a.txt\n```\nx\n```\n".repeat(50_001),
    ];
    for reply in replies {
        let error = lancet_dialects::parse(&reply, &lancet_dialects::ParseOptions::default())
            .expect_err("too many");
        assert_eq!(error.kind, lancet_dialects::ParseErrorKind::Unsupported);
        assert!(error.message.contains("50000 edits"), "{error}");
    }
}
