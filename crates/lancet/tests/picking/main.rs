//! One call is one question, and a person may approve a part of it: what they picked is written, everything else stays
//! as it is, and the answer tells the model what was left out.

mod answers;
mod law;
mod undo;

use lancet::approval::{Answer, ChangeKind, Pick, Question};
use lancet::settings::{Layer, Origin};
use lancet::{Mode, RefusalKind, Settings};
use lancet_testing::TestProject;
use lancet_testing::project::call;
use serde_json::json;

use answers::{approved, project, project_with, read};

/// Returns ten lines far enough apart to be separate hunks.
fn lines() -> String {
    (1..=40).map(|line| format!("line {line}.\n")).collect()
}

/// Returns edits of two lines of a file, as one call.
fn two_edits(project: &TestProject, name: &str) -> serde_json::Value {
    let edit = |old: &str, new: &str| json!({ "file_path": project.path(name), "old_string": old, "new_string": new });
    json!({ "edits": [edit("line 5.", "five"), edit("line 30.\n", "thirty\nand more\n")] })
}

/// The function that turns a text into the bytes of a file.
type Form = fn(&str) -> Vec<u8>;

fn picked(files: Vec<Pick>) -> Answer {
    Answer::Picked { files, words: None }
}

#[test]
fn a_picked_hunk_is_written_and_the_other_is_told() {
    let (project, answers) = project(Mode::Ask, |question| {
        assert_eq!(question.files.len(), 1);
        assert_eq!(question.files[0].pieces.len(), 2, "{}", question.diff());
        Answer::Picked {
            files: vec![Pick::Pieces(vec![1])],
            words: Some("Five stays.".into()),
        }
    });
    project.put("a.txt", lines());
    let session = project.lancet.new_session();
    read(&project, &session, "a.txt");
    let reply = call(&session, "MultiEdit", two_edits(&project, "a.txt"));
    assert!(!reply.is_error(), "{}", reply.text());
    let meant = lines().replace("line 30.\n", "thirty\nand more\n");
    assert_eq!(project.text("a.txt"), meant);
    let data = reply.data();
    assert_eq!(data["files"][0]["userModified"], true, "{data}");
    assert_eq!(data["files"][0]["added"], 2);
    assert_eq!(data["files"][0]["patch"][0]["newStart"], 27);
    assert_eq!(
        data["omitted"],
        json!([{ "file_path": project.path("a.txt"), "lines": [{ "oldStart": 5, "oldLines": 1 }] }])
    );
    let told = "a.txt line 5. They say: Five stays.";
    assert!(reply.text().contains(told), "{}", reply.text());
    // The present content is known to the session, so it goes on without a Read.
    answers.set(|_| Answer::Yes);
    let edit =
        json!({ "file_path": project.path("a.txt"), "old_string": "line 31.", "new_string": "31" });
    let reply = call(&session, "Edit", edit);
    assert!(!reply.is_error(), "{}", reply.text());
    assert_eq!(project.text("a.txt"), meant.replace("line 31.", "31"));
}

#[test]
fn an_edit_of_many_places_in_one_file_keeps_its_shape() {
    let (project, _) = project(Mode::Ask, |question| {
        assert_eq!(question.files[0].pieces.len(), 2);
        picked(vec![Pick::Pieces(vec![0])])
    });
    project.put("a.txt", lines().replace("line 30.", "line 5."));
    let session = project.lancet.new_session();
    read(&project, &session, "a.txt");
    let edit = json!({ "file_path": project.path("a.txt"), "old_string": "line 5.", "new_string": "five", "replace_all": true });
    let reply = call(&session, "Edit", edit);
    assert_eq!(
        project.text("a.txt"),
        lines()
            .replace("line 30.", "line 5.")
            .replacen("line 5.", "five", 1)
    );
    let data = reply.data();
    assert_eq!(data["file_path"], json!(project.path("a.txt")), "{data}");
    assert_eq!(
        (&data["replacements"], &data["userModified"]),
        (&json!(1), &json!(true))
    );
    assert_eq!(data["omitted"][0]["lines"][0]["oldStart"], 30);
}

