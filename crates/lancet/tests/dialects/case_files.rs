//! The files of a case: writes contents in the notation of the cases to the disk, and compares them with what is there
//! afterwards.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::Path;

use serde_json::Value;

/// Returns the bytes that a content represents.
pub(crate) fn content(value: &Value) -> Vec<u8> {
    let text = |value: &Value| value.as_str().expect("a text").to_owned();
    match value {
        Value::String(text) => text.clone().into_bytes(),
        Value::Array(lines) => lines
            .iter()
            .map(|line| text(line) + "\n")
            .collect::<String>()
            .into_bytes(),
        _ if value.get("bytes").is_some() => text(&value["bytes"])
            .chars()
            .map(|character| u8::try_from(u32::from(character)).expect("a byte"))
            .collect(),
        _ if value.get("text").is_some() => {
            encoded(&text(&value["text"]), value["encoding"].as_str())
        }
        _ if value.get("repeat").is_some() => {
            let (template, count) = (text(&value["repeat"][0]), value["repeat"][1].as_u64());
            let numbers = 1..=count.expect("a number");
            let lines = numbers.map(|number| template.replace("{i}", &number.to_string()));
            encoded(&lines.collect::<String>(), value["encoding"].as_str())
        }
        _ if value.get("join").is_some() => {
            let parts = value["join"].as_array().expect("a list");
            parts.iter().flat_map(content).collect()
        }
        _ => panic!("no content: {value}"),
    }
}

fn encoded(text: &str, encoding: Option<&str>) -> Vec<u8> {
    let units = text.encode_utf16();
    match encoding {
        None | Some("utf-8") => text.as_bytes().to_vec(),
        Some("utf-16-le") => units.flat_map(u16::to_le_bytes).collect(),
        Some("utf-16-be") => units.flat_map(u16::to_be_bytes).collect(),
        Some("utf-16") => {
            let mark = [0xff, 0xfe];
            mark.into_iter()
                .chain(units.flat_map(u16::to_le_bytes))
                .collect()
        }
        Some("latin-1") => text
            .chars()
            .map(|character| u8::try_from(u32::from(character)).expect("a latin-1 text"))
            .collect(),
        Some(other) => panic!("no encoding {other}"),
    }
}

fn mode(value: &Value) -> Option<u32> {
    let mode = value.get("mode")?.as_str()?;
    Some(u32::from_str_radix(mode, 8).expect("a mode"))
}

/// Writes the files of a case below a folder.
pub(crate) fn put(folder: &Path, files: &Value) {
    for (name, value) in files.as_object().into_iter().flatten() {
        let path = folder.join(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("folders");
        if value["dir"] == true {
            fs::create_dir_all(&path).expect("a folder");
        } else if let Some(target) = value["link"].as_str() {
            std::os::unix::fs::symlink(target, &path).expect("a link");
        } else {
            fs::write(&path, content(value)).expect("a file");
            let mode = fs::Permissions::from_mode(mode(value).unwrap_or(0o644));
            fs::set_permissions(&path, mode).expect("a mode");
        }
    }
}

/// One file on the disk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct OnDisk {
    bytes: Vec<u8>,
    mode: u32,
    /// Its time and inode. They differ if another file was written, even with the same bytes.
    identity: (i64, i64, u64),
}

/// Everything below a folder.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Tree {
    files: BTreeMap<String, OnDisk>,
    folders: BTreeSet<String>,
}

impl Tree {
    pub(crate) fn load(folder: &Path) -> Tree {
        let mut tree = Tree::default();
        tree.add(folder, "");
        tree
    }

    fn add(&mut self, folder: &Path, below: &str) {
        for entry in fs::read_dir(folder).expect("a folder") {
            let entry = entry.expect("an entry");
            let name = format!("{below}{}", entry.file_name().to_string_lossy());
            let stat = entry.path().symlink_metadata().expect("a stat");
            if stat.is_dir() {
                self.add(&entry.path(), &format!("{name}/"));
                self.folders.insert(name);
                continue;
            }
            let bytes = match stat.is_symlink() {
                true => {
                    let target = fs::read_link(entry.path()).expect("a link");
                    format!("-> {}", target.display()).into_bytes()
                }
                false => fs::read(entry.path()).expect("a file"),
            };
            let identity = (stat.mtime(), stat.mtime_nsec(), stat.ino());
            self.files.insert(
                name,
                OnDisk {
                    bytes,
                    mode: stat.mode() & 0o7777,
                    identity,
                },
            );
        }
    }

    /// Returns the tree without what is below a folder.
    pub(crate) fn without(mut self, folder: &str) -> Tree {
        self.files.retain(|name, _| !name.starts_with(folder));
        self.folders.retain(|name| !name.starts_with(folder));
        self
    }

    /// Checks that this is the tree `before` with `after` applied to it, and that no other file was changed or even
    /// written.
    pub(crate) fn check(&self, before: &Tree, after: &Value) -> Result<(), String> {
        let mut wanted: BTreeMap<&str, (Vec<u8>, Option<u32>)> = BTreeMap::new();
        for (name, file) in &before.files {
            wanted.insert(name, (file.bytes.clone(), Some(file.mode)));
        }
        for (name, value) in after.as_object().into_iter().flatten() {
            let kept = wanted.remove(name.as_str()).and_then(|(_, mode)| mode);
            if !value.is_null() {
                wanted.insert(name, (content(value), mode(value).or(kept)));
            }
        }
        for (name, (bytes, mode)) in &wanted {
            let Some(file) = self.files.get(*name) else {
                return Err(format!("{name} is missing"));
            };
            if file.bytes != *bytes {
                let (got, wanted) = (text_excerpt(&file.bytes), text_excerpt(bytes));
                return Err(format!("{name}: wanted {wanted:?}, got {got:?}"));
            }
            if mode.is_some_and(|mode| mode != file.mode) {
                return Err(format!(
                    "{name}: wanted mode {:o}, got {:o}",
                    mode.unwrap_or_default(),
                    file.mode
                ));
            }
            if let Some(old) = before.files.get(*name)
                && (&old.bytes, old.mode) == (&file.bytes, file.mode)
                && old.identity != file.identity
            {
                return Err(format!("{name} was written although nothing in it changed"));
            }
        }
        if let Some(name) = self
            .files
            .keys()
            .find(|name| !wanted.contains_key(name.as_str()))
        {
            return Err(format!("{name} should not be there"));
        }
        let is_needed = |folder: &String| {
            let below = format!("{folder}/");
            wanted.keys().any(|name| name.starts_with(&below))
        };
        let mut made = self.folders.difference(&before.folders);
        match made.find(|folder| !is_needed(folder)) {
            Some(folder) => Err(format!("the folder {folder} should not be there")),
            None => Ok(()),
        }
    }
}

fn text_excerpt(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).chars().take(400).collect()
}
