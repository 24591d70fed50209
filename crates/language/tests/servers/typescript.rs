//! TypeScript's own server: the problems of each open document are requested.

use super::setting::{Project, assert_told, entry};

#[test]
fn the_file_that_imports_is_told_and_nothing_old() {
    let Some(typescript) = entry("typescript") else {
        return;
    };
    let a = "export function f(x: number) {\n  return x;\n}\n";
    let b = "import { f } from \"./a\";\nconst old: number = \"text\";\nf(old);\n";
    let settings = "{\"compilerOptions\": {\"strict\": true, \"noEmit\": true}}";
    let files = [("tsconfig.json", settings), ("a.ts", a), ("b.ts", b)];
    let project = Project::new(vec![typescript], &files);
    project.read(&["a.ts", "b.ts"]);

    let found = project.edit("a.ts", &a.replace("f(x", "g(x"));
    assert_told(&found, &[("b.ts:1:10", "'f'")]);
    assert_eq!(found[0].code.as_deref(), Some("2305"));
    assert_told(&project.edit("a.ts", a), &[]);
    assert_told(&project.edit("b.ts", &format!("// moved\n\n{b}")), &[]);
    let own = a.replace("return x", "/* 😀 */ return y");
    assert_told(&project.edit("a.ts", &own), &[("a.ts:2:18", "'y'")]);
    assert_told(&project.edit("a.ts", a), &[]);
}
