//! `lancet tools` for each model API, checked against the rules in the API's documentation (read in November 2026). The
//! rules are written down here again, and share no code with the code that makes the lists.

use serde_json::{Map, Value, json};

use crate::stage::Stage;

/// Returns the list of tools as `lancet tools` prints it.
fn list(stage: &Stage, format: &str, more: &[&str]) -> Value {
    let run = stage.run(&[&["tools", "--format", format][..], more].concat());
    assert_eq!(run.code, 0, "{run:?}");
    serde_json::from_str(&run.out).expect("JSON")
}

/// The violations in a list; each entry names tool, place and rule.
#[derive(Debug, Default, PartialEq)]
struct Broken(Vec<String>);

impl Broken {
    fn unless(&mut self, holds: bool, place: &str, rule: &str) {
        if !holds {
            self.0.push(format!("{place}: {rule}"));
        }
    }

    /// Checks that the keys of an object are among those that the API knows.
    fn only_keys(&mut self, object: &Value, known: &[&str], place: &str) {
        let keys = object.as_object().into_iter().flat_map(Map::keys);
        for key in keys {
            self.unless(
                known.contains(&key.as_str()),
                place,
                &format!("no key {key}"),
            );
        }
    }

    /// Checks a name: at most 64 characters out of letters, digits, underscores and dashes. This is the rule of OpenAI,
    /// Anthropic and Gemini (which also wants no digit or dash at the beginning).
    fn name(&mut self, name: &Value) -> String {
        let name = name.as_str().unwrap_or_default();
        let plain = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
        self.unless(
            (1..=64).contains(&name.len()) && name.chars().all(plain),
            name,
            "name",
        );
        let first = name.chars().next().unwrap_or('0');
        self.unless(
            first.is_ascii_alphabetic() || first == '_',
            name,
            "begins with a letter",
        );
        name.to_owned()
    }
}

/// Returns the types that a schema allows.
fn types(schema: &Value) -> Vec<&str> {
    match &schema["type"] {
        Value::String(one) => vec![one],
        Value::Array(all) => all.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    }
}

fn required(schema: &Value) -> Vec<&str> {
    let names = schema["required"].as_array().into_iter().flatten();
    names.filter_map(Value::as_str).collect()
}

fn fields(schema: &Value) -> Vec<(&String, &Value)> {
    let fields = schema["properties"].as_object();
    fields.into_iter().flatten().collect()
}

/// Collects the schemas inside a schema, itself first, each with its place.
fn walk<'s>(schema: &'s Value, place: &str, found: &mut Vec<(String, &'s Value)>) {
    found.push((place.to_owned(), schema));
    for (name, field) in fields(schema) {
        walk(field, &format!("{place}.{name}"), found);
    }
    if schema.get("items").is_some() {
        walk(&schema["items"], &format!("{place}[]"), found);
    }
}

fn all_schemas<'s>(schema: &'s Value, tool: &str) -> Vec<(String, &'s Value)> {
    let mut found = Vec::new();
    walk(schema, tool, &mut found);
    found
}

