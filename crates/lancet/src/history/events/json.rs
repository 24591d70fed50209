//! Events as JSON, one object each.

use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use lancet_text::Hunk;
use serde_json::{Map, Value, json};

use super::{ChangedEntry, ChangedFile, EventContent, HistoryEvent, MayShow};
use crate::wording::path_text;

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
    if let Some(path) = &changed.path {
        add("path", json!(path_text(path)));
        if let Some(bytes) = path_bytes(path) {
            add("pathBytes", json!(bytes));
        }
    }
    if let Some(path) = &changed.moved_from {
        add("from_path", json!(path_text(path)));
        add("movedFrom", json!(path_text(path)));
        if let Some(bytes) = path_bytes(path) {
            add("movedFromBytes", json!(bytes));
        }
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
    if changed.is_shared {
        add("shared", json!(true));
    }
    add_entries(object, &changed.entries);
}

/// Adds the permission bits and, of what is no file, the targets and the kind, before and after the change.
fn add_entries(object: &mut Map<String, Value>, entries: &[Option<ChangedEntry>; 2]) {
    let mut add = |name: &str, of_entry: &dyn Fn(&ChangedEntry) -> Value| {
        let [before, after] = entries
            .each_ref()
            .map(|entry| entry.as_ref().map_or(Value::Null, of_entry));
        object.insert(name.to_owned(), json!({ "before": before, "after": after }));
    };
    let has = |is_so: &dyn Fn(&ChangedEntry) -> bool| entries.iter().flatten().any(is_so);
    let [before, after] = entries
        .each_ref()
        .map(|entry| entry.as_ref().map(|entry| entry.mode));
    if before != after {
        add("mode", &|entry| match entry.mode {
            0 => Value::Null,
            mode => json!(format!("{mode:o}")),
        });
    }
    if has(&|entry| entry.link.is_some()) {
        add("link", &|entry| json!(entry.link.as_deref().map(path_text)));
    }
    if has(&|entry| entry.is_folder) {
        add("folder", &|entry| json!(entry.is_folder));
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

/// Returns a path that is not UTF-8 in base64; none for any other.
fn path_bytes(path: &Path) -> Option<String> {
    let bytes = path.as_os_str().as_bytes();
    path.to_str().is_none().then(|| STANDARD.encode(bytes))
}

/// Removes the paths of files that may not be shown, and what is known of their lines.
pub(super) fn leave_out_paths(fields: &mut Map<String, Value>, may_show: &MayShow) {
    let hidden = |path: &Value| path.as_str().is_some_and(|path| !may_show(Path::new(path)));
    if fields.get("path").is_some_and(hidden) {
        for name in ["path", "patch", "added", "removed"] {
            fields.remove(name);
        }
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
            "path": "/p/open", "files": [
                { "path": "/p/hidden", "kind": "update", "patch": "x", "added": 1, "removed": 2 }, { "path": "/p/open" }
            ]
        });
        let mut fields = body.as_object().expect("an object").clone();
        let may_show: MayShow = Box::new(|path| path != Path::new("/p/hidden"));
        leave_out_paths(&mut fields, &may_show);
        let left =
            json!({ "path": "/p/open", "files": [{ "kind": "update" }, { "path": "/p/open" }] });
        assert_eq!(Value::Object(fields), left);
    }
}
