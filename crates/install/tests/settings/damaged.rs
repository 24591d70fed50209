//! Files that are not valid in their form are refused with a message.

use lancet_install::{EditError, Form, install_entries, uninstall_entries};

use crate::law::{are_items, entries};

const FILES: [(Form, &str, &str); 18] = [
    (Form::Json, "{\"a\": 1", "line 1"),
    (Form::Json, "{\n  \"a\": 1\n  \"b\": 2\n}", "line"),
    (
        Form::Json,
        "[1, 2]",
        "the whole file is a list, not an object",
    ),
    (Form::Json, "\"text\"", "the whole file is a string"),
    (Form::Json, "{} {}", "line 1"),
    (
        Form::Json,
        "{\"mcpServers\": \"none\", \"mcp\": 1, \"servers\": null, \"context_servers\": [], \"permissions\": true, \"hooks\": 7}",
        "not an object",
    ),
    (Form::Json, "{\"a\": \"unclosed}", "line 1"),
    (Form::Toml, "a = ", "line 1"),
    (Form::Toml, "a = 1\na = 2\n", "line 2"),
    (Form::Toml, "[mcp_servers\n", "line 1"),
    (
        Form::Toml,
        "mcp_servers = \"none\"\n",
        "mcp_servers is string, not a table",
    ),
    (
        Form::Toml,
        "[[mcp_servers]]\nname = \"x\"\n",
        "mcp_servers is array of tables, not a table",
    ),
    (Form::Yaml, "a: [1, 2\n", "line"),
    (Form::Yaml, "a: b: c\n", "line"),
    (
        Form::Yaml,
        "- a\n- b\n",
        "the whole file is a sequence, not a mapping",
    ),
    (
        Form::Yaml,
        "extensions: none\n",
        "extensions is a scalar, not a mapping",
    ),
    (
        Form::Yaml,
        "base: &b\n  x: 1\nextensions: *b\n",
        "extensions is an alias, not a mapping",
    ),
    (Form::Yaml, "a: 1\n---\nb: 2\n", "several YAML documents"),
];

#[test]
fn a_damaged_file_is_refused_with_a_sentence() {
    for (form, text, words) in FILES {
        let is_of_tables = form == Form::Toml && words.ends_with("not a table");
        for (name, entries) in entries(form) {
            if is_of_tables && are_items(&entries) {
                continue;
            }
            let error = install_entries(form, text, &entries).expect_err(text);
            let told = error.to_string();
            assert!(told.contains(words), "{name}: {text:?}: {told}");
            assert!(!told.contains('\n'), "{told:?}");
        }
    }
}

#[test]
fn deep_nesting_is_no_way_to_a_crash() {
    let deep = 200_000;
    for (form, open) in [
        (Form::Json, "["),
        (Form::Json, "{\"a\":"),
        (Form::Toml, "a = ["),
        (Form::Yaml, "["),
        (Form::Yaml, "- "),
    ] {
        let (head, rest) = match form {
            Form::Toml => ("a = ", "["),
            _ => ("", open),
        };
        let text = format!("{head}{}", rest.repeat(deep));
        let (_, entries) = entries(form).remove(0);
        assert!(install_entries(form, &text, &entries).is_err(), "{open}");
        let taken: Vec<_> = entries.into_iter().map(|entry| (entry, 0)).collect();
        assert!(
            matches!(
                uninstall_entries(form, &text, &taken),
                Err(EditError::Damaged { .. })
            ),
            "{open}"
        );
    }
}
