//! What answers mean, and what a question asks for.

use super::*;

fn question(protected: bool) -> Question {
    let mut question = Question::default();
    question.protected = protected;
    question
}

fn said(result: Value, protected: bool) -> FormAnswer {
    let result = serde_json::from_value(result).expect("a result");
    understood(&result, &question(protected))
}

#[test]
fn answers_mean_what_they_say() {
    for protected in [false, true] {
        let accept = |decision: &str| {
            said(
                json!({ "action": "accept", "content": { "decision": decision } }),
                protected,
            )
        };
        assert_eq!(accept("yes"), FormAnswer::Yes);
        assert_eq!(accept("session"), FormAnswer::Session);
        assert_eq!(accept("always"), FormAnswer::Always);
        assert_eq!(accept("no"), FormAnswer::No);
        assert_eq!(
            said(json!({ "action": "decline" }), protected),
            FormAnswer::Declined
        );
        assert_eq!(
            said(json!({ "action": "cancel" }), protected),
            FormAnswer::Dismissed
        );
    }
}

#[test]
fn a_plain_accept_is_a_yes_but_for_protected_names() {
    for plain in [
        json!({ "action": "accept" }),
        json!({ "action": "accept", "content": {} }),
    ] {
        assert_eq!(said(plain.clone(), false), FormAnswer::Yes, "{plain}");
        assert_eq!(said(plain.clone(), true), FormAnswer::Declined, "{plain}");
    }
}

#[test]
fn an_answer_that_is_not_understood_is_a_no() {
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
            assert_eq!(said(answer, protected), FormAnswer::Declined, "{content}");
        }
    }
}

#[test]
fn words_are_those_that_somebody_wrote() {
    let words = |result: Value| words(&serde_json::from_value(result).expect("a result"));
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

fn asked(request: Option<ElicitRequest>) -> Value {
    serde_json::to_value(request.expect("a request")).expect("JSON")["params"].clone()
}

#[test]
fn the_form_has_one_field_and_no_preset_answer_for_protected_names() {
    let mut plain = question(false);
    let form = |question: &Question| asked(decision(question))["requestedSchema"].clone();
    let field = |question: &Question| form(question)["properties"]["decision"].clone();
    assert_eq!(
        form(&plain)["properties"].as_object().map(|all| all.len()),
        Some(1)
    );
    assert_eq!(field(&plain)["enum"], json!(["yes", "no", "session"]));
    assert_eq!(field(&plain)["default"], "yes");
    plain.offers.always = Some("Edit(//a)".into());
    assert_eq!(
        field(&plain)["enum"],
        json!(["yes", "no", "session", "always"])
    );
    let protected = question(true);
    assert_eq!(field(&protected).get("default"), None);
    assert_eq!(form(&protected)["required"], json!(["decision"]));
}

#[test]
fn words_are_asked_for_in_one_preset_field() {
    let form = asked(reason())["requestedSchema"].clone();
    assert_eq!(form["required"], json!(["reason"]));
    assert_eq!(form["properties"]["reason"]["default"], "no reason");
}

#[test]
fn every_path_is_listed_and_what_is_not_shown_is_said() {
    let other = |name: &str, protected| {
        let mut other = OtherFile::new(name, ChangeKind::Create);
        other.lines = (3, 0);
        other.protected = protected;
        other
    };
    let mut question = Question::new("MultiEdit", "/r/a\nb", ChangeKind::Update);
    question.lines = (400, 1);
    question.diff = "+twenty characters..\n".repeat(500);
    question.others = vec![other("/r/.git/x", true), other("/r/c\u{202e}", false)];
    let message = asked(decision(&question))["message"].clone();
    let message = message.as_str().expect("text");
    assert!(
        message.starts_with("MultiEdit wants to change /r/a␊b (+400 -1).\n"),
        "{message}"
    );
    assert!(
        message.contains("create /r/.git/x (+3 -0, protected)\ncreate /r/c<U+202E> (+3 -0)\n"),
        "{message}"
    );
    assert_eq!(message.matches("+twenty").count(), 380, "{message}");
    assert!(
        message.ends_with("Not shown: 120 more lines of the diff (2520 characters)."),
        "{message}"
    );
}
