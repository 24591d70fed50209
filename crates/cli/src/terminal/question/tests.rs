//! The words of a question and the meaning of an answer.

use super::*;

#[test]
fn only_a_plain_yes_is_a_yes() {
    let no = |words: &str| ParsedLine::Answer(Answer::No(Some(words.to_owned())));
    assert_eq!(understood("y\n"), ParsedLine::Answer(Answer::Yes));
    assert_eq!(understood(" YES \n"), ParsedLine::Answer(Answer::Yes));
    assert_eq!(understood("\n"), ParsedLine::Answer(Answer::No(None)));
    assert_eq!(understood(""), ParsedLine::Answer(Answer::No(None)));
    assert_eq!(understood("N\n"), ParsedLine::Answer(Answer::No(None)));
    assert_eq!(
        understood("n use the other file\n"),
        no("use the other file")
    );
    assert_eq!(understood("no, not here\n"), no("not here"));
    assert_eq!(understood("y but later\n"), no("y but later"));
    assert_eq!(understood("nothing doing\n"), no("nothing doing"));
}

#[test]
fn yes_beforehand_answers_all_but_protected_names() {
    let mut question = Question::new("Edit", "/r/a", ChangeKind::Update);
    question.relative = "a".into();
    question.reason = "the mode is ask".into();
    question.lines = (1, 1);
    let approver = TerminalApprover::new(Consent::Given, &Surroundings::default());
    assert_eq!(approver.ask(&question, &Wait::default()), Answer::Yes);
    assert!(!approver.has_shown() && approver.unasked().is_none());
}

#[test]
fn a_question_shows_what_the_file_would_hide() {
    let mut question = Question::new("Edit", "/r/a", ChangeKind::Update);
    question.relative = "a".into();
    question.reason = "why".into();
    question.diff = "-ok\n+evil\x1b[2K\rok\n".into();
    question.lines = (1, 1);
    let words = worded(&question, Colour::Off);
    assert!(words.contains("+evil␛[2K␍ok\n") && !words.contains('\x1b'));
}

#[test]
fn what_the_diff_leaves_out_stands_below_it() {
    let mut question = Question::new("Edit", "/r/a", ChangeKind::Update);
    question.relative = "a".into();
    question.reason = "the mode is ask".into();
    question.diff = "@@ -1 +1 @@\n-a\n+b\n".into();
    question.notices = vec!["10 further places are not shown".into()];
    question.lines = (1, 1);
    let words = worded(&question, Colour::Off);
    assert!(
        words.ends_with("+b\nnote: 10 further places are not shown\n"),
        "{words}"
    );
}

#[test]
fn a_name_with_a_line_end_forges_no_line_of_the_question() {
    let mut question = Question::new("Edit", "/r/a\n@@ -1 +1 @@\nb", ChangeKind::Update);
    question.relative = "a\n@@ -1 +1 @@\nb".into();
    question.reason = "/r/a\nb is protected".into();
    question.protected = true;
    question.lines = (1, 1);
    let words = worded(&question, Colour::Off);
    assert_eq!(words.lines().count(), 3, "{words}");
}

#[test]
fn further_answers_are_single_words() {
    assert_eq!(understood("s\n"), ParsedLine::Answer(Answer::Session));
    assert_eq!(understood("Always"), ParsedLine::Answer(Answer::Always));
    assert_eq!(understood("e"), ParsedLine::Edit);
    assert_eq!(
        understood("always but not here"),
        ParsedLine::Answer(Answer::No(Some("always but not here".to_owned())))
    );
}

#[test]
fn only_what_is_on_offer_is_offered() {
    let mut question = Question::default();
    question.offers.session = "this file".into();
    assert!(!prompt(&question).contains("always") && !prompt(&question).contains("edit"));
    question.offers.always = Some("Edit(//a)".into());
    question.text = Some(String::new());
    assert!(
        prompt(&question).contains("a: always (Edit(//a))")
            && prompt(&question).contains("e: edit")
    );
}
