//! Each kind of form is converted to its answer, or is refused with a message.

use lancet::approval::{Answer, ChangeKind, FileQuestion, Pick, Piece, Question};

use crate::page::fields::Fields;
use crate::page::waiting::answer::{answer_with_edited_text, parse_answer};

fn file_question(name: &str, pieces: usize) -> FileQuestion {
    let mut file = FileQuestion::new(format!("/r/{name}"), ChangeKind::Update);
    file.relative = name.into();
    let hunk = |at: usize| {
        let line = at * 10 + 1;
        format!("@@ -{line},2 +{line},2 @@\n same\n-old {at}\n+new {at}\n")
    };
    file.pieces = (0..pieces).map(|at| Piece::new(hunk(at), at)).collect();
    file
}

/// Returns a question about three files: one of three pieces, and one that belongs to the third.
fn question_about_three_files() -> Question {
    let mut last = file_question("c.rs", 1);
    last.goes_with = Some(1);
    Question::new(
        "MultiEdit",
        vec![file_question("a.rs", 3), file_question("b.rs", 1), last],
    )
}

fn parse_form(question: &Question, form: &str) -> Result<Answer, String> {
    parse_answer(question, &Fields::new(form.as_bytes()))
}

fn picked_answer(files: &[Pick], words: Option<&str>) -> Result<Answer, String> {
    Ok(Answer::Picked {
        files: files.to_vec(),
        words: words.map(str::to_owned),
    })
}

#[test]
fn buttons_map_to_answers() {
    let mut question = question_about_three_files();
    question.offers.always = vec!["Edit(/r/**)".to_owned()];
    assert_eq!(parse_form(&question, "do=yes"), Ok(Answer::Yes));
    assert_eq!(parse_form(&question, "do=no"), Ok(Answer::No(None)));
    assert_eq!(
        parse_form(&question, "do=no&words=+Leave+it.%0D%0APlease.+"),
        Ok(Answer::No(Some("Leave it.\nPlease.".to_owned())))
    );
    assert_eq!(parse_form(&question, "do=session"), Ok(Answer::Session));
    assert_eq!(parse_form(&question, "do=always"), Ok(Answer::Always));
    for nothing in ["", "do=", "do=whatever", "pick=0"] {
        assert!(parse_form(&question, nothing).is_err(), "{nothing}");
    }
    question.offers.always.clear();
    assert!(
        parse_form(&question, "do=always").is_err(),
        "no rule is on offer"
    );
}

#[test]
fn checkboxes_pick_files_and_pieces() {
    use Pick::{Nothing, Pieces, Whole};
    let question = question_about_three_files();
    for (form, files) in [
        ("pick=0.1", [Pieces(vec![1]), Nothing, Nothing]),
        (
            "pick=0.2&pick=0.0&pick=0.2",
            [Pieces(vec![0, 2]), Nothing, Nothing],
        ),
        ("pick=0.0&pick=0.1&pick=0.2", [Whole, Nothing, Nothing]),
        ("pick=0.1&pick=0", [Whole, Nothing, Nothing]),
        ("pick=1", [Nothing, Whole, Whole]),
        ("pick=2", [Nothing, Whole, Whole]),
    ] {
        let form = format!("do=picked&{form}");
        assert_eq!(
            parse_form(&question, &form),
            picked_answer(&files, None),
            "{form}"
        );
    }
    assert_eq!(
        parse_form(&question, "do=picked&pick=0&pick=1"),
        Ok(Answer::Yes),
        "all of it is a plain yes"
    );
    assert_eq!(
        parse_form(&question, "do=picked&pick=0.1&words=Not+the+rest."),
        picked_answer(&[Pieces(vec![1]), Nothing, Nothing], Some("Not the rest."))
    );
    for wrong in [
        "",
        "&pick=3",
        "&pick=0.3",
        "&pick=-1",
        "&pick=0.x",
        "&pick=0.1.1",
    ] {
        let form = format!("do=picked{wrong}");
        let refused = parse_form(&question, &form).expect_err("refused");
        assert!(refused.contains("Nothing was decided"), "{form}: {refused}");
    }
}

#[test]
fn joins_comments_with_file_and_line() {
    let question = question_about_three_files();
    let form = "do=no&words=See+below.\
        &comment-file=0&comment-line=12&comment=Call+it+limit.\
        &comment-file=0&comment-line=1&comment=+\
        &comment-file=1&comment-line=-2&comment=Why+remove+this%3F\
        &comment-file=2&comment-line=&comment=All+of+it.";
    let words = "See below.\na.rs:12 `new 1`: Call it limit.\nb.rs:2 (removed) `old 0`: Why remove this?\nc.rs: All of it.";
    assert_eq!(
        parse_form(&question, form),
        Ok(Answer::No(Some(words.to_owned())))
    );
    let approved = parse_form(&question, &form.replace("do=no", "do=yes"));
    assert_eq!(
        approved,
        picked_answer(&[Pick::Whole, Pick::Whole, Pick::Whole], Some(words)),
        "an approval of everything takes them along"
    );
    for wrong in [
        "do=no&comment-file=7&comment-line=1&comment=x",
        "do=no&comment-file=0&comment-line=one&comment=x",
        "do=session&words=x",
    ] {
        assert!(parse_form(&question, wrong).is_err(), "{wrong}");
    }
    let long = format!("do=no&words={}", "x".repeat(4001));
    assert!(
        parse_form(&question, &long).is_err(),
        "the model would be told a part"
    );
}

#[test]
fn edited_text_applies_only_to_its_file() {
    let question = question_about_three_files();
    let text = "new\n".to_owned();
    assert_eq!(
        Ok(answer_with_edited_text(&question, 1, text.clone(), None)),
        picked_answer(&[Pick::Whole, Pick::Edited(text), Pick::Whole], None)
    );
}
