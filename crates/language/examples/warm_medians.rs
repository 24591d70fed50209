//! Measures the time from a change to its problems, with servers that know the files: the median of 50 edits that break
//! a file and 50 that fix it, for each server on the search path `LANCET_LANGUAGE_SERVERS`.
//!
//! `LANCET_LANGUAGE_SERVERS=… cargo run -p lancet-language --example warm_medians`
#![allow(clippy::print_stdout, reason = "it prints figures")]

#[path = "../tests/servers/setting.rs"]
mod setting;

use std::time::{Duration, Instant};

use setting::{LONG, Project, entry};

// The broken text has another length, because clangd compares an included file by its length and its time in whole
// seconds.

const FUNCTIONS: usize = 100;

fn main() {
    let python: String = (0..FUNCTIONS)
        .map(|number| format!("def f{number}(x: int) -> int:\n    return x + {number}\n\n\n"))
        .collect();
    let user = "from a import f1\n\nf1(1)\n";
    let c: String = (0..FUNCTIONS)
        .map(|number| format!("static inline int f{number}(int x) {{ return x + {number}; }}\n"))
        .collect();
    let header = format!("#pragma once\n#include <stdlib.h>\n{c}");
    let main = "#include \"a.h\"\nint main(void) { return f1(1); }\n";
    let script: String = (0..FUNCTIONS)
        .map(|number| {
            format!("export function f{number}(x: number) {{\n  return x + {number};\n}}\n")
        })
        .collect();
    let importer = "import { f1 } from \"./a\";\nf1(1);\n";
    let mark = ("pyproject.toml", "");
    let python_files = [mark, ("a.py", python.as_str()), ("b.py", user)];
    let c_files = [
        ("compile_flags.txt", "\n"),
        ("a.h", header.as_str()),
        ("b.c", main),
    ];
    let script_files = [
        ("tsconfig.json", "{}"),
        ("a.ts", script.as_str()),
        ("b.ts", importer),
    ];
    measure(
        "ruff",
        &python_files,
        "f1(x: int) -> int:\n    return x",
        "f1(x: int) -> int:\n    return y",
    );
    measure("ty", &python_files, "f1(x", "g1(x");
    measure("clangd", &c_files, "f1(int", "other1(int");
    measure("typescript", &script_files, "f1(x", "g1(x");
}

fn measure(server: &str, files: &[(&str, &str)], from: &str, to: &str) {
    let Some(entry) = entry(server) else { return };
    let (changed, text) = files[1];
    let project = Project::new(vec![entry], files);
    project.read(&[changed, files[2].0]);
    let broken = text.replacen(from, to, 1);
    assert_ne!(broken, text, "{server}");
    let (mut breaks, mut mends) = (Vec::new(), Vec::new());
    for _ in 0..50 {
        let began = Instant::now();
        let found = project.edit_within(changed, &broken, LONG);
        breaks.push(began.elapsed());
        assert!(
            !found.new.is_empty() && found.not_ready.is_empty(),
            "{server}: {found:?}"
        );
        let began = Instant::now();
        let found = project.edit_within(changed, text, LONG);
        mends.push(began.elapsed());
        assert!(
            found.new.is_empty() && found.not_ready.is_empty(),
            "{server}: {found:?}"
        );
    }
    let (broken, mended) = (median(&mut breaks), median(&mut mends));
    println!(
        "| {server} | {broken} | {mended} | {} |",
        milliseconds(breaks.iter().chain(&mends).max())
    );
}

fn median(times: &mut [Duration]) -> String {
    times.sort();
    milliseconds(times.get(times.len() / 2))
}

fn milliseconds(time: Option<&Duration>) -> String {
    let time = time.copied().unwrap_or_default();
    format!("{:.1} ms", time.as_secs_f64() * 1000.0)
}
