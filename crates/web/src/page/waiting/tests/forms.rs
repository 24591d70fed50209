//! Each kind of form is converted to its answer, or is refused with a message.

use lancet::approval::{Answer, ChangeKind, FileQuestion, Pick, Piece, Question};

use crate::page::fields::Fields;
use crate::page::waiting::answer::{answer, edited};

fn file(name: &str, pieces: usize) -> FileQuestion {
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
fn question() -> Question {
    let mut last = file("c.rs", 1);
    last.goes_with = Some(1);
    Question::new("MultiEdit", vec![file("a.rs", 3), file("b.rs", 1), last])
}

fn read(question: &Question, form: &str) -> Result<Answer, String> {
    answer(question, &Fields::new(form.as_bytes()))
}

fn picked(files: &[Pick], words: Option<&str>) -> Result<Answer, String> {
    Ok(Answer::Picked {
        files: files.to_vec(),
        words: words.map(str::to_owned),
    })
}

#[test]
fn buttons_are_answers() {
    let mut question = question();
    question.offers.always = vec!["Edit(/r/**)".to_owned()];
    assert_eq!(read(&question, "do=yes"), Ok(Answer::Yes));
    assert_eq!(read(&question, "do=no"), Ok(Answer::No(None)));
    assert_eq!(
        read(&question, "do=no&words=+Leave+it.%0D%0APlease.+"),
        Ok(Answer::No(Some("Leave it.\nPlease.".to_owned())))
    );
    assert_eq!(read(&question, "do=session"), Ok(Answer::Session));
    assert_eq!(read(&question, "do=always"), Ok(Answer::Always));
    for nothing in ["", "do=", "do=whatever", "pick=0"] {
        assert!(read(&question, nothing).is_err(), "{nothing}");
    }
    question.offers.always.clear();
    assert!(read(&question, "do=always").is_err(), "no rule is on offer");
}

#[test]
fn ticked_boxes_pick_files_pieces_and_what_goes_together() {
    use Pick::{Nothing, Pieces, Whole};
    let question = question();
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
        assert_eq!(read(&question, &form), picked(&files, None), "{form}");
    }
    assert_eq!(
        read(&question, "do=picked&pick=0&pick=1"),
        Ok(Answer::Yes),
        "all of it is a plain yes"
    );
    assert_eq!(
        read(&question, "do=picked&pick=0.1&words=Not+the+rest."),
        picked(&[Pieces(vec![1]), Nothing, Nothing], Some("Not the rest."))
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
        let refused = read(&question, &form).expect_err("refused");
        assert!(refused.contains("Nothing was decided"), "{form}: {refused}");
    }
}

#[test]
fn comments_are_one_text_with_file_and_line() {
    let question = question();
    let form = "do=no&words=See+below.\
        &comment-file=0&comment-line=12&comment=Call+it+limit.\
        &comment-file=0&comment-line=1&comment=+\
        &comment-file=1&comment-line=-2&comment=Why+remove+this%3F\
        &comment-file=2&comment-line=&comment=All+of+it.";
    let words = "See below.\na.rs:12 `new 1`: Call it limit.\nb.rs:2 (removed) `old 0`: Why remove this?\nc.rs: All of it.";
    assert_eq!(
        read(&question, form),
        Ok(Answer::No(Some(words.to_owned())))
    );
    let approved = read(&question, &form.replace("do=no", "do=yes"));
    assert_eq!(
        approved,
        picked(&[Pick::Whole, Pick::Whole, Pick::Whole], Some(words)),
        "an approval of everything takes them along"
    );
    for wrong in [
        "do=no&comment-file=7&comment-line=1&comment=x",
        "do=no&comment-file=0&comment-line=one&comment=x",
        "do=session&words=x",
    ] {
        assert!(read(&question, wrong).is_err(), "{wrong}");
    }
    let long = format!("do=no&words={}", "x".repeat(4001));
    assert!(
        read(&question, &long).is_err(),
        "the model would be told a part"
    );
}

#[test]
fn an_edited_text_is_for_its_file_and_the_others_are_as_proposed() {
    let question = question();
    let text = "new\n".to_owned();
    assert_eq!(
        Ok(edited(&question, 1, text.clone(), None)),
        picked(&[Pick::Whole, Pick::Edited(text), Pick::Whole], None)
    );
}