#[test]
fn one_question_names_every_file_protected_ones_first() {
    let (project, answers) = project_with(
        |builder| builder.mode(Mode::Ask).allow("Edit(free.txt)"),
        |question| {
            let names: Vec<_> = question
                .files
                .iter()
                .map(|file| file.escaped_relative_path())
                .collect();
            assert_eq!(names, [".git/x", "new.txt", "a.txt", "free.txt"]);
            let kinds: Vec<_> = question.files.iter().map(|file| file.kind).collect();
            assert_eq!(kinds[1], ChangeKind::Create);
            let asked: Vec<_> = question
                .files
                .iter()
                .map(|file| file.reason.is_some())
                .collect();
            assert_eq!(asked, [true, true, true, false]);
            assert!(
                question.is_protected()
                    && question.files[0].protected
                    && !question.files[1].protected
            );
            let reason = question.joined_reasons();
            assert!(
                reason.contains("is protected") && reason.contains("the mode is ask"),
                "{reason}"
            );
            assert_eq!(question.line_counts(), (4, 2));
            picked(vec![Pick::Nothing, Pick::Nothing, Pick::Whole, Pick::Whole])
        },
    );
    project.put("a.txt", "one\n");
    project.put("free.txt", "one\n");
    let session = project.lancet.new_session();
    read(&project, &session, "a.txt");
    read(&project, &session, "free.txt");
    let edit = |name: &str, old: &str| json!({ "file_path": project.path(name), "old_string": old, "new_string": "x\n" });
    let edits = json!([
        edit("free.txt", "one\n"),
        edit("new.txt", ""),
        edit("a.txt", "one\n"),
        edit(".git/x", "")
    ]);
    let reply = call(&session, "MultiEdit", json!({ "edits": edits }));
    assert!(!reply.is_error(), "{}", reply.text());
    assert_eq!(answers.question_count(), 1);
    assert_eq!(
        (
            project.text("a.txt").as_str(),
            project.text("free.txt").as_str()
        ),
        ("x\n", "x\n")
    );
    assert!(!project.path("new.txt").exists() && !project.path(".git/x").exists());
    let omitted = reply.data()["omitted"].as_array().map(Vec::len);
    assert_eq!(omitted, Some(2), "{}", reply.data());
    assert!(
        reply.text().contains("new.txt (all of it)"),
        "{}",
        reply.text()
    );
}

#[test]
fn a_write_is_picked_by_hunk_whatever_the_form_of_the_file() {
    let new = lines()
        .replace("line 5.", "five")
        .replace("line 30.", "thirty");
    let meant = lines().replace("line 30.", "thirty");
    let forms: [(&str, Form); 5] = [
        ("lf", |text| text.as_bytes().to_vec()),
        ("crlf", |text| text.replace('\n', "\r\n").into_bytes()),
        ("bom", |text| format!("\u{feff}{text}").into_bytes()),
        ("unended", |text| text.trim_end().as_bytes().to_vec()),
        ("utf-16", |text| {
            let units = std::iter::once(0xFEFF).chain(text.encode_utf16());
            units.flat_map(u16::to_le_bytes).collect()
        }),
    ];
    for (name, form) in forms {
        let (project, _) = project(Mode::Ask, |question| {
            assert_eq!(question.files[0].pieces.len(), 2, "{}", question.diff());
            picked(vec![Pick::Pieces(vec![1])])
        });
        project.put("a.txt", form(&lines()));
        let session = project.lancet.new_session();
        read(&project, &session, "a.txt");
        let sent = if name == "unended" {
            new.trim_end()
        } else {
            &new
        };
        let write = json!({ "file_path": project.path("a.txt"), "content": sent });
        let reply = call(&session, "Write", write);
        assert!(!reply.is_error(), "{name}: {}", reply.text());
        assert_eq!(project.bytes("a.txt"), form(&meant), "{name}");
        assert_eq!(
            reply.data()["omitted"][0]["lines"][0]["oldStart"],
            5,
            "{name}"
        );
    }
}

#[test]
fn a_final_newline_is_a_part_like_any_other() {
    for (pick, meant) in [(0, "ONE\n"), (1, "one\n")] {
        let middle: String = (2..20).map(|line| format!("{line}\n")).collect();
        let (project, _) = project(Mode::Ask, move |_| picked(vec![Pick::Pieces(vec![pick])]));
        project.put("a.txt", format!("one\n{middle}last"));
        let session = project.lancet.new_session();
        read(&project, &session, "a.txt");
        let write = json!({ "file_path": project.path("a.txt"), "content": format!("ONE\n{middle}last\n") });
        let reply = call(&session, "Write", write);
        assert!(!reply.is_error(), "{}", reply.text());
        let end = if pick == 0 { "last" } else { "last\n" };
        assert_eq!(project.text("a.txt"), format!("{meant}{middle}{end}"));
    }
}

