//! clangd: it sends problems by itself, with the version of the text.

use super::setting::{Project, assert_told, entry};

#[test]
fn the_file_that_includes_is_told_and_nothing_old() {
    let Some(clangd) = entry("clangd") else {
        return;
    };
    let header = "#pragma once\ninline int f(int x) { return x; }\n";
    let main = "#include \"a.h\"\nint old() { return missing; }\nint main() { return f(1); }\n";
    let files = [
        ("compile_flags.txt", "-xc++\n"),
        ("a.h", header),
        ("b.cpp", main),
    ];
    let project = Project::new(vec![clangd], &files);
    project.read(&["a.h", "b.cpp"]);

    let moved = format!("// moved\n\n{main}");
    assert_told(&project.edit("b.cpp", &moved), &[]);
    let broken = moved.replace("f(1)", "/* 😀 */ f(other)");
    assert_told(
        &project.edit("b.cpp", &broken),
        &[("b.cpp:5:31", "'other'")],
    );
    assert_told(&project.edit("b.cpp", &moved), &[]);

    // Another length: clangd compares an included file by its length and its time in whole seconds.
    let found = project.edit("a.h", &header.replace("int f", "int other"));
    assert_told(&found, &[("b.cpp:5:21", "'f'")]);
    assert_told(&project.edit("a.h", header), &[]);
}
