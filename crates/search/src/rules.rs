//! The ignore rules in force in a folder, as ripgrep has them with `--no-require-git`: `.rgignore`, `.ignore`,
//! `.gitignore` and `.git/info/exclude` of the folder and of every folder above it, and git's global file. Of one kind the
//! innermost file that says something decides; between kinds the order above does. Knows no walk.

use std::ffi::OsStr;
use std::io::BufRead as _;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};

use crate::sieve::Sieve;

/// The kinds of file, strongest first; git's own excludes are the last.
const FILES: [&str; 3] = [".rgignore", ".ignore", ".gitignore"];
const KINDS: usize = FILES.len() + 1;

/// git's global excludes file, and the folder that its anchored patterns start from.
#[derive(Clone, Debug)]
pub struct Excludes {
    /// The file.
    pub file: PathBuf,
    /// The folder.
    pub relative_to: PathBuf,
}

/// What the rules say of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Judgement {
    /// Nothing.
    Silent,
    /// It is ignored.
    Ignored,
    /// A negated pattern takes it back, though it may be hidden.
    Kept,
}

/// Which files of rules a folder has, as its listing shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Present {
    files: [bool; FILES.len()],
    git: bool,
}

/// The rules in force in one folder; cheap to clone and to extend.
#[derive(Clone, Default)]
pub(crate) struct Rules {
    chains: [Option<Arc<Layer>>; KINDS],
    global: Option<Arc<Matcher>>,
}

/// The patterns of one file.
struct Matcher {
    patterns: Gitignore,
    sieve: Sieve,
}

impl Matcher {
    fn judge(&self, path: &Path, name: &[u8], is_folder: bool) -> Judgement {
        if !self.sieve.lets(name, is_folder) {
            return Judgement::Silent;
        }
        match self.patterns.matched(path, is_folder) {
            Match::None => Judgement::Silent,
            Match::Ignore(_) => Judgement::Ignored,
            Match::Whitelist(_) => Judgement::Kept,
        }
    }
}

struct Layer {
    matcher: Matcher,
    above: Option<Arc<Layer>>,
}

impl Present {
    /// All of them, for all that is known.
    pub(crate) const ALL: Present = Present {
        files: [true; FILES.len()],
        git: true,
    };

    /// Takes note of an entry of the folder.
    pub(crate) fn note(&mut self, name: &std::ffi::OsStr) {
        if let Some(at) = FILES.iter().position(|file| name == *file) {
            self.files[at] = true;
        } else if name == ".git" {
            self.git = true;
        }
    }

    fn anything(self) -> bool {
        self.git || self.files.contains(&true)
    }
}

impl Rules {
    /// The rules that hold for a folder from above it.
    pub(crate) fn above(folder: &Path, excludes: Option<&Excludes>) -> Self {
        let mut rules = Rules::default();
        if let Some(Excludes { file, relative_to }) = excludes {
            rules.global = matcher(relative_to, file).map(Arc::new);
        }
        let mut ancestors: Vec<&Path> = folder.ancestors().skip(1).collect();
        ancestors.reverse();
        for ancestor in ancestors {
            rules = rules.enter(ancestor, Present::ALL);
        }
        rules
    }

    /// The rules inside a folder: these, and its own.
    pub(crate) fn enter(&self, folder: &Path, present: Present) -> Self {
        let mut rules = self.clone();
        if !present.anything() {
            return rules;
        }
        for (at, name) in FILES.iter().enumerate() {
            if present.files[at] {
                rules.add(at, matcher(folder, &folder.join(name)));
            }
        }
        if present.git
            && let Some(git) = common_git_folder(&folder.join(".git"))
        {
            rules.add(KINDS - 1, matcher(folder, &git.join("info/exclude")));
        }
        rules
    }

    fn add(&mut self, at: usize, matcher: Option<Matcher>) {
        if let Some(matcher) = matcher {
            let above = self.chains[at].take();
            self.chains[at] = Some(Arc::new(Layer { matcher, above }));
        }
    }

