//! A view on part of the roots: whatever a call tries, nothing beyond the narrowed folders is read, named, changed or
//! undone, and it loosens no rule.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use lancet::{Lancet, Mode, RefusalKind, Reply, Session};
use lancet_testing::project::{call, read};
use lancet_testing::{TestFolder, TestProject, settings};
use serde_json::{Value, json};

/// Makes `app` and `lib` below one root, a second root and a read root next to it.
fn project(text: &str) -> TestProject {
    let folder = TestFolder::new();
    for (name, content) in [
        ("root/app/src/a.txt", "inside\n"),
        ("root/app/b.txt", "inside, too\n"),
        ("root/app/only/deep.txt", "deep\n"),
        ("root/lib/b.txt", "beyond\n"),
        ("root/lib/only/far.txt", "beyond\n"),
        ("root/.git/config", "[core]\n"),
        ("other/c.txt", "other\n"),
        ("reading/d.txt", "reading\n"),
    ] {
        folder.put(name, content);
    }
    TestProject::inside(folder, |builder, around| {
        builder
            .root(around.join("other"))
            .read_root(around.join("reading"))
            .state_dir(around.join("state"))
            .settings(settings(text))
    })
}

fn narrowed(project: &TestProject, names: &[&str]) -> Option<Lancet> {
    let folders: Vec<PathBuf> = names.iter().map(|name| project.around.join(name)).collect();
    project.lancet.narrowed(&folders)
}

/// Returns a session that sees `app` alone.
fn app(project: &TestProject) -> Session {
    let lancet = narrowed(project, &["root/app"]).expect("in common");
    lancet.new_session()
}

fn good(reply: &Reply) -> &Reply {
    assert!(!reply.is_error(), "{}", reply.text());
    reply
}

/// Returns every form in which a call can name a path, for a path that must not be reached.
fn tries(path: &Path) -> Vec<(&'static str, Value)> {
    vec![
        ("Read", json!({ "file_path": path })),
        (
            "Edit",
            json!({ "file_path": path, "old_string": "beyond", "new_string": "x" }),
        ),
        (
            "Edit",
            json!({ "file_path": path, "old_string": "", "new_string": "x" }),
        ),
        (
            "MultiEdit",
            json!({ "edits": [{ "file_path": path, "old_string": "beyond", "new_string": "x" }] }),
        ),
        ("Write", json!({ "file_path": path, "content": "x\n" })),
        ("Glob", json!({ "pattern": "*", "path": path })),
        ("Grep", json!({ "pattern": "beyond", "path": path })),
    ]
}

#[test]
fn what_is_inside_is_as_ever_and_what_is_beyond_is_outside() {
    let project = project("");
    let session = app(&project);
    good(&read(&session, &project.around.join("root/app/src/a.txt")));
    let edit = json!({ "file_path": project.around.join("root/app/src/a.txt"), "old_string": "inside", "new_string": "changed" });
    good(&call(&session, "Edit", edit));
    let write = json!({ "file_path": project.around.join("root/app/new/x.txt"), "content": "x\n" });
    good(&call(&session, "Write", write));
    for name in [
        "root/lib/b.txt",
        "root/lib/missing.txt",
        "root/lib",
        "root",
        "root/app/../lib/b.txt",
        "root/app2",
        "root/lib/b.txt/through",
        "other/c.txt",
    ] {
        let path = project.around.join(name);
        for (tool, arguments) in tries(&path) {
            let reply = call(&session, tool, arguments);
            assert_eq!(
                reply.refusal(),
                Some(RefusalKind::Outside),
                "{tool} {name}: {}",
                reply.text()
            );
            let told = reply.text().replace(&*path.to_string_lossy(), "");
            assert!(!told.contains("beyond"), "{told}");
            assert!(
                !told.contains("/other") && !told.contains("/lib"),
                "only the narrowed root is named: {told}"
            );
        }
    }
    assert_eq!(
        fs::read_to_string(project.around.join("root/lib/b.txt")).expect("there"),
        "beyond\n"
    );
    assert!(!project.around.join("root/lib/missing.txt").exists());
}

