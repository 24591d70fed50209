//! The meaning of answers, and the content of the forms.

use lancet::approval::Piece;

use super::*;

fn new_question(protected: bool) -> Question {
    let mut file = FileQuestion::new("/r/a", ChangeKind::Update);
    file.protected = protected;
    Question::new("Edit", vec![file])
}

fn form_answer(result: Value, protected: bool) -> FormAnswer {
    let result = serde_json::from_value(result).expect("a result");
    interpret_answer(&result, &new_question(protected))
}

#[test]
fn parses_explicit_answers() {
    for protected in [false, true] {
        let accept = |decision: &str| {
            form_answer(
                json!({ "action": "accept", "content": { "decision": decision } }),
                protected,
            )
        };
        assert_eq!(accept("yes"), FormAnswer::Yes);
        assert_eq!(accept("session"), FormAnswer::Session);
        assert_eq!(accept("always"), FormAnswer::Always);
        assert_eq!(accept("no"), FormAnswer::No);
        assert_eq!(
            form_answer(json!({ "action": "decline" }), protected),
            FormAnswer::Declined
        );
        assert_eq!(
            form_answer(json!({ "action": "cancel" }), protected),
            FormAnswer::Dismissed
        );
    }
}

#[test]
fn plain_accept_is_yes_except_for_protected_names() {
    for plain in [
        json!({ "action": "accept" }),
        json!({ "action": "accept", "content": {} }),
    ] {
        assert_eq!(
            form_answer(plain.clone(), false),
            FormAnswer::Yes,
            "{plain}"
        );
        assert_eq!(
            form_answer(plain.clone(), true),
            FormAnswer::Declined,
            "{plain}"
        );
    }
}

#[test]
fn unknown_answer_is_a_no() {
    for content in [
        json!({ "decision": false }),
        json!({ "decision": true }),
        json!({ "decision": 5 }),
        json!({ "decision": null }),
        json!({ "decision": "" }),
        json!({ "decision": "maybe" }),
        json!({ "decision": "Yes, but" }),
        json!({ "decision": ["yes"] }),
        json!({ "decision": { "decision": "yes" } }),
        json!({ "Decision": "yes" }),
        json!({ "reason": "fine" }),
        json!("yes"),
        json!(["yes"]),
        json!(true),
        json!(1),
    ] {
        for protected in [false, true] {
            let answer = json!({ "action": "accept", "content": content });
            assert_eq!(
                form_answer(answer, protected),
                FormAnswer::Declined,
                "{content}"
            );
        }
    }
}

#[test]
fn takes_only_reasons_that_the_user_wrote() {
    let words = |result: Value| extract_reason(&serde_json::from_value(result).expect("a result"));
    let accept = |content: Value| words(json!({ "action": "accept", "content": content }));
    assert_eq!(
        accept(json!({ "reason": " not here " })).as_deref(),
        Some("not here")
    );
    assert_eq!(accept(json!({ "reason": "no reason" })), None);
    assert_eq!(accept(json!({ "reason": "" })), None);
    assert_eq!(accept(json!({ "reason": 5 })), None);
    assert_eq!(accept(json!("reason")), None);
    assert_eq!(
        words(json!({ "action": "decline", "content": { "reason": "x" } })),
        None
    );
}

fn request_params(request: Option<ElicitRequest>) -> Value {
    serde_json::to_value(request.expect("a request")).expect("JSON")["params"].clone()
}

#[test]
fn form_has_no_preset_answer_for_protected_names() {
    let mut plain = new_question(false);
    let form =
        |question: &Question| request_params(decision_form(question))["requestedSchema"].clone();
    let field = |question: &Question| form(question)["properties"]["decision"].clone();
    assert_eq!(
        form(&plain)["properties"].as_object().map(|all| all.len()),
        Some(1)
    );
    assert_eq!(field(&plain)["enum"], json!(["yes", "no", "session"]));
    assert_eq!(field(&plain)["default"], "yes");
    plain.offers.always = vec!["Edit(//a)".into()];
    assert_eq!(
        field(&plain)["enum"],
        json!(["yes", "no", "session", "always"])
    );
    let protected = new_question(true);
    assert_eq!(field(&protected).get("default"), None);
    assert_eq!(field(&protected)["enum"], json!(["no", "yes", "session"]));
    assert_eq!(form(&protected)["required"], json!(["decision"]));
}

