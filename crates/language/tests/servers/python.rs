//! ruff and ty: problems are requested from both, from ty also those of the whole project.

use super::setting::{Project, assert_told, entry};

const MARK: (&str, &str) = (
    "pyproject.toml",
    "[project]\nname = \"x\"\nversion = \"1\"\n",
);

#[test]
fn ruff_tells_what_an_edit_broke_and_nothing_old() {
    let Some(ruff) = entry("ruff") else { return };
    let old = "def f():\n    return old_name\n";
    let project = Project::new(vec![ruff], &[MARK, ("a.py", old)]);
    project.read(&["a.py"]);

    let broken = format!("{old}\n\ndef g():\n    x = \"😀\" + new_name\n    return x\n");
    let found = project.edit("a.py", &broken);
    assert_told(&found, &[("a.py:6:15", "new_name")]);
    assert_eq!(found[0].code.as_deref(), Some("F821"), "{found:?}");
    assert_eq!(found[0].revision, Some(project.revision()));

    let mended = broken.replace("new_name", "\"\"");
    assert_told(&project.edit("a.py", &mended), &[]);
    let moved = format!("import sys\n\nprint(sys.argv)\n\n\n{mended}");
    assert_told(&project.edit("a.py", &moved), &[]);
    assert_told(
        &project.edit("a.py", &moved.replace("\"\"", "new_name")),
        &[("a.py:11:15", "new_name")],
    );
}

#[test]
fn ty_tells_of_the_file_that_imports_although_nobody_has_read_it() {
    let Some(ty) = entry("ty") else { return };
    let a = "def f(x: int) -> int:\n    return x\n";
    let b = "from a import f\n\nold: int = \"text\"\nf(1)\n";
    let project = Project::new(vec![ty], &[MARK, ("a.py", a), ("b.py", b)]);
    project.read(&["a.py"]);

    let found = project.edit("a.py", &a.replace("def f", "def g"));
    assert_told(&found, &[("b.py:1:15", "`f`")]);
    assert_eq!(found[0].revision, None);
    assert_told(&project.edit("a.py", a), &[]);

    // The same with the file read: its old problem has moved meanwhile.
    project.read(&["b.py"]);
    assert_told(
        &project.edit("b.py", &format!("import sys\n{b}print(sys)\n")),
        &[],
    );
    assert_told(
        &project.edit("a.py", &a.replace("x: int", "x: str")),
        &[("a.py:2:12", "int"), ("b.py:5:3", "str")],
    );
    assert_told(&project.edit("a.py", a), &[]);
}

#[test]
fn files_that_are_new_and_gone_are_known() {
    let Some(ty) = entry("ty") else { return };
    let b = "from a import f\n\nf(1)\n";
    let project = Project::new(
        vec![ty],
        &[MARK, ("a.py", "def f(x: int): ...\n"), ("b.py", b)],
    );
    project.read(&["b.py"]);
    assert_told(
        &project.edit("c.py", "from a import nothing\n"),
        &[("c.py:1:15", "nothing")],
    );
    assert_told(
        &project.remove("a.py"),
        &[("b.py:1:6", "`a`"), ("c.py:1:6", "`a`")],
    );
    assert_told(
        &project.edit("a.py", "def f(x: int): ...\nnothing = 1\n"),
        &[],
    );
}

#[test]
fn several_servers_serve_one_file() {
    let (Some(ruff), Some(ty)) = (entry("ruff"), entry("ty")) else {
        return;
    };
    let project = Project::new(vec![ruff, ty], &[MARK, ("a.py", "x: int = 1\n")]);
    project.read(&["a.py"]);
    let found = project.edit("a.py", "x: int = \"a\"\nprint(y)\n");
    let mut sources: Vec<_> = found.iter().map(|one| one.source.to_lowercase()).collect();
    sources.sort();
    sources.dedup();
    assert_eq!(sources, ["ruff", "ty"], "{found:?}");
}

#[test]
fn a_file_that_was_never_read_is_compared_with_what_it_was() {
    let Some(ruff) = entry("ruff") else { return };
    let project = Project::new(vec![ruff], &[MARK, ("a.py", "a\n"), ("b.py", "old\n")]);
    project.read(&["a.py"]);
    assert_told(&project.edit("b.py", "old\nnew\n"), &[("b.py:2:1", "new")]);
}

#[test]
fn a_change_by_another_program_is_not_taken_for_one_of_ours() {
    let Some(ruff) = entry("ruff") else { return };
    let project = Project::new(vec![ruff], &[MARK, ("a.py", "a = 1\n")]);
    project.read(&["a.py"]);
    std::fs::write(project.path("a.py"), "a = 1\ntheirs\n").expect("a write");
    assert_told(
        &project.edit("a.py", "a = 1\ntheirs\nours\n"),
        &[("a.py:3:1", "ours")],
    );
}

#[test]
fn a_server_that_was_not_started_is_not_ready() {
    let Some(ruff) = entry("ruff") else { return };
    let project = Project::new(vec![ruff], &[MARK, ("a.py", "a = 1\n")]);
    let found = project.edit_within("a.py", "a = b\n", std::time::Duration::from_secs(1));
    assert_eq!(found.not_ready, ["ruff"]);
    assert_told(&found.new, &[]);
    // It knows the file now, although it was never read.
    project.read(&["a.py"]);
    assert_told(&project.edit("a.py", "a = b\nc\n"), &[("a.py:2:1", "c")]);
}
