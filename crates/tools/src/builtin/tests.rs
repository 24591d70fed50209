//! Properties of the declarations: order, size, schemas, annotations.

use serde_json::Value;

use super::*;

/// The default list, including future tools, has to fit into 10 kB.
const MAX_BYTES_PER_TOOL: usize = 1_700;

#[test]
fn tools_are_listed_in_fixed_order() {
    let names: Vec<&str> = declarations()
        .iter()
        .map(|declaration| declaration.name.as_ref())
        .collect();
    let default = [
        "Read",
        "Edit",
        "MultiEdit",
        "Write",
        "NotebookEdit",
        "Glob",
        "Grep",
    ];
    assert!(names.starts_with(&default), "{names:?}");
    assert!(
        names
            .iter()
            .all(|name| is_default(name) == default.contains(name))
    );
}

#[test]
fn tool_list_stays_within_byte_budget() {
    for declaration in declarations() {
        let size = mcp_tool(
            declaration,
            DescriptionLength::Short,
            declaration.answer_limit_mcp,
        )
        .to_string()
        .len();
        assert!(
            size <= MAX_BYTES_PER_TOOL,
            "{} takes {size} bytes",
            declaration.name
        );
    }
    let default: Vec<Declaration> = declarations()
        .iter()
        .filter(|declaration| is_default(&declaration.name))
        .cloned()
        .collect();
    let whole = tool_list(&default, &ListForm::new(Format::Mcp))
        .to_string()
        .len();
    assert!(whole <= 9_100, "{whole} bytes");
}

#[test]
fn summary_is_first_sentence_of_description() {
    for declaration in declarations() {
        assert!(
            declaration
                .description
                .starts_with(declaration.summary.as_ref()),
            "{}",
            declaration.name
        );
        assert_eq!(
            declaration.summary.matches(". ").count(),
            0,
            "{}",
            declaration.name
        );
        assert!(declaration.summary.ends_with('.'));
    }
}

#[test]
fn prompts_contain_required_advice() {
    let says = |name: &str, words: &[&str]| {
        let prompt = &declaration(name).unwrap().prompt;
        for word in words {
            assert!(prompt.contains(word), "{name}: {word}");
        }
    };
    says(
        "Read",
        &[
            "absolute path",
            "`offset`",
            "`limit`",
            "Several files",
            "only for files too large",
        ],
    );
    says(
        "Edit",
        &[
            "Read the file first",
            "keep the indentation",
            "line numbers",
            "whole lines",
            "`replace_all`",
            "Write",
            "MultiEdit",
            "correct that call",
        ],
    );
    says(
        "Write",
        &["new files", "rewrites", "Read an existing file first"],
    );
    says(
        "Glob",
        &["rather than", "newest first", "`include_ignored`"],
    );
    says(
        "Grep",
        &["rather than", "escape", "`multiline`", "count as read"],
    );
    says("MultiEdit", &["all of them", "in order", "number"]);
    says("NotebookEdit", &["every `.ipynb`", "whole source"]);
    for declaration in declarations() {
        assert!(
            !declaration.prompt.contains("mcp__"),
            "a sibling under a client's prefix in {}",
            declaration.name
        );
    }
}

/// Agents that hide tools behind a search compare the words of a model's query with those of names, descriptions and
/// hints.
#[test]
fn search_words_of_models_find_tools() {
    let words = |text: &str| -> Vec<String> {
        let parts = text.split(|c: char| !c.is_alphanumeric() && c != '_');
        parts.map(str::to_lowercase).collect()
    };
    for (query, found) in [
        ("apply_patch", "Edit"),
        ("patch", "Edit"),
        ("sed", "Edit"),
        ("modify", "Edit"),
        ("replace", "Edit"),
        ("patch", "MultiEdit"),
        ("refactor", "MultiEdit"),
        ("cat", "Read"),
        ("head", "Read"),
        ("open", "Read"),
        ("view", "Read"),
        ("echo", "Write"),
        ("create", "Write"),
        ("save", "Write"),
        ("find", "Glob"),
        ("ls", "Glob"),
        ("rg", "Grep"),
        ("search", "Grep"),
        ("notebook", "NotebookEdit"),
    ] {
        let tool = declaration(found).expect("a built-in tool");
        let mut all = words(&tool.description);
        all.extend(words(&tool.search_hint));
        all.push(tool.name.to_lowercase());
        assert!(all.iter().any(|word| word == query), "{query} in {found}");
    }
    // Codex shows descriptions and no hints.
    for (command, found) in [
        ("instead of apply_patch, patch or sed", "Edit"),
        ("instead of apply_patch or patch", "MultiEdit"),
        ("instead of cat, head or sed", "Read"),
        ("instead of cat or echo", "Write"),
        ("instead of find or ls", "Glob"),
        ("instead of grep or rg", "Grep"),
    ] {
        let tool = declaration(found).expect("a built-in tool");
        assert!(tool.description.contains(command), "{found}");
    }
}

