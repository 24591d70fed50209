//! `lancet apply` and `lancet prompt`.

use crate::stage::Stage;
use crate::terminal::on_terminal;

const REPLY: &str = "\
I change the greeting.

src/greet.py
```python
<<<<<<< SEARCH
print('hi')
=======
print('hello')
>>>>>>> REPLACE
```
";

#[test]
fn a_reply_is_applied_and_taken_back_as_one_change() {
    let stage = Stage::new();
    stage.file("src/greet.py", "print('hi')\n");
    stage.file("reply.txt", REPLY);
    let run = stage.run(&["apply", "reply.txt", "--yes"]);
    assert_eq!(run.code, 0, "{run:?}");
    assert_eq!(stage.text("src/greet.py"), "print('hello')\n");
    assert_eq!(stage.run(&["undo", "--yes"]).code, 0);
    assert_eq!(stage.text("src/greet.py"), "print('hi')\n");
    let run = stage.run_with(&["apply", "-", "--yes", "--json"], REPLY);
    let data: serde_json::Value = serde_json::from_str(&run.out).expect("JSON");
    assert_eq!(data["files"][0]["type"], "update", "{run:?}");
    assert!(data["operation"].is_string(), "{run:?}");
}

#[test]
fn check_says_whether_it_would_go_through_and_writes_nothing() {
    let stage = Stage::new();
    stage.file("src/greet.py", "print('hi')\n");
    let run = stage.run_with(&["apply", "--check"], REPLY);
    assert_eq!(run.code, 0, "{run:?}");
    assert!(run.out.contains("+print('hello')"), "{run:?}");
    assert_eq!(stage.text("src/greet.py"), "print('hi')\n");
    stage.file("src/greet.py", "print('bye')\n");
    assert_eq!(stage.run_with(&["apply", "--check"], REPLY).code, 1);
}

#[test]
fn without_a_person_and_without_yes_nothing_is_written() {
    let stage = Stage::new();
    stage.file("src/greet.py", "print('hi')\n");
    let run = stage.run_with(&["apply"], REPLY);
    assert_eq!(run.code, 1, "{run:?}");
    assert_eq!(stage.text("src/greet.py"), "print('hi')\n");
    assert!(run.out.is_empty(), "{run:?}");
}

#[test]
fn a_refusal_is_printed_as_a_message_to_the_model() {
    let stage = Stage::new();
    stage.file("src/greet.py", "print('bye')\n");
    let run = stage.run_with(&["apply", "--yes"], REPLY);
    assert_eq!(run.code, 1, "{run:?}");
    assert!(
        run.out
            .starts_with("Your SEARCH/REPLACE blocks were not applied"),
        "{run:?}"
    );
    assert!(run.out.contains("Send all blocks again"), "{run:?}");
    assert!(run.err.contains("Paste this back"), "{run:?}");
    let run = stage.run_with(&["apply", "--yes"], "Nothing to change.\n");
    assert_eq!(run.code, 1, "{run:?}");
    assert!(run.out.contains("There is no edit in the reply"), "{run:?}");
    let run = stage.run_with(&["apply", "--format", "v4a", "--yes"], REPLY);
    assert!(run.out.starts_with("Your patch was not applied"), "{run:?}");
}

#[test]
fn a_format_that_does_not_exist_is_wrong_usage() {
    let stage = Stage::new();
    let run = stage.run_with(&["apply", "--format", "v4"], REPLY);
    assert_eq!(run.code, 2, "{run:?}");
    assert!(run.err.contains("v4a"), "{run:?}");
    assert_eq!(stage.run(&["apply", "not-there.txt"]).code, 2);
}

