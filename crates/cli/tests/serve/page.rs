//! Access to the page, and that each of its forms refuses submissions from another page, another form or another
//! device.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::client::{Answer, LANCET, Server, lancet};

/// The marks of a form that this page did not create.
const FOREIGN: [&str; 2] = ["not one of this page", "sent by another page"];

/// Returns a code, by the command that prints a link.
fn code(server: &Server) -> String {
    let mut command = lancet(&server.folder, &["serve", "--link"]);
    let output = command
        .args(["--state-dir", "../state"])
        .env("LANCET_TOKEN", server.token("person-token"))
        .output()
        .expect("it runs");
    let words = String::from_utf8(output.stdout.clone()).expect("text");
    let start = format!("http://lancet.localhost:{}/enter#", server.port);
    let code = words.trim().strip_prefix(&start);
    code.unwrap_or_else(|| panic!("{words}{output:?}"))
        .to_owned()
}

fn send(server: &Server, path: &str, lines: &[&str], form: &str) -> Answer {
    let mut all = vec!["Content-Type: application/x-www-form-urlencoded"];
    all.extend(lines);
    server.request("POST", path, &all, form.as_bytes())
}

/// Admits a device and returns its cookie.
fn enter(server: &Server) -> String {
    let answer = send(server, "/enter", &[], &format!("code={}", code(server)));
    assert_eq!(answer.status, 303, "{answer:?}");
    let set = answer.header("set-cookie").expect("a cookie");
    let (cookie, rest) = set.split_once(';').expect("attributes");
    assert_eq!(
        rest.trim(),
        "Path=/; HttpOnly; SameSite=Strict; Max-Age=2592000"
    );
    cookie
        .strip_prefix("lancet-page=")
        .expect("its name")
        .to_owned()
}

/// Returns the token of a device for the form that is sent to a path.
fn token(cookie: &str, path: &str) -> String {
    let key = blake3::derive_key("lancet page: tokens of forms", cookie.as_bytes());
    blake3::keyed_hash(&key, path.as_bytes()).to_string()
}

/// Returns all Rust sources below a folder that are not tests.
fn sources(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).expect("a folder");
    let paths = entries.map(|entry| entry.expect("an entry").path());
    let paths = paths.filter(|path| path.file_stem().is_none_or(|name| name != "tests"));
    let below = paths.flat_map(|path| match path.is_dir() {
        true => sources(&path),
        false => vec![path],
    });
    below.collect()
}

/// Returns the paths of all forms, as the sources of the page route them. Each is a route with its path in the same
/// place.
fn forms() -> Vec<String> {
    let web = Path::new(env!("CARGO_MANIFEST_DIR")).join("../web/src");
    let mut found = Vec::new();
    for file in [vec![web.join("page.rs")], sources(&web.join("page"))].concat() {
        let text = std::fs::read_to_string(&file).expect("text");
        let mut routed = 0;
        for route in text.split(".route(").skip(1) {
            let path = route.trim_start().strip_prefix('"');
            let path = path.unwrap_or_else(|| panic!("{file:?}: the path of a route is no text"));
            let (path, handlers) = path.split_once('"').expect("its end");
            let handlers = handlers.split([';', '}']).next().unwrap_or_default();
            let number = handlers.matches("post(").count();
            routed += number;
            if number > 0 {
                found.push(path.to_owned());
            }
        }
        let all = text.matches(" post(").count() + text.matches(".post(").count();
        assert_eq!(
            routed, all,
            "{file:?}: a form is routed in a way that this test does not see"
        );
    }
    found
}

/// Returns a path with a value in the place of each variable part.
fn filled(path: &str) -> String {
    let part = |part: &str| match part.starts_with('{') {
        true => "1".to_owned(),
        false => part.to_owned(),
    };
    path.split('/').map(part).collect::<Vec<_>>().join("/")
}

