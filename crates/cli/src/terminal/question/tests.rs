//! The texts of a question and the meaning of keys.

use lancet::approval::{ChangeKind, FileQuestion, Piece};

use super::keys::{PartKey, part_understood, understood, understood_on_record};
use super::*;

/// Returns a file with one hunk.
fn file(name: &str, diff: &str) -> FileQuestion {
    let mut file = FileQuestion::new(format!("/r/{name}"), ChangeKind::Update);
    file.relative = name.into();
    file.reason = Some("the rule `ask Edit(*)` asks".into());
    file.lines = (1, 1);
    file.pieces = vec![Piece::new(diff, 0)];
    file
}

fn one(diff: &str) -> Question {
    Question::new("Edit", vec![file("a", diff)])
}

#[test]
fn only_a_plain_yes_is_a_yes_and_a_typo_is_no_answer() {
    assert_eq!(understood("y\n"), Key::Yes);
    assert_eq!(understood(" YES \n"), Key::Yes);
    assert_eq!(understood("\n"), Key::No(None));
    assert_eq!(understood(""), Key::No(None));
    assert_eq!(understood("N\n"), Key::No(None));
    let no = |words: &str| Key::No(Some(words.to_owned()));
    assert_eq!(
        understood("n use the other file\n"),
        no("use the other file")
    );
    assert_eq!(understood("no, not here\n"), no("not here"));
    for typo in ["y but later", "yy", "nothing doing", "always but not here"] {
        assert_eq!(understood(typo), Key::Other(typo.to_owned()));
    }
}

#[test]
fn further_answers_are_single_words() {
    // A command is one call: there is no session to which a yes could apply.
    assert_eq!(understood("s\n"), Key::Other("s".into()));
    assert_eq!(understood("Always"), Key::Always);
    assert_eq!(understood("e"), Key::Edit);
    assert_eq!(understood("p"), Key::Pick);
    assert_eq!(understood("d"), Key::Diff);
    assert_eq!(understood("?"), Key::Help);
    assert_eq!(part_understood("h"), PartKey::Hunks);
    assert_eq!(part_understood(""), PartKey::Back);
    assert_eq!(
        part_understood("n not this one"),
        PartKey::No(Some("not this one".to_owned()))
    );
}

#[test]
fn yes_beforehand_answers_all_but_protected_names() {
    let approver = TerminalApprover::new(Consent::Given, &Surroundings::default());
    assert_eq!(approver.ask(&one(""), &Wait::default()), Answer::Yes);
    assert!(!approver.has_shown() && approver.failed_to_ask().is_none());
    assert_eq!(approver.beforehand(true), None);
}

#[test]
fn a_question_shows_what_the_file_would_hide() {
    let words = show::question(&one("-ok\n+evil\x1b[2K\rok\n"), Colour::Off);
    assert!(words.contains("+evil␛[2K␍ok\n") && !words.contains('\x1b'));
}

#[test]
fn the_mode_of_agents_is_no_reason_for_a_person() {
    let mut question = one("+a\n");
    question.files[0].reason = Some("the mode is ask: every write is asked about".into());
    let words = show::question(&question, Colour::Off);
    assert!(!words.contains("mode"), "{words}");
}

#[test]
fn what_the_diff_leaves_out_stands_below_it() {
    let mut question = one("@@ -1 +1 @@\n-a\n+b\n");
    question.files[0].notices = vec!["10 further places are not shown".into()];
    let words = show::question(&question, Colour::Off);
    assert!(
        words.ends_with("+b\nnote: 10 further places are not shown\n"),
        "{words}"
    );
}

#[test]
fn a_name_with_a_line_end_forges_no_line_of_the_question() {
    let mut forged = file("a\n@@ -1 +1 @@\nb", "");
    forged.reason = Some("/r/a\nb is protected".into());
    forged.protected = true;
    let words = show::question(&Question::new("Edit", vec![forged.clone()]), Colour::Off);
    assert_eq!(words.lines().count(), 3, "{words}");
    let two = Question::new("Edit", vec![forged, file("b", "")]);
    let words = show::question(&two, Colour::Off);
    assert_eq!(words.lines().count(), 6, "{words}");
}

#[test]
fn several_files_are_summed_up_and_listed() {
    let mut protected = file(".git/x", "+x\n");
    protected.protected = true;
    protected.reason = Some("/r/.git/x is protected".into());
    protected.kind = ChangeKind::Create;
    let mut free = file("c", "-c\n");
    free.reason = None;
    let question = Question::new("MultiEdit", vec![protected, file("b", "+b\n"), free]);
    let words = show::question(&question, Colour::Off);
    let meant = "MultiEdit: 3 files, +3 -3
  .git/x (a new file)  +1 -1  protected
  b  +1 -1
  c  +1 -1  needs no answer by itself
/r/.git/x is protected; the rule `ask Edit(*)` asks
.git/x
+x
b
+b
c
-c
";
    assert_eq!(words, meant);
}

#[test]
fn only_what_is_on_offer_is_offered() {
    let mut question = one("+a\n");
    question.offers.session = "this file".into();
    let (prompt, help) = (
        show::prompt(&question, Asker::Command),
        show::help(&question, Asker::Command),
    );
    assert!(
        prompt.ends_with("Write this? [y/N/d/?]") && !prompt.contains("always"),
        "{prompt}"
    );
    assert!(!help.contains("edit") && !help.contains("pick"), "{help}");
    question.offers.always = vec!["Edit(//a)".into()];
    question.files[0].text = Some(String::new());
    question.files[0].pieces.push(Piece::new("+b\n", 1));
    let (prompt, help) = (
        show::prompt(&question, Asker::Command),
        show::help(&question, Asker::Command),
    );
    assert!(
        prompt.contains("a: always (Edit(//a))") && prompt.ends_with("Write this? [y/N/a/e/p/d/?]"),
        "{prompt}"
    );
    assert!(
        help.contains("Edit(//a)") && help.contains("edit") && help.contains("pick"),
        "{help}"
    );
}

#[test]
fn a_question_on_record_can_stay_open_and_is_never_declined_by_an_empty_line() {
    for typed in ["", "\n", "q", "quit\n"] {
        assert_eq!(understood_on_record(typed), Key::Later);
    }
    assert_eq!(understood_on_record("s"), Key::Session);
    assert_eq!(understood_on_record("n"), Key::No(None));
    assert_eq!(understood_on_record("y"), Key::Yes);
    let mut question = one("+a\n");
    question.offers.session = "this file".into();
    let prompt = show::prompt(&question, Asker::Agent);
    assert_eq!(prompt, "Approve this? [y/n/s/d/q/?]");
    let help = show::help(&question, Asker::Agent);
    assert!(
        help.contains("until the session ends about this file"),
        "{help}"
    );
}
