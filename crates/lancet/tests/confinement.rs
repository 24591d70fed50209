//! A secret, protected or hidden file has no second name that gets through: not a link, not a hard link, not a path
//! through it, not another spelling. A new file gets the name that was given.

use std::fs;
use std::path::Path;

use lancet::{Builder, RawCall, RefusalKind, Reply};
use lancet_testing::{TestFolder, TestProject};
use serde_json::{Value, json};

/// Opens a project whose state folder is below the root, where a call could name it.
fn open() -> TestProject {
    let open = |builder: Builder, around: &Path| builder.state_dir(around.join("root/state"));
    TestProject::inside(TestFolder::new(), open)
}

fn call(project: &TestProject, tool: &str, name: &str, mut arguments: Value) -> Reply {
    arguments["file_path"] = json!(project.path(name));
    project.call(tool, arguments)
}

fn read(project: &TestProject, name: &str) -> Reply {
    call(project, "Read", name, json!({}))
}

#[test]
fn a_link_below_a_protected_folder_shows_no_secret() {
    let project = open();
    project.put(".env", "API_KEY=hush\n");
    for folder in [".vscode", ".git", ".claude", "plain"] {
        fs::create_dir(project.root.join(folder)).expect("made");
        let link = project.root.join(folder).join("link");
        std::os::unix::fs::symlink("../.env", link).expect("made");
        let reply = read(&project, &format!("{folder}/link"));
        assert_eq!(
            reply.refusal(),
            Some(RefusalKind::Denied),
            "{folder}: {}",
            reply.text()
        );
        assert!(!reply.text().contains("hush"));
    }
}

#[test]
fn a_hard_link_is_the_same_file() {
    let project = open();
    project.put(".env", "API_KEY=hush\n");
    project.put("sub/.git/config", "[core]\n");
    fs::hard_link(project.root.join(".env"), project.root.join("plain.txt")).expect("linked");
    fs::hard_link(
        project.root.join("sub/.git/config"),
        project.root.join("conf"),
    )
    .expect("linked");
    assert_eq!(
        read(&project, "plain.txt").refusal(),
        Some(RefusalKind::Denied)
    );
    assert!(
        !read(&project, "conf").is_error(),
        "protected files may be read"
    );
    let reply = call(
        &project,
        "Edit",
        "conf",
        json!({ "old_string": "[core]", "new_string": "[x]" }),
    );
    assert_eq!(reply.refusal(), Some(RefusalKind::Declined));
    // Two ordinary names of one file are not withheld.
    project.put("a.txt", "one\n");
    fs::hard_link(project.root.join("a.txt"), project.root.join("b.txt")).expect("linked");
    assert!(!read(&project, "b.txt").is_error());
    let reply = call(
        &project,
        "Edit",
        "b.txt",
        json!({ "old_string": "one", "new_string": "two" }),
    );
    assert!(!reply.is_error(), "{}", reply.text());
}

#[test]
fn a_path_through_a_secret_file_does_not_tell_its_name() {
    let project = open();
    project.put(".env", "API_KEY=hush\n");
    std::os::unix::fs::symlink(".env", project.root.join("cfg")).expect("made");
    let reply = read(&project, "cfg/x");
    assert_eq!(reply.refusal(), Some(RefusalKind::Denied));
    assert!(!reply.text().contains(".env"), "{}", reply.text());
}

#[test]
fn what_a_secret_file_holds_cannot_be_guessed_at() {
    let project = open();
    project.put(".env", "API_KEY=hush\n");
    for content in ["API_KEY=hush\n", "API_KEY=other\n"] {
        let reply = call(&project, "Write", ".env", json!({ "content": content }));
        assert_eq!(
            reply.refusal(),
            Some(RefusalKind::Declined),
            "{}",
            reply.text()
        );
    }
}

#[test]
fn the_state_folder_is_nobodys_business() {
    let project = open();
    project.put("state/lancet.db", "not really\n");
    project.put("a.txt", "one\n");
    assert_eq!(
        read(&project, "state/lancet.db").refusal(),
        Some(RefusalKind::Denied)
    );
    let reply = call(
        &project,
        "Write",
        "state/new.txt",
        json!({ "content": "x\n" }),
    );
    assert_eq!(reply.refusal(), Some(RefusalKind::Denied));
    let reply = read(&project, "");
    assert!(
        reply.text().contains("a.txt") && !reply.text().contains("state"),
        "{}",
        reply.text()
    );
}