#[test]
fn only_reading_tools_run_concurrently() {
    for declaration in declarations() {
        assert_eq!(
            declaration.concurrent, declaration.read_only,
            "{}",
            declaration.name
        );
        assert_ne!(declaration.destructive, declaration.read_only);
    }
}

/// Several agents would show the model the structured content instead of a file's text.
#[test]
fn tools_that_return_long_text_have_no_output_schema() {
    for (name, is_structured) in [
        ("Read", false),
        ("str_replace_based_edit_tool", false),
        ("Edit", true),
        ("MultiEdit", true),
        ("Write", true),
        ("NotebookEdit", true),
        ("Glob", true),
        ("Grep", true),
        ("Undo", true),
    ] {
        let schema = &declaration(name).expect("a built-in tool").output_schema;
        assert_eq!(schema.is_some(), is_structured, "{name}");
    }
}

#[test]
fn formats_tools_for_each_api() {
    let anthropic = tool_list(declarations(), &ListForm::new(Format::Anthropic));
    assert_eq!(anthropic[1]["name"], "Edit");
    assert_eq!(anthropic[1]["input_schema"]["additionalProperties"], false);

    let mut long = ListForm::new(Format::OpenAi);
    long.length = DescriptionLength::Long;
    let openai = tool_list(declarations(), &long);
    assert_eq!(openai[0]["type"], "function");
    assert_eq!(
        openai[0]["function"]["parameters"]["required"][0],
        "file_path"
    );
    assert_eq!(
        openai[0]["function"]["description"],
        declaration("Read").unwrap().prompt.as_ref()
    );

    let mcp = tool_list(declarations(), &ListForm::new(Format::Mcp));
    assert_eq!(mcp[0]["annotations"]["readOnlyHint"], true);
    assert_eq!(mcp[3]["_meta"]["anthropic/maxResultSizeChars"], 32_000);
    assert_eq!(mcp[2]["_meta"].get("anthropic/alwaysLoad"), None);
}

#[test]
fn gemini_schema_has_only_supported_keywords() {
    fn walk(schema: &Value) {
        let words = [
            "type",
            "description",
            "enum",
            "required",
            "minimum",
            "minItems",
            "maxItems",
            "items",
            "properties",
        ];
        for (key, value) in schema.as_object().unwrap() {
            assert!(words.contains(&key.as_str()), "{key}");
            match key.as_str() {
                "type" => assert!(
                    ["OBJECT", "STRING", "INTEGER", "BOOLEAN", "ARRAY"]
                        .contains(&value.as_str().unwrap())
                ),
                "items" => walk(value),
                "properties" => value.as_object().unwrap().values().for_each(walk),
                _ => {}
            }
        }
    }
    let list = tool_list(declarations(), &ListForm::new(Format::Gemini));
    let functions = list[0]["functionDeclarations"].as_array().unwrap();
    assert_eq!(functions.len(), declarations().len());
    for function in functions {
        walk(&function["parameters"]);
    }
}

#[test]
fn parses_format_by_name() {
    for format in Format::ALL {
        assert_eq!(format.name().parse(), Ok(format));
    }
    let error = "opanai".parse::<Format>().unwrap_err();
    assert!(
        error.to_string().ends_with("did you mean openai?"),
        "{error}"
    );
}