#[test]
fn every_form_refuses_what_is_not_its_own() {
    let server = Server::start(&[]);
    let (cookie, other) = (enter(&server), enter(&server));
    let known = format!("Cookie: lancet-page={cookie}");
    let shown = server.request("GET", "/devices", &[&known], b"").body;
    let example = token(&cookie, "/devices/forget");
    assert!(shown.contains(&format!("value=\"{example}\"")), "{shown}");

    let forms = forms();
    assert!(
        forms.iter().any(|path| path == "/enter") && forms.len() > 2,
        "{forms:?}"
    );
    for path in forms.iter().filter(|path| *path != "/enter") {
        let path = filled(path);
        let right = token(&cookie, &path);
        let refused = |lines: &[&str], form: &str| {
            let mut all = vec![known.as_str()];
            all.extend(lines);
            let answer = send(&server, &path, &all, form);
            assert_eq!(answer.status, 403, "{path} {lines:?} {form}: {answer:?}");
            let is_foreign = FOREIGN.iter().any(|words| answer.body.contains(words));
            assert!(is_foreign, "{path}: {answer:?}");
        };
        refused(&[], "");
        refused(&[], "token=");
        refused(&[], &format!("token={}", token(&cookie, "/another/form")));
        refused(&[], &format!("token={}", token(&other, &path)));
        refused(&[], &format!("token={}", token("", &path)));
        let form = format!("token={right}");
        for line in [
            "Origin: http://localhost:3000".to_owned(),
            format!("Origin: http://localhost:{}", server.port),
            "Sec-Fetch-Site: cross-site".to_owned(),
            "Sec-Fetch-Site: same-site".to_owned(),
        ] {
            refused(&[&line], &form);
        }
        for line in ["Origin: null", "Origin: https://evil.example"] {
            let answer = send(&server, &path, &[&known, line], &form);
            assert_eq!(answer.status, 403, "{path}: {answer:?}");
        }
        // A token in the address does not count.
        let asked = send(&server, &format!("{path}?{form}"), &[&known], "");
        assert_eq!(asked.status, 403, "{path}: {asked:?}");
        // Without the cookie even the right token is useless.
        let strange = send(&server, &path, &[], &form);
        assert_eq!(strange.status, 403, "{path}: {strange:?}");
        assert!(strange.body.contains("not known"), "{path}: {strange:?}");
    }
    // The refused requests did nothing, and the right form is accepted.
    let own = format!("Origin: http://127.0.0.1:{}", server.port);
    let host = format!("Host: 127.0.0.1:{}", server.port);
    let form = format!("token={}", token(&cookie, "/devices/forget-others"));
    let lines = [known.as_str(), &own, &host, "Sec-Fetch-Site: same-origin"];
    let answer = send(&server, "/devices/forget-others", &lines, &form);
    assert_eq!(answer.status, 303, "{answer:?}");
    let told = server.request("GET", "/devices", &[&known], b"").body;
    assert!(told.contains("One other device is forgotten."), "{told}");
}

#[test]
fn a_code_is_good_once_and_a_cookie_opens_the_page_alone() {
    let server = Server::start(&["--log", "debug"]);
    let given = code(&server);
    let form = format!("code={given}");
    let foreign = send(&server, "/enter", &["Origin: http://localhost:3000"], &form);
    assert_eq!(foreign.status, 403, "{foreign:?}");
    // The refusals used up nothing.
    let first = send(&server, "/enter", &[], &form);
    assert_eq!(first.status, 303, "{first:?}");
    let again = send(&server, "/enter", &[], &form);
    assert_eq!(again.status, 403, "{again:?}");
    assert!(again.body.contains("used already") && again.header("set-cookie").is_none());
    for wrong in [
        "",
        "code=",
        "code=0",
        "code=%00",
        "code=..%2f..%2fserve-token",
        "x=1",
    ] {
        let answer = send(&server, "/enter", &[], wrong);
        assert!(answer.header("set-cookie").is_none(), "{wrong}: {answer:?}");
    }

    let cookie = enter(&server);
    let line = format!("Cookie: lancet-page=0; a=b; lancet-page={cookie}");
    assert_eq!(server.request("GET", "/", &[&line], b"").status, 200);
    for path in ["/mcp", "/events?since=0"] {
        assert_eq!(
            server.request("GET", path, &[&line], b"").status,
            401,
            "{path}"
        );
    }
    for wrong in [
        format!("Cookie: lancet-page={}", &cookie[1..]),
        format!("Cookie: lancet={cookie}"),
        format!("Cookie: lancet-page={}", server.token("serve-token")),
        server.bearer(),
        server.reader(),
    ] {
        let answer = server.request("GET", "/", &[&wrong], b"");
        assert_eq!(answer.status, 303, "{answer:?}");
        assert_eq!(answer.header("location"), Some("/enter"));
    }
    let log = server.log();
    assert!(!log.contains(&given) && !log.contains(&cookie), "{log}");
    assert!(log.contains("The page: http://lancet.localhost:"), "{log}");
    assert!(
        !log.contains("/enter#"),
        "a link is shown at a terminal alone: {log}"
    );
}

