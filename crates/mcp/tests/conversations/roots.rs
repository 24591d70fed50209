//! A client's own roots narrow lancet's: requested in both generations, waited for, requested again when they change.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use lancet::{Lancet, Mode};
use lancet_mcp::{LateRoots, Options, RootsOrigin};
use lancet_serving::{Level, Log};
use lancet_testing::TestFolder;
use serde_json::{Value, json};

use crate::connection::{Connection, MODERN, connect, connect_with, data, refusal, text};

/// Folders below the root, each with a file of the same name.
fn furnish(connection: &Connection) {
    for folder in ["app", "lib"] {
        std::fs::create_dir(connection.path(folder)).expect("made");
        connection.write(&format!("{folder}/a.txt"), &format!("in {folder}\n"));
    }
}

fn roots(connection: &Connection, names: &[&str]) -> Value {
    let uri = |name: &&str| json!({"uri": format!("file://{}", connection.path(name).display())});
    json!({"roots": names.iter().map(uri).collect::<Vec<_>>()})
}

/// Receives the server's request for the roots and returns its id.
async fn receive_roots_request(connection: &mut Connection) -> Value {
    let question = connection.receive().await;
    assert_eq!(question["method"], "roots/list", "{question}");
    question["id"].clone()
}

async fn answer(connection: &mut Connection, id: &Value, result: Value) {
    connection
        .send(json!({"jsonrpc": "2.0", "id": id, "result": result}))
        .await;
}

async fn read(connection: &mut Connection, name: &str) -> Value {
    let path = connection.path(name);
    connection
        .call("Read", json!({"file_path": path, "force": true}))
        .await
}

/// Returns a log of warnings, and the text that was logged to it.
fn kept_log() -> (Log, Arc<Mutex<String>>) {
    let heard = Arc::new(Mutex::new(String::new()));
    let into = heard.clone();
    let log = Log::new(Level::Warn, move |_, line| {
        let mut heard = into.lock().expect("not poisoned");
        heard.push_str(line);
        heard.push('\n');
    });
    (log, heard)
}

#[tokio::test]
async fn roots_are_asked_for_and_narrow() {
    let mut connection = connect();
    furnish(&connection);
    connection.shake_hands_offering(json!({"roots": {}})).await;
    let id = receive_roots_request(&mut connection).await;
    let list = roots(&connection, &["app"]);
    answer(&mut connection, &id, list).await;
    assert!(text(&read(&mut connection, "app/a.txt").await).contains("in app"));
    assert_eq!(
        refusal(&read(&mut connection, "lib/a.txt").await),
        "outside"
    );
    // Named sessions use the same roots.
    let path = connection.path("lib/a.txt");
    let meta = json!({"lancet/session": "other", "lancet/seen": [{"file_path": path, "text": "in lib\n"}]});
    let edit = json!({"file_path": path, "old_string": "in", "new_string": "x"});
    let reply = connection.call_with("Edit", edit, meta).await;
    assert_eq!(refusal(&reply), "outside");
    let found = connection.call("Grep", json!({"pattern": "in"})).await;
    assert_eq!(data(&found)["numFiles"], 1, "{found}");
    let found = connection
        .call("Read", json!({"file_path": "a.txt", "force": true}))
        .await;
    assert!(text(&found).contains("in app"), "{found}");
}

#[tokio::test]
async fn a_client_that_offers_none_is_not_asked() {
    let mut connection = connect();
    furnish(&connection);
    connection.shake_hands().await;
    // The next message is the answer to this: `call` would fail on a request.
    assert!(text(&read(&mut connection, "lib/a.txt").await).contains("in lib"));
    connection
        .send(json!({"jsonrpc": "2.0", "method": "notifications/roots/list_changed"}))
        .await;
    assert!(text(&read(&mut connection, "lib/a.txt").await).contains("in lib"));
}

#[tokio::test]
async fn a_changed_list_narrows_anew_from_lancets_own_roots() {
    let mut connection = connect();
    furnish(&connection);
    connection
        .shake_hands_offering(json!({"roots": {"listChanged": true}}))
        .await;
    let id = receive_roots_request(&mut connection).await;
    let list = roots(&connection, &["app"]);
    answer(&mut connection, &id, list).await;
    assert_eq!(
        refusal(&read(&mut connection, "lib/a.txt").await),
        "outside"
    );
    for (names, inside, outside) in [
        (&["lib"][..], "lib/a.txt", Some("app/a.txt")),
        (&["app", "lib"], "app/a.txt", None),
        (&[""], "lib/a.txt", None),
        (&["app"], "app/a.txt", Some("lib/a.txt")),
    ] {
        connection
            .send(json!({"jsonrpc": "2.0", "method": "notifications/roots/list_changed"}))
            .await;
        let id = receive_roots_request(&mut connection).await;
        let list = roots(&connection, names);
        answer(&mut connection, &id, list).await;
        assert_ne!(
            read(&mut connection, inside).await["isError"],
            true,
            "{names:?}"
        );
        if let Some(outside) = outside {
            assert_eq!(
                refusal(&read(&mut connection, outside).await),
                "outside",
                "{names:?}"
            );
        }
    }
}

