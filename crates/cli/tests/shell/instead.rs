//! What a refusal offers at a terminal: the diff of the right edit, and the edit after a yes.

use crate::stage::Stage;
use crate::terminal::on_terminal;

#[test]
fn one_place_of_several_is_chosen_by_its_number() {
    let stage = Stage::new();
    stage.file("a.txt", "a\nx = 1\nb\nx = 1\n");
    let run = on_terminal(&stage, "edit a.txt --old 'x = 1' --new 'x = 2'", "2\ny\n");
    assert_eq!(stage.text("a.txt"), "a\nx = 1\nb\nx = 2\n", "{run:?}");
    assert_eq!(run.code, 0, "{run:?}");
    assert!(run.out.contains("2  for line 4"), "{run:?}");
}

#[test]
fn none_of_the_places_leaves_the_file() {
    let stage = Stage::new();
    stage.file("a.txt", "a\nx = 1\nb\nx = 1\n");
    for answer in ["\n", "7\n\n", "1\nn\n"] {
        let run = on_terminal(&stage, "edit a.txt --old 'x = 1' --new y", answer);
        assert_eq!(run.code, 1, "{answer:?}: {run:?}");
        assert_eq!(stage.text("a.txt"), "a\nx = 1\nb\nx = 1\n");
    }
}

#[test]
fn a_reply_with_a_wrong_line_is_applied_whole_after_a_yes() {
    let stage = Stage::new();
    stage.file("a.txt", "one\ntwo\n");
    stage.file("b.txt", "fn start() {\n    run(1);\n}\n");
    stage.file(
        "reply.txt",
        "a.txt\n<<<<<<< SEARCH\none\n=======\nuno\n>>>>>>> REPLACE\n\n\
         b.txt\n<<<<<<< SEARCH\nfn start() {\n    run(l);\n}\n=======\nfn start() {\n    run(2);\n}\n>>>>>>> REPLACE\n",
    );
    let no = on_terminal(&stage, "apply reply.txt", "n\n");
    assert_eq!(no.code, 1, "{no:?}");
    assert_eq!(stage.text("a.txt"), "one\ntwo\n");
    let run = on_terminal(&stage, "apply reply.txt", "y\n");
    assert_eq!(run.code, 0, "{run:?}");
    assert_eq!(stage.text("a.txt"), "uno\ntwo\n");
    assert_eq!(stage.text("b.txt"), "fn start() {\n    run(2);\n}\n");
    let undone = stage.run(&["undo", "--yes"]);
    assert_eq!(undone.code, 0, "{undone:?}");
    assert_eq!(stage.text("a.txt"), "one\ntwo\n");
}

#[test]
fn an_ambiguous_hunk_of_a_reply_is_offered_by_place() {
    let stage = Stage::new();
    stage.file("a.txt", "one\ntwo\none\nthree\n");
    stage.file(
        "reply.txt",
        "a.txt\n<<<<<<< SEARCH\none\n=======\nuno\n>>>>>>> REPLACE\n",
    );
    let run = on_terminal(&stage, "apply reply.txt", "2\ny\n");
    assert_eq!(run.code, 0, "{run:?}");
    assert_eq!(stage.text("a.txt"), "one\ntwo\nuno\nthree\n");
}

#[test]
fn nothing_is_offered_with_yes() {
    let stage = Stage::new();
    stage.file("a.txt", "x\nx\n");
    let run = on_terminal(&stage, "edit a.txt --old x --new y --yes", "1\ny\n");
    assert_eq!(run.code, 1, "{run:?}");
    assert!(!run.out.contains("Which one?"), "{run:?}");
    assert_eq!(stage.text("a.txt"), "x\nx\n");
}
