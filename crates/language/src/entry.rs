//! The configuration of a server: which files it serves, how it is started, and which of several servers for one job is
//! chosen.

use std::path::Path;

use serde_json::Value;

/// How a server is started and what it serves.
#[derive(Debug, Clone, PartialEq)]
pub struct ServerEntry {
    /// The name that users and the starter know it by.
    pub name: String,
    /// The files it serves, as patterns of their names, such as `*.py`.
    pub files: Vec<String>,
    /// The program and its arguments.
    pub run: Vec<String>,
    /// The names of files that mark the folder of a project, such as `pyproject.toml`.
    pub root: Vec<String>,
    /// The settings that are sent as `initializationOptions` and when the server requests its configuration.
    pub settings: Value,
    /// The job it does. Of several entries with the same job, the first installed one is chosen; entries without a job
    /// are all chosen.
    pub job: Option<String>,
    /// How its problems are obtained.
    pub delivery: ProblemDelivery,
    /// The npm package and its oldest suitable major version, if the program's name alone does not identify the server.
    pub package: Option<Package>,
}

/// How the problems of a server are obtained.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ProblemDelivery {
    /// They are requested if the server supports that; otherwise it pushes them.
    #[default]
    AsOffered,
    /// They are requested, and pushed ones count as well, because the server has problems that it only pushes.
    Both,
}

/// An npm package with a minimum major version.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Package {
    /// Its name.
    pub name: String,
    /// The oldest suitable major version.
    pub major: u64,
}

impl ServerEntry {
    /// Creates an entry with these files and this command line, and defaults for the rest.
    #[must_use]
    pub fn new(name: &str, files: &[&str], run: &[&str]) -> ServerEntry {
        let owned = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect();
        ServerEntry {
            name: name.to_owned(),
            files: owned(files),
            run: owned(run),
            root: Vec::new(),
            settings: Value::Null,
            job: None,
            delivery: ProblemDelivery::AsOffered,
            package: None,
        }
    }

    /// Returns the program that it runs.
    #[must_use]
    pub fn program(&self) -> Option<&str> {
        self.run.first().map(String::as_str)
    }
}

/// Returns the entries to use: those that are available and, of several for one job, the first. An earlier entry
/// replaces a later one of the same name, so that the user's own take precedence over [`crate::built_in`].
#[must_use]
pub fn choose_entries(
    entries: impl IntoIterator<Item = ServerEntry>,
    available: &dyn Fn(&ServerEntry) -> bool,
) -> Vec<ServerEntry> {
    let mut named: Vec<String> = Vec::new();
    let mut taken: Vec<ServerEntry> = Vec::new();
    for entry in entries {
        if named.contains(&entry.name) {
            continue;
        }
        named.push(entry.name.clone());
        let done = entry.job.is_some() && taken.iter().any(|other| other.job == entry.job);
        if !done && available(&entry) {
            taken.push(entry);
        }
    }
    taken
}

/// Returns whether the program that was found on the path for an entry is the right one: if the entry names a package,
/// the nearest `package.json` above the program (links resolved) must have that name and at least that version.
#[must_use]
pub fn is_matching_program(entry: &ServerEntry, program: &Path) -> bool {
    let Some(package) = &entry.package else {
        return true;
    };
    let Ok(resolved) = program.canonicalize() else {
        return false;
    };
    resolved.ancestors().skip(1).any(|folder| {
        std::fs::read_to_string(folder.join("package.json"))
            .ok()
            .and_then(|text| serde_json::from_str::<Value>(&text).ok())
            .is_some_and(|described| is_package_version(&described, package))
    })
}

fn is_package_version(described: &Value, package: &Package) -> bool {
    let major = described["version"]
        .as_str()
        .and_then(|version| version.split('.').next())
        .and_then(|major| major.parse::<u64>().ok());
    described["name"] == package.name.as_str() && major.is_some_and(|major| major >= package.major)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chooses_first_available_server_for_each_job() {
        let with_job = |name: &str, job: Option<&str>| ServerEntry {
            job: job.map(str::to_owned),
            ..ServerEntry::new(name, &["*.py"], &[name])
        };
        let entries = [
            with_job("ty", Some("types")),
            with_job("pyright", Some("types")),
            with_job("ruff", None),
        ];
        let names = |available: &dyn Fn(&ServerEntry) -> bool| {
            let taken = choose_entries(entries.clone(), available);
            taken
                .into_iter()
                .map(|entry| entry.name)
                .collect::<Vec<_>>()
        };
        assert_eq!(names(&|_| true), ["ty", "ruff"]);
        assert_eq!(names(&|entry| entry.name != "ty"), ["pyright", "ruff"]);
    }

    #[test]
    fn first_entry_of_a_name_wins() {
        let entries = [
            ServerEntry::new("ty", &["*.py"], &["/own/ty"]),
            ServerEntry::new("ty", &["*.py"], &["ty"]),
        ];
        let taken = choose_entries(entries, &|_| true);
        assert_eq!(taken.len(), 1);
        assert_eq!(taken[0].program(), Some("/own/ty"));
    }

    #[test]
    fn checks_version_of_enclosing_package() {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::create_dir(folder.path().join("bin")).expect("a folder");
        let program = folder.path().join("bin/tsc");
        std::fs::write(&program, "").expect("a file");
        let described = |version: &str| {
            let text = format!("{{\"name\": \"typescript\", \"version\": \"{version}\"}}");
            std::fs::write(folder.path().join("package.json"), text).expect("a file");
        };
        let entry = ServerEntry {
            package: Some(Package {
                name: "typescript".to_owned(),
                major: 7,
            }),
            ..ServerEntry::new("typescript", &["*.ts"], &["tsc"])
        };
        assert!(
            !is_matching_program(&entry, &program),
            "there is no package"
        );
        described("5.9.2");
        assert!(!is_matching_program(&entry, &program));
        described("7.0.2");
        assert!(is_matching_program(&entry, &program));
    }
}