    /// What they say of an entry, by its absolute path and the name at its end.
    pub(crate) fn judge(&self, path: &Path, name: &OsStr, is_folder: bool) -> Judgement {
        let name = name.as_bytes();
        for chain in &self.chains {
            let mut layer = chain.as_ref();
            while let Some(Layer { matcher, above }) = layer.map(|layer| &**layer) {
                match matcher.judge(path, name, is_folder) {
                    Judgement::Silent => layer = above.as_ref(),
                    said => return said,
                }
            }
        }
        self.global.as_ref().map_or(Judgement::Silent, |global| {
            global.judge(path, name, is_folder)
        })
    }
}

/// Which folders the rules leave out, for a walk that is not one of this crate.
#[derive(Clone)]
pub struct FolderRules(Rules);

impl FolderRules {
    /// The rules that hold for a folder from above it.
    #[must_use]
    pub fn above(folder: &Path, excludes: Option<&Excludes>) -> Self {
        Self(Rules::above(folder, excludes))
    }

    /// The rules inside a folder: these, and its own.
    #[must_use]
    pub fn enter(&self, folder: &Path) -> Self {
        Self(self.0.enter(folder, Present::ALL))
    }

    /// Whether an entry of that name brings rules of its own.
    pub fn is_rule_file(name: &OsStr) -> bool {
        let mut present = Present::default();
        present.note(name);
        present.anything()
    }

    /// Whether they leave out a folder, by its absolute path.
    pub fn ignores(&self, folder: &Path) -> bool {
        let name = folder.file_name().unwrap_or_default();
        self.0.judge(folder, name, true) == Judgement::Ignored
    }
}

/// The rules of one file; none where it is not there, no regular file, or says nothing. Lines that are no pattern are
/// passed over, as git does.
fn matcher(folder: &Path, file: &Path) -> Option<Matcher> {
    if !is_regular(file) {
        return None;
    }
    let lines = std::io::BufReader::new(std::fs::File::open(file).ok()?).lines();
    // Up to the first that is no text, as ripgrep reads it.
    let mut lines: Vec<String> = lines.map_while(Result::ok).collect();
    if let Some(first) = lines.first_mut() {
        *first = first.trim_start_matches('\u{feff}').to_owned();
    }
    let mut builder = GitignoreBuilder::new(folder);
    for line in &lines {
        let _ = builder.add_line(None, line);
    }
    let patterns = builder.build().ok().filter(|rules| !rules.is_empty())?;
    Some(Matcher {
        patterns,
        sieve: Sieve::new(lines.iter().map(String::as_str)),
    })
}

/// Followed through links, as ripgrep reads it; a pipe of that name would hold the search up for ever.
fn is_regular(file: &Path) -> bool {
    std::fs::metadata(file).is_ok_and(|found| found.is_file())
}

/// The folder that holds `info/exclude`: `.git` itself, or what the `.git` file of a linked worktree leads to.
fn common_git_folder(git: &Path) -> Option<PathBuf> {
    let found = std::fs::metadata(git).ok()?;
    if found.is_dir() {
        return Some(git.to_path_buf());
    }
    if !found.is_file() {
        return None;
    }
    let line = first_line(git)?;
    let folder = git.parent()?.join(line.strip_prefix("gitdir: ")?);
    Some(match first_line(&folder.join("commondir")) {
        Some(common) => folder.join(common),
        // A submodule has no common folder but its own.
        None => folder,
    })
}

fn first_line(file: &Path) -> Option<String> {
    /// No line of git's is longer.
    const MOST: u64 = 8192;
    if !is_regular(file) {
        return None;
    }
    let file = std::io::Read::take(std::fs::File::open(file).ok()?, MOST);
    let mut line = String::new();
    std::io::BufReader::new(file).read_line(&mut line).ok()?;
    let line = line.trim_end();
    (!line.is_empty()).then(|| line.to_owned())
}
