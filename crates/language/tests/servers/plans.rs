//! Real servers plan renamed symbols and moved files: ty, TypeScript's own server and clangd rename; ty and
//! TypeScript's own server also know what a moved file needs.

use lancet_language::RefactorError;

use super::asking::assert_planned;
use super::setting::{Project, entry};

const MARK: (&str, &str) = (
    "pyproject.toml",
    "[project]\nname = \"x\"\nversion = \"1\"\n",
);
const SETTINGS: (&str, &str) = (
    "tsconfig.json",
    "{\"compilerOptions\": {\"strict\": true, \"noEmit\": true}}",
);

#[test]
fn ty_renames_in_files_that_nobody_has_read_and_that_changed_since() {
    let (Some(ty), Some(ruff)) = (entry("ty"), entry("ruff")) else {
        return;
    };
    let a = "def f(x: int) -> int:\n    return x\n";
    let b = "from a import f\n\nx = \"😀\"; f(1)\n";
    let project = Project::new(vec![ruff, ty], &[MARK, ("a.py", a), ("b.py", b)]);
    project.read(&["a.py"]);
    let plan = project.rename("a.py", "f", "other");
    // The first `f` of the text is that of `def`.
    assert!(
        matches!(&plan, Err(RefactorError::Nothing(server)) if server == "ty"),
        "{plan:?}"
    );
    let plan = project.rename("a.py", "x", "y").expect("a plan");
    assert_planned(&plan, &[("a.py", "def f(y: int) -> int:\n    return y\n")]);

    // Another program changes the importer, and the server is not notified.
    let moved = format!("import sys\n\n\n{b}print(sys)\r\n");
    std::fs::write(project.path("b.py"), &moved).expect("a write");
    let plan = project.rename("b.py", "f(1", "g");
    assert!(
        matches!(&plan, Err(RefactorError::OtherText { text, .. }) if text == "f"),
        "{plan:?}"
    );
    let a = a.replace("def f", "def keep");
    std::fs::write(project.path("a.py"), &a).expect("a write");
    std::fs::write(
        project.path("b.py"),
        moved
            .replace("import f", "import keep")
            .replace("f(1)", "keep(1)"),
    )
    .expect("a write");
    let plan = project.rename("a.py", "keep", "other").expect("a plan");
    assert_planned(
        &plan,
        &[
            ("a.py", a.replace("keep", "other").as_str()),
            (
                "b.py",
                project.text("b.py").replace("keep", "other").as_str(),
            ),
        ],
    );
}

#[test]
fn typescript_renames_a_function_and_its_uses() {
    let Some(typescript) = entry("typescript") else {
        return;
    };
    let a = "export function keep(x: number) {\n  return x;\n}\n";
    let b = "import { keep } from \"./a\";\n/* 😀 */ keep(1);\nexport const o = { keep };\n";
    let project = Project::new(vec![typescript], &[SETTINGS, ("a.ts", a), ("b.ts", b)]);
    project.read(&["a.ts", "b.ts"]);
    let plan = project.rename("a.ts", "keep", "other").expect("a plan");
    let after = b
        .replace("import { keep }", "import { other }")
        .replace("keep(1)", "other(1)")
        .replace("{ keep }", "{ keep: other }");
    assert_planned(
        &plan,
        &[
            ("a.ts", a.replace("keep", "other").as_str()),
            ("b.ts", &after),
        ],
    );
    // At the keyword it would rename the function behind it.
    let plan = project.rename("a.ts", "export", "other");
    assert!(
        matches!(&plan, Err(RefactorError::OtherText { text, .. }) if text == "keep"),
        "{plan:?}"
    );
}

#[test]
fn clangd_renames_across_files_and_refuses_in_its_own_words() {
    let Some(clangd) = entry("clangd") else {
        return;
    };
    let header = "#pragma once\ninline int keep(int x) { return x; }\n";
    let main = "#include \"a.h\"\r\nint main() { return /* 😀 */ keep(1); }\r\n";
    let files = [
        ("compile_flags.txt", "-xc++\n"),
        ("a.h", header),
        ("b.cpp", main),
    ];
    let project = Project::new(vec![clangd], &files);
    project.read(&["a.h", "b.cpp"]);
    let plan = project.rename("a.h", "keep", "other").expect("a plan");
    assert_planned(
        &plan,
        &[
            ("a.h", header.replace("keep", "other").as_str()),
            ("b.cpp", main.replace("keep", "other").as_str()),
        ],
    );
    let plan = project.rename("a.h", "keep", "1x");
    assert!(
        matches!(&plan, Err(RefactorError::Said { words, .. }) if words.contains("1x")),
        "{plan:?}"
    );
    assert_eq!(
        project.before_move("a.h", "c.h"),
        Ok(None),
        "it does not offer that"
    );
}