#[test]
fn no_link_leads_beyond() {
    let project = project("");
    for (link, target) in [
        ("file", "../lib/b.txt"),
        ("folder", "../lib"),
        ("dangling", "../lib/new.txt"),
        ("up", ".."),
    ] {
        symlink(target, project.around.join("root/app").join(link)).expect("made");
    }
    symlink(
        project.around.join("root/lib/b.txt"),
        project.around.join("root/app/absolute"),
    )
    .expect("made");
    let session = app(&project);
    for name in [
        "file",
        "absolute",
        "folder/b.txt",
        "dangling",
        "folder/new.txt",
        "up/lib/b.txt",
    ] {
        let path = project.around.join("root/app").join(name);
        for (tool, arguments) in tries(&path) {
            let reply = call(&session, tool, arguments);
            assert_eq!(
                reply.refusal(),
                Some(RefusalKind::Outside),
                "{tool} {name}: {}",
                reply.text()
            );
        }
    }
    // A path that leads out and back in is inside.
    good(&read(
        &session,
        &project.around.join("root/app/up/app/b.txt"),
    ));
    let found = call(&session, "Grep", json!({ "pattern": "beyond" }));
    assert_eq!(good(&found).data()["numFiles"], 0, "{}", found.text());
    assert!(!project.around.join("root/lib/new.txt").exists());
}

#[test]
fn relative_paths_and_searches_start_at_the_narrowed_folder() {
    let project = project("");
    fs::write(project.around.join("root/.gitignore"), "only/\n").expect("written");
    let session = app(&project);
    let reply = call(&session, "Read", json!({ "file_path": "b.txt" }));
    assert!(
        good(&reply).text().contains("inside, too"),
        "{}",
        reply.text()
    );
    let reply = call(&session, "Read", json!({ "file_path": "lib/b.txt" }));
    assert_eq!(reply.refusal(), Some(RefusalKind::Missing));
    assert!(!reply.text().contains("root/lib"), "{}", reply.text());
    let found = call(&session, "Glob", json!({ "pattern": "*.txt" }));
    let mut files: Vec<&str> = good(&found).data()["files"]
        .as_array()
        .expect("files")
        .iter()
        .filter_map(Value::as_str)
        .map(|file| file.rsplit("/app/").next().unwrap_or(file))
        .collect();
    files.sort_unstable();
    // The ignore file above the folder counts.
    assert_eq!(files, ["b.txt", "src/a.txt"], "{}", found.text());
    assert!(
        found.text().lines().any(|line| line == "src/a.txt"),
        "{}",
        found.text()
    );
    let found = call(
        &session,
        "Grep",
        json!({ "pattern": "inside|beyond", "output_mode": "content" }),
    );
    assert_eq!(good(&found).data()["numFiles"], 2, "{}", found.text());
}

#[test]
fn later_pages_of_an_earlier_search_name_nothing_beyond() {
    let project = project("");
    let wide = project.lancet.new_session();
    let search = |session: &Session, offset: u64| {
        let asked = json!({ "pattern": "*.txt", "limit": 1, "offset": offset });
        call(session, "Glob", asked)
    };
    let total = good(&search(&wide, 0)).data()["numFiles"].clone();
    let narrow = wide.with_view(&narrowed(&project, &["root/app"]).expect("in common"));
    for offset in 1..6 {
        let page = search(&narrow, offset);
        assert!(
            !page.text().contains("lib") && !page.text().contains("other"),
            "{}",
            page.text()
        );
    }
    assert_eq!(good(&search(&wide, 0)).data()["numFiles"], total);
}