/// Checks OpenAI's function calling, and with `strict` its structured outputs: the root is an object; every object has
/// `additionalProperties: false` and requires all its fields; no keyword but the supported ones; at most 5,000 fields,
/// 10 levels, and 120,000 characters of names and values; an enum of a type that may be null has null.
fn openai(function: &Value, broken: &mut Broken) {
    let known = ["type", "name", "description", "parameters", "strict"];
    broken.only_keys(function, &known, "function");
    let name = broken.name(&function["name"]);
    let root = &function["parameters"];
    broken.unless(root["type"] == "object", &name, "the root is an object");
    let description = function["description"].as_str().unwrap_or_default();
    broken.unless(
        (1..=1024).contains(&description.len()),
        &name,
        "description",
    );
    if function["strict"] != true {
        broken.unless(function["strict"] == false, &name, "strict is said");
        return;
    }
    let (mut count, mut characters) = (0, 0);
    for (place, schema) in all_schemas(root, &name) {
        let supported = [
            "type",
            "description",
            "enum",
            "const",
            "anyOf",
            "properties",
            "required",
            "items",
            "additionalProperties",
            "pattern",
            "format",
            "multipleOf",
            "minimum",
            "maximum",
            "exclusiveMinimum",
            "exclusiveMaximum",
            "minItems",
            "maxItems",
            "$defs",
            "$ref",
        ];
        broken.only_keys(schema, &supported, &place);
        let types = types(schema);
        let kinds = [
            "string", "number", "boolean", "integer", "object", "array", "null",
        ];
        broken.unless(!types.is_empty(), &place, "a type");
        broken.unless(
            types.iter().all(|kind| kinds.contains(kind)),
            &place,
            "a known type",
        );
        let levels = place.matches(['.', '[']).count();
        broken.unless(levels < 10, &place, "at most 10 levels");
        if types.contains(&"object") {
            broken.unless(
                schema["additionalProperties"] == false,
                &place,
                "additionalProperties",
            );
            for (field, _) in fields(schema) {
                broken.unless(required(schema).contains(&field.as_str()), &place, field);
                (count, characters) = (count + 1, characters + field.len());
            }
            broken.unless(
                required(schema).len() == fields(schema).len(),
                &place,
                "required",
            );
        }
        if let Some(values) = schema["enum"].as_array() {
            characters += values
                .iter()
                .map(|value| value.to_string().len())
                .sum::<usize>();
            broken.unless(values.len() <= 1_000, &place, "at most 1,000 values");
            let has_null = values.contains(&Value::Null);
            broken.unless(
                has_null == types.contains(&"null"),
                &place,
                "null in enum and type",
            );
        }
    }
    broken.unless(count <= 5_000 && characters <= 120_000, &name, "size");
}

/// Checks Anthropic's tools: names and field names; with `strict` the limits of structured outputs: objects without
/// further fields; no bounds of numbers, texts and lists but `minItems` 0 or 1; over all strict tools at most 20 tools,
/// 24 optional fields and 16 fields with several types.
fn anthropic(list: &Value, broken: &mut Broken) {
    let (mut tools, mut optional, mut unions) = (0, 0, 0);
    for tool in list.as_array().into_iter().flatten() {
        broken.only_keys(
            tool,
            &["name", "description", "input_schema", "strict"],
            "tool",
        );
        let name = broken.name(&tool["name"]);
        let root = &tool["input_schema"];
        broken.unless(root["type"] == "object", &name, "the root is an object");
        let allowed = |c: char| c.is_ascii_alphanumeric() || "_.-".contains(c);
        for (place, schema) in all_schemas(root, &name) {
            for (field, _) in fields(schema) {
                let fits = (1..=64).contains(&field.len()) && field.chars().all(allowed);
                broken.unless(fits, &place, field);
            }
            if tool["strict"] != true {
                continue;
            }
            let supported = [
                "type",
                "description",
                "enum",
                "const",
                "anyOf",
                "allOf",
                "properties",
                "required",
                "items",
                "additionalProperties",
                "format",
                "default",
                "minItems",
                "$defs",
                "$ref",
            ];
            broken.only_keys(schema, &supported, &place);
            let least = schema.get("minItems").and_then(Value::as_u64).unwrap_or(0);
            broken.unless(least <= 1, &place, "minItems is 0 or 1");
            if types(schema).contains(&"object") {
                let closed = schema["additionalProperties"] == false;
                broken.unless(closed, &place, "additionalProperties");
                optional += fields(schema).len() - required(schema).len();
            }
            unions += usize::from(types(schema).len() > 1 || schema.get("anyOf").is_some());
        }
        tools += usize::from(tool["strict"] == true);
    }
    broken.unless(tools <= 20, "list", "at most 20 strict tools");
    broken.unless(
        optional <= 24,
        "list",
        &format!("at most 24 optional fields, not {optional}"),
    );
    broken.unless(
        unions <= 16,
        "list",
        &format!("at most 16 unions, not {unions}"),
    );
}