#[test]
fn nothing_picked_is_a_no_and_what_does_not_fit_the_question_is_not_understood() {
    let answers = [
        (picked(vec![Pick::Nothing]), "left out every part"),
        (picked(vec![Pick::Pieces(vec![])]), "left out every part"),
        (picked(vec![]), "left out every part"),
        (picked(vec![Pick::Pieces(vec![0, 2])]), "was not understood"),
        (picked(vec![Pick::Whole, Pick::Whole]), "was not understood"),
    ];
    for (answer, words) in answers {
        let given = answer.clone();
        let (project, _) = project(Mode::Ask, move |_| given.clone());
        project.put("a.txt", lines());
        let session = project.lancet.new_session();
        read(&project, &session, "a.txt");
        let reply = call(&session, "MultiEdit", two_edits(&project, "a.txt"));
        assert_eq!(reply.refusal(), Some(RefusalKind::Declined), "{answer:?}");
        assert!(reply.text().contains(words), "{answer:?}: {}", reply.text());
        assert_eq!(project.text("a.txt"), lines());
    }
}

#[test]
fn a_text_for_one_file_is_no_answer_about_two() {
    let (project, _) = project(Mode::Ask, |_| Answer::Edited("x\n".into()));
    let session = project.lancet.new_session();
    let edit = |name: &str| json!({ "file_path": project.path(name), "old_string": "", "new_string": "y\n" });
    let edits = json!({ "edits": [edit("a.txt"), edit("b.txt")] });
    let reply = call(&session, "MultiEdit", edits);
    assert!(
        reply.text().contains("was not understood"),
        "{}",
        reply.text()
    );
    assert!(!project.path("a.txt").exists() && !project.path("b.txt").exists());
}

#[test]
fn files_are_edited_and_left_out_in_one_answer() {
    let (project, _) = project(Mode::Ask, |question| {
        assert_eq!(question.files[1].text.as_deref(), Some("y\n"));
        picked(vec![Pick::Nothing, Pick::Edited("z\n".into()), Pick::Whole])
    });
    let session = project.lancet.new_session();
    let edit = |name: &str| json!({ "file_path": project.path(name), "old_string": "", "new_string": "y\n" });
    let edits = json!({ "edits": [edit("a.txt"), edit("b.txt"), edit("c.txt")] });
    let reply = call(&session, "MultiEdit", edits);
    assert!(!reply.is_error(), "{}", reply.text());
    assert!(!project.path("a.txt").exists());
    assert_eq!(
        (
            project.text("b.txt").as_str(),
            project.text("c.txt").as_str()
        ),
        ("z\n", "y\n")
    );
}

#[test]
fn hunks_of_edits_that_build_on_each_other_are_one_piece() {
    let (project, _) = project(Mode::Ask, |question: &Question| {
        let hunks: Vec<_> = question.files[0]
            .pieces
            .iter()
            .map(|piece| piece.hunks.clone())
            .collect();
        assert_eq!(hunks, [0..2, 2..3, 3..4], "{}", question.diff());
        picked(vec![Pick::Pieces(vec![2])])
    });
    project.put("a.txt", lines());
    let session = project.lancet.new_session();
    read(&project, &session, "a.txt");
    let between = |from: usize, to: usize| {
        (from..=to)
            .map(|line| format!("line {line}.\n"))
            .collect::<String>()
    };
    // The first edit changes lines 1 and 20 of what it matches; the second one matches line 1 as the first left it, and
    // changes line 12.
    let edit = |old: String, new: String| json!({ "file_path": project.path("a.txt"), "old_string": old, "new_string": new });
    let edits = json!({ "edits": [
        edit(format!("line 1.  \n{}", between(2, 20)), format!("ONE\n{}TWENTY\n", between(2, 19))),
        edit(format!("ONE\n{}", between(2, 12)), format!("ONE\n{}TWELVE\n", between(2, 11))),
        edit("line 38.".into(), "38".into()),
    ] });
    let reply = call(&session, "MultiEdit", edits);
    assert!(!reply.is_error(), "{}", reply.text());
    assert_eq!(project.text("a.txt"), lines().replace("line 38.", "38"));
}

