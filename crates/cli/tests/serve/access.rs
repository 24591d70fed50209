//! Access to the server: tokens, hosts, origins, and what a cookie does not open.

use std::os::unix::fs::PermissionsExt as _;

use serde_json::json;

use crate::client::{Client, Server, folder, lancet, refusal, text};

const PING: &[u8] = br#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;

#[test]
fn without_a_token_that_is_good_nothing_is_answered() {
    let server = Server::start(&["--log", "debug"]);
    let token = server.token("serve-token");
    let (wrong, short) = ("0".repeat(64), &token[1..]);
    for line in [
        String::new(),
        format!("Authorization: Bearer {wrong}"),
        format!("Authorization: Bearer {short}"),
        format!("Authorization: Bearer {token}x"),
        format!("Authorization: Basic {token}"),
        format!("Authorization: {token}"),
        format!("Cookie: token={token}; serve-token={token}"),
        format!("Cookie: Authorization=Bearer {token}\r\nX-Token: {token}"),
        format!("Authorization: Bearer {wrong}\r\nAuthorization: Bearer {token}"),
    ] {
        let lines: Vec<&str> = [line.as_str()]
            .into_iter()
            .filter(|line| !line.is_empty())
            .collect();
        for method in ["POST", "GET", "DELETE"] {
            let answer = server.request(method, "/mcp", &lines, PING);
            assert_eq!(answer.status, 401, "{line}: {answer:?}");
            assert!(
                answer
                    .header("www-authenticate")
                    .is_some_and(|how| how.starts_with("Bearer"))
            );
        }
    }
    let asked = server.request("POST", &format!("/mcp?token={token}"), &[], PING);
    assert_eq!(asked.status, 401, "a token in an address is none");
    // The header is right where only its spelling differs.
    let line = format!("authorization: bearer {token}");
    assert_ne!(server.post(&[&line], PING).status, 401);
    assert_eq!(server.request("GET", "/", &[], b"").status, 303);
    assert_eq!(server.request("GET", "/mcp/x", &[], b"").status, 404);
    let log = server.log();
    assert!(log.contains("turned away"), "{log}");
    assert!(
        !log.contains(&token) && !log.contains(short),
        "a token is never logged"
    );
}

#[test]
fn the_token_for_reading_lists_and_allows_reading_tools_alone() {
    let server = Server::start(&["--tools", "all"]);
    let path = server.file("a.txt", "one\n");
    let mut client = Client::new(&server, server.reader());
    let listed = client.request("tools/list", json!({}));
    let tools = listed["result"]["tools"].as_array().expect("a list");
    assert!(!tools.is_empty());
    for tool in tools {
        assert_eq!(tool["annotations"]["readOnlyHint"], true, "{tool}");
    }
    assert!(text(&client.call("Read", json!({"file_path": path}))).contains("one"));
    for (tool, arguments) in [
        ("Write", json!({"file_path": path, "content": "x"})),
        (
            "Edit",
            json!({"file_path": path, "old_string": "one", "new_string": "x"}),
        ),
        (
            "MultiEdit",
            json!({"edits": [{"file_path": path, "old_string": "one", "new_string": "x"}]}),
        ),
        ("Undo", json!({})),
        ("DeleteFile", json!({"file_path": path})),
        ("write", json!({"file_path": path, "content": "x"})),
        ("write_file", json!({"file_path": path, "content": "x"})),
    ] {
        let refused = client.call(tool, arguments);
        assert_eq!(refusal(&refused), "denied", "{tool}");
        assert!(text(&refused).contains("read-only token"), "{refused}");
    }
    assert_eq!(server.text("a.txt"), "one\n");

    // A session belongs to the token that began it.
    let line = format!("Mcp-Session-Id: {}", client.session);
    assert_eq!(server.post(&[&server.bearer(), &line], PING).status, 404);
    assert_eq!(server.post(&[&server.reader(), &line], PING).status, 200);
    let own = Client::new(&server, server.bearer());
    let line = format!("Mcp-Session-Id: {}", own.session);
    for method in ["POST", "GET", "DELETE"] {
        assert_eq!(
            server
                .request(method, "/mcp", &[&server.reader(), &line], PING)
                .status,
            404
        );
    }
    assert_eq!(server.post(&[&server.bearer(), &line], PING).status, 200);
}

