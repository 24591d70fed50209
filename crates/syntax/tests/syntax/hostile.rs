//! No text makes the parsers fail, recurse endlessly, or exceed their time limit.

use std::path::Path;
use std::time::{Duration, Instant};

use lancet_formats::syntax::SyntaxReader as _;
use lancet_syntax::{Language, TreeReader, first_error};

const NAMES: [&str; 11] = [
    "a.c", "a.h", "a.cpp", "a.go", "a.java", "a.js", "a.json", "a.py", "a.rs", "a.ts", "a.tsx",
];

/// Calls every function of the reader on a text, with a short time limit.
fn read(name: &str, text: &str) {
    let time = Duration::from_millis(50);
    let reader = TreeReader::with_time_limit(time);
    let path = Path::new(name);
    let _ = reader.outline(path, text);
    let _ = reader.newly_broken(path, "", text);
    let language = Language::from_path(path).expect("a language");
    if let Some(error) = first_error(language, text, Instant::now() + time) {
        assert!(error.line >= 1 && error.column >= 1);
    }
}

#[test]
fn texts_that_nest_deeply_are_survived() {
    let indented: String = (0..2_000)
        .map(|depth| format!("{}if a:\n", " ".repeat(depth)))
        .collect();
    let pieces = [
        "{",
        "(",
        "class A {",
        "f'{",
        "`${",
        "<a>",
        "#if 1\n",
        "if a:\n\t",
        "a<",
        "\"",
    ];
    for name in NAMES {
        read(name, &indented);
        for piece in pieces {
            read(name, &piece.repeat(20_000));
        }
    }
}

#[test]
fn texts_cut_and_mixed_at_random_are_survived() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/syntax/outlines");
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut random = move |below: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state % below.max(1) as u64) as usize
    };
    for name in NAMES {
        let text = std::fs::read_to_string(folder.join(format!("{name}.txt"))).expect("a sample");
        let characters: Vec<char> = text.chars().collect();
        for _ in 0..150 {
            let mut mixed = characters.clone();
            for _ in 0..=random(4) {
                let (at, from) = (random(mixed.len()), random(characters.len()));
                let length = random(40).min(characters.len() - from);
                let end = (at + random(40)).min(mixed.len());
                let piece = characters[from..from + length].iter().copied();
                mixed.splice(at..end, piece);
                mixed.insert(
                    at.min(mixed.len()),
                    ['é', '\u{0}', '"', '\u{10ffff}'][random(4)],
                );
            }
            read(name, &mixed.into_iter().collect::<String>());
        }
    }
}

#[test]
fn a_parse_ends_with_its_time() {
    let text = format!(
        "fn a() {{\n{}}}\n",
        "    let x = (1 + 2) * 3;\n".repeat(35_000)
    );
    let reader = TreeReader::with_time_limit(Duration::ZERO);
    assert_eq!(reader.outline(Path::new("a.rs"), &text), None);
    assert_eq!(reader.newly_broken(Path::new("a.rs"), &text, "{"), None);
}
