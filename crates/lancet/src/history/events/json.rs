//! Events as JSON, one object each.

use std::path::Path;

use lancet_text::Hunk;
use serde_json::{Map, Value, json};

use super::{ChangedFile, EventContent, HistoryEvent, MayShow};

impl HistoryEvent {
    /// Returns the event as a JSON object.
    pub fn to_json(&self) -> Value {
        let word = match &self.fact {
            EventContent::Gap { from, to } => {
                return json!({ "event": "gap", "from": from, "to": to });
            }
            EventContent::Changed(_) => "changed",
            EventContent::Other(kind, _) => kind.as_str(),
        };
        let mut object = Map::new();
        let mut add = |name: &str, value: Value| object.insert(name.to_owned(), value);
        add("event", json!(word));
        add("seq", json!(self.seq));
        add("time", json!(timestamp(self.time)));
        add("workspace", json!(self.workspace));
        add("session", json!(self.session));
        add("client", json!(self.client));
        match &self.fact {
            EventContent::Changed(changed) => add_change(&mut object, changed),
            EventContent::Other(_, fields) => {
                for (name, value) in fields {
                    object.entry(name.clone()).or_insert_with(|| value.clone());
                }
            }
            EventContent::Gap { .. } => {}
        }
        Value::Object(object)
    }
}

fn add_change(object: &mut Map<String, Value>, changed: &ChangedFile) {
    let operation = &changed.operation;
    let mut add = |name: &str, value: Value| {
        object.insert(name.to_owned(), value);
    };
    let text = |path: &Path| path.display().to_string();
    if let Some(path) = &changed.path {
        add("path", json!(text(path)));
    }
    if let Some(path) = &changed.moved_from {
        add("from_path", json!(text(path)));
    }
    add("kind", json!(changed.kind.as_str()));
    add("before", json!(changed.before));
    add("after", json!(changed.after));
    if changed.path.is_some() {
        let patch = changed.patch.as_ref();
        add(
            "patch",
            json!(patch.map(|hunks| hunks.iter().map(hunk_json).collect::<Vec<_>>())),
        );
    }
    add("operation", json!(operation.id));
    add("tool", json!(operation.tool));
    add("turn", json!(operation.turn));
    add("call", json!(operation.call));
    if let Some(parent) = &operation.parent {
        add("parent", json!(parent));
    }
    if !operation.takes_back.is_empty() {
        add("takesBack", json!(operation.takes_back));
    }
}

fn hunk_json(hunk: &Hunk) -> Value {
    json!({
        "oldStart": hunk.old_start,
        "oldLines": hunk.old_lines,
        "newStart": hunk.new_start,
        "newLines": hunk.new_lines,
        "lines": hunk.lines,
    })
}

/// Removes the paths of files that may not be shown, and all their neighbours in the same object except counts.
pub(super) fn leave_out_paths(fields: &mut Map<String, Value>, may_show: &MayShow) {
    let hidden = |path: &Value| path.as_str().is_some_and(|path| !may_show(Path::new(path)));
    if fields.get("path").is_some_and(hidden) {
        fields.remove("path");
        fields.remove("patch");
    }
    for value in fields.values_mut() {
        match value {
            Value::Object(inner) => leave_out_paths(inner, may_show),
            Value::Array(values) => {
                let inner = values.iter_mut().filter_map(Value::as_object_mut);
                inner.for_each(|inner| leave_out_paths(inner, may_show));
            }
            _ => {}
        }
    }
}

/// Formats milliseconds since 1970 as `2026-01-31T16:20:05.123Z`.
fn timestamp(milliseconds: i64) -> String {
    const MILLISECONDS_PER_DAY: i64 = 24 * 60 * 60 * 1000;
    // Days are counted from 1 March 0000, so that a leap day is the last of its year, in cycles of 400 years.
    let days = milliseconds.div_euclid(MILLISECONDS_PER_DAY) + 719_468;
    let (cycle, day) = (days.div_euclid(146_097), days.rem_euclid(146_097));
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let (month, next) = if month < 10 {
        (month + 3, 0)
    } else {
        (month - 9, 1)
    };
    let rest = milliseconds.rem_euclid(MILLISECONDS_PER_DAY);
    format!(
        "{:04}-{month:02}-{day:02}T{:02}:{:02}:{:02}.{:03}Z",
        cycle * 400 + year + next,
        rest / 3_600_000,
        rest / 60_000 % 60,
        rest / 1_000 % 60,
        rest % 1_000
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_times_in_utc() {
        assert_eq!(timestamp(0), "1970-01-01T00:00:00.000Z");
        assert_eq!(timestamp(951_782_400_000), "2000-02-29T00:00:00.000Z");
        assert_eq!(timestamp(1_769_876_405_123), "2026-01-31T16:20:05.123Z");
        assert_eq!(timestamp(-1), "1969-12-31T23:59:59.999Z");
    }

    #[test]
    fn removes_hidden_paths_at_any_depth() {
        let body = json!({
            "path": "/p/open", "files": [{ "path": "/p/hidden", "patch": "x", "added": 1 }, { "path": "/p/open" }]
        });
        let mut fields = body.as_object().expect("an object").clone();
        let may_show: MayShow = Box::new(|path| path != Path::new("/p/hidden"));
        leave_out_paths(&mut fields, &may_show);
        let left = json!({ "path": "/p/open", "files": [{ "added": 1 }, { "path": "/p/open" }] });
        assert_eq!(Value::Object(fields), left);
    }
}
