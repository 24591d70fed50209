//! The texts of a question and the meaning of keys.

use lancet::approval::{ChangeKind, FileQuestion, Piece};

use super::keys::{PartKey, parse_key, parse_part_key, parse_recorded_key};
use super::*;

/// Returns a file with one hunk.
fn new_file_question(name: &str, diff: &str) -> FileQuestion {
    let mut file = FileQuestion::new(format!("/r/{name}"), ChangeKind::Update);
    file.relative = name.into();
    file.reason = Some("the rule `ask Edit(*)` asks".into());
    file.lines = (1, 1);
    file.pieces = vec![Piece::new(diff, 0)];
    file
}

fn question_with_diff(diff: &str) -> Question {
    Question::new("Edit", vec![new_file_question("a", diff)])
}

#[test]
fn accepts_only_plain_yes_and_ignores_typos() {
    assert_eq!(parse_key("y\n"), Key::Yes);
    assert_eq!(parse_key(" YES \n"), Key::Yes);
    assert_eq!(parse_key("\n"), Key::No(None));
    assert_eq!(parse_key(""), Key::No(None));
    assert_eq!(parse_key("N\n"), Key::No(None));
    let no = |words: &str| Key::No(Some(words.to_owned()));
    assert_eq!(
        parse_key("n use the other file\n"),
        no("use the other file")
    );
    assert_eq!(parse_key("no, not here\n"), no("not here"));
    for typo in ["y but later", "yy", "nothing doing", "always but not here"] {
        assert_eq!(parse_key(typo), Key::Other(typo.to_owned()));
    }
}

#[test]
fn parses_single_word_answers() {
    // A command is one call: there is no session to which a yes could apply.
    assert_eq!(parse_key("s\n"), Key::Other("s".into()));
    assert_eq!(parse_key("Always"), Key::Always);
    assert_eq!(parse_key("e"), Key::Edit);
    assert_eq!(parse_key("p"), Key::Pick);
    assert_eq!(parse_key("d"), Key::Diff);
    assert_eq!(parse_key("?"), Key::Help);
    assert_eq!(parse_part_key("h"), PartKey::Hunks);
    assert_eq!(parse_part_key(""), PartKey::Back);
    assert_eq!(
        parse_part_key("n not this one"),
        PartKey::No(Some("not this one".to_owned()))
    );
}

#[test]
fn advance_consent_excludes_protected_names() {
    let approver = TerminalApprover::new(Consent::Given, &Surroundings::default());
    assert_eq!(
        approver.ask(&question_with_diff(""), &Wait::default()),
        Answer::Yes
    );
    assert!(!approver.has_shown() && approver.failed_to_ask().is_none());
    assert_eq!(approver.consent_given_in_advance(true), None);
}

#[test]
fn question_shows_control_characters() {
    let words = show::format_question(&question_with_diff("-ok\n+evil\x1b[2K\rok\n"), Colour::Off);
    assert!(words.contains("+evil␛[2K␍ok\n") && !words.contains('\x1b'));
}

#[test]
fn omits_agent_mode_as_reason() {
    let mut question = question_with_diff("+a\n");
    question.files[0].reason = Some("the mode is ask: every write is asked about".into());
    let words = show::format_question(&question, Colour::Off);
    assert!(!words.contains("mode"), "{words}");
}

#[test]
fn notice_about_omitted_diff_follows_the_diff() {
    let mut question = question_with_diff("@@ -1 +1 @@\n-a\n+b\n");
    question.files[0].notices = vec!["10 further places are not shown".into()];
    let words = show::format_question(&question, Colour::Off);
    assert!(
        words.ends_with("+b\nnote: 10 further places are not shown\n"),
        "{words}"
    );
}

#[test]
fn file_name_with_newline_cannot_forge_question_lines() {
    let mut forged = new_file_question("a\n@@ -1 +1 @@\nb", "");
    forged.reason = Some("/r/a\nb is protected".into());
    forged.protected = true;
    let words = show::format_question(&Question::new("Edit", vec![forged.clone()]), Colour::Off);
    assert_eq!(words.lines().count(), 3, "{words}");
    let two = Question::new("Edit", vec![forged, new_file_question("b", "")]);
    let words = show::format_question(&two, Colour::Off);
    assert_eq!(words.lines().count(), 6, "{words}");
}

#[test]
fn question_about_several_files_has_summary_and_list() {
    let mut protected = new_file_question(".git/x", "+x\n");
    protected.protected = true;
    protected.reason = Some("/r/.git/x is protected".into());
    protected.kind = ChangeKind::Create;
    let mut free = new_file_question("c", "-c\n");
    free.reason = None;
    let question = Question::new(
        "MultiEdit",
        vec![protected, new_file_question("b", "+b\n"), free],
    );
    let words = show::format_question(&question, Colour::Off);
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
fn prompt_lists_only_available_answers() {
    let mut question = question_with_diff("+a\n");
    question.offers.session = "this file".into();
    let (prompt, help) = (
        show::format_prompt(&question, QuestionOrigin::Command),
        show::format_help(&question, QuestionOrigin::Command),
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
        show::format_prompt(&question, QuestionOrigin::Command),
        show::format_help(&question, QuestionOrigin::Command),
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
fn empty_line_leaves_recorded_question_open() {
    for typed in ["", "\n", "q", "quit\n"] {
        assert_eq!(parse_recorded_key(typed), Key::Later);
    }
    assert_eq!(parse_recorded_key("s"), Key::Session);
    assert_eq!(parse_recorded_key("n"), Key::No(None));
    assert_eq!(parse_recorded_key("y"), Key::Yes);
    let mut question = question_with_diff("+a\n");
    question.offers.session = "this file".into();
    let prompt = show::format_prompt(&question, QuestionOrigin::Agent);
    assert_eq!(prompt, "Approve this? [y/n/s/d/q/?]");
    let help = show::format_help(&question, QuestionOrigin::Agent);
    assert!(
        help.contains("until the session ends about this file"),
        "{help}"
    );
}