#[tokio::test]
async fn a_call_waits_for_the_answer() {
    let mut connection = connect();
    furnish(&connection);
    connection.shake_hands_offering(json!({"roots": {}})).await;
    let path = connection.path("lib/a.txt");
    let id = connection
        .ask(
            "tools/call",
            json!({"name": "Read", "arguments": {"file_path": path}}),
        )
        .await;
    let question = receive_roots_request(&mut connection).await;
    // Changed before it was answered: only the answer to the second request counts.
    connection
        .send(json!({"jsonrpc": "2.0", "method": "notifications/roots/list_changed"}))
        .await;
    let second = receive_roots_request(&mut connection).await;
    let (early, late) = (roots(&connection, &["lib"]), roots(&connection, &["app"]));
    answer(&mut connection, &question, early).await;
    answer(&mut connection, &second, late).await;
    let reply = connection.receive().await;
    assert_eq!(reply["id"], id, "{reply}");
    assert_eq!(refusal(&reply["result"]), "outside");
}

#[tokio::test]
async fn a_client_that_never_answers_is_told_so() {
    let options = Options {
        roots_wait: Duration::from_millis(100),
        ..Options::default()
    };
    let mut connection = connect_with(|builder| builder, options);
    furnish(&connection);
    connection.shake_hands_offering(json!({"roots": {}})).await;
    let question = receive_roots_request(&mut connection).await;
    let reply = read(&mut connection, "app/a.txt").await;
    assert_eq!(refusal(&reply), "timeout");
    assert!(text(&reply).contains("roots/list"), "{reply}");
    // A late answer still counts.
    let list = roots(&connection, &["app"]);
    answer(&mut connection, &question, list).await;
    assert!(text(&read(&mut connection, "app/a.txt").await).contains("in app"));
}

#[tokio::test]
async fn a_client_that_goes_on_not_answering_is_waited_for_no_more() {
    let (log, heard) = kept_log();
    let options = Options {
        log,
        roots_wait: Duration::from_millis(100),
        ..Options::default()
    };
    let mut connection = connect_with(|builder| builder, options);
    furnish(&connection);
    connection.shake_hands_offering(json!({"roots": {}})).await;
    let question = receive_roots_request(&mut connection).await;
    assert_eq!(
        refusal(&read(&mut connection, "app/a.txt").await),
        "timeout"
    );
    for file in ["app/a.txt", "lib/a.txt"] {
        let told = file.split('/').next().expect("a folder");
        let reply = read(&mut connection, file).await;
        assert!(text(&reply).contains(&format!("in {told}")), "{reply}");
    }
    let words = heard.lock().expect("not poisoned").clone();
    assert_eq!(words.matches("no longer wait").count(), 1, "{words}");
    // Roots are never widened, whatever the client leaves out; and a late answer still narrows them.
    let path = "/etc/hostname";
    let call = json!({"name": "Read", "arguments": {"file_path": path}});
    let id = connection.ask("tools/call", call).await;
    let reply = connection.receive().await;
    assert_eq!(reply["id"], id, "{reply}");
    assert_eq!(refusal(&reply["result"]), "outside");
    let list = roots(&connection, &["app"]);
    answer(&mut connection, &question, list).await;
    let narrowed = async { while read(&mut connection, "lib/a.txt").await["isError"] != true {} };
    tokio::time::timeout(Duration::from_secs(10), narrowed)
        .await
        .expect("the answer is taken in");
}

