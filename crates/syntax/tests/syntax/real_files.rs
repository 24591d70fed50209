//! No false alarms on real files and changes that keep them compiling, nor on real changes between versions that were
//! released or committed. Conversely, a removed bracket is noticed in real files, too.

use std::path::Path;

use lancet_formats::syntax::{Symbol, SyntaxReader as _};
use lancet_testing::judges::tried;

use super::real_files_found::{files, history};
use super::{newly_broken, reader};

/// The number of files tried per language.
const OF_A_LANGUAGE: usize = 120;
/// The form of a comment in each language; JSON has none.
const COMMENTS: [(&str, &str); 8] = [
    ("C", "/* A comment: it's \"one\" (of {many). */"),
    ("C++", "// A comment: it's \"one\" (of {many)."),
    ("Go", "// A comment: it's \"one\" (of {many)."),
    ("Java", "// A comment: it's \"one\" (of {many)."),
    ("JavaScript", "// A comment: it's \"one\" (of {many)."),
    ("Python", "# A comment: it's \"one\" (of {many)."),
    ("Rust", "// A comment: it's \"one\" (of {many)."),
    ("TypeScript", "// A comment: it's \"one\" (of {many)."),
];

/// Returns the unindented symbols of a text, each with whether it is a function that is separated from the text before
/// it, so that attributes, comments and conditions do not belong to it.
fn symbols(name: &Path, text: &str) -> Vec<(Symbol, bool)> {
    let lines: Vec<&str> = text.lines().collect();
    let outline = reader().outline(name, text).unwrap_or_default();
    let all = outline.symbols.iter();
    let mut found = Vec::new();
    for symbol in all.clone().filter(|symbol| symbol.depth == 0) {
        let (first, last) = (*symbol.lines.start(), *symbol.lines.end());
        if lines[first - 1].starts_with([' ', '\t', '}', '#']) {
            continue;
        }
        let before = first < 2 || lines[first - 2].trim().is_empty();
        let mut others = all.clone().filter(|other| *other != symbol);
        let alone = !others.any(|other| other.depth == 0 && other.lines.contains(&last));
        let is_function = ["fn", "def", "function", "func"].contains(&symbol.kind);
        found.push((symbol.clone(), is_function && before && alone));
    }
    found
}

/// Returns texts that compile if the text does: with an additional comment, with a name changed, and without a
/// function.
fn changed(language: &str, name: &Path, text: &str) -> Vec<(&'static str, String)> {
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let mut all = Vec::new();
    let comment = COMMENTS.iter().find(|(known, _)| *known == language);
    let symbols = symbols(name, text);
    for (symbol, _) in symbols.iter().take(3) {
        let first = *symbol.lines.start();
        if let Some((_, comment)) = comment {
            let comment = format!("{comment}\n");
            let with = [
                &lines[..first - 1],
                &[comment.as_str()],
                &lines[first - 1..],
            ];
            all.push(("a comment more", with.concat().concat()));
        }
        let is_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
        if symbol.name.len() > 7 && symbol.name.bytes().all(is_word) {
            let renamed = text.replace(&symbol.name, &format!("{}_renamed", symbol.name));
            all.push(("a name changed", renamed));
        }
    }
    let functions = symbols.iter().filter(|(_, is_apart)| *is_apart);
    for (symbol, _) in functions.take(3) {
        let (first, last) = (*symbol.lines.start(), *symbol.lines.end());
        let without = [&lines[..first - 1], &lines[last..]];
        all.push(("a function less", without.concat().concat()));
    }
    if language == "JSON" && text.trim_start().starts_with('{') && text.trim() != "{}" {
        let more = text.replacen('{', "{\n  \"added\": [\"one (of {many\"],", 1);
        all.push(("a key more", more));
    }
    all
}

#[test]
fn changes_that_compile_are_no_alarm() {
    let (mut alarms, mut figures) = (Vec::new(), Vec::new());
    let (mut of_all, mut languages) = (0, 0);
    for (language, files) in files(OF_A_LANGUAGE) {
        let (mut texts, mut changes) = (0, 0);
        for path in files {
            let Ok(text) = std::fs::read_to_string(&path) else {
                continue;
            };
            let all = changed(language, &path, &text);
            texts += usize::from(!all.is_empty());
            changes += all.len();
            for (what, after) in all {
                if let Some(error) = newly_broken(&path.to_string_lossy(), &text, &after) {
                    alarms.push(format!("{} with {what}: {error:?}", path.display()));
                }
            }
        }
        figures.push(format!("{language} {texts} files, {changes} changes"));
        of_all += texts;
        languages += usize::from(texts > 0);
    }
    let history = history(400);
    for (name, before, after) in &history {
        if let Some(error) = newly_broken(name, before, after) {
            alarms.push(format!("{name} as committed: {error:?}"));
        }
    }
    figures.push(format!("{} changes of the history", history.len()));
    tried(&format!("no false alarm: {}", figures.join("; ")));
    assert!(alarms.is_empty(), "{}", alarms.join("\n"));
    assert!(
        of_all >= 300 && languages >= 5,
        "{of_all} files, {languages} languages"
    );
}

#[test]
fn a_bracket_that_goes_is_noticed_in_real_files() {
    let (mut figures, mut all) = (Vec::new(), (0, 0));
    for (language, files) in files(OF_A_LANGUAGE / 3) {
        let (mut broken, mut told, mut placed) = (0, 0, 0);
        for path in files {
            let name = path.to_string_lossy();
            let Ok(text) = std::fs::read_to_string(&path) else {
                continue;
            };
            for (symbol, _) in symbols(&path, &text).iter().take(4) {
                let lines: Vec<&str> = text.split_inclusive('\n').collect();
                let (first, last) = (*symbol.lines.start(), *symbol.lines.end());
                if lines[last - 1].trim() != "}" || lines[first - 1].matches('{').count() != 1 {
                    continue;
                }
                let without = [&lines[..last - 1], &lines[last..]].concat().concat();
                broken += 1;
                if let Some(error) = newly_broken(&name, &text, &without) {
                    told += 1;
                    placed += usize::from((first..=last).contains(&error.line));
                }
            }
        }
        if broken > 0 {
            figures.push(format!(
                "{language} {told} of {broken}, {placed} in the function"
            ));
            all = (all.0 + told, all.1 + placed);
        }
    }
    tried(&format!(
        "closing braces taken away and told: {}",
        figures.join("; ")
    ));
    // Macros and branches may lead to another place; mostly they do not.
    let (told, placed) = all;
    assert!(told > 0 && placed * 4 >= told * 3, "{placed} of {told}");
}
