//! Questions to the users of clients without sessions: each has a state that is valid only for its own call.

use serde_json::{Value, json};

use crate::client::{Server, alone, attempt};

fn state(result: &Value) -> String {
    assert_eq!(result["resultType"], "input_required", "{result}");
    result["requestState"].as_str().expect("a state").to_owned()
}

#[test]
fn a_question_is_answered_by_the_call_that_it_belongs_to_and_by_no_other() {
    let server = Server::start(&["--mode", "ask", "--ask", "elicit"]);
    let bearer = server.bearer();
    let path = server.folder.join("project").join("new.txt");
    let write = |content: &str| json!({"name": "Write", "arguments": {"file_path": path, "content": content}});
    let mine = json!({"lancet/session": "mine"});
    let asked = alone(&server, &bearer, write("one\n"), mine.clone());
    let state = state(&asked);
    let yes = json!({"decision": {"action": "accept", "content": {"decision": "yes"}}});
    let answered = |mut params: Value, state: &str| {
        params["inputResponses"] = yes.clone();
        params["requestState"] = json!(state);
        params
    };
    // Another content, another tool, another session, a changed state: each causes a new question, and nothing is
    // written.
    let other = json!({"name": "Edit", "arguments": {"file_path": path, "content": "one\n"}});
    let last = if state.ends_with('0') { '1' } else { '0' };
    let changed = format!("{}{last}", &state[..state.len() - 1]);
    for (params, meta) in [
        (answered(write("two\n"), &state), mine.clone()),
        (answered(other, &state), mine.clone()),
        (
            answered(write("one\n"), &state),
            json!({"lancet/session": "yours"}),
        ),
        (answered(write("one\n"), &state), json!({})),
        (answered(write("one\n"), &changed), mine.clone()),
        (answered(write("one\n"), "question-0"), mine.clone()),
    ] {
        // Such a call waits for its turn on the file or prompts again; the client does not wait for it.
        attempt(&server, &bearer, params.clone(), meta);
        assert!(!path.exists(), "{params} wrote");
    }
    let read = alone(
        &server,
        &server.reader(),
        answered(write("one\n"), &state),
        mine.clone(),
    );
    assert_eq!(
        read["isError"], true,
        "the read-only token answers nothing: {read}"
    );
    assert!(!path.exists());
    let done = alone(
        &server,
        &bearer,
        answered(write("one\n"), &state),
        mine.clone(),
    );
    assert_ne!(done["isError"], true, "{done}");
    assert_eq!(server.text("new.txt"), "one\n");
    // An answer is valid once.
    let again = alone(&server, &bearer, answered(write("one\n"), &state), mine);
    assert!(
        again["resultType"] == "input_required"
            || again["isError"] == true
            || again["content"].is_array()
    );
}