#[test]
fn ruff_renames_nothing() {
    let Some(ruff) = entry("ruff") else { return };
    let project = Project::new(vec![ruff], &[MARK, ("a.py", "x = 1\n")]);
    project.read(&["a.py"]);
    assert_eq!(
        project.rename("a.py", "x", "y"),
        Err(RefactorError::NotOffered(vec!["ruff".to_owned()]))
    );
    assert_eq!(
        project.rename("pyproject.toml", "x", "y"),
        Err(RefactorError::NoServer)
    );
}

#[test]
fn ty_and_typescript_know_the_imports_of_a_moved_file() {
    if let Some(ty) = entry("ty") {
        let b = "import sys\nfrom a import f\n\nf(1)\n";
        let project = Project::new(vec![ty], &[MARK, ("a.py", "def f(x): ...\n"), ("b.py", b)]);
        assert_eq!(
            project.before_move("a.py", "c.py"),
            Ok(None),
            "no server is started for a move"
        );
        project.read(&["a.py"]);
        let plan = project.before_move("a.py", "c.py").expect("an answer");
        let after = b.replace("from a", "from c");
        assert_planned(&plan.expect("a plan"), &[("b.py", &after)]);
    }
    if let Some(typescript) = entry("typescript") {
        let a = "export function f(x: number) {\n  return x;\n}\n";
        let b = "import { f } from \"./a\";\nf(1);\n";
        let project = Project::new(vec![typescript], &[SETTINGS, ("a.ts", a), ("b.ts", b)]);
        project.read(&["a.ts", "b.ts"]);
        let plan = project.before_move("a.ts", "c.ts").expect("an answer");
        let after = b.replace("./a", "./c");
        assert_planned(&plan.expect("a plan"), &[("b.ts", &after)]);
        // Its own imports go along under the old name.
        let plan = project.before_move("b.ts", "deep/b.ts").expect("an answer");
        let after = b.replace("./a", "../a");
        assert_planned(&plan.expect("a plan"), &[("b.ts", &after)]);
    }
}

/// Files that another program makes and changes after the server has looked at the project.
#[track_caller]
fn assert_later_files_are_renamed(
    server: &str,
    mark: (&str, &str),
    first: (&str, &str),
    user: (&str, &str, &str),
) {
    let Some(entry) = entry(server) else { return };
    let (changed, new, uses) = user;
    let project = Project::new(vec![entry], &[mark, first, (changed, "")]);
    project.read(&[first.0]);
    let plan = project
        .rename_everywhere(first.0, "keep", "other")
        .expect("a plan");
    assert_eq!(plan.files.len(), 1, "{plan:?}");
    for name in [changed, new] {
        std::fs::write(project.path(name), uses).expect("a write");
    }
    let plan = project
        .rename_everywhere(first.0, "keep", "other")
        .expect("a plan");
    let (first_after, after) = (
        first.1.replace("keep", "other"),
        uses.replace("keep", "other"),
    );
    let mut expected = [
        (first.0, first_after.as_str()),
        (changed, &after),
        (new, &after),
    ];
    expected.sort_unstable();
    assert_planned(&plan, &expected);
}

#[test]
fn files_that_came_or_changed_later_are_renamed_too() {
    let python = ("a.py", "def keep(x): ...\n");
    let uses = "from a import keep\n\nkeep(1)\n";
    assert_later_files_are_renamed("ty", MARK, python, ("b.py", "c.py", uses));
    let script = ("a.ts", "export function keep(x: number) {}\n");
    let uses = "import { keep } from \"./a\";\nkeep(1);\n";
    assert_later_files_are_renamed("typescript", SETTINGS, script, ("b.ts", "c.ts", uses));
    let header = (
        "a.h",
        "#pragma once\ninline int keep(int x) { return x; }\n",
    );
    let uses = "#include \"a.h\"\nstatic int f() { return keep(1); }\n";
    let flags = ("compile_flags.txt", "-xc++\n");
    assert_later_files_are_renamed("clangd", flags, header, ("b.cpp", "c.cpp", uses));
}