#[test]
fn rules_of_the_roots_hold_in_a_part_of_them() {
    let project = project(
        "permissions.deny = [\"Read(/app/src/**)\", \"Edit(/app/only/**)\"]\n[encoding]\n\"app/*.pas\" = \"windows-1252\"\n",
    );
    fs::write(
        project.around.join("root/.gitattributes"),
        "app/*.crlf text eol=crlf\n",
    )
    .expect("written");
    fs::write(project.around.join("root/app/x.pas"), b"caf\xe9\n").expect("written");
    fs::hard_link(
        project.around.join("root/.git/config"),
        project.around.join("root/app/twin"),
    )
    .expect("made");
    let session = app(&project);
    let denied = read(&session, &project.around.join("root/app/src/a.txt"));
    assert_eq!(
        denied.refusal(),
        Some(RefusalKind::Denied),
        "{}",
        denied.text()
    );
    let write = |name: &str| {
        let path = project.around.join("root/app").join(name);
        call(
            &session,
            "Write",
            json!({ "file_path": path, "content": "x\n" }),
        )
    };
    assert_eq!(write("only/new.txt").refusal(), Some(RefusalKind::Denied));
    // A protected name outside the narrowed roots still counts, and there is no approver.
    good(&read(&session, &project.around.join("root/app/twin")));
    assert_eq!(write("twin").refusal(), Some(RefusalKind::Declined));
    assert!(
        read(&session, &project.around.join("root/app/x.pas"))
            .text()
            .contains("café")
    );
    good(&write("new.crlf"));
    assert_eq!(
        fs::read(project.around.join("root/app/new.crlf")).expect("there"),
        b"x\r\n"
    );
}

#[test]
fn read_roots_stay_for_reading() {
    let project = project("");
    let session = app(&project);
    let path = project.around.join("reading/d.txt");
    good(&read(&session, &path));
    let reply = call(
        &session,
        "Write",
        json!({ "file_path": path, "content": "x\n" }),
    );
    assert_eq!(reply.refusal(), Some(RefusalKind::Denied));

    // A read root around the root: what is narrowed away may be read through it, never written.
    let top = project.around.join("");
    let lancet = Lancet::builder()
        .root(top.join("root"))
        .read_root(&top)
        .mode(Mode::Bypass)
        .open()
        .expect("opened");
    let session = lancet
        .narrowed(&[top.join("root/app")])
        .expect("in common")
        .new_session();
    let path = project.around.join("root/lib/b.txt");
    good(&read(&session, &path));
    for (tool, arguments) in [
        (
            "Edit",
            json!({ "file_path": path, "old_string": "beyond", "new_string": "x" }),
        ),
        ("Write", json!({ "file_path": path, "content": "x\n" })),
        (
            "Write",
            json!({ "file_path": project.around.join("root/lib/new.txt"), "content": "x\n" }),
        ),
    ] {
        let reply = call(&session, tool, arguments);
        assert_eq!(
            reply.refusal(),
            Some(RefusalKind::Denied),
            "{tool}: {}",
            reply.text()
        );
    }
    assert_eq!(fs::read_to_string(&path).expect("there"), "beyond\n");
}

#[test]
fn only_what_was_changed_inside_is_taken_back() {
    let project = project("tools = [\"default\", \"Undo\"]\n");
    let wide = project.lancet.new_session();
    let narrow = wide.with_view(&narrowed(&project, &["root/app"]).expect("in common"));
    let change = |name: &str, old: &str| {
        let path = project.around.join(name);
        good(&read(&wide, &path));
        let edit = json!({ "file_path": path, "old_string": old, "new_string": "changed" });
        good(&call(&wide, "Edit", edit)).data()["operation"].clone()
    };
    change("root/app/src/a.txt", "inside");
    let beyond = change("root/lib/b.txt", "beyond");
    good(&call(&narrow, "Undo", json!({})));
    let text = |name: &str| fs::read_to_string(project.around.join(name)).expect("there");
    assert_eq!(text("root/app/src/a.txt"), "inside\n");
    assert_eq!(text("root/lib/b.txt"), "changed\n");
    let reply = call(&narrow, "Undo", json!({}));
    assert_eq!(
        reply.refusal(),
        Some(RefusalKind::NotFound),
        "{}",
        reply.text()
    );
    let reply = call(&narrow, "Undo", json!({ "operation": beyond }));
    assert_eq!(
        reply.refusal(),
        Some(RefusalKind::Outside),
        "{}",
        reply.text()
    );
    // The conversation is the same one: what it saw before counts once it may look there again.
    let edit = json!({ "file_path": project.around.join("root/lib/b.txt"), "old_string": "changed", "new_string": "again" });
    assert_eq!(
        call(&narrow, "Edit", edit.clone()).refusal(),
        Some(RefusalKind::Outside)
    );
    good(&call(&wide, "Edit", edit));
    // Changes outside the narrowed roots are not reported either.
    fs::write(project.around.join("root/lib/b.txt"), "someone else\n").expect("written");
    let reply = read(&narrow, &project.around.join("root/app/b.txt"));
    assert!(!reply.text().contains("lib"), "{}", reply.text());
    let reply = read(&wide, &project.around.join("root/app/b.txt"));
    assert!(reply.text().contains("lib/b.txt"), "{}", reply.text());
}

