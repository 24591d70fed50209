//! Runs a proof and reads its report.

use std::path::Path;
use std::process::{Command, Stdio};

use lancet_testing::TestFolder;
use serde_json::Value;

/// A proof, as a program reads it.
pub(crate) struct Report {
    pub(crate) code: Option<i32>,
    pub(crate) data: Value,
}

/// Returns the program's command, without the tester's own settings.
pub(crate) fn lancet(home: &TestFolder) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_lancet"));
    command.env_clear().env("HOME", home.path());
    command.stdin(Stdio::null());
    command
}

/// Runs the proof on a folder with a few kills.
pub(crate) fn prove(folder: &Path, kills: u32) -> Report {
    let home = TestFolder::new();
    let mut command = lancet(&home);
    let kills = kills.to_string();
    command.args(["doctor", "--json", "--kills", &kills, "--prove"]);
    let output = command.arg(folder).output().expect("it starts");
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(errors, "", "{text}");
    Report {
        code: output.status.code(),
        data: serde_json::from_str(&text).expect("JSON"),
    }
}

impl Report {
    /// Returns the result of a check.
    pub(crate) fn check(&self, name: &str) -> &Value {
        let checks = self.data["checks"].as_array().expect("a list");
        let found = checks.iter().find(|check| check["check"] == name);
        found.unwrap_or_else(|| panic!("no {name}: {}", self.data))
    }

    /// Returns the answer of a check.
    pub(crate) fn answer(&self, name: &str) -> &str {
        self.check(name)["answer"].as_str().expect("a word")
    }

    pub(crate) fn figure(&self, check: &str, name: &str) -> u64 {
        let figure = &self.check(check)["figures"][name];
        figure
            .as_u64()
            .unwrap_or_else(|| panic!("{check}: {}", self.data))
    }
}

/// Returns the names in a folder.
pub(crate) fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).expect("a folder");
    let mut names: Vec<String> = entries
        .map(|entry| {
            entry
                .expect("an entry")
                .file_name()
                .to_string_lossy()
                .into_owned()
        })
        .filter(|name| name != "lost+found")
        .collect();
    names.sort();
    names
}