#[tokio::test]
async fn roots_that_cannot_be_used_are_ignored_and_logged() {
    for (result, words) in [
        (json!({"roots": []}), "nothing in common"),
        (
            json!({"roots": [{"uri": "file:///nowhere"}]}),
            "nothing in common",
        ),
        (
            json!({"roots": [{"uri": "https://example.org/"}]}),
            "passed over",
        ),
        (json!({"unknown": 1}), "did not tell"),
    ] {
        let (log, heard) = kept_log();
        let options = Options {
            log,
            ..Options::default()
        };
        let mut connection = connect_with(|builder| builder, options);
        furnish(&connection);
        connection.shake_hands_offering(json!({"roots": {}})).await;
        let id = receive_roots_request(&mut connection).await;
        answer(&mut connection, &id, result.clone()).await;
        assert!(text(&read(&mut connection, "lib/a.txt").await).contains("in lib"));
        let heard = heard.lock().expect("not poisoned").clone();
        assert!(heard.contains(words), "{result}: {heard}");
    }
    // An error in place of the answer does the same, and leaves the earlier narrowing.
    let mut connection = connect();
    furnish(&connection);
    connection.shake_hands_offering(json!({"roots": {}})).await;
    let error = json!({"code": -32601, "message": "no such method"});
    let id = receive_roots_request(&mut connection).await;
    connection
        .send(json!({"jsonrpc": "2.0", "id": id, "error": error}))
        .await;
    assert!(text(&read(&mut connection, "lib/a.txt").await).contains("in lib"));
    for (reply, left) in [("result", "app"), ("error", "app")] {
        connection
            .send(json!({"jsonrpc": "2.0", "method": "notifications/roots/list_changed"}))
            .await;
        let id = receive_roots_request(&mut connection).await;
        let body = match reply {
            "result" => roots(&connection, &[left]),
            _ => error.clone(),
        };
        connection
            .send(json!({"jsonrpc": "2.0", "id": id, reply: body}))
            .await;
        assert_eq!(
            refusal(&read(&mut connection, "lib/a.txt").await),
            "outside"
        );
    }
}

#[tokio::test]
async fn uris_are_taken_by_what_they_mean() {
    let mut connection = connect();
    furnish(&connection);
    std::fs::create_dir(connection.path("a b é")).expect("made");
    std::os::unix::fs::symlink("a b é", connection.path("link")).expect("made");
    connection.write("a b é/x.txt", "here\n");
    connection.shake_hands_offering(json!({"roots": {}})).await;
    let id = receive_roots_request(&mut connection).await;
    let escaped = format!("file://{}/a%20b%20%C3%A9/", connection.root().display());
    let list = json!({"roots": [
        {"uri": "untitled:Untitled-1", "name": "no file"},
        {"uri": escaped, "name": "the folder"},
        {"uri": format!("file://{}/link", connection.root().display())},
    ]});
    answer(&mut connection, &id, list).await;
    assert!(text(&read(&mut connection, "a b é/x.txt").await).contains("here"));
    assert!(text(&read(&mut connection, "link/x.txt").await).contains("here"));
    assert_eq!(
        refusal(&read(&mut connection, "app/a.txt").await),
        "outside"
    );
}

fn modern_meta() -> Value {
    json!({
        "io.modelcontextprotocol/protocolVersion": MODERN,
        "io.modelcontextprotocol/clientCapabilities": {"roots": {}},
        "io.modelcontextprotocol/clientInfo": {"name": "test-client", "version": "2"},
    })
}

/// Makes a call of the second generation that sends its roots if they are requested. Returns the result, and whether
/// they were.
async fn modern(connection: &mut Connection, name: &str, list: &Value) -> (Value, bool) {
    let path = connection.path(name);
    let mut params = json!({"name": "Read", "arguments": {"file_path": path, "force": true}, "_meta": modern_meta()});
    let first = connection.request("tools/call", params.clone()).await["result"].clone();
    if first["resultType"] != "input_required" {
        return (first, false);
    }
    assert_eq!(
        first["inputRequests"]["roots"]["method"], "roots/list",
        "{first}"
    );
    params["requestState"] = first["requestState"].clone();
    params["inputResponses"] = json!({"roots": list});
    let second = connection.request("tools/call", params).await["result"].clone();
    assert_ne!(second["resultType"], "input_required", "{second}");
    (second, true)
}

#[tokio::test]
async fn a_call_of_the_second_generation_brings_the_roots_once() {
    let mut connection = connect();
    furnish(&connection);
    let (app, lib) = (roots(&connection, &["app"]), roots(&connection, &["lib"]));
    let (reply, asked) = modern(&mut connection, "lib/a.txt", &app).await;
    assert_eq!((refusal(&reply), asked), ("outside", true));
    let (reply, asked) = modern(&mut connection, "app/a.txt", &lib).await;
    assert!(
        text(&reply).contains("in app") && !asked,
        "asked again: {reply}"
    );
    connection
        .send(json!({"jsonrpc": "2.0", "method": "notifications/roots/list_changed"}))
        .await;
    let (reply, asked) = modern(&mut connection, "app/a.txt", &lib).await;
    assert_eq!((refusal(&reply), asked), ("outside", true));
    let (reply, _) = modern(&mut connection, "lib/a.txt", &lib).await;
    assert!(text(&reply).contains("in lib"), "{reply}");
}