#[test]
fn a_prompt_teaches_the_format_and_adds_the_files() {
    let stage = Stage::new();
    stage.file("src/greet.py", "print('hi')\n");
    stage.file("notes.md", "```sh\nls\n```\n");
    let run = stage.run(&["prompt", "--with", "src/greet.py", "notes.md"]);
    assert_eq!(run.code, 0, "{run:?}");
    assert!(run.out.contains("<<<<<<< SEARCH"), "{run:?}");
    assert!(
        run.out
            .contains("\nsrc/greet.py\n```py\nprint('hi')\n```\n"),
        "{run:?}"
    );
    assert!(
        run.out
            .ends_with("\nnotes.md\n````md\n```sh\nls\n```\n````\n"),
        "{run:?}"
    );
    for format in ["search-replace", "v4a", "unified", "whole"] {
        let run = stage.run(&["prompt", "--format", format]);
        assert_eq!(run.code, 0, "{run:?}");
        assert!(run.out.starts_with("# How to write edits"), "{run:?}");
    }
}

#[test]
fn a_prompt_holds_no_file_that_may_not_be_read() {
    let stage = Stage::new();
    stage.file(".env", "KEY=secret\n");
    let run = stage.run(&["prompt", "--with", ".env"]);
    assert_eq!(run.code, 1, "{run:?}");
    assert!(!run.out.contains("secret"), "{run:?}");
    assert_eq!(stage.run(&["prompt", "--with", "gone.txt"]).code, 1);
}

#[test]
fn hunks_of_a_reply_are_picked_and_what_was_left_out_is_told() {
    let stage = Stage::new().with("NO_COLOR", "1");
    let text: String = (1..=40).map(|line| format!("line {line}.\n")).collect();
    stage.file("a.txt", &text);
    let block = |old: &str, new: &str| {
        format!("a.txt\n<<<<<<< SEARCH\n{old}\n=======\n{new}\n>>>>>>> REPLACE\n\n")
    };
    let reply = format!(
        "{}{}b.txt\n<<<<<<< SEARCH\n=======\nnew\n>>>>>>> REPLACE\n",
        block("line 5.", "five"),
        block("line 30.", "thirty")
    );
    stage.file("reply.txt", &reply);
    // The first hunk of a.txt is left out, its second and b.txt are written.
    let run = on_terminal(&stage, "apply reply.txt", "p\nh\nn\ny\ny\n");
    assert_eq!(run.code, 0, "{run:?}");
    assert_eq!(stage.text("a.txt"), text.replace("line 30.", "thirty"));
    assert_eq!(stage.text("b.txt"), "new\n");
    assert!(run.out.contains("a.txt line 5\r\n"), "{run:?}");
    // The question is a person's: it names the command, and says nothing of how a model gives paths.
    assert!(run.out.contains("Apply: 2 files"), "{run:?}");
    assert!(!run.out.contains("is a relative path"), "{run:?}");
    assert_eq!(stage.run(&["undo", "--yes"]).code, 0);
    assert_eq!(stage.text("a.txt"), text);
    assert!(!stage.project().join("b.txt").exists());
}

#[test]
fn a_file_that_becomes_executable_is_named_as_such_and_undo_says_that_it_no_longer_is() {
    let stage = Stage::new();
    stage.file("run.sh", "#!/bin/sh\n");
    let patch = "diff --git a/run.sh b/run.sh\nold mode 100644\nnew mode 100755\n";
    let run = stage.run_with(&["apply", "--dry-run"], patch);
    assert_eq!(run.out, "Would change run.sh, executable\n", "{run:?}");
    let run = stage.run_with(&["apply", "--yes", "--json"], patch);
    let object: serde_json::Value = serde_json::from_str(&run.out).expect("JSON");
    assert_eq!(object["files"][0]["executable"], true, "{run:?}");
    let run = stage.run(&["undo", "--yes"]);
    assert!(
        run.out.contains("Changed run.sh, no longer executable\n"),
        "{run:?}"
    );
    let run = stage.run_with(&["apply", "--yes"], patch);
    assert_eq!(run.out, "Changed run.sh, executable\n", "{run:?}");
}
