//! The input schema of an arguments type, in the narrow form that every model API accepts: an object, no references, no
//! integer formats, no nulls, no titles. The code is the same for all tools.

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value};

/// Generates the schema of `T` without the parts that model APIs refuse or that only cost tokens.
pub fn strict_schema<T: JsonSchema>() -> Value {
    let mut settings = SchemaSettings::draft2020_12();
    settings.inline_subschemas = true;
    settings.meta_schema = None;
    let mut schema = settings
        .into_generator()
        .into_root_schema_for::<T>()
        .to_value();
    tighten(&mut schema);
    if let Value::Object(root) = &mut schema {
        root.shift_remove("description");
    }
    schema
}

fn tighten(schema: &mut Value) {
    let Value::Object(map) = schema else { return };
    for noise in ["$schema", "title", "format", "default"] {
        map.shift_remove(noise);
    }
    if map
        .get("minimum")
        .is_some_and(|least| least.as_u64() == Some(0))
    {
        map.insert("minimum".into(), Value::from(0));
    }
    drop_null(map);
    unwrap_optional(map);
    constants_to_enum(map);
    if let Some(Value::Object(properties)) = map.get_mut("properties") {
        properties.values_mut().for_each(tighten);
    }
    if let Some(items) = map.get_mut("items") {
        tighten(items);
        if let Value::Object(items) = items {
            // The field that holds the list already describes its items.
            items.shift_remove("description");
        }
    }
}

/// Removes `null` from the types of optional fields: a model should leave such a field out.
fn drop_null(map: &mut Map<String, Value>) {
    let Some(Value::Array(kinds)) = map.get_mut("type") else {
        return;
    };
    kinds.retain(|kind| kind != "null");
    if kinds.len() == 1 {
        let only = kinds.remove(0);
        map.insert("type".into(), only);
    }
}

/// Turns "this or null", which schemars generates for an optional enum, into the enum alone.
fn unwrap_optional(map: &mut Map<String, Value>) {
    let Some(Value::Array(choices)) = map.get("anyOf") else {
        return;
    };
    let is_null = |choice: &Value| choice.get("type").is_some_and(|kind| kind == "null");
    let [Value::Object(only), null] = choices.as_slice() else {
        return;
    };
    if !is_null(null) {
        return;
    }
    let only = only.clone();
    map.shift_remove("anyOf");
    for (key, value) in only {
        // The description of the field is more specific than that of its type.
        map.entry(key).or_insert(value);
    }
}

/// Turns `oneOf` constants, which schemars generates for a documented enum, into `enum`: several APIs refuse `oneOf`.
fn constants_to_enum(map: &mut Map<String, Value>) {
    let Some(Value::Array(choices)) = map.get("oneOf") else {
        return;
    };
    let constants: Option<Vec<Value>> = choices
        .iter()
        .map(|choice| choice.get("const").cloned())
        .collect();
    if let Some(constants) = constants {
        map.shift_remove("oneOf");
        map.insert("type".into(), "string".into());
        map.insert("enum".into(), Value::Array(constants));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arguments::{
        EditArguments, MultiEditArguments, NotebookEditArguments, ReadArguments, WriteArguments,
    };

    fn every_schema() -> Vec<Value> {
        vec![
            strict_schema::<ReadArguments>(),
            strict_schema::<EditArguments>(),
            strict_schema::<MultiEditArguments>(),
            strict_schema::<WriteArguments>(),
            strict_schema::<NotebookEditArguments>(),
        ]
    }

    fn visit_objects(schema: &Value, visit: &mut dyn FnMut(&Map<String, Value>)) {
        let Value::Object(map) = schema else { return };
        visit(map);
        if let Some(Value::Object(properties)) = map.get("properties") {
            properties
                .values()
                .for_each(|property| visit_objects(property, visit));
        }
        if let Some(items) = map.get("items") {
            visit_objects(items, visit);
        }
    }

    #[test]
    fn schemas_are_strict_without_unsupported_keywords() {
        for schema in every_schema() {
            visit_objects(&schema, &mut |map| {
                for key in map.keys() {
                    assert!(
                        [
                            "type",
                            "properties",
                            "required",
                            "additionalProperties",
                            "description",
                            "minimum",
                            "minItems",
                            "items",
                            "enum"
                        ]
                        .contains(&key.as_str()),
                        "{key} in {schema}"
                    );
                }
                assert!(map["type"].is_string(), "{schema}");
                if map["type"] == "object" {
                    assert_eq!(map["additionalProperties"], false);
                }
            });
        }
    }

    #[test]
    fn every_field_is_described() {
        for schema in every_schema() {
            visit_objects(&schema, &mut |map| {
                if let Some(Value::Object(properties)) = map.get("properties") {
                    for (name, property) in properties {
                        assert!(
                            property["description"]
                                .as_str()
                                .is_some_and(|text| text.len() > 5),
                            "{name}"
                        );
                    }
                }
            });
        }
    }

    #[test]
    fn requires_only_indispensable_fields() {
        let required: Vec<String> = every_schema()
            .iter()
            .map(|schema| schema["required"].to_string())
            .collect();
        assert_eq!(
            required,
            [
                r#"["file_path"]"#,
                r#"["file_path","old_string","new_string"]"#,
                r#"["edits"]"#,
                r#"["file_path","content"]"#,
                r#"["notebook_path"]"#
            ]
        );
    }
}