#[test]
fn a_question_is_renewed_when_any_of_its_files_changes() {
    let layer = Layer {
        origin: Origin::User,
        path: "lancet.toml".into(),
        text: "stale = \"merge\"\n".to_owned(),
    };
    let settings = Settings::load(&[layer]).expect("settings");
    let build = |builder: lancet::Builder| builder.settings(settings).mode(Mode::Ask);
    let (project, answers) = project_with(build, |_| Answer::Yes);
    project.put("a.txt", "one\n");
    let far = format!("one\n{}", lines());
    project.put("b.txt", &far);
    let session = project.lancet.new_session();
    read(&project, &session, "a.txt");
    read(&project, &session, "b.txt");
    let (second, asked) = (project.path("b.txt"), answers.count());
    let theirs = far.replace("line 30.", "THIRTY");
    let meant = theirs.replace("one\n", "1\n");
    answers.set(move |_| {
        if asked.load(std::sync::atomic::Ordering::Relaxed) == 1 {
            std::fs::write(&second, &theirs).expect("written");
            std::thread::sleep(std::time::Duration::from_millis(900));
        }
        Answer::Yes
    });
    let edit = |name: &str| json!({ "file_path": project.path(name), "old_string": "one", "new_string": "1" });
    let edits = json!({ "edits": [edit("a.txt"), edit("b.txt")] });
    let reply = call(&session, "MultiEdit", edits);
    assert!(!reply.is_error(), "{}", reply.text());
    assert_eq!(answers.question_count(), 2);
    assert_eq!(
        (
            project.text("a.txt").as_str(),
            project.text("b.txt").as_str()
        ),
        ("1\n", meant.as_str())
    );
}

#[test]
fn of_a_secret_file_no_line_is_told() {
    let (project, _) = project(Mode::AcceptEdits, |question| {
        assert_eq!(question.files[0].pieces.len(), 1, "{}", question.diff());
        picked(vec![Pick::Nothing, Pick::Whole])
    });
    project.put(".env", lines());
    let session = project.lancet.new_session();
    let write = json!({ "file_path": project.path(".env"), "content": lines().replace("line 5.", "5").replace("line 30.", "30") });
    let reply = call(&session, "Write", write);
    assert_eq!(
        reply.refusal(),
        Some(RefusalKind::Declined),
        "{}",
        reply.text()
    );
    assert_eq!(project.text(".env"), lines());
}

#[test]
fn the_record_says_who_approved_and_what_was_left_out() {
    let (project, _) = project(Mode::Ask, |_| picked(vec![Pick::Pieces(vec![1])]));
    project.put("a.txt", lines());
    let session = project.lancet.new_session();
    read(&project, &session, "a.txt");
    let reply = call(&session, "MultiEdit", two_edits(&project, "a.txt"));
    assert!(!reply.is_error(), "{}", reply.text());
    let approved = approved(&project);
    let meant = format!(
        "a person, asked because the mode is ask: every write is asked about; left out: {} line 5",
        project.path("a.txt").display()
    );
    assert_eq!(approved, meant);
}

#[test]
fn lines_move_between_two_files_whole_or_not_at_all() {
    for partial in [
        vec![Pick::Whole, Pick::Nothing],
        vec![Pick::Nothing, Pick::Whole],
        vec![Pick::Pieces(vec![0]), Pick::Pieces(vec![])],
    ] {
        let (project, answers) = project_with(
            |builder| builder.mode(Mode::Ask).tools(["Read", "MoveLines"]),
            |_| Answer::No(None),
        );
        project.put("from.txt", "one\ntwo\nthree\n");
        project.put("to.txt", "a\nb\n");
        let session = project.lancet.new_session();
        read(&project, &session, "from.txt");
        read(&project, &session, "to.txt");
        let moved = json!({
            "from_path": project.path("from.txt"), "start_line": 2, "end_line": 2, "expect": ["two", "two"],
            "to_path": project.path("to.txt"), "marker": "a",
        });
        answers.set(move |question| {
            assert_eq!(question.files.len(), 2);
            assert!(question.is_whole);
            picked(partial.clone())
        });
        let reply = call(&session, "MoveLines", moved.clone());
        assert_eq!(
            reply.data()["error"]["name"],
            "declined",
            "{}",
            reply.text()
        );
        assert_eq!(project.text("from.txt"), "one\ntwo\nthree\n");
        assert_eq!(project.text("to.txt"), "a\nb\n");
        answers.set(|_| picked(vec![Pick::Pieces(vec![0]), Pick::Whole]));
        let reply = call(&session, "MoveLines", moved);
        assert!(!reply.is_error(), "{}", reply.text());
        assert_eq!(project.text("from.txt"), "one\nthree\n");
        assert_eq!(project.text("to.txt"), "a\ntwo\nb\n");
    }
}
