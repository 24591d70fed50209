//! A random tree: ignore files of every kind, nested and negated, odd names, encodings, binaries, links, line ends of
//! every kind, long lines, repositories in repositories.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use crate::chance::Chance;

pub(crate) const FOLDERS: &[&str] = &[
    "src", "lib", "build", "a", "b", ".hidden", "sp ace", "deep", "[id]", "node", "ünï",
];
pub(crate) const FILES: &[&str] = &[
    "a.rs",
    "b.rs",
    "main.py",
    "x.log",
    "y.log",
    "note.txt",
    ".env.example",
    ".dot",
    "Makefile",
    "[id]",
    "sp ace.md",
    "-dash",
    "#hash",
    "!bang",
    "ünï.txt",
    "keep.tmp",
    "a.b.c",
    "data.json",
    "new\nline.txt",
    "back\\slash",
];
const RULES: &[&str] = &[
    "*.log",
    "/build",
    "build/",
    "a",
    "a/",
    "/a/b",
    "a/b",
    "a/*",
    "**/b",
    "b/**",
    "!keep.tmp",
    "*.tmp",
    "!a",
    "!*.log",
    "!.hidden",
    "!.dot",
    "# comment",
    "\\#hash",
    "\\!bang",
    "x.log  ",
    "[ab].rs",
    "*",
    "!*/",
    "!*.rs",
    "/src/*",
    "!/src/a.rs",
    "sp ace",
    "lib/**/a.rs",
    "{a,b}.rs",
    "[",
    "a\\",
    "**",
    "/**/x.log",
    "!.*",
    "*.rs/",
    "deep/../a",
    "note.???",
    "\u{feff}b.rs",
    "!",
    "/",
    "//a",
    "a//b",
    "./a",
    "\\[id]",
    "unï*",
    "*.[!r]*",
];
const WORDS: &[&str] = &[
    "foo",
    "bar",
    "Foo",
    "foobar",
    "test_one",
    "fn my_test",
    "needle",
    "é",
    "ünï",
    "x",
    "  ",
    "\t",
    "a.b",
    "open(",
    "42",
    "--files",
    "K",
    "ſ",
    "end",
];

/// A tree on the disk, with a folder above it and a home next to it.
pub(crate) struct Tree {
    _temporary: tempfile::TempDir,
    /// The folder where searches start.
    pub(crate) root: PathBuf,
    /// The folder that contains git's global excludes, `git/ignore`.
    pub(crate) home: PathBuf,
    /// Every file and folder, from the root.
    pub(crate) entries: Vec<PathBuf>,
}

impl Tree {
    pub(crate) fn grow(chance: &mut Chance) -> Self {
        let temporary = tempfile::tempdir().expect("a folder");
        let top = temporary.path().canonicalize().expect("it is there");
        let (home, above) = (top.join("home"), top.join("above"));
        let root = above.join("root");
        std::fs::create_dir_all(&root).expect("made");
        std::fs::create_dir_all(home.join("git")).expect("made");
        if chance.once_in(3) {
            write(&home.join("git/ignore"), &rules(chance));
        }
        if chance.once_in(3) {
            let name = chance.one(&[".gitignore", ".ignore", ".rgignore"]);
            write(&above.join(name), &rules(chance));
        }
        let mut tree = Tree {
            _temporary: temporary,
            root: root.clone(),
            home,
            entries: Vec::new(),
        };
        tree.fill(chance, &root, 0);
        tree
    }

    pub(crate) fn fill(&mut self, chance: &mut Chance, folder: &Path, depth: usize) {
        for name in [".gitignore", ".ignore", ".rgignore"] {
            if chance.once_in(4) {
                let text = rules(chance);
                if chance.once_in(12) {
                    // Rules that are reached through a link also count.
                    write(&folder.join("rules.txt"), &text);
                    let _ = std::os::unix::fs::symlink("rules.txt", folder.join(name));
                } else {
                    write(&folder.join(name), &text);
                }
            }
        }
        if chance.once_in(4) {
            let git = folder.join(".git");
            std::fs::create_dir_all(git.join("info")).expect("made");
            write(&git.join("HEAD"), b"ref: refs/heads/main\n");
            write(&git.join("info/exclude"), &rules(chance));
        }
        for _ in 0..chance.below(7) {
            let path = folder.join(chance.one(FILES));
            if path.symlink_metadata().is_err() {
                self.file(chance, &path);
            }
        }
        if depth > 3 {
            return;
        }
        for _ in 0..chance.below(if depth == 0 { 6 } else { 3 }) {
            let path = folder.join(chance.one(FOLDERS));
            if std::fs::create_dir(&path).is_ok() {
                self.note(&path);
                self.fill(chance, &path, depth + 1);
            }
        }
    }

