//! The conditions of a query of operations, which are collected one after the other.

use std::path::PathBuf;

use rusqlite::types::Value;

use super::paths::{bounds_below, path_bytes};
use super::workspaces;

/// SQL conditions joined by AND, with the values of their parameters in order.
#[derive(Default)]
pub(super) struct SqlFilter {
    pub(super) sql: String,
    pub(super) values: Vec<Value>,
}

impl SqlFilter {
    pub(super) fn add(&mut self, condition: &str, values: impl IntoIterator<Item = Value>) {
        if !self.sql.is_empty() {
            self.sql.push_str(" AND ");
        }
        self.sql.push_str(condition);
        self.values.extend(values);
    }

    /// Adds the condition that no file of the operation was recorded with one of these roots.
    pub(super) fn exclude_roots(&mut self, roots: &[i64]) {
        if !roots.is_empty() {
            for (table, alias) in [("files", "f"), ("recorded_calls", "r")] {
                let condition = format!(
                    "NOT EXISTS (SELECT 1 FROM {table} {alias} WHERE {alias}.operation = o.id AND {})",
                    workspaces::recorded_with_condition(alias, roots)
                );
                self.add(&condition, []);
            }
        }
    }

    /// Adds the condition that every file of the operation is below one of the folders.
    pub(super) fn restrict_to_folders(&mut self, folders: &[PathBuf]) {
        if folders.is_empty() {
            return;
        }
        let one = vec!["(f.path > ? AND f.path < ?)"; folders.len()].join(" OR ");
        let values = folders.iter().flat_map(|folder| {
            let (from, to) = bounds_below(folder);
            [Value::Blob(from), Value::Blob(to)]
        });
        self.add(
            &format!("NOT EXISTS (SELECT 1 FROM files f WHERE f.operation = o.id AND NOT ({one}))"),
            values,
        );
        self.restrict_calls_without_files(folders);
    }

    /// Adds the condition that the file of a row `f` is, or was before it was moved, below one of the folders.
    pub(super) fn restrict_rows_to_folders(&mut self, folders: &[PathBuf]) {
        if !folders.is_empty() {
            let (one, values) = row_below_condition(folders);
            self.add(&format!("({one})"), values);
        }
    }

    /// Adds the condition that a file of the operation is, or was before it was moved, below one of the folders.
    pub(super) fn require_file_below(&mut self, folders: &[PathBuf]) {
        if folders.is_empty() {
            return;
        }
        let (one, values) = row_below_condition(folders);
        self.add(
            &format!(
                "(EXISTS (SELECT 1 FROM files f WHERE f.operation = o.id AND ({one}))
                    OR NOT EXISTS (SELECT 1 FROM files f WHERE f.operation = o.id))"
            ),
            values,
        );
        self.restrict_calls_without_files(folders);
    }

    /// Adds the condition that a recorded call which changed no file was made at or below one of the folders.
    fn restrict_calls_without_files(&mut self, folders: &[PathBuf]) {
        let one = vec!["w.root = ? OR (w.root > ? AND w.root < ?)"; folders.len()].join(" OR ");
        let values = folders.iter().flat_map(|folder| {
            let (from, to) = bounds_below(folder);
            [path_bytes(folder).to_vec(), from, to].map(Value::Blob)
        });
        self.add(
            &format!(
                "NOT EXISTS (SELECT 1 FROM recorded_calls r LEFT JOIN workspaces w ON w.number = r.workspace
                     WHERE r.operation = o.id AND NOT coalesce({one}, 0)
                       AND NOT EXISTS (SELECT 1 FROM files f WHERE f.operation = o.id))"
            ),
            values,
        );
    }
}

/// Returns the condition that the file of a row `f` is, or was before it was moved, below one of the folders.
fn row_below_condition(folders: &[PathBuf]) -> (String, Vec<Value>) {
    let one = "(f.path > ? AND f.path < ?) OR (f.moved_from > ? AND f.moved_from < ?)";
    let values = folders.iter().flat_map(|folder| {
        let (from, to) = bounds_below(folder);
        [from.clone(), to.clone(), from, to].map(Value::Blob)
    });
    (vec![one; folders.len()].join(" OR "), values.collect())
}