#[test]
fn foreign_hosts_and_pages_are_turned_away_also_with_a_token() {
    let server = Server::start(&[]);
    let bearer = server.bearer();
    let port = server.port;
    for line in [
        "Host: evil.example".to_owned(),
        format!("Host: evil.example:{port}"),
        format!("Host: 127.0.0.1.evil.example:{port}"),
        format!("Host: localhost:{port}\r\nHost: evil.example"),
        "Host:".to_owned(),
        "Origin: https://evil.example".to_owned(),
        "Origin: null".to_owned(),
        format!("Origin: http://localhost.evil.example:{port}"),
        "Origin: http://localhost\r\nOrigin: https://evil.example".to_owned(),
    ] {
        let answer = server.post(&[&bearer, &line], PING);
        assert!(matches!(answer.status, 400 | 403), "{line}: {answer:?}");
        assert!(answer.header("access-control-allow-origin").is_none());
        let asked = "Access-Control-Request-Method: POST";
        let before = server.request("OPTIONS", "/mcp", &[&line, asked], b"");
        assert!(
            before.header("access-control-allow-origin").is_none(),
            "{line}"
        );
    }
    // An address in the request line is checked as well.
    let whole = format!(
        "POST http://evil.example/mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n{bearer}\r\nContent-Length: 0\r\n\r\n"
    );
    assert_eq!(server.raw(whole.as_bytes()).status, 403);
    for line in [
        "Host: localhost",
        "Host: lancet.localhost:1",
        "Host: [::1]:99",
        "Origin: http://localhost:3000",
        "Origin: http://127.0.0.1",
    ] {
        let answer = server.post(&[&bearer, line], PING);
        assert!(
            answer.body.contains("Session"),
            "{line} reaches the endpoint: {answer:?}"
        );
    }
    // A browser sends a preflight request, without the token.
    let lines = [
        "Origin: http://localhost:3000",
        "Access-Control-Request-Method: POST",
        "Access-Control-Request-Headers: authorization, mcp-session-id",
    ];
    let before = server.request("OPTIONS", "/mcp", &lines, b"");
    assert_eq!(before.status, 204, "{before:?}");
    assert_eq!(
        before.header("access-control-allow-origin"),
        Some("http://localhost:3000")
    );
    assert_eq!(
        before.header("access-control-allow-headers"),
        Some("authorization, mcp-session-id")
    );
}

#[test]
fn names_and_origins_are_allowed_by_flag() {
    let server = Server::start(&[
        "--allow-host",
        "files.example.org",
        "--allow-origin",
        "https://app.example.org",
        "--public-url",
        "https://lancet.example.org",
    ]);
    let bearer = server.bearer();
    for lines in [
        ["Host: files.example.org", "Origin: https://app.example.org"],
        [
            "Host: lancet.example.org",
            "Origin: https://lancet.example.org",
        ],
    ] {
        let answer = server.post(&[&bearer, lines[0], lines[1]], PING);
        assert!(answer.body.contains("Session"), "{answer:?}");
    }
    assert_eq!(
        server
            .post(&[&bearer, "Host: app.example.org"], PING)
            .status,
        403
    );
    assert_eq!(
        server
            .post(&[&bearer, "Origin: https://files.example.org"], PING)
            .status,
        403
    );
}

#[test]
fn tokens_are_files_for_their_owner_and_can_be_made_anew() {
    let mut server = Server::start(&[]);
    let (write, read) = (
        server.token("serve-token"),
        server.token("serve-token-read"),
    );
    let person = server.token("person-token");
    assert!(write.len() >= 32 && write != read && person != write && person != read);
    // The person's token does not give access to any tool.
    let line = format!("Authorization: Bearer {person}");
    assert_eq!(server.post(&[&line], PING).status, 401);
    for name in ["serve-token", "serve-token-read", "person-token"] {
        let metadata = std::fs::metadata(server.folder.join("state").join(name)).expect("there");
        assert_eq!(metadata.permissions().mode() & 0o777, 0o600);
    }
    assert_eq!(server.end("-TERM"), 0);
    let again = Server::start_in(std::mem::replace(&mut server.folder, folder()), &[]);
    assert_eq!(again.token("serve-token"), write, "kept");
    let folder = {
        let mut again = again;
        again.end("-INT");
        std::mem::replace(&mut again.folder, folder())
    };
    let anew = Server::start_in(folder, &["--new-token"]);
    assert_ne!(anew.token("serve-token"), write);
    assert_ne!(anew.token("person-token"), person);
    for old in [write, read] {
        let line = format!("Authorization: Bearer {old}");
        assert_eq!(anew.post(&[&line], PING).status, 401);
    }
    assert_ne!(anew.post(&[&anew.bearer()], PING).status, 401);
}

#[test]
fn where_it_cannot_listen_it_says_so_and_what_to_do() {
    let server = Server::start(&[]);
    let run = |arguments: &[&str]| {
        let place = folder();
        let mut command = lancet(&place, &["serve", "--state-dir", "../state"]);
        let output = command.args(arguments).output().expect("it runs");
        let words = String::from_utf8_lossy(&output.stderr).into_owned();
        (output.status.code().unwrap_or(-1), words)
    };
    let taken = format!("127.0.0.1:{}", server.port);
    let (code, words) = run(&["--listen", &taken]);
    assert_eq!(code, 3, "{words}");
    assert!(
        words.contains(&taken) && words.contains("another `lancet serve`"),
        "{words}"
    );
    for arguments in [
        &["--listen", "0.0.0.0:0"][..],
        &[
            "--listen",
            "[::]:0",
            "--public-url",
            "http://files.example.org",
        ],
    ] {
        let (code, words) = run(arguments);
        assert_eq!(code, 2, "{words}");
        assert!(
            words.contains("--tls") && words.contains("--insecure"),
            "{words}"
        );
    }
    for arguments in [
        &["--listen", "nowhere"][..],
        &["--allow-origin", "app.example.org"],
        &["--allow-host", "https://a"],
        &["--public-url", "files"],
        &["--tls", "missing.pem", "missing.key"],
    ] {
        let (code, words) = run(arguments);
        assert_eq!(code, 2, "{arguments:?}: {words}");
    }
}
