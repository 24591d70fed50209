//! The command by which an agent will start lancet: the same one by which lancet was started to install itself.

use std::fs;
use std::path::{Component, Path, PathBuf};

use lancet_install::LaunchCommand;
use serde_json::Value;

use crate::failure::Failure;
use crate::surroundings::program_on_path;

/// The name of the package that contains the program.
const PACKAGE: &str = "lancet-mcp";
/// The folder below which uv stores the environments that uvx makes.
const UV_CACHE: &str = "archive-v0";
/// The folder below which npx stores the packages that it has installed.
const NPX_CACHE: &str = "_npx";

/// Returns the launch command of the running program.
pub(super) fn launch_of_this_program() -> Result<LaunchCommand, Failure> {
    let unknown = || Failure::system("the path of this program is unknown, or not UTF-8");
    let program = std::env::current_exe().map_err(|_| unknown())?;
    let name = program.file_name().and_then(|name| name.to_str());
    // The path by which the shell finds the program may be a link. It still works after an update has replaced its
    // target.
    let named = name
        .and_then(program_on_path)
        .filter(|path| path.canonicalize().ok() == program.canonicalize().ok());
    launch_of_program(&program, named)
        .map_err(Failure::system)?
        .ok_or_else(unknown)
}

/// Returns the launch command of a program. uvx and npx unpack it into a cache, so they become part of the command. The
/// result is none if the path is not UTF-8, and an error if the package that the program came from is gone.
fn launch_of_program(
    program: &Path,
    named: Option<PathBuf>,
) -> Result<Option<LaunchCommand>, String> {
    let cached = program.to_str().map(str::to_owned);
    let run = |command: &str, arguments: Vec<String>| LaunchCommand {
        command: command.to_owned(),
        arguments,
        cached,
    };
    if let Some(environment) = cache_folder_of_program(program, UV_CACHE) {
        let package = match wheel_origin(&environment) {
            Some(origin) => vec![
                "--from".to_owned(),
                origin_argument(origin)?,
                PACKAGE.to_owned(),
            ],
            None => vec![package_with_version()],
        };
        return Ok(Some(run("uvx", append_mcp_command(package))));
    }
    if let Some(folder) = cache_folder_of_program(program, NPX_CACHE) {
        let mut words = vec!["-y".to_owned()];
        let origins = package_origins(&folder);
        if origins.is_empty() {
            words.push(package_with_version());
        } else {
            for origin in origins {
                words.extend(["--package".to_owned(), origin_argument(origin)?]);
            }
            words.push(PACKAGE.to_owned());
        }
        return Ok(Some(run("npx", append_mcp_command(words))));
    }
    let path = named.unwrap_or_else(|| program.to_path_buf());
    Ok(path.to_str().map(|path| LaunchCommand {
        command: path.to_owned(),
        arguments: append_mcp_command(Vec::new()),
        cached: None,
    }))
}

fn append_mcp_command(mut words: Vec<String>) -> Vec<String> {
    words.push("mcp".to_owned());
    words
}

/// Returns the package as the registries name it.
fn package_with_version() -> String {
    format!("{PACKAGE}@{}", env!("CARGO_PKG_VERSION"))
}

/// Returns the cache folder of a program: the one directly below the folder with this name.
fn cache_folder_of_program(program: &Path, cache: &str) -> Option<PathBuf> {
    let mut folders = program.ancestors();
    folders
        .find(|folder| {
            let parent = folder.parent().and_then(Path::file_name);
            parent.is_some_and(|name| name == cache)
        })
        .map(Path::to_path_buf)
}

/// The origin of a package that was not taken from a registry.
#[derive(Debug, PartialEq, Eq)]
enum PackageOrigin {
    /// A file or folder.
    Path(PathBuf),
    /// The URL of a package or a repository.
    Url(String),
}

/// Returns the origin as an argument of a command line; an error where it is a file that is gone.
fn origin_argument(origin: PackageOrigin) -> Result<String, String> {
    match origin {
        PackageOrigin::Url(url) => Ok(url),
        PackageOrigin::Path(path) if !path.exists() => Err(format!(
            "lancet was started from {}, which is not there any more, so an agent could not start it; put the package back, or install it (`uv tool install`, \
             `npm install --global`) and run `lancet install` of that",
            path.display()
        )),
        PackageOrigin::Path(path) => {
            let words = path.to_str().map(str::to_owned);
            words.ok_or_else(|| format!("the path {} is not UTF-8", path.display()))
        }
    }
}

/// Returns the origin of an environment's wheel, from its `direct_url.json`; none if it came from a registry.
fn wheel_origin(environment: &Path) -> Option<PackageOrigin> {
    let python = entries_with_prefix(&environment.join("lib"), "python").pop()?;
    let package = entries_with_prefix(&python.join("site-packages"), "lancet_mcp-").pop()?;
    let told = read_json(&package.join("direct_url.json"))?;
    let url = told["url"].as_str()?;
    Some(match url.strip_prefix("file://") {
        Some(path) => PackageOrigin::Path(PathBuf::from(decode_percent_escapes(path)?)),
        None => PackageOrigin::Url(url.to_owned()),
    })
}

