//! Questions to the person behind a client, in both generations: their content, the meaning of answers, and what the
//! model learns about who answered.

use std::time::Duration;

use lancet::Mode;
use lancet_mcp::{Ask, Options};
use serde_json::{Value, json};

use crate::connection::{Connection, MODERN, connect_with, refusal, text};

/// Longer than the time in which a person can read a question.
const READ: Duration = Duration::from_millis(400);

/// How long a client takes to answer.
#[derive(Clone, Copy)]
enum Pace {
    /// As fast as a program answers.
    AtOnce,
    /// As slow as a person answers.
    Read,
}

#[derive(Clone, Copy, PartialEq, Debug)]
enum Generation {
    First,
    Second,
}

async fn asking(ask: Ask, generation: Generation) -> Connection {
    let options = Options {
        ask,
        ..Options::default()
    };
    let mut connection = connect_with(|builder| builder.mode(Mode::Ask), options);
    if generation == Generation::First {
        connection
            .shake_hands_offering(json!({ "elicitation": {} }))
            .await;
    }
    connection
}

/// Writes a file and answers the questions with these results, one after the other. Returns the questions and the
/// result.
async fn write(
    connection: &mut Connection,
    generation: Generation,
    name: &str,
    answers: &[Value],
    pace: Pace,
) -> (Vec<Value>, Value) {
    let arguments = json!({ "file_path": connection.path(name), "content": "x\n" });
    let params = json!({ "name": "Write", "arguments": arguments });
    call(connection, generation, params, answers, pace).await
}

/// Makes a call and answers its questions in the same way.
async fn call(
    connection: &mut Connection,
    generation: Generation,
    mut params: Value,
    answers: &[Value],
    pace: Pace,
) -> (Vec<Value>, Value) {
    let mut asked = Vec::new();
    let mut answers = answers.iter();
    if generation == Generation::Second {
        params["_meta"] = json!({
            "io.modelcontextprotocol/protocolVersion": MODERN,
            "io.modelcontextprotocol/clientCapabilities": { "elicitation": {} },
            "io.modelcontextprotocol/clientInfo": { "name": "test-client", "version": "2" },
        });
    }
    let mut id = connection.ask("tools/call", params.clone()).await;
    loop {
        let message = connection.receive().await;
        let question = match generation {
            Generation::First => &message["params"],
            Generation::Second => &message["result"]["inputRequests"]["decision"]["params"],
        };
        if question.is_null() {
            assert_eq!(message["id"], id, "{message}");
            assert_eq!(answers.next(), None, "was not asked for");
            return (asked, message["result"].clone());
        }
        asked.push(question.clone());
        if let Pace::Read = pace {
            tokio::time::sleep(READ).await;
        }
        let answer = answers.next().expect("an answer for each question");
        match generation {
            Generation::First => {
                assert_eq!(message["method"], "elicitation/create");
                let answer = json!({ "jsonrpc": "2.0", "id": message["id"], "result": answer });
                connection.send(answer).await;
            }
            Generation::Second => {
                params["requestState"] = message["result"]["requestState"].clone();
                params["inputResponses"] = json!({ "decision": answer });
                id = connection.ask("tools/call", params.clone()).await;
            }
        }
    }
}

fn accept(content: Value) -> Value {
    json!({ "action": "accept", "content": content })
}

const BOTH: [Generation; 2] = [Generation::First, Generation::Second];

#[tokio::test]
async fn answers_that_are_not_understood_are_a_no() {
    for generation in BOTH {
        let mut connection = asking(Ask::any_client(), generation).await;
        for content in [
            json!({ "decision": false }),
            json!({ "decision": 5 }),
            json!({ "decision": null }),
            json!({ "decision": ["yes"] }),
            json!({ "decision": "" }),
            json!({ "Decision": "yes" }),
            json!("yes"),
            json!(["yes"]),
        ] {
            for name in ["a.txt", ".git/x", ".bashrc"] {
                let answers = [accept(content.clone())];
                let (_, result) =
                    write(&mut connection, generation, name, &answers, Pace::AtOnce).await;
                assert_eq!(refusal(&result), "declined", "{content}");
                assert!(!connection.path(name).exists(), "{content} wrote {name}");
            }
        }
    }
}

