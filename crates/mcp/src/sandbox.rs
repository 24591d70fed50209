//! The sandbox policy of Codex. A server that declares the capability gets it with every call, in `_meta`; the turn's
//! metadata names at least the mode. The policy only restricts: if neither is understood, the call goes on as without
//! them.
//!
//! The form is that of openai/codex: `permissionProfile` (since version 0.122) with a list of entries, before that
//! `sandboxPolicy` with a type and writable roots; `sandboxCwd` is a path or a `file:` URI.

use std::path::{Path, PathBuf};

use lancet::WriteScope;
use lancet_serving::identity;
use serde_json::{Map, Value};

use crate::roots::folder_of_uri;

/// The capability that asks for the policy, and the key of `_meta` that has it.
pub(crate) const CAPABILITY: &str = "codex/sandbox-state-meta";
/// The origin of the scope, as refusals name it.
const SCOPE_ORIGIN: &str = "Codex's sandbox";
/// How many entries of a policy are read; a longer one is not understood.
const MAX_ENTRIES: usize = 1_000;

/// The sandbox of a call's client, as the call describes it.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Sandbox {
    /// Nothing, or that there is none.
    Open,
    /// Writing is limited.
    Limited(WriteScope),
    /// Something that is not understood.
    Unknown,
}

impl Sandbox {
    /// Reads a request's `_meta`.
    pub(crate) fn from_meta(meta: &Map<String, Value>) -> Self {
        // The mode alone does not say which folders are writable, so lancet's roots alone decide.
        let mode = identity::meta_string(meta, "x-codex-turn-metadata/sandbox_mode");
        let mode = mode.map(|mode| sandbox_from_mode(&mode, Vec::new));
        let state = meta.get(CAPABILITY).filter(|state| !state.is_null());
        match (state.map(sandbox_from_state), mode) {
            (Some(Some(read)), _) | (None, Some(Some(read))) => read,
            // A state that is not understood does not lift the mode of the turn.
            (Some(None), Some(Some(limited @ Sandbox::Limited(_)))) => limited,
            (Some(None), _) | (None, Some(None)) => Sandbox::Unknown,
            (None, None) => Sandbox::Open,
        }
    }
}

/// Reads the state that Codex sends to a server with the capability; none where it is not understood.
fn sandbox_from_state(state: &Value) -> Option<Sandbox> {
    let working = state.get("sandboxCwd").and_then(Value::as_str);
    let working = working.and_then(parse_absolute_path);
    if let Some(profile) = state.get("permissionProfile").filter(|one| !one.is_null()) {
        return sandbox_from_profile(profile, working.as_deref());
    }
    let policy = state.get("sandboxPolicy")?;
    let kind = policy
        .get("type")
        .or_else(|| policy.get("mode"))?
        .as_str()?;
    let said = policy.get("writable_roots").and_then(Value::as_array);
    let mut roots: Vec<PathBuf> = Vec::new();
    for root in said.into_iter().flatten().take(MAX_ENTRIES) {
        roots.push(parse_absolute_path(root.as_str()?)?);
    }
    if kind == "workspace-write" {
        roots.push(working?);
        let is_set = |key| policy.get(key).and_then(Value::as_bool) == Some(true);
        if !is_set("exclude_slash_tmp") {
            roots.push(PathBuf::from("/tmp"));
        }
        if !is_set("exclude_tmpdir_env_var") {
            roots.extend(temporary_folder());
        }
    }
    sandbox_from_mode(kind, || roots)
}

/// Reads a mode by its name. `writable` returns the folders of `workspace-write`; an empty list means that they are not
/// known.
fn sandbox_from_mode(mode: &str, writable: impl FnOnce() -> Vec<PathBuf>) -> Option<Sandbox> {
    match mode {
        "read-only" => Some(Sandbox::Limited(write_scope(Vec::new(), Vec::new()))),
        "workspace-write" => Some(match writable() {
            folders if folders.is_empty() => Sandbox::Open,
            folders => {
                let closed = implicit_read_only_folders(&folders);
                Sandbox::Limited(write_scope(folders, closed))
            }
        }),
        "danger-full-access" | "external-sandbox" => Some(Sandbox::Open),
        _ => None,
    }
}