/// Checks Gemini's function declarations: names of parameters of letters, digits and underscores; types in capitals;
/// only the fields of its schema object, 64-bit integers as text; enums of texts; required fields exist.
fn gemini(list: &Value, broken: &mut Broken) {
    let functions = list[0]["functionDeclarations"].as_array();
    broken.unless(functions.is_some(), "list", "a group of functions");
    for function in functions.into_iter().flatten() {
        broken.only_keys(function, &["name", "description", "parameters"], "function");
        let name = broken.name(&function["name"]);
        for (place, schema) in all_schemas(&function["parameters"], &name) {
            let supported = [
                "type",
                "format",
                "title",
                "description",
                "nullable",
                "enum",
                "maxItems",
                "minItems",
                "properties",
                "required",
                "propertyOrdering",
                "items",
                "minimum",
                "maximum",
                "anyOf",
                "example",
                "default",
                "pattern",
                "minLength",
                "maxLength",
                "minProperties",
                "maxProperties",
            ];
            broken.only_keys(schema, &supported, &place);
            let kinds = ["STRING", "NUMBER", "INTEGER", "BOOLEAN", "ARRAY", "OBJECT"];
            let kind = schema["type"].as_str().unwrap_or_default();
            broken.unless(kinds.contains(&kind), &place, "type");
            broken.unless(
                kind != "ARRAY" || schema["items"].is_object(),
                &place,
                "items",
            );
            for count in ["minItems", "maxItems"] {
                let number = schema.get(count).is_none_or(Value::is_string);
                broken.unless(number, &place, count);
            }
            if let Some(values) = schema["enum"].as_array() {
                let texts = values.iter().all(Value::is_string) && kind == "STRING";
                broken.unless(texts, &place, "an enum of texts");
            }
            for (field, _) in fields(schema) {
                let first = field.chars().next().unwrap_or('0');
                let plain = |c: char| c.is_ascii_alphanumeric() || c == '_';
                let fits = (first.is_ascii_alphabetic() || first == '_')
                    && field.chars().all(plain)
                    && field.len() <= 64;
                broken.unless(fits, &place, field);
            }
            for field in required(schema) {
                broken.unless(schema["properties"].get(field).is_some(), &place, field);
            }
        }
    }
}

/// Returns the rules of its API that a list breaks.
fn broken(format: &str, list: &Value) -> Vec<String> {
    let mut broken = Broken::default();
    match format {
        "anthropic" => anthropic(list, &mut broken),
        "gemini" => gemini(list, &mut broken),
        "openai" => {
            for tool in list.as_array().into_iter().flatten() {
                broken.only_keys(tool, &["type", "function"], "tool");
                broken.unless(tool["type"] == "function", "tool", "type");
                openai(&tool["function"], &mut broken);
            }
        }
        _ => {
            for tool in list.as_array().into_iter().flatten() {
                broken.unless(tool["type"] == "function", "tool", "type");
                openai(tool, &mut broken);
            }
        }
    }
    broken.0
}

const APIS: [&str; 4] = ["openai", "responses", "anthropic", "gemini"];

#[test]
fn every_list_keeps_the_rules_of_its_api() {
    let stage = Stage::new();
    for format in APIS {
        for tools in ["default", "claude", "codex", "text-editor", "all"] {
            for more in [&[][..], &["--strict"], &["--prefix", "lancet_", "--strict"]] {
                let list = list(&stage, format, &[&["--tools", tools], more].concat());
                assert_eq!(broken(format, &list), [""; 0], "{format} {tools} {more:?}");
            }
        }
    }
}

/// Each API is requested to enforce all tools that are offered by default.
#[test]
fn strict_lists_are_strict_for_all_default_tools() {
    let stage = Stage::new();
    for (format, place) in [
        ("openai", "/function/strict"),
        ("responses", "/strict"),
        ("anthropic", "/strict"),
    ] {
        for (more, wanted) in [(&["--strict"][..], true), (&[], false)] {
            let list = list(&stage, format, more);
            let tools = list.as_array().expect("a list");
            assert_eq!(tools.len(), 7);
            for tool in tools {
                let strict = tool.pointer(place).is_some_and(|strict| *strict == true);
                assert_eq!(strict, wanted, "{format}: {tool}");
            }
        }
    }
}