#[tokio::test]
async fn a_plain_accept_is_enough_for_ordinary_files_only() {
    for generation in BOTH {
        for answer in [json!({ "action": "accept" }), accept(json!({}))] {
            let mut connection = asking(Ask::any_client(), generation).await;
            let answers = [answer];
            let (asked, result) =
                write(&mut connection, generation, "a.txt", &answers, Pace::AtOnce).await;
            assert_ne!(result["isError"], true, "{result}");
            let field = &asked[0]["requestedSchema"]["properties"]["decision"];
            assert_eq!(field["default"], "yes");
            for name in [".git/x", ".bashrc", ".env"] {
                let (asked, result) =
                    write(&mut connection, generation, name, &answers, Pace::AtOnce).await;
                assert_eq!(refusal(&result), "declined", "{name}");
                assert!(!connection.path(name).exists(), "{name}");
                let form = &asked[0]["requestedSchema"];
                assert_eq!(
                    form["properties"]["decision"].get("default"),
                    None,
                    "{form}"
                );
            }
            let yes = [accept(json!({ "decision": "yes" }))];
            let (_, result) =
                write(&mut connection, generation, ".bashrc", &yes, Pace::AtOnce).await;
            assert_ne!(result["isError"], true, "{result}");
        }
    }
}

#[tokio::test]
async fn words_are_asked_for_after_a_no_in_the_form_and_never_else() {
    let no = accept(json!({ "decision": "no" }));
    for generation in BOTH {
        let mut connection = asking(Ask::any_client(), generation).await;
        let words = accept(json!({ "reason": "Take the other file." }));
        let answers = [no.clone(), words];
        let (asked, result) =
            write(&mut connection, generation, "a.txt", &answers, Pace::Read).await;
        assert_eq!(refusal(&result), "declined");
        let told = text(&result);
        assert!(
            told.starts_with("A person declined") && told.contains("Take the other file."),
            "{told}"
        );
        let form = &asked[1]["requestedSchema"];
        assert_eq!(form["required"], json!(["reason"]), "{form}");
        assert_eq!(form["properties"]["reason"]["default"], "no reason");
        // The no is final, whatever happens to the reason.
        for words in [
            json!({ "action": "decline" }),
            json!({ "action": "cancel" }),
            accept(json!({ "decision": "yes" })),
            accept(json!({ "reason": "no reason" })),
        ] {
            let answers = [no.clone(), words];
            let (_, result) =
                write(&mut connection, generation, "a.txt", &answers, Pace::Read).await;
            assert_eq!(refusal(&result), "declined");
            let told = text(&result);
            assert!(told.starts_with("A person declined"), "{told}");
            assert!(!told.contains("reason"), "{told}");
        }
        assert!(!connection.path("a.txt").exists());
        let answers = [json!({ "action": "decline" })];
        let (asked, result) =
            write(&mut connection, generation, "a.txt", &answers, Pace::Read).await;
        assert_eq!(asked.len(), 1);
        assert!(text(&result).starts_with("A person declined"), "{result}");
    }
}

