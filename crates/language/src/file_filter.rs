//! The files about which a server wants a request before they are moved, or a notification after.

use std::path::Path;

use globset::{GlobBuilder, GlobMatcher};
use serde_json::Value;

/// The maximum number of filters stored per registration.
const MOST_FILTERS: usize = 100;

/// The registrations of a server for one kind of file operation.
#[derive(Debug, Clone, Default)]
pub(crate) struct FileFilters {
    all: Vec<Registration>,
}

#[derive(Debug, Clone)]
struct Registration {
    /// The identifier for unregistering it; none for what the first answer contained.
    id: Option<String>,
    patterns: Vec<GlobMatcher>,
}

impl FileFilters {
    /// Reads the options of a file operation from the first answer.
    pub(crate) fn from_options(options: &Value) -> FileFilters {
        let mut filters = FileFilters::default();
        if options.is_object() {
            filters.add(None, options);
        }
        filters
    }

    /// Adds a later registration.
    pub(crate) fn add(&mut self, id: Option<&str>, options: &Value) {
        if self.all.len() >= MOST_FILTERS {
            return;
        }
        let filters = options["filters"].as_array().into_iter().flatten();
        let patterns = filters
            .take(MOST_FILTERS)
            .filter_map(compile_pattern)
            .collect();
        self.all.push(Registration {
            id: id.map(str::to_owned),
            patterns,
        });
    }

    /// Removes the registration with this identifier.
    pub(crate) fn remove(&mut self, id: &str) {
        self.all.retain(|one| one.id.as_deref() != Some(id));
    }

    /// Returns whether a file matches.
    pub(crate) fn matches(&self, path: &Path) -> bool {
        let mut patterns = self.all.iter().flat_map(|one| &one.patterns);
        patterns.any(|pattern| pattern.is_match(path))
    }
}

/// Returns the pattern of a filter; none if the filter is not about files on disk.
fn compile_pattern(filter: &Value) -> Option<GlobMatcher> {
    let scheme = filter["scheme"].as_str().unwrap_or("file");
    let pattern = &filter["pattern"];
    if scheme != "file" || pattern["matches"] == "folder" {
        return None;
    }
    let glob = GlobBuilder::new(pattern["glob"].as_str()?)
        .literal_separator(true)
        .case_insensitive(pattern["options"]["ignoreCase"] == true)
        .build();
    glob.ok().map(|glob| glob.compile_matcher())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn matches_path(filters: &FileFilters, path: &str) -> bool {
        filters.matches(Path::new(path))
    }

    #[test]
    fn filters_match_patterns_of_the_file_scheme() {
        let filter =
            json!({ "scheme": "file", "pattern": { "glob": "**/*.{py,pyi}", "matches": "file" } });
        let filters = FileFilters::from_options(&json!({ "filters": [filter] }));
        assert!(matches_path(&filters, "/project/a/b.py") && matches_path(&filters, "/c.pyi"));
        assert!(!matches_path(&filters, "/project/a.rs"));
        for other in [
            json!({ "scheme": "untitled", "pattern": { "glob": "**" } }),
            json!({ "pattern": { "glob": "**", "matches": "folder" } }),
            json!({ "pattern": { "glob": "{" } }),
        ] {
            let filters = FileFilters::from_options(&json!({ "filters": [other] }));
            assert!(!matches_path(&filters, "/project/a.py"));
        }
        assert!(!matches_path(
            &FileFilters::from_options(&Value::Null),
            "/project/a.py"
        ));
    }

    #[test]
    fn registration_can_be_removed() {
        let options = json!({ "filters": [{ "pattern": { "glob": "**/*.TS", "options": { "ignoreCase": true } } }] });
        let mut filters = FileFilters::default();
        filters.add(Some("one"), &options);
        filters.add(Some("two"), &options);
        filters.remove("one");
        assert!(matches_path(&filters, "/a.ts"));
        filters.remove("two");
        assert!(!matches_path(&filters, "/a.ts"));
    }
}
