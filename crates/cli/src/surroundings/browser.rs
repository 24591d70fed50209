//! Finds the program that opens a file in the user's browser.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// Programs that open a file in the browser of a desktop, with their arguments. The first that is installed is used.
const DESKTOP_OPENERS: [&[&str]; 4] = [
    &["xdg-open"],
    &["gio", "open"],
    &["sensible-browser"],
    &["x-www-browser"],
];

/// Finds the command that opens a file in a browser, for a shell. None where there is no screen to show one on, or no
/// such program.
pub(super) fn find_browser_command(set: &impl Fn(&str) -> Option<OsString>) -> Option<String> {
    if let Some(chosen) = set("BROWSER") {
        // Several may be named; the first one applies.
        let chosen = chosen.into_string().ok()?;
        let first = chosen.split(':').next().map(str::trim);
        return first.filter(|first| !first.is_empty()).map(str::to_owned);
    }
    let path = set("PATH").unwrap_or_default();
    let folders: Vec<PathBuf> = std::env::split_paths(&path).collect();
    let is_there = |program: &str| {
        folders
            .iter()
            .any(|folder| is_program(&folder.join(program)))
    };
    let found = |all: &[&[&str]]| {
        let found = all.iter().find(|words| is_there(words[0]));
        found.map(|words| words.join(" "))
    };
    if cfg!(target_os = "macos") {
        return found(&[&["open"]]);
    }
    if set("WSL_DISTRO_NAME").is_some()
        && let Some(found) = found(&[&["wslview"]])
    {
        return Some(found);
    }
    let has_screen = set("DISPLAY").is_some() || set("WAYLAND_DISPLAY").is_some();
    has_screen.then(|| found(&DESKTOP_OPENERS)).flatten()
}

fn is_program(path: &Path) -> bool {
    path.is_file()
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn finds_browser_only_with_a_display() {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::write(folder.path().join("gio"), "").expect("written");
        let with = |variables: &[(&str, &str)]| {
            let path = folder.path().as_os_str().to_owned();
            find_browser_command(&|name| match name {
                "PATH" => Some(path.clone()),
                _ => {
                    let found = variables.iter().find(|(given, _)| *given == name);
                    found.map(|(_, value)| value.into())
                }
            })
        };
        assert_eq!(with(&[]), None);
        assert_eq!(with(&[("DISPLAY", ":0")]).as_deref(), Some("gio open"));
        let named = with(&[("BROWSER", "firefox -P work:w3m"), ("DISPLAY", ":0")]);
        assert_eq!(named.as_deref(), Some("firefox -P work"));
    }
}