#[test]
fn reason_form_has_one_preset_field() {
    let form = request_params(reason_form())["requestedSchema"].clone();
    assert_eq!(form["required"], json!(["reason"]));
    assert_eq!(form["properties"]["reason"]["default"], "no reason");
}

#[test]
fn lists_every_path_and_reports_omissions() {
    let file = |name: &str, kind, lines, diff: String| {
        let mut file = FileQuestion::new(name, kind);
        file.lines = lines;
        file.reason = Some("the mode is ask".into());
        file.pieces = vec![Piece::new(diff, 0)];
        file
    };
    let mut protected = file("/r/.git/x", ChangeKind::Create, (3, 0), "+x\n".into());
    protected.protected = true;
    protected.reason = Some("/r/.git/x is protected".into());
    let long = "+twenty characters..\n".repeat(500);
    let long = file("/r/a\nb", ChangeKind::Update, (400, 1), long);
    let mut free = file("/r/c\u{202e}", ChangeKind::Delete, (0, 3), "-c\n".into());
    free.reason = None;
    free.notices = vec!["it goes".into()];
    let question = Question::new("MultiEdit", vec![protected, long, free]);
    let form = request_params(decision_form(&question));
    assert_eq!(form["requestedSchema"]["required"], json!(["decision"]));
    let message = form["message"].as_str().expect("text");
    let start = "MultiEdit wants to change 3 files (+403 -4).
Asked because /r/.git/x is protected; the mode is ask.
create /r/.git/x (+3 -0, protected)
change /r/a␊b (+400 -1)
remove /r/c<U+202E> (+0 -3, needs no answer by itself)
Note on /r/c<U+202E>: it goes

/r/.git/x
+x
/r/a␊b
+twenty";
    assert!(message.starts_with(start), "{message}");
    assert_eq!(message.matches("+twenty").count(), 380, "{message}");
    assert!(
        message.ends_with("Not shown: 122 more lines of the diff (2536 characters)."),
        "{message}"
    );
}

#[test]
fn single_file_is_named_in_the_first_line() {
    let mut file = FileQuestion::new("/r/a", ChangeKind::Update);
    file.lines = (1, 1);
    file.reason = Some("why".into());
    file.rule = Some("ask Edit(a)".into());
    file.notices = vec!["a note".into()];
    file.pieces = vec![Piece::new("@@ -1 +1 @@\n-a\n+b\n", 0)];
    let message =
        request_params(decision_form(&Question::new("Edit", vec![file])))["message"].clone();
    assert_eq!(
        message,
        "Edit wants to change /r/a (+1 -1).\nAsked because why.\nRule: ask Edit(a)\nNote: a note\n\n@@ -1 +1 @@\n-a\n+b\n"
    );
}

#[test]
fn short_dialog_begins_with_the_change() {
    let mut file = FileQuestion::new("/r/a", ChangeKind::Update);
    file.lines = (1, 1);
    file.reason = Some("why".into());
    file.rule = Some("ask Edit(a)".into());
    file.pieces = vec![Piece::new("@@ -1,3 +1,3 @@\n x\n-a\n+b\n y\n", 0)];
    let mut one = Question::new("Edit", vec![file.clone()]);
    one.client = Some("claude-code".into());
    assert_eq!(
        request_params(decision_form(&one))["message"],
        "Edit wants to change /r/a (+1 -1).\n-a\n+b\n y\n\nAsked because why.\nRule: ask Edit(a)\n"
    );
    let mut two = Question::new("Edit", vec![file.clone(), file]);
    two.client = one.client.clone();
    let message = request_params(decision_form(&two))["message"].clone();
    let lines: Vec<_> = message.as_str().expect("text").lines().collect();
    assert!(lines[1].starts_with("change /r/a") && lines[2].starts_with("change /r/a"));
    assert!(lines.contains(&"@@ -1,3 +1,3 @@"), "{lines:?}");
}

#[test]
fn notes_are_bounded_and_omitted_ones_counted() {
    let mut file = FileQuestion::new("/r/a", ChangeKind::Update);
    file.notices = vec!["n".repeat(1_500); 5];
    let message =
        request_params(decision_form(&Question::new("Edit", vec![file])))["message"].clone();
    let message = message.as_str().expect("text");
    assert_eq!(message.matches("Note: ").count(), 2, "{message}");
    assert!(message.contains("Not shown: 3 more notes.\n"), "{message}");
}