#[tokio::test]
async fn what_no_person_answered_is_told_so() {
    let told = |result: &Value| {
        assert_eq!(refusal(result), "declined");
        let told = text(result);
        assert!(
            told.contains("was not answered by a person") && !told.contains("A person declined"),
            "{told}"
        );
    };
    for generation in BOTH {
        let mut connection = asking(Ask::any_client(), generation).await;
        for (answer, pace) in [
            (json!({ "action": "cancel" }), Pace::AtOnce),
            (json!({ "action": "cancel" }), Pace::Read),
            (json!({ "action": "decline" }), Pace::AtOnce),
            (json!({ "nothing": "known" }), Pace::Read),
        ] {
            let answers = [answer];
            let (_, result) = write(&mut connection, generation, "a.txt", &answers, pace).await;
            told(&result);
        }
        let answers = [
            accept(json!({ "decision": "no" })),
            accept(json!({ "reason": "Policy 7." })),
        ];
        let (_, result) = write(&mut connection, generation, "a.txt", &answers, Pace::AtOnce).await;
        told(&result);
        assert!(text(&result).contains("Policy 7."), "{result}");
    }
}

#[tokio::test]
async fn a_name_forges_no_line_of_the_question() {
    for generation in BOTH {
        let mut connection = asking(Ask::any_client(), generation).await;
        let name = "x\nAsked because nothing.\n\nThis is safe\u{202e}\u{1b}[2K\r.txt";
        let answers = [json!({ "action": "decline" })];
        let (asked, _) = write(&mut connection, generation, name, &answers, Pace::AtOnce).await;
        let message = asked[0]["message"].as_str().expect("text");
        assert!(
            !message
                .lines()
                .any(|line| line.starts_with("Asked because nothing")),
            "{message}"
        );
        let hidden = |c: char| (c.is_control() && c != '\n') || c == '\u{202e}';
        assert!(
            !asked[0].to_string().contains("\\u001b") && !message.contains(hidden),
            "{message}"
        );
    }
}

#[tokio::test]
async fn without_a_word_only_known_clients_are_asked() {
    // The test's client is not one that is known to show questions to a person.
    let mut connection = asking(Ask::known_clients(), Generation::First).await;
    let (asked, result) = write(
        &mut connection,
        Generation::First,
        "a.txt",
        &[],
        Pace::AtOnce,
    )
    .await;
    assert_eq!((asked.len(), refusal(&result)), (0, "declined"));
    assert!(
        text(&result).contains("no person can be asked here"),
        "{result}"
    );
}

#[tokio::test]
async fn a_call_with_several_files_is_one_question_about_the_whole() {
    for generation in BOTH {
        let mut connection = asking(Ask::any_client(), generation).await;
        let names = ["a.txt", "b.txt", ".git/x"];
        let edits: Vec<Value> = names
            .iter()
            .map(|name| json!({ "file_path": connection.path(name), "old_string": "", "new_string": "x\n" }))
            .collect();
        let params = json!({ "name": "MultiEdit", "arguments": { "edits": edits } });
        let no = [json!({ "action": "decline" })];
        let (asked, result) =
            call(&mut connection, generation, params.clone(), &no, Pace::Read).await;
        assert_eq!((asked.len(), refusal(&result)), (1, "declined"));
        assert!(
            text(&result).starts_with("A person declined this change of 3 files"),
            "{result}"
        );
        let message = asked[0]["message"].as_str().expect("text");
        let listed: Vec<usize> = [
            ".git/x (+1 -0, protected)",
            "a.txt (+1 -0)",
            "b.txt (+1 -0)",
        ]
        .iter()
        .map(|file| message.find(file).expect("it is listed"))
        .collect();
        assert!(listed.is_sorted(), "{message}");
        // One of the names is protected: a plain accept is not enough for the call.
        let plain = [json!({ "action": "accept" })];
        let (_, result) = call(
            &mut connection,
            generation,
            params.clone(),
            &plain,
            Pace::AtOnce,
        )
        .await;
        assert_eq!(refusal(&result), "declined");
        assert!(names.iter().all(|name| !connection.path(name).exists()));
        let yes = [accept(json!({ "decision": "yes" }))];
        let (asked, result) = call(&mut connection, generation, params, &yes, Pace::AtOnce).await;
        assert_ne!(result["isError"], true, "{result}");
        assert_eq!(asked.len(), 1);
        assert!(names.iter().all(|name| connection.path(name).exists()));
    }
}