#[test]
fn what_folders_leave_of_the_roots() {
    let project = project("");
    symlink("root/app", project.around.join("link")).expect("made");
    symlink("/etc", project.around.join("root/app/etc")).expect("made");
    let left = |names: &[&str]| -> Option<Vec<String>> {
        let roots = narrowed(&project, names)?.roots();
        let top = project.around.join("");
        let short = |root: PathBuf| {
            root.strip_prefix(&top)
                .expect("below")
                .to_str()
                .map(str::to_owned)
        };
        Some(roots.into_iter().filter_map(short).collect())
    };
    for (names, wanted) in [
        (&["root/app"][..], Some(&["root/app"][..])),
        (&["root"], Some(&["root"])),
        // A folder around roots counts as those roots.
        (&[""], Some(&["root", "other"])),
        (&["/"], Some(&["root", "other"])),
        // In the client's order, each once, nested ones too.
        (
            &["other", "root/app", "other", "root/app/src"],
            Some(&["other", "root/app", "root/app/src"]),
        ),
        (&["link", "root/app"], Some(&["root/app"])),
        (&["root/app/../lib"], Some(&["root/lib"])),
        (
            &["root/app/missing", "/nowhere", "root/lib"],
            Some(&["root/lib"]),
        ),
        // Nothing in common: a sibling by prefix, a file, a folder that is gone, a link that leads out, the read root.
        (&["root/ap"], None),
        (&["rooted"], None),
        (&["root/app/b.txt"], None),
        (&["root/gone"], None),
        (&["root/app/etc"], None),
        (&["root/missing/../../reading"], None),
        (&["reading"], None),
        (&[], None),
    ] {
        let wanted: Option<Vec<String>> =
            wanted.map(|roots| roots.iter().map(|&root| root.to_owned()).collect());
        assert_eq!(left(names), wanted, "{names:?}");
    }
    assert!(project.lancet.narrowed(&[PathBuf::from("app")]).is_none());
    // Computed again from the engine's own roots, never from an earlier narrowing.
    let app = narrowed(&project, &["root/app"]).expect("in common");
    let lib = app
        .narrowed(&[project.around.join("root/lib")])
        .expect("from the engine's own");
    assert_eq!(lib.roots(), [project.around.join("root/lib")]);
}

#[test]
fn a_folder_that_is_swapped_after_it_was_narrowed_to_leads_nowhere_else() {
    let project = project("");
    let session = app(&project);
    fs::rename(
        project.around.join("root/app"),
        project.around.join("root/app.old"),
    )
    .expect("moved");
    symlink("lib", project.around.join("root/app")).expect("made");
    let path = project.around.join("root/app/b.txt");
    let reply = read(&session, &path);
    assert!(!reply.text().contains("beyond"), "{}", reply.text());
    let reply = call(
        &session,
        "Write",
        json!({ "file_path": project.around.join("root/app/new.txt"), "content": "x\n" }),
    );
    assert!(
        !project.around.join("root/lib/new.txt").exists(),
        "{}",
        reply.text()
    );
}
