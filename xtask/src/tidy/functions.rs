//! The length of functions: a long one hides several steps that have no name. Exceptions are listed with their reason.

use super::Finding;
use crate::repository::Repository;

/// The maximum number of lines of a function, from its `fn` to its closing brace.
const LONGEST: usize = 80;

/// Functions that may be longer, each by its file and name, and why.
const EXCEPTIONS: [(&str, &str, &str); 5] = [
    (
        "crates/lancet/src/stages/examine/planned/words.rs",
        "no_plan_refusal",
        "a table: the refusal for each way in which a language server's plan fails",
    ),
    (
        "crates/lancet/src/stages/examine/explain.rs",
        "not_found",
        "one message, laid out in the order in which it is read",
    ),
    (
        "crates/lancet/src/stages/examine/explain/ambiguous.rs",
        "ambiguous",
        "one message, laid out in the order in which it is read",
    ),
    (
        "xtask/src/test.rs",
        "all",
        "a table: the areas of the test command in their order",
    ),
    (
        "xtask/src/torture.rs",
        "all",
        "a table: the long tests in their order",
    ),
];

/// Checks that no function that is shipped, or that the repository's own commands run, is longer than [`LONGEST`]
/// lines, and that every exception is still needed. Examples and fuzz targets count as tests.
pub(super) fn length(repository: &Repository) -> Vec<Finding> {
    check(repository, &EXCEPTIONS)
}

fn check(repository: &Repository, exceptions: &[(&str, &str, &str)]) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut needed = vec![false; exceptions.len()];
    for file in repository.rust().filter(|file| file.is_source()) {
        for function in functions(file.outside_tests()) {
            if function.lines <= LONGEST {
                continue;
            }
            let exception = exceptions
                .iter()
                .position(|(path, name, _)| *path == file.path && *name == function.name);
            match exception {
                Some(at) => needed[at] = true,
                None => findings.push(Finding::at(
                    file.path,
                    function.first,
                    format!(
                        "`{}` has {} lines, at most {LONGEST}: extract its steps as functions, or state the reason in xtask/src/tidy/functions.rs",
                        function.name, function.lines
                    ),
                )),
            }
        }
    }
    for ((path, name, _), _) in exceptions.iter().zip(needed).filter(|(_, needed)| !needed) {
        findings.push(Finding::of_file(
            path,
            format!("`{name}` is no long function: take its exception out of xtask/src/tidy/functions.rs"),
        ));
    }
    findings
}

/// A function with a body.
struct Function<'t> {
    name: &'t str,
    /// Its first line, from 1, without its comments and attributes.
    first: usize,
    lines: usize,
}

/// Lists the functions of a text formatted by rustfmt: a body ends at the first brace that is indented like its `fn`.
fn functions(text: &str) -> Vec<Function<'_>> {
    let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
    let mut functions = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        let Some(name) = declared(line) else {
            continue;
        };
        let rest = &lines[at..];
        // A declaration without a body, or with one on the same line, is short.
        let signature = rest.iter().position(|line| line.ends_with(['{', ';', '}']));
        let Some(opening) = signature.filter(|end| rest[*end].ends_with('{')) else {
            continue;
        };
        let indent = &line[..line.len() - line.trim_start().len()];
        let closes = |line: &&str| line.strip_prefix(indent) == Some("}");
        if let Some(length) = rest[opening..].iter().position(closes) {
            functions.push(Function {
                name,
                first: at + 1,
                lines: opening + length + 1,
            });
        }
    }
    functions
}

/// Returns the name of the function that the line begins to declare.
fn declared(line: &str) -> Option<&str> {
    let mut rest = line.trim_start();
    if let Some(visibility) = rest.strip_prefix("pub(") {
        rest = visibility.split_once(") ")?.1;
    }
    loop {
        let (word, after) = rest.split_once(' ')?;
        match word {
            "fn" => return after.split(['(', '<']).next(),
            "pub" | "const" | "async" | "unsafe" | "extern" | "\"C\"" => rest = after,
            _ => return None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn function(head: &str, lines: usize) -> String {
        format!("{head} {{\n{}}}\n", "    step();\n".repeat(lines - 2))
    }

    #[test]
    fn a_long_function_is_found_with_its_line() {
        let text = format!(
            "//! A.\n{}\n/// Long.\n{}",
            function("fn fits()", LONGEST),
            function("pub(super) async fn long<T>(", LONGEST + 1)
        );
        let repository = Repository::with_files(&[("crates/text/src/a.rs", &text)]);
        let found = check(&repository, &[]);
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].line, LONGEST + 4);
        assert!(found[0].words.starts_with("`long` has 81 lines"));
    }

    #[test]
    fn the_signature_counts_and_methods_end_with_their_own_brace() {
        let body = "            step();\n".repeat(LONGEST - 4);
        let text = format!(
            "//! A.\ntrait A {{\n    fn declared();\n    fn given(\n        a: u8,\n    ) {{\n        if true {{\n{body}        }}\n    }}\n}}\n"
        );
        let repository = Repository::with_files(&[("crates/text/src/a.rs", &text)]);
        let found = check(&repository, &[]);
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].line, 4);
    }

    #[test]
    fn tests_may_be_long() {
        let long = function("fn long()", LONGEST + 1);
        let inside = format!("//! A.\n#[cfg(test)]\nmod tests {{\n{long}}}\n");
        let repository = Repository::with_files(&[
            ("crates/text/src/a.rs", &inside),
            ("crates/text/tests/a.rs", &long),
        ]);
        assert_eq!(check(&repository, &[]), []);
    }

    #[test]
    fn an_exception_is_free_and_one_that_is_not_needed_is_found() {
        let path = "crates/text/src/a.rs";
        let repository = Repository::with_files(&[(path, &function("fn long()", LONGEST + 1))]);
        assert_eq!(check(&repository, &[(path, "long", "a table")]), []);
        let found = check(
            &repository,
            &[(path, "long", "a table"), (path, "short", "")],
        );
        assert_eq!(found.len(), 1);
        assert!(found[0].words.contains("`short`"));
    }
}