    fn file(&mut self, chance: &mut Chance, path: &Path) {
        self.note(path);
        match chance.below(24) {
            0 => {
                let target = chance.one(&["a.rs", "..", "nowhere", ".", "note.txt"]);
                std::os::unix::fs::symlink(target, path).expect("a link");
            }
            1 => lancet_testing::make_pipe(path),
            _ => write(path, &content(chance)),
        }
    }

    fn note(&mut self, path: &Path) {
        let relative = path.strip_prefix(&self.root).expect("below the root");
        self.entries.push(relative.to_path_buf());
    }
}

fn write(path: &Path, bytes: &[u8]) {
    std::fs::write(path, bytes).expect("written");
}

pub(crate) fn rules(chance: &mut Chance) -> Vec<u8> {
    let mut text = Vec::new();
    if chance.once_in(20) {
        text.extend("\u{feff}".as_bytes());
    }
    let end: &[u8] = if chance.once_in(8) { b"\r\n" } else { b"\n" };
    for _ in 0..1 + chance.below(4) {
        text.extend(chance.one(RULES).as_bytes());
        if chance.once_in(30) {
            // Lines after one that is not UTF-8 are lost, in ripgrep as here.
            text.extend(b"\xff");
        }
        text.extend(end);
    }
    text
}

pub(crate) fn content(chance: &mut Chance) -> Vec<u8> {
    let mut text = String::new();
    let end = chance.one(&["\n", "\n", "\n", "\r\n", "\r"]);
    for _ in 0..chance.below(14) {
        for _ in 0..chance.below(4) {
            text.push_str(chance.one(WORDS));
            if chance.once_in(2) {
                text.push(' ');
            }
        }
        if chance.once_in(40) {
            text.push_str(&"long € line ".repeat(300));
        }
        text.push_str(end);
    }
    if chance.once_in(3) {
        text.truncate(text.trim_end().len());
    }
    let mut bytes = text.clone().into_bytes();
    match chance.below(16) {
        0 => wide(&text, u16::to_le_bytes, &[0xFF, 0xFE]),
        1 => wide(&text, u16::to_be_bytes, &[0xFE, 0xFF]),
        2 => [b"\xEF\xBB\xBF", &bytes[..]].concat(),
        3 => {
            // The NUL is early, so that the file is binary for both implementations. It is after a first line that
            // ripgrep's first read, of three bytes, does not see whole, since otherwise ripgrep would report that line.
            let at = chance.below(bytes.len() + 1);
            bytes.insert(at, 0);
            [b"data ", &bytes[..]].concat()
        }
        4 => {
            let at = chance.below(bytes.len() + 1);
            bytes.splice(at..at, *b"caf\xe9 \xff\n");
            bytes
        }
        5 if chance.once_in(4) => {
            // Longer than the first buffer, so that lines cross its border.
            let line = [&b"filler line of text\n"[..], &bytes].concat();
            line.repeat(1 + 70_000 / line.len())
        }
        _ => bytes,
    }
}

fn wide(text: &str, bytes: fn(u16) -> [u8; 2], mark: &[u8]) -> Vec<u8> {
    mark.iter()
        .copied()
        .chain(text.encode_utf16().flat_map(bytes))
        .collect()
}

/// Returns the path for bytes that a program printed.
pub(crate) fn path_of(bytes: &[u8]) -> PathBuf {
    let bytes = bytes.strip_prefix(b"./").unwrap_or(bytes);
    PathBuf::from(OsStr::from_bytes(bytes))
}