#[test]
fn a_cookie_is_secure_where_the_browser_came_encrypted() {
    let server = Server::start(&["--public-url", "https://files.example.org"]);
    let mut command = lancet(&server.folder, &["serve", "--link"]);
    let output = command
        .args(["--state-dir", "../state"])
        .env("LANCET_TOKEN", server.token("person-token"))
        .output()
        .expect("it runs");
    let link = String::from_utf8(output.stdout).expect("text");
    let code = link.trim().strip_prefix("https://files.example.org/enter#");
    let form = format!("code={}", code.expect("a link"));
    // A proxy may or may not forward the host.
    let lines = ["Origin: https://files.example.org", "Host: 127.0.0.1"];
    let answer = send(&server, "/enter", &lines, &form);
    let cookie = answer.header("set-cookie").expect("a cookie");
    assert!(cookie.ends_with("; Secure"), "{cookie}");
}

#[test]
fn a_link_needs_a_person_and_a_server() {
    let mut server = Server::start(&[]);
    let run = |server: &Server, variables: &[(&str, &str)]| {
        // Without a controlling terminal, wherever this test runs.
        let mut command = Command::new("setsid");
        command
            .env_clear()
            .env("HOME", server.folder.join("home"))
            .envs(variables.iter().copied())
            .current_dir(server.folder.join("project"))
            .args([
                "--wait",
                LANCET,
                "serve",
                "--link",
                "--state-dir",
                "../state",
            ]);
        let output = command.output().expect("it runs");
        let words = String::from_utf8_lossy(&output.stderr).into_owned();
        (output.status.code(), words, output.stdout)
    };
    let token = server.token("person-token");
    let (write, read) = (
        server.token("serve-token"),
        server.token("serve-token-read"),
    );
    for (variables, words) in [
        (&[][..], "needs a person"),
        (&[("LANCET_TOKEN", "x")][..], "not the person's token"),
        // The token with which agents connect approves nothing.
        (
            &[("LANCET_TOKEN", write.as_str())][..],
            "not the person's token",
        ),
        (
            &[("LANCET_TOKEN", read.as_str())][..],
            "not the person's token",
        ),
        (
            &[("LANCET_TOKEN", token.as_str()), ("CLAUDECODE", "1")][..],
            "is for people",
        ),
    ] {
        let (code, said, out) = run(&server, variables);
        assert!(
            said.contains(words) && out.is_empty(),
            "{variables:?}: {said}"
        );
        assert_ne!(code, Some(0));
    }
    let good = [("LANCET_TOKEN", token.as_str())];
    assert_eq!(run(&server, &good).0, Some(0));
    server.end("-TERM");
    let (code, said, _) = run(&server, &good);
    assert!(said.contains("no server runs") && code != Some(0), "{said}");
}