#[test]
fn write_makes_the_file_that_was_named() {
    let project = open();
    project.put("it's.txt", "one\n");
    assert!(
        !read(&project, "it’s.txt").is_error(),
        "reading forgives the form of a name"
    );
    let reply = call(
        &project,
        "Write",
        "it’s.txt",
        json!({ "content": "two\n", "mode": "create" }),
    );
    assert!(!reply.is_error(), "{}", reply.text());
    let reply = call(
        &project,
        "Edit",
        "it\u{2018}s.txt",
        json!({ "old_string": "", "new_string": "three\n" }),
    );
    assert!(!reply.is_error(), "{}", reply.text());
    let text = |name: &str| fs::read_to_string(project.root.join(name)).expect("there");
    assert_eq!(
        (text("it's.txt"), text("it’s.txt")),
        ("one\n".into(), "two\n".into())
    );
}

#[test]
fn suggestions_are_there() {
    let project = open();
    project.put("src/main.rs", "x\n");
    project.put("src/deep/lib.rs", "x\n");
    let reply = read(&project, "srcc/main.rs");
    let right = project.root.join("src/main.rs").display().to_string();
    assert!(
        reply.text().contains("Did you mean src/main.rs?"),
        "{}",
        reply.text()
    );
    assert_eq!(reply.data()["error"]["suggestions"], json!([right]));
    let reply = read(&project, "src/depp/lib.rs");
    assert!(reply.text().contains("src/deep/lib.rs"), "{}", reply.text());
}

#[test]
fn a_large_notebook_is_a_notebook() {
    let project = open();
    let source = "x".repeat(33 << 20);
    project.put(
        "big.ipynb",
        format!(
            "{{\"cells\": [], \"nbformat\": 4, \"nbformat_minor\": 5,\n\"metadata\": {{\"x\": \"{source}\"}}}}\n"
        ),
    );
    call(&project, "Read", "big.ipynb", json!({ "limit": 1 }));
    let edit = json!({ "old_string": "\"cells\"", "new_string": "\"calls\"" });
    let reply = call(&project, "Edit", "big.ipynb", edit);
    assert_eq!(
        reply.refusal(),
        Some(RefusalKind::Notebook),
        "{}",
        reply.text()
    );
}

#[test]
fn a_link_that_leads_out_is_told_as_far_as_names_are() {
    let project = open();
    let link = |name: &str, target: &Path| {
        std::os::unix::fs::symlink(target, project.root.join(name)).expect("made");
    };
    let outside = TestFolder::new();
    let plain = outside.path().join("plain.txt");
    link("way", &plain);
    link("folder", outside.path());
    link("quiet", &outside.path().join(".env"));
    link(".env", &plain);
    link("through", Path::new(".env"));
    let roots = format!("Use a path below {}.", project.root.display());
    let told = |name: &str| {
        let reply = read(&project, name);
        assert_eq!(
            reply.refusal(),
            Some(RefusalKind::Outside),
            "{}",
            reply.text()
        );
        let start = format!("{name} ");
        let text = reply.text().to_owned();
        text.strip_prefix(&start).expect(&text).to_owned()
    };
    let leads = "that leads outside the roots";
    assert_eq!(
        told("way"),
        format!("is a link {leads} to {}. {roots}", plain.display())
    );
    assert_eq!(
        told("folder/x"),
        format!(
            "leads through folder, a link {leads} to {}. {roots}",
            outside.path().display()
        )
    );
    // Names that may not be mentioned are not mentioned here either.
    assert_eq!(told("quiet"), format!("is a link {leads}. {roots}"));
    for name in [".env", "through"] {
        assert_eq!(told(name), format!("is outside the roots. {roots}"));
    }
}

#[test]
fn a_path_of_another_system_is_never_made_and_may_be_there() {
    let project = open();
    for path in ["C:\\Users\\me\\a.txt", "c:/a.txt", "file:///w/q.txt"] {
        let call = |tool: &str, arguments: Value| {
            let mut arguments = arguments;
            arguments["file_path"] = json!(path);
            project.session.call(RawCall::new(tool, arguments))
        };
        for (tool, arguments) in [
            ("Write", json!({ "content": "x" })),
            ("Edit", json!({ "old_string": "", "new_string": "x" })),
            ("Read", json!({})),
        ] {
            let reply = call(tool, arguments);
            assert_eq!(
                reply.refusal(),
                Some(RefusalKind::Invalid),
                "{}",
                reply.text()
            );
        }
        let entries = fs::read_dir(&project.root).expect("listed");
        let made: Vec<_> = entries
            .map(|entry| entry.expect("one").file_name())
            .collect();
        assert_eq!(made, ["state"], "nothing was made");
    }
    project.put("C:\\a.txt", "one\n");
    let named = json!({ "file_path": "C:\\a.txt" });
    let reply = project.session.call(RawCall::new("Read", named.clone()));
    assert_eq!(reply.refusal(), None, "{}", reply.text());
    let mut edit = named;
    edit["old_string"] = json!("one");
    edit["new_string"] = json!("two");
    let reply = project.session.call(RawCall::new("Edit", edit));
    assert_eq!(reply.refusal(), None, "{}", reply.text());
}
