//! Schemas of the structured data in the answers of writing and searching tools, for clients that request it. No field
//! is required and further fields are allowed: a refusal has other fields than a change, and fields are added but never
//! renamed.

use serde_json::{Value, json};

pub(super) fn one_file_change_schema() -> Value {
    let mut properties = change_fields();
    add_properties(&mut properties, call_fields());
    json!({ "type": "object", "properties": properties })
}

pub(super) fn file_list_change_schema() -> Value {
    let mut properties = json!({
        "files": { "type": "array", "items": { "type": "object", "properties": change_fields() } },
    });
    add_properties(&mut properties, call_fields());
    json!({ "type": "object", "properties": properties })
}

pub(super) fn search_schema() -> Value {
    let mut properties = json!({
        "file_path": { "type": "string" },
        "files": { "type": "array", "items": { "type": "string" } },
        "numFiles": { "type": "integer" },
        "numMatches": { "type": "integer" },
        "totals": { "type": "string", "enum": ["exact", "at_least"] },
        "truncated": { "type": "boolean" },
        "filesSearched": { "type": "integer" },
        "skipped": { "type": "object" },
        "timedOut": { "type": "boolean" },
    });
    add_properties(&mut properties, call_fields());
    json!({ "type": "object", "properties": properties })
}

fn change_fields() -> Value {
    json!({
        "file_path": { "type": "string" },
        "type": { "type": "string", "enum": ["create", "update", "delete", "move"] },
        "from_path": { "type": "string" },
        "matched": { "type": "string" },
        "replacements": { "type": "integer" },
        "added": { "type": "integer" },
        "removed": { "type": "integer" },
        "patch": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "oldStart": { "type": "integer" },
                    "oldLines": { "type": "integer" },
                    "newStart": { "type": "integer" },
                    "newLines": { "type": "integer" },
                    "lines": { "type": "array", "items": { "type": "string" } },
                },
            },
        },
        "encoding": { "type": "string" },
        "lineEndings": { "type": "string" },
        "revision": { "type": "string" },
        "guarantee": { "type": "string" },
        "durable": { "type": "boolean" },
        "userModified": { "type": "boolean" },
        "warnings": { "type": "array", "items": { "type": "string" } },
        "gitDiff": {
            "type": "object",
            "properties": {
                "status": { "type": "string" },
                "filename": { "type": "string" },
                "head": { "type": ["string", "null"] },
                "additions": { "type": "integer" },
                "deletions": { "type": "integer" },
                "changes": { "type": "integer" },
                "patch": { "type": "string" },
            },
        },
    })
}

fn call_fields() -> Value {
    json!({
        "diagnostics": {
            "type": "object",
            "properties": {
                "new": { "type": "array", "items": { "type": "object" } },
                "more": { "type": "integer" },
                "notReady": { "type": "array", "items": { "type": "string" } },
                "notRunning": { "type": "array", "items": { "type": "string" } },
            },
        },
        "operation": { "type": "string" },
        "dryRun": { "type": "boolean" },
        "durationMs": { "type": "number" },
        "error": {
            "type": "object",
            "properties": { "code": { "type": "integer" }, "name": { "type": "string" } },
        },
    })
}

fn add_properties(properties: &mut Value, more: Value) {
    if let (Value::Object(properties), Value::Object(more)) = (properties, more) {
        properties.extend(more);
    }
}