#[test]
fn new_tokens_forget_all_devices() {
    let mut server = Server::start(&[]);
    let known = format!("Cookie: lancet-page={}", enter(&server));
    server.end("-TERM");
    let place = std::mem::replace(&mut server.folder, crate::client::folder());
    let mut again = Server::start_in(place, &[]);
    assert_eq!(again.request("GET", "/", &[&known], b"").status, 200);
    again.end("-TERM");
    let place = std::mem::replace(&mut again.folder, crate::client::folder());
    let anew = Server::start_in(place, &["--new-token"]);
    assert_eq!(anew.request("GET", "/", &[&known], b"").status, 303);
}

#[test]
fn a_browser_is_opened_by_a_file_and_sees_no_code_in_its_arguments() {
    let place = crate::client::folder();
    let script = "#!/bin/sh\nstat -c %a \"$1\" > ../args.new; echo \"$@\" >> ../args.new; cat \"$1\" >> ../args.new; mv ../args.new ../args\n";
    let program = place.join("browser");
    std::fs::write(&program, script).expect("written");
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(&program, mode).expect("set");
    let server = Server::start_with(
        place,
        &["--open"],
        &[("BROWSER", "../browser"), ("PATH", "/usr/bin:/bin")],
    );
    let told = server.folder.join("args");
    let end = std::time::Instant::now() + std::time::Duration::from_secs(20);
    while !told.exists() && std::time::Instant::now() < end {
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    let told = std::fs::read_to_string(told).expect("the browser was started");
    let mut lines = told.lines();
    assert_eq!(lines.next(), Some("600"));
    let arguments = lines.next().expect("arguments");
    assert!(arguments.contains("serve-page-open."), "{arguments}");
    let link = format!("http://lancet.localhost:{}/enter#", server.port);
    let (_, code) = told.split_once(&link).expect("the link is in the file");
    let code = &code[..26];
    assert!(!arguments.contains(code) && !server.log().contains(code));
    let answer = send(&server, "/enter", &[], &format!("code={code}"));
    assert_eq!(answer.status, 303, "{answer:?}");
}

/// Changes the text of a file by a recorded command. Returns the id of the change.
fn replace_text(server: &Server, name: &str) -> String {
    let project = server.folder.join("project");
    std::fs::write(project.join(name), "OLD=hidden-old\n".repeat(17_171)).expect("written");
    let script = format!("yes NEW=hidden-new | head -n 43210 > {name}");
    let file = server.folder.join("script");
    std::fs::write(&file, script).expect("written");
    let script = file.to_str().expect("UTF-8");
    let run = |arguments: &[&str]| {
        let mut command = lancet(&server.folder, arguments);
        let output = command.output().expect("it runs");
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout).expect("text")
    };
    run(&["run", "--state-dir", "../state", "sh", script]);
    let log = run(&["log", "--json", "--state-dir", "../state"]);
    let newest = log.lines().next().expect("a change");
    let newest: serde_json::Value = serde_json::from_str(newest).expect("JSON");
    newest["operation"].as_str().expect("an id").to_owned()
}

#[test]
fn of_a_secret_file_the_page_has_the_name_and_neither_text_nor_numbers_of_lines() {
    let server = Server::start(&[]);
    let known = format!("Cookie: lancet-page={}", enter(&server));
    let pages = |id: &str| {
        let change = format!("/history/{id}");
        let paths = ["/history", &change, "/review", "/sessions"];
        let answers = paths.map(|path| {
            let answer = server.request("GET", path, &[&known], b"");
            assert_eq!(answer.status, 200, "{path}: {answer:?}");
            answer.body
        });
        answers.concat()
    };
    let secret = pages(&replace_text(&server, ".env"));
    assert!(secret.contains(".env"), "{secret}");
    let hidden = ["hidden-old", "hidden-new", "17171", "43210"];
    for part in hidden {
        assert!(!secret.contains(part), "{part}: {secret}");
    }
    // The same change of another file has them, so that the search would find them. Of a long difference the page shows
    // the beginning.
    let plain = pages(&replace_text(&server, "plain.txt"));
    for part in ["hidden-old", "17171", "43210"] {
        assert!(plain.contains(part), "{part}");
    }
}