/// Returns the origins of the packages in a folder of npx, from its `package.json`; none if they came from a registry.
fn package_origins(folder: &Path) -> Vec<PackageOrigin> {
    let told = read_json(&folder.join("package.json")).unwrap_or_default();
    let dependencies = told["dependencies"].as_object().into_iter().flatten();
    let origins = dependencies.filter_map(|(_, from)| {
        let from = from.as_str()?;
        match from.strip_prefix("file:") {
            Some(path) => Some(PackageOrigin::Path(normalize_path(&folder.join(path)))),
            None => from
                .contains("://")
                .then(|| PackageOrigin::Url(from.to_owned())),
        }
    });
    origins.collect()
}

/// Returns the entries of a folder whose names have this prefix.
fn entries_with_prefix(folder: &Path, beginning: &str) -> Vec<PathBuf> {
    let found = fs::read_dir(folder).into_iter().flatten().flatten();
    found
        .filter(|entry| {
            entry
                .file_name()
                .as_encoded_bytes()
                .starts_with(beginning.as_bytes())
        })
        .map(|entry| entry.path())
        .collect()
}

fn read_json(path: &Path) -> Option<Value> {
    serde_json::from_slice(&fs::read(path).ok()?).ok()
}

/// Returns a path without `.` and `..`.
fn normalize_path(path: &Path) -> PathBuf {
    path.components().fold(PathBuf::new(), |mut plain, part| {
        match part {
            Component::ParentDir => {
                plain.pop();
            }
            Component::CurDir => {}
            part => plain.push(part),
        }
        plain
    })
}

/// Decodes the percent escapes of a URL.
fn decode_percent_escapes(text: &str) -> Option<String> {
    let mut bytes = Vec::new();
    let mut rest = text.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        let escaped = (*first == b'%').then(|| after.get(..2)).flatten();
        match escaped {
            Some(digits) => {
                bytes.push(u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()?);
                rest = &after[2..];
            }
            None => {
                bytes.push(*first);
                rest = after;
            }
        }
    }
    String::from_utf8(bytes).ok()
}

/// Reports whether the program of a launch command exists.
pub(super) fn program_exists(command: &str) -> bool {
    match Path::new(command).is_absolute() {
        true => Path::new(command).is_file(),
        false => program_on_path(command).is_some(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn launch_line(launch: Result<Option<LaunchCommand>, String>) -> String {
        let launch = launch.expect("no error").expect("a launch");
        format!("{} {}", launch.command, launch.arguments.join(" "))
    }

    fn launch_line_of_program(program: &str) -> String {
        launch_line(launch_of_program(Path::new(program), None))
    }

    #[test]
    fn launch_command_matches_how_the_program_was_run() {
        let version = env!("CARGO_PKG_VERSION");
        assert_eq!(
            launch_line_of_program("/home/me/.cache/uv/archive-v0/x1/bin/lancet"),
            format!("uvx lancet-mcp@{version} mcp")
        );
        assert_eq!(
            launch_line_of_program(
                "/home/me/.npm/_npx/1f/node_modules/lancet-mcp-linux-x64/bin/lancet"
            ),
            format!("npx -y lancet-mcp@{version} mcp")
        );
        assert_eq!(launch_line_of_program("/opt/lancet"), "/opt/lancet mcp");
        let named = launch_of_program(Path::new("/store/1/lancet"), Some("/usr/bin/lancet".into()));
        assert_eq!(launch_line(named), "/usr/bin/lancet mcp");
    }

    #[test]
    fn local_package_is_named_by_its_path() {
        let base = lancet_testing::TestFolder::new();
        let put = |name: &str, text: &str| lancet_testing::folder::put(&base.join(name), text);
        let (wheel, tgz) = (put("a b/x.whl", ""), put("a b/x.tgz", ""));
        let shown = wheel.display().to_string();
        put(
            "archive-v0/x/lib/python3.12/site-packages/lancet_mcp-0.1.0.dist-info/direct_url.json",
            &format!(
                r#"{{"url":"file://{}","archive_info":{{}}}}"#,
                shown.replace(' ', "%20")
            ),
        );
        let program = base.join("archive-v0/x/bin/lancet");
        assert_eq!(
            launch_line(launch_of_program(&program, None)),
            format!("uvx --from {shown} lancet-mcp mcp")
        );
        put(
            "_npx/1f/package.json",
            r#"{"dependencies": {"lancet-mcp": "file:../../a b/x.tgz", "lancet-mcp-linux-x64": "^0.1.0"}}"#,
        );
        let program = base.join("_npx/1f/node_modules/lancet-mcp-linux-x64/bin/lancet");
        assert_eq!(
            launch_line(launch_of_program(&program, None)),
            format!("npx -y --package {} lancet-mcp mcp", tgz.display())
        );
        std::fs::remove_file(&tgz).expect("removed");
        let gone = launch_of_program(&program, None).expect_err("it is gone");
        assert!(gone.contains("not there any more"), "{gone}");
    }
}