#[tokio::test]
async fn a_call_that_brings_something_else_leaves_lancets_own_roots() {
    for brought in [json!(null), json!({"roots": "none"}), json!({"roots": []})] {
        let mut connection = connect();
        furnish(&connection);
        let (reply, asked) = modern(&mut connection, "lib/a.txt", &brought).await;
        assert!(text(&reply).contains("in lib") && asked, "{reply}");
    }
}

#[tokio::test]
async fn roots_with_nothing_in_common_leave_what_was_named_and_the_first_answer_says_so() {
    let mut connection = connect();
    furnish(&connection);
    connection.shake_hands_offering(json!({"roots": {}})).await;
    let id = receive_roots_request(&mut connection).await;
    let list = json!({"roots": [{"uri": "file:///nowhere"}]});
    answer(&mut connection, &id, list).await;
    let first = read(&mut connection, "lib/a.txt").await;
    assert!(text(&first).contains("in lib"), "{first}");
    let told = first["content"][1]["text"].as_str().unwrap_or_default();
    assert!(told.contains("nothing in common"), "{first}");
    let second = read(&mut connection, "app/a.txt").await;
    assert!(second["content"].get(1).is_none(), "{second}");
}

#[tokio::test]
async fn roots_with_nothing_in_common_refuse_every_call_where_none_were_named() {
    let options = Options {
        roots: RootsOrigin::Found,
        ..Options::default()
    };
    let mut connection = connect_with(|builder| builder, options);
    furnish(&connection);
    connection.shake_hands_offering(json!({"roots": {}})).await;
    let id = receive_roots_request(&mut connection).await;
    let list = json!({"roots": [{"uri": "file:///nowhere"}]});
    answer(&mut connection, &id, list).await;
    for name in ["lib/a.txt", "app/a.txt"] {
        let refused = read(&mut connection, name).await;
        assert_eq!(refusal(&refused), "outside");
        let own = connection.root().display().to_string();
        for named in ["file:///nowhere", &own, "--root"] {
            assert!(text(&refused).contains(named), "{refused}");
        }
    }
    // A later answer can change this.
    connection
        .send(json!({"jsonrpc": "2.0", "method": "notifications/roots/list_changed"}))
        .await;
    let id = receive_roots_request(&mut connection).await;
    let list = roots(&connection, &["app"]);
    answer(&mut connection, &id, list).await;
    assert!(text(&read(&mut connection, "app/a.txt").await).contains("in app"));
}

/// Opens engines on folders below this one.
#[derive(Debug)]
struct Below(PathBuf);

impl LateRoots for Below {
    fn open(&self, folders: &[PathBuf]) -> Result<Lancet, String> {
        let below = folders.iter().filter(|folder| folder.starts_with(&self.0));
        let mut builder = Lancet::builder().mode(Mode::AcceptEdits);
        for folder in below {
            builder = builder.root(folder);
        }
        builder.open().map_err(|error| format!("{error}."))
    }

    fn explain_missing_roots(&self) -> String {
        "It was started too high up.".to_owned()
    }
}

/// Starts a server without roots, in a folder with `app` and `lib`.
fn rootless(folder: &TestFolder) -> Connection {
    let options = Options {
        roots: RootsOrigin::Wanted(Arc::new(Below(folder.join("home")))),
        ..Options::default()
    };
    for name in ["home/app", "home/lib", "other"] {
        std::fs::create_dir_all(folder.join(name)).expect("made");
        lancet_testing::folder::put(&folder.join(name).join("a.txt"), format!("in {name}\n"));
    }
    connect_with(|builder| builder, options)
}

#[tokio::test]
async fn a_server_without_roots_takes_the_clients() {
    let folder = TestFolder::new();
    let mut connection = rootless(&folder);
    connection.shake_hands_offering(json!({"roots": {}})).await;
    let id = receive_roots_request(&mut connection).await;
    let uri = |name: &str| json!({"uri": format!("file://{}", folder.join(name).display())});
    let list = json!({"roots": [uri("home/app"), uri("other")]});
    answer(&mut connection, &id, list).await;
    let read = json!({"file_path": folder.join("home/app/a.txt")});
    let shown = connection.call("Read", read).await;
    assert!(text(&shown).contains("in home/app"), "{shown}");
    let edit =
        json!({"file_path": folder.join("home/app/a.txt"), "old_string": "in", "new_string": "at"});
    let done = connection.call("Edit", edit).await;
    assert_ne!(done["isError"], true, "{done}");
    // Neither a folder next to the client's, nor one that may not be a root, nor the folder that the engine was opened
    // on.
    for path in [
        folder.join("home/lib/a.txt"),
        folder.join("other/a.txt"),
        connection.root(),
    ] {
        let refused = connection.call("Read", json!({"file_path": path})).await;
        assert_eq!(refusal(&refused), "outside", "{path:?}");
    }
}

