//! The in-memory indexes by which running lancets answer searches of their roots at once, or why there are none.

use std::path::Path;
use std::time::UNIX_EPOCH;

use lancet::doors::{
    IndexResidency, IndexStatus, ResidentFacts, RunningIndex, format_size, running_indexes,
};
use serde_json::{Value, json};

use crate::command::history::time;

/// The indexes of all running lancets that use the state folder.
#[derive(Debug)]
pub(super) struct SearchFacts(Vec<RunningIndex>);

/// Reads the reports of running lancets.
pub(super) fn inspect(state: &Path) -> SearchFacts {
    SearchFacts(running_indexes(state))
}

impl SearchFacts {
    /// Returns the findings as text for people, line by line.
    pub(super) fn report_lines(&self) -> Vec<String> {
        if self.0.is_empty() {
            return vec!["no running lancet has searched yet".to_owned()];
        }
        let lines = self.0.iter().map(|index| {
            let IndexStatus { root, residency } = &index.status;
            let told = match residency {
                IndexResidency::Building => "being built".to_owned(),
                IndexResidency::Absent(why) => format!("none: {}", why.describe()),
                IndexResidency::Resident(facts) => describe_resident_index(facts),
            };
            format!("process {}, {}: {told}", index.process, root.display())
        });
        lines.collect()
    }

    /// Returns the findings as JSON.
    pub(super) fn facts_json(&self) -> Value {
        let all = self.0.iter().map(|index| {
            let IndexStatus { root, residency } = &index.status;
            let (word, why, facts) = match residency {
                IndexResidency::Building => ("building", None, None),
                IndexResidency::Absent(why) => ("absent", Some(why.as_str()), None),
                IndexResidency::Resident(facts) => ("resident", None, Some(facts)),
            };
            let mut object = json!({
                "process": index.process, "root": root, "residency": word, "why": why,
            });
            if let Some(facts) = facts {
                object["since"] = json!(time::format_rfc3339(resident_since(facts)));
                object["builtInMs"] = json!(facts.built_in.as_millis());
                object["files"] = json!(facts.files);
                object["watches"] = json!(facts.watches);
                object["textBytes"] = json!(facts.text);
                object["tableBytes"] = json!(facts.table);
                object["signatureBytes"] = json!(facts.signatures);
                object["contentBytes"] = json!(facts.contents);
                object["answeredAtLeast"] = json!(facts.answered);
            }
            object
        });
        all.collect()
    }
}

fn describe_resident_index(facts: &ResidentFacts) -> String {
    let contents = match facts.contents {
        0 => "no contents".to_owned(),
        bytes => format!("contents {}", format_size(bytes)),
    };
    format!(
        "{} files since {} ({}); table {}, signatures {} for {} of text, {contents}; {} folders watched; at least {} searches answered",
        facts.files,
        time::format_clock(resident_since(facts)),
        time::format_age(resident_since(facts)),
        format_size(facts.table),
        format_size(facts.signatures),
        format_size(facts.text),
        facts.watches,
        facts.answered,
    )
}

/// Returns the time since which the index is in memory, in milliseconds since 1970.
fn resident_since(facts: &ResidentFacts) -> i64 {
    let since = facts.since.duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}