fn write_scope(writable: Vec<PathBuf>, closed: Vec<PathBuf>) -> WriteScope {
    WriteScope::new(writable, closed, SCOPE_ORIGIN)
}

fn sandbox_from_profile(profile: &Value, working: Option<&Path>) -> Option<Sandbox> {
    let kind = |value: &Value| Some(value.get("type")?.as_str()?.to_owned());
    match kind(profile)?.as_str() {
        "disabled" | "external" => return Some(Sandbox::Open),
        "managed" => {}
        _ => return None,
    }
    let files = profile.get("file_system")?;
    match kind(files)?.as_str() {
        "unrestricted" => return Some(Sandbox::Open),
        "restricted" => {}
        _ => return None,
    }
    let entries = files.get("entries")?.as_array()?;
    if entries.len() > MAX_ENTRIES {
        return None;
    }
    let (mut writable, mut closed) = (Vec::new(), Vec::new());
    for entry in entries {
        let is_writable = entry.get("access")?.as_str()? == "write";
        match (entry_folder(entry.get("path")?, working), is_writable) {
            (Some(folder), true) => writable.push(folder),
            (Some(folder), false) => closed.push(folder),
            // A pattern or a name that is not known opens nothing, as in Codex itself.
            (None, _) => {}
        }
    }
    closed.extend(implicit_read_only_folders(&writable));
    // A folder that is not named is not writable anyway, so an entry that makes the whole tree readable has no effect.
    closed.retain(|folder| folder.parent().is_some());
    Some(Sandbox::Limited(write_scope(writable, closed)))
}

/// Returns the folder that an entry is about; none for a pattern, or a name that is not known.
fn entry_folder(named: &Value, working: Option<&Path>) -> Option<PathBuf> {
    if named.get("type")?.as_str()? == "path" {
        return parse_absolute_path(named.get("path")?.as_str()?);
    }
    let special = named.get("value")?;
    match special.get("kind")?.as_str()? {
        "root" => Some(PathBuf::from("/")),
        "project_roots" | "current_working_directory" => {
            let below = special.get("subpath").and_then(Value::as_str);
            Some(working?.join(below.unwrap_or_default()))
        }
        "slash_tmp" => Some(PathBuf::from("/tmp")),
        "tmpdir" => temporary_folder(),
        _ => None,
    }
}

/// Returns the folder for temporary files from the environment. Codex uses no other folder where the variable is not
/// set.
fn temporary_folder() -> Option<PathBuf> {
    let named = std::env::var_os("TMPDIR").map(PathBuf::from);
    named.filter(|folder| folder.is_absolute())
}

/// Returns the folders that Codex keeps read-only in each writable folder without naming them, unless they are named as
/// writable.
fn implicit_read_only_folders(writable: &[PathBuf]) -> Vec<PathBuf> {
    let names = [".git", ".agents", ".codex"];
    let inside = |folder: &PathBuf| names.map(|name| folder.join(name));
    let kept = writable.iter().flat_map(inside);
    kept.filter(|folder| !writable.contains(folder)).collect()
}

