//! Arguments as people write them on a page: `name: value`, several lines with `|`, lists with `-`; or plain JSON.

use serde_json::{Map, Value};

/// Reads the arguments of a call block.
pub(crate) fn arguments(body: &str) -> Result<Value, String> {
    if body.trim_start().starts_with('{') {
        return serde_json::from_str(body).map_err(|error| error.to_string());
    }
    let lines: Vec<&str> = body.lines().collect();
    let (fields, used) = fields(&lines)?;
    if used < lines.len() {
        return Err(format!("cannot read the line `{}`", lines[used]));
    }
    Ok(Value::Object(fields))
}

/// Reads fields until a line that is not a field. Returns how many lines were used.
fn fields(lines: &[&str]) -> Result<(Map<String, Value>, usize), String> {
    let mut fields = Map::new();
    let mut at = 0;
    while at < lines.len() {
        let line = lines[at];
        if line.starts_with("- ") || line.starts_with('|') {
            break;
        }
        let (name, rest) = line
            .split_once(':')
            .ok_or_else(|| format!("`{line}` is no `name: value`"))?;
        at += 1;
        let rest = rest.strip_prefix(' ').unwrap_or(rest);
        let value = if !rest.is_empty() {
            scalar(rest)?
        } else if lines.get(at).is_some_and(|next| next.starts_with("- ")) {
            let (items, used) = items(&lines[at..])?;
            at += used;
            Value::Array(items)
        } else {
            let (text, used) = several_lines(&lines[at..]);
            at += used;
            Value::String(text)
        };
        fields.insert(name.trim().to_owned(), value);
    }
    Ok((fields, at))
}

/// Reads a list of objects: the first field after `- `, the others indented by two.
fn items(lines: &[&str]) -> Result<(Vec<Value>, usize), String> {
    let mut items = Vec::new();
    let mut at = 0;
    while at < lines.len() && lines[at].starts_with("- ") {
        let mut own = vec![&lines[at][2..]];
        at += 1;
        while let Some(line) = lines.get(at).and_then(|line| line.strip_prefix("  ")) {
            own.push(line);
            at += 1;
        }
        let (fields, used) = fields(&own)?;
        if used < own.len() {
            return Err(format!("cannot read the line `{}`", own[used]));
        }
        items.push(Value::Object(fields));
    }
    Ok((items, at))
}

/// Reads lines that begin with `|`. A last bare `|` adds a final newline to the text.
fn several_lines(lines: &[&str]) -> (String, usize) {
    let own: Vec<&str> = lines
        .iter()
        .map_while(|line| line.strip_prefix('|'))
        .map(|line| line.strip_prefix(' ').unwrap_or(line))
        .collect();
    (own.join("\n"), own.len())
}

/// Reads JSON where it looks like it (a quoted string, a number, true, false, null, a list, an object), else the text
/// itself.
fn scalar(text: &str) -> Result<Value, String> {
    if text.starts_with(['"', '[', '{']) {
        return serde_json::from_str(text).map_err(|error| format!("{error} in {text}"));
    }
    match serde_json::from_str(text) {
        Ok(value @ (Value::Number(_) | Value::Bool(_) | Value::Null)) => Ok(value),
        _ => Ok(Value::String(text.to_owned())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn values_in_all_their_forms() {
        let body = "a: plain: text\nb: 12\nc: true\nd: \"tab\\there\"\ne:\n| one\n|   two\n|\nf:\ng:\n- x: 1\n  y:\n  | p\n  | q\n- x: 2\n";
        assert_eq!(
            arguments(body),
            Ok(json!({
                "a": "plain: text", "b": 12, "c": true, "d": "tab\there", "e": "one\n  two\n", "f": "",
                "g": [{"x": 1, "y": "p\nq"}, {"x": 2}]
            }))
        );
        assert_eq!(arguments("{\"a\": 1}\n"), Ok(json!({"a": 1})));
        assert!(arguments("no field\n").is_err());
    }
}