#[tokio::test]
async fn a_server_without_roots_refuses_every_call_of_a_client_without_any() {
    let folder = TestFolder::new();
    let mut connection = rootless(&folder);
    connection.shake_hands().await;
    let path = connection.write("a.txt", "one\n");
    let refused = connection.call("Read", json!({"file_path": path})).await;
    assert_eq!(refusal(&refused), "outside");
    for words in ["It was started too high up.", "--root FOLDER"] {
        assert!(text(&refused).contains(words), "{refused}");
    }
    // The same for a client whose roots may not be used.
    let mut connection = rootless(&folder);
    connection.shake_hands_offering(json!({"roots": {}})).await;
    let id = receive_roots_request(&mut connection).await;
    let list = json!({"roots": [{"uri": "file:///nowhere"}]});
    answer(&mut connection, &id, list).await;
    let refused = connection.call("Glob", json!({"pattern": "*"})).await;
    assert_eq!(refusal(&refused), "outside");
    assert!(text(&refused).contains("file:///nowhere"), "{refused}");
}

/// Like [`Below`], but fails while the flag is set.
#[derive(Debug)]
struct Failing(Below, Arc<AtomicBool>);

impl LateRoots for Failing {
    fn open(&self, folders: &[PathBuf]) -> Result<Lancet, String> {
        assert!(!self.1.load(Ordering::SeqCst), "told to fail");
        self.0.open(folders)
    }

    fn explain_missing_roots(&self) -> String {
        self.0.explain_missing_roots()
    }
}

/// Starts a server that takes the roots of its client. Returns the flag that makes this fail, and the log.
fn failing() -> (Connection, Arc<AtomicBool>, Arc<Mutex<String>>) {
    let fails = Arc::new(AtomicBool::new(false));
    let (log, heard) = kept_log();
    let late = Failing(Below(PathBuf::from("/")), fails.clone());
    let options = Options {
        roots: RootsOrigin::Wanted(Arc::new(late)),
        log,
        ..Options::default()
    };
    let connection = connect_with(|builder| builder, options);
    furnish(&connection);
    (connection, fails, heard)
}

#[tokio::test]
async fn roots_stay_as_they_were_where_new_ones_cannot_be_worked_out() {
    let (mut connection, fails, heard) = failing();
    connection
        .shake_hands_offering(json!({"roots": {"listChanged": true}}))
        .await;
    let id = receive_roots_request(&mut connection).await;
    let list = roots(&connection, &["app"]);
    answer(&mut connection, &id, list).await;
    assert!(text(&read(&mut connection, "app/a.txt").await).contains("in app"));
    for (is_failing, inside, outside) in [(true, "app", "lib"), (false, "lib", "app")] {
        fails.store(is_failing, Ordering::SeqCst);
        connection
            .send(json!({"jsonrpc": "2.0", "method": "notifications/roots/list_changed"}))
            .await;
        let id = receive_roots_request(&mut connection).await;
        let list = roots(&connection, &["lib"]);
        answer(&mut connection, &id, list).await;
        let reply = read(&mut connection, &format!("{inside}/a.txt")).await;
        assert!(text(&reply).contains(&format!("in {inside}")), "{reply}");
        let reply = read(&mut connection, &format!("{outside}/a.txt")).await;
        assert_eq!(refusal(&reply), "outside");
        let heard = heard.lock().expect("not poisoned");
        assert!(heard.contains("they stay as they were"), "{heard}");
    }
}

#[tokio::test]
async fn first_roots_that_cannot_be_worked_out_are_asked_for_again() {
    let (mut connection, fails, _) = failing();
    let app = roots(&connection, &["app"]);
    fails.store(true, Ordering::SeqCst);
    for _ in 0..2 {
        let (reply, asked) = modern(&mut connection, "app/a.txt", &app).await;
        assert_eq!((refusal(&reply), asked), ("internal", true));
        assert!(text(&reply).contains("send the call again"), "{reply}");
    }
    fails.store(false, Ordering::SeqCst);
    let (reply, asked) = modern(&mut connection, "app/a.txt", &app).await;
    assert!(text(&reply).contains("in app") && asked, "{reply}");
}