/// Returns an absolute path, given as such or as a `file:` URI.
fn parse_absolute_path(given: &str) -> Option<PathBuf> {
    match given.starts_with("file:") {
        true => folder_of_uri(given),
        false => Some(PathBuf::from(given)).filter(|path| path.is_absolute()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn from_meta(meta: Value) -> Sandbox {
        Sandbox::from_meta(meta.as_object().expect("an object"))
    }

    fn limited_sandbox(writable: &[&str], closed: &[&str]) -> Sandbox {
        let folders =
            |names: &[&str]| -> Vec<PathBuf> { names.iter().map(PathBuf::from).collect() };
        let writable = folders(writable);
        let mut closed = folders(closed);
        closed.extend(implicit_read_only_folders(&writable));
        Sandbox::Limited(write_scope(writable, closed))
    }

    #[test]
    fn sandbox_mode_of_turn_is_the_fallback() {
        let turn = |mode: &str| from_meta(json!({"x-codex-turn-metadata": {"sandbox_mode": mode}}));
        assert_eq!(turn("read-only"), limited_sandbox(&[], &[]));
        assert_eq!(turn("workspace-write"), Sandbox::Open);
        assert_eq!(turn("danger-full-access"), Sandbox::Open);
        assert_eq!(turn("somehow"), Sandbox::Unknown);
        assert_eq!(from_meta(json!({})), Sandbox::Open);
        let text = json!({"x-codex-turn-metadata": r#"{"sandbox_mode": "read-only"}"#});
        assert_eq!(from_meta(text), limited_sandbox(&[], &[]));
    }

    #[test]
    fn reads_policies_and_profiles() {
        let state = |state: Value| {
            from_meta(
                json!({"codex/sandbox-state-meta": state, "x-codex-turn-metadata": {"sandbox_mode": "read-only"}}),
            )
        };
        let policy = |policy: Value| state(json!({"sandboxPolicy": policy, "sandboxCwd": "/w"}));
        assert_eq!(
            policy(json!({"type": "read-only"})),
            limited_sandbox(&[], &[])
        );
        assert_eq!(
            policy(
                json!({"type": "workspace-write", "writable_roots": ["/x"], "exclude_slash_tmp": true, "exclude_tmpdir_env_var": true})
            ),
            limited_sandbox(&["/x", "/w"], &[])
        );
        assert_eq!(
            policy(json!({"type": "workspace-write", "exclude_tmpdir_env_var": true})),
            limited_sandbox(&["/w", "/tmp"], &[])
        );
        assert_eq!(policy(json!({"type": "danger-full-access"})), Sandbox::Open);
        // A state that is not understood leaves the mode of the turn unchanged, which is read-only here.
        assert_eq!(policy(json!({"type": "new"})), limited_sandbox(&[], &[]));
        assert_eq!(
            policy(json!({"type": "workspace-write", "writable_roots": [7]})),
            limited_sandbox(&[], &[])
        );
        assert_eq!(state(json!(null)), limited_sandbox(&[], &[]));
        assert_eq!(state(json!("odd")), limited_sandbox(&[], &[]));
        let alone = |state: Value| from_meta(json!({"codex/sandbox-state-meta": state}));
        assert_eq!(alone(json!("odd")), Sandbox::Unknown);
        assert_eq!(alone(json!({"sandboxCwd": "/w"})), Sandbox::Unknown);

        let profile = |entries: Value| {
            let files = json!({"type": "restricted", "entries": entries});
            let profile = json!({"type": "managed", "file_system": files, "network": "restricted"});
            state(json!({"permissionProfile": profile, "sandboxCwd": "file:///w%20x"}))
        };
        let special = |kind: &str, access: &str| json!({"path": {"type": "special", "value": {"kind": kind}}, "access": access});
        let git = json!({"path": {"type": "special", "value": {"kind": "project_roots", "subpath": ".git"}}, "access": "read"});
        let named = json!({"path": {"type": "path", "path": "/y"}, "access": "write"});
        assert_eq!(
            profile(json!([special("root", "read")])),
            limited_sandbox(&[], &[])
        );
        assert_eq!(
            profile(json!([
                special("root", "read"),
                special("project_roots", "write"),
                git,
                named
            ])),
            limited_sandbox(&["/w x", "/y"], &["/w x/.git"])
        );
        let glob = |access: &str| json!({"path": {"type": "glob_pattern", "pattern": "**/.env"}, "access": access});
        assert_eq!(profile(json!([glob("deny")])), limited_sandbox(&[], &[]));
        assert_eq!(profile(json!([glob("write")])), limited_sandbox(&[], &[]));
        assert_eq!(
            profile(json!([special("new", "write"), special("root", "read")])),
            limited_sandbox(&[], &[])
        );
        for (kind, wanted) in [
            ("disabled", Sandbox::Open),
            ("new", limited_sandbox(&[], &[])),
        ] {
            let profile = json!({"permissionProfile": {"type": kind}, "sandboxCwd": "/w"});
            assert_eq!(state(profile), wanted);
        }
    }
}