/// The checker finds the violations that it is meant to find.
#[test]
fn a_list_that_breaks_a_rule_is_found_out() {
    let stage = Stage::new();
    let parameters = "/0/function/parameters";
    for (format, place, value) in [
        (
            "openai",
            format!("{parameters}/required"),
            json!(["file_path"]),
        ),
        (
            "openai",
            format!("{parameters}/additionalProperties"),
            json!(true),
        ),
        (
            "openai",
            format!("{parameters}/properties/force/type"),
            json!("bool"),
        ),
        (
            "openai",
            "/3/function/parameters/properties/mode/enum".into(),
            json!(["append"]),
        ),
        ("openai", "/0/function/name".into(), json!("read file")),
        (
            "anthropic",
            "/0/input_schema/additionalProperties".into(),
            json!(true),
        ),
        (
            "anthropic",
            "/0/input_schema/properties/limit".into(),
            json!({"type": "integer", "minimum": 1}),
        ),
        (
            "anthropic",
            "/2/input_schema/properties/edits/minItems".into(),
            json!(2),
        ),
        (
            "anthropic",
            "/6/input_schema/required".into(),
            json!(["pattern"]),
        ),
        (
            "gemini",
            "/0/functionDeclarations/0/parameters/type".into(),
            json!("object"),
        ),
        (
            "gemini",
            "/0/functionDeclarations/2/parameters/properties/edits/minItems".into(),
            json!(1),
        ),
        (
            "gemini",
            "/0/functionDeclarations/6/parameters/required".into(),
            json!(["-A"]),
        ),
        (
            "gemini",
            "/0/functionDeclarations/6/parameters/properties".into(),
            json!({"-A": {"type": "STRING"}}),
        ),
    ] {
        let mut list = list(&stage, format, &["--strict"]);
        assert_eq!(broken(format, &list), [""; 0]);
        *list
            .pointer_mut(&place)
            .unwrap_or_else(|| panic!("{format} has {place}")) = value;
        assert!(!broken(format, &list).is_empty(), "{format}: {place}");
    }
}

/// A model with a strict schema sends every field; null then means the same as no field.
#[test]
fn a_call_that_fills_every_field_is_taken() {
    let stage = Stage::new();
    let file = stage.file("a.txt", "one\ntwo\n");
    let path = file.to_str().expect("UTF-8");
    let list = list(&stage, "openai", &["--strict"]);
    let filled = |tool: &str, given: Value| -> String {
        let tools = list.as_array().expect("a list").iter();
        let mut found = tools.filter(|listed| listed["function"]["name"] == tool);
        let schema = &found.next().expect("listed")["function"]["parameters"];
        let value = |name: &String| given.get(name).cloned().unwrap_or(Value::Null);
        let all = fields(schema)
            .into_iter()
            .map(|(name, _)| (name.clone(), value(name)));
        Value::Object(all.collect()).to_string()
    };
    let edit = json!({"file_path": path, "old_string": "one", "new_string": "1"});
    let item = json!({"file_path": null, "old_string": "two", "new_string": "2", "replace_all": null, "revision": null});
    let other = path.replace("a.txt", "b.txt");
    for (tool, given) in [
        ("Read", json!({"file_path": path})),
        ("Edit", edit),
        ("MultiEdit", json!({"file_path": path, "edits": [item]})),
        ("Write", json!({"file_path": other, "content": "new\n"})),
        ("Glob", json!({"pattern": "*.txt"})),
        ("Grep", json!({"pattern": "new"})),
    ] {
        let arguments = filled(tool, given);
        let run = stage.run(&["call", tool, &arguments, "--session", "strict"]);
        assert_eq!(run.code, 0, "{tool} {arguments}: {run:?}");
    }
    assert_eq!(std::fs::read_to_string(&file).expect("there"), "1\n2\n");
    assert_eq!(std::fs::read_to_string(other).expect("there"), "new\n");
    // A required field counts as missing where it is null.
    let run = stage.run(&["call", "Edit", &filled("Edit", json!({"file_path": path}))]);
    assert_eq!(run.code, 1, "{run:?}");
    assert!(run.err.contains("old_string"), "{run:?}");
}

#[test]
fn a_prefix_stands_before_every_name() {
    let stage = Stage::new();
    let list = list(&stage, "anthropic", &["--prefix", "lancet_", "--long"]);
    for tool in list.as_array().expect("a list") {
        let name = tool["name"].as_str().expect("a name");
        assert!(name.starts_with("lancet_"), "{name}");
    }
    let edit = list[1]["description"].as_str().expect("a description");
    assert!(
        edit.contains("use lancet_MultiEdit; to rewrite most of a file use lancet_Write"),
        "{edit}"
    );
    for wrong in ["1x", "a b", "x.y", "aaaaaaaaaaaaaaaaaaaaaaaaa"] {
        let run = stage.run(&["tools", "--prefix", wrong]);
        assert_eq!(run.code, 2, "{wrong}: {run:?}");
        assert!(run.err.contains("prefix"), "{run:?}");
    }
}
