//! Random changes of a tree between two searches, as programs and people make them.

use std::fs;
use std::io::Write as _;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};

use crate::chance::Chance;
use crate::tree::{FILES, FOLDERS, Tree, content, rules};

/// Writes a file, unless a pipe has its name: writing to it would wait for a reader.
fn put(path: impl AsRef<Path>, bytes: impl AsRef<[u8]>) -> std::io::Result<()> {
    let path = path.as_ref();
    match path.is_file() || !path.exists() {
        true => fs::write(path, bytes),
        false => Err(std::io::ErrorKind::AlreadyExists.into()),
    }
}

impl Tree {
    /// Makes one random change. A change that is currently impossible is left out.
    pub(crate) fn change(&mut self, chance: &mut Chance) {
        let _ = self.try_change(chance);
        self.list();
    }

    fn try_change(&mut self, chance: &mut Chance) -> std::io::Result<()> {
        let (file, folder) = (self.some_file(chance), self.some_folder(chance));
        let new = folder.join(chance.one(FILES));
        match chance.below(20) {
            0 => fs::OpenOptions::new()
                .append(true)
                .open(file)?
                .write_all(b"needle appended\n"),
            1 => put(file, content(chance)),
            2 => fs::OpenOptions::new()
                .write(true)
                .open(file)?
                .set_len(chance.below(20) as u64),
            3 => fs::rename(file, new),
            4 => fs::remove_file(file),
            5 => put(new, content(chance)),
            6 => {
                // Editors save like this: a new file gets the name.
                let beside = folder.join("beside.new");
                put(&beside, content(chance))?;
                fs::rename(beside, file)
            }
            7 => {
                let inner = folder.join(chance.one(FOLDERS)).join(chance.one(FOLDERS));
                fs::create_dir_all(&inner)?;
                put(inner.join("a.rs"), content(chance))
            }
            8 => {
                let to = folder.join(chance.one(FOLDERS));
                let from = self.some_folder(chance);
                fs::rename(from, to)
            }
            9 if folder != self.root => fs::remove_dir_all(folder),
            10 => put(
                folder.join(chance.one(&[".gitignore", ".ignore", ".rgignore"])),
                rules(chance),
            ),
            11 => fs::remove_file(folder.join(chance.one(&[".gitignore", ".ignore", ".rgignore"]))),
            12 => {
                let git = folder.join(".git/info");
                fs::create_dir_all(&git)?;
                put(git.join("exclude"), rules(chance))
            }
            13 => put(
                self.above().join(chance.one(&[".gitignore", ".ignore"])),
                rules(chance),
            ),
            14 => put(self.home.join("git/ignore"), rules(chance)),
            15 if folder != self.root => {
                // A link replaces a folder.
                let away = self.above().join("away");
                let _ = fs::remove_dir_all(&away);
                fs::rename(&folder, &away)?;
                symlink(&away, folder)
            }
            16 => {
                // A second name outside the tree, written through later. The kernel does not report that a name is
                // created elsewhere (docs/search.md), so the file itself is touched as well.
                let other = self.above().join("other name");
                let _ = fs::remove_file(&other);
                fs::hard_link(&file, &other)?;
                fs::set_permissions(file, fs::Permissions::from_mode(0o644))
            }
            17 => put(self.above().join("other name"), content(chance)),
            18 => {
                let mode = [0o644, 0o755][chance.below(2)];
                fs::set_permissions(file, fs::Permissions::from_mode(mode))
            }
            _ => {
                // The folder is moved out and in again, under the same name.
                let away = self.above().join("moved away");
                let _ = fs::remove_dir_all(&away);
                if folder == self.root {
                    return Ok(());
                }
                fs::rename(&folder, &away)?;
                put(away.join("b.rs"), content(chance))?;
                fs::rename(away, folder)
            }
        }
    }

    /// Returns the folder around the root.
    fn above(&self) -> &Path {
        self.root.parent().expect("the root is in a folder")
    }

    fn some_file(&self, chance: &mut Chance) -> PathBuf {
        self.some(chance, Path::is_file)
            .unwrap_or_else(|| self.root.join("a.rs"))
    }

    fn some_folder(&self, chance: &mut Chance) -> PathBuf {
        self.some(chance, Path::is_dir)
            .filter(|_| !chance.once_in(4))
            .unwrap_or_else(|| self.root.clone())
    }

    fn some(&self, chance: &mut Chance, is_it: impl Fn(&Path) -> bool) -> Option<PathBuf> {
        let paths = self.entries.iter().map(|entry| self.root.join(entry));
        let fitting: Vec<PathBuf> = paths
            .filter(|path| !path.is_symlink() && is_it(path))
            .collect();
        (!fitting.is_empty()).then(|| fitting[chance.below(fitting.len())].clone())
    }

    /// Records the entries that the tree has now.
    fn list(&mut self) {
        let mut entries = Vec::new();
        let mut waiting = vec![self.root.clone()];
        while let Some(folder) = waiting.pop() {
            for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
                let path = entry.path();
                let name = entry.file_name();
                let is_rule = name.to_string_lossy().starts_with(".git")
                    || [".ignore", ".rgignore"].iter().any(|rule| name == **rule);
                if is_rule {
                    continue;
                }
                if path.is_dir() && !path.is_symlink() {
                    waiting.push(path.clone());
                }
                let below = path.strip_prefix(&self.root).expect("below the root");
                entries.push(below.to_path_buf());
            }
        }
        entries.sort();
        self.entries = entries;
    }
}
