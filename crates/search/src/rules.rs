//! The ignore rules of a folder, as ripgrep applies them with `--no-require-git`: `.rgignore`, `.ignore`,
//! `.gitignore` and `.git/info/exclude` of the folder and of every folder above it, and git's global excludes file.
//! Within one kind of file the innermost match decides; between kinds the order above does. This module does not
//! walk.

use std::ffi::OsStr;
use std::io::BufRead as _;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};

use crate::name_prefilter::NamePrefilter;

/// The kinds of ignore file by precedence; `.git/info/exclude` comes last.
const IGNORE_FILES: [&str; 3] = [".rgignore", ".ignore", ".gitignore"];
const RULE_KINDS: usize = IGNORE_FILES.len() + 1;

/// git's global excludes file (`core.excludesFile`) and the folder that its anchored patterns are relative to.
#[derive(Clone, Debug)]
pub struct Excludes {
    /// The path of the excludes file.
    pub file: PathBuf,
    /// The folder that anchored patterns are relative to.
    pub relative_to: PathBuf,
}

/// The verdict of the ignore rules on an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RuleVerdict {
    /// No pattern matches.
    Silent,
    /// The last matching pattern ignores the entry.
    Ignored,
    /// A negated pattern brings the entry back, even if it is hidden.
    Kept,
}

/// The ignore files that the listing of a folder showed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct RuleFiles {
    files: [bool; IGNORE_FILES.len()],
    git: bool,
}

/// The rules that apply in one folder; cheap to clone and to extend.
#[derive(Clone, Default)]
pub(crate) struct IgnoreRules {
    chains: [Option<Arc<RuleLayer>>; RULE_KINDS],
    global: Option<Arc<RuleMatcher>>,
}

/// The patterns of one ignore file.
struct RuleMatcher {
    patterns: Gitignore,
    prefilter: NamePrefilter,
}

impl RuleMatcher {
    fn judge(&self, path: &Path, name: &[u8], is_folder: bool) -> RuleVerdict {
        if !self.prefilter.may_match(name, is_folder) {
            return RuleVerdict::Silent;
        }
        match self.patterns.matched(path, is_folder) {
            Match::None => RuleVerdict::Silent,
            Match::Ignore(_) => RuleVerdict::Ignored,
            Match::Whitelist(_) => RuleVerdict::Kept,
        }
    }
}

struct RuleLayer {
    matcher: RuleMatcher,
    above: Option<Arc<RuleLayer>>,
}

impl RuleFiles {
    /// Every kind, for a folder whose listing is not known.
    pub(crate) const ALL: RuleFiles = RuleFiles {
        files: [true; IGNORE_FILES.len()],
        git: true,
    };

    /// Records that the folder has an entry of this name.
    pub(crate) fn record_name(&mut self, name: &std::ffi::OsStr) {
        if let Some(at) = IGNORE_FILES.iter().position(|file| name == *file) {
            self.files[at] = true;
        } else if name == ".git" {
            self.git = true;
        }
    }

    fn has_any(self) -> bool {
        self.git || self.files.contains(&true)
    }
}

impl IgnoreRules {
    /// Reads the rules that apply to a folder from the folders above it.
    pub(crate) fn read_above(folder: &Path, excludes: Option<&Excludes>) -> Self {
        let mut rules = IgnoreRules::default();
        if let Some(Excludes { file, relative_to }) = excludes {
            rules.global = read_rule_file(relative_to, file).map(Arc::new);
        }
        let mut ancestors: Vec<&Path> = folder.ancestors().skip(1).collect();
        ancestors.reverse();
        for ancestor in ancestors {
            rules = rules.enter_folder(ancestor, RuleFiles::ALL);
        }
        rules
    }

    /// Extends the rules by a folder's own ignore files.
    pub(crate) fn enter_folder(&self, folder: &Path, present: RuleFiles) -> Self {
        let mut rules = self.clone();
        if !present.has_any() {
            return rules;
        }
        for (at, name) in IGNORE_FILES.iter().enumerate() {
            if present.files[at] {
                rules.add(at, read_rule_file(folder, &folder.join(name)));
            }
        }
        if present.git
            && let Some(git) = common_git_folder(&folder.join(".git"))
        {
            rules.add(
                RULE_KINDS - 1,
                read_rule_file(folder, &git.join("info/exclude")),
            );
        }
        rules
    }

    fn add(&mut self, at: usize, matcher: Option<RuleMatcher>) {
        if let Some(matcher) = matcher {
            let above = self.chains[at].take();
            self.chains[at] = Some(Arc::new(RuleLayer { matcher, above }));
        }
    }

    /// Returns the verdict on an entry by its absolute path and its file name.
    pub(crate) fn judge(&self, path: &Path, name: &OsStr, is_folder: bool) -> RuleVerdict {
        let name = name.as_bytes();
        for chain in &self.chains {
            let mut layer = chain.as_ref();
            while let Some(RuleLayer { matcher, above }) = layer.map(|layer| &**layer) {
                match matcher.judge(path, name, is_folder) {
                    RuleVerdict::Silent => layer = above.as_ref(),
                    said => return said,
                }
            }
        }
        self.global.as_ref().map_or(RuleVerdict::Silent, |global| {
            global.judge(path, name, is_folder)
        })
    }
}

/// The ignore rules for folders, for callers that walk a tree themselves.
#[derive(Clone)]
pub struct FolderRules(IgnoreRules);

impl FolderRules {
    /// Reads the rules that apply to a folder from the folders above it.
    #[must_use]
    pub fn read_above(folder: &Path, excludes: Option<&Excludes>) -> Self {
        Self(IgnoreRules::read_above(folder, excludes))
    }

    /// Extends the rules by a folder's own ignore files.
    #[must_use]
    pub fn enter_folder(&self, folder: &Path) -> Self {
        Self(self.0.enter_folder(folder, RuleFiles::ALL))
    }

    /// Extends the rules by a folder's own ignore files, as far as they are among the names of its entries.
    #[must_use]
    pub fn enter_listed<'n>(&self, folder: &Path, names: impl Iterator<Item = &'n OsStr>) -> Self {
        let mut present = RuleFiles::default();
        for name in names {
            present.record_name(name);
        }
        Self(self.0.enter_folder(folder, present))
    }

    /// Returns whether the rules ignore an entry, given by its absolute path and its name.
    pub fn ignores_entry(&self, path: &Path, name: &OsStr, is_folder: bool) -> bool {
        self.0.judge(path, name, is_folder) == RuleVerdict::Ignored
    }

    /// Returns whether an entry of this name is an ignore file, or `.git`, which has one.
    pub fn is_rule_file(name: &OsStr) -> bool {
        let mut present = RuleFiles::default();
        present.record_name(name);
        present.has_any()
    }

    /// Returns whether the rules ignore a folder, given by its absolute path.
    pub fn ignores(&self, folder: &Path) -> bool {
        let name = folder.file_name().unwrap_or_default();
        self.0.judge(folder, name, true) == RuleVerdict::Ignored
    }
}

/// Returns the files that the rules of a folder come from and that a watch of the folder does not report:
/// `.git/info/exclude`, and ignore files that are links.
pub(crate) fn unwatched_rule_files(folder: &Path, present: RuleFiles) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for (name, _) in IGNORE_FILES
        .iter()
        .zip(present.files)
        .filter(|(_, there)| *there)
    {
        let file = folder.join(name);
        if file.is_symlink() {
            files.push(file);
        }
    }
    if present.git {
        let git = folder.join(".git");
        let exclude = common_git_folder(&git).map(|git| git.join("info/exclude"));
        files.extend([git]);
        files.extend(exclude);
    }
    files
}

/// Returns the files that the rules of a folder itself come from.
pub(crate) fn rule_files_in(folder: &Path, present: RuleFiles) -> Vec<PathBuf> {
    let named = IGNORE_FILES.iter().zip(present.files);
    let mut files: Vec<PathBuf> = named
        .filter(|(_, is_present)| *is_present)
        .map(|(name, _)| folder.join(name))
        .collect();
    if present.git {
        files.extend(unwatched_rule_files(folder, present));
    }
    files
}

/// Returns the files that the rules above a folder come from, whether they exist or not.
pub(crate) fn rule_files_above(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for ancestor in folder.ancestors().skip(1) {
        files.extend(IGNORE_FILES.iter().map(|name| ancestor.join(name)));
        files.extend(unwatched_rule_files(ancestor, RuleFiles::ALL));
    }
    files
}

/// Reads one ignore file; `None` where it does not exist, is no regular file or has no pattern. Lines that are no
/// pattern are skipped, as git does.
fn read_rule_file(folder: &Path, file: &Path) -> Option<RuleMatcher> {
    if !is_regular(file) {
        return None;
    }
    let lines = std::io::BufReader::new(std::fs::File::open(file).ok()?).lines();
    // ripgrep, too, reads up to the first line that is not UTF-8.
    let mut lines: Vec<String> = lines.map_while(Result::ok).collect();
    if let Some(first) = lines.first_mut() {
        *first = first.trim_start_matches('\u{feff}').to_owned();
    }
    let mut builder = GitignoreBuilder::new(folder);
    for line in &lines {
        let _ = builder.add_line(None, line);
    }
    let patterns = builder.build().ok().filter(|rules| !rules.is_empty())?;
    Some(RuleMatcher {
        patterns,
        prefilter: NamePrefilter::new(lines.iter().map(String::as_str)),
    })
}

/// Returns whether a path is a regular file. Links are followed, as ripgrep does. A named pipe would block the search
/// for ever.
fn is_regular(file: &Path) -> bool {
    std::fs::metadata(file).is_ok_and(|found| found.is_file())
}

/// Finds the folder that contains `info/exclude`: `.git` itself, or the common folder that the `.git` file of a
/// linked worktree leads to.
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
        // A submodule has no `commondir`; its git folder is its own.
        None => folder,
    })
}

fn first_line(file: &Path) -> Option<String> {
    /// The most bytes that are read of the line; git writes none that is longer.
    const MAX_LINE_BYTES: u64 = 8192;
    if !is_regular(file) {
        return None;
    }
    let file = std::io::Read::take(std::fs::File::open(file).ok()?, MAX_LINE_BYTES);
    let mut line = String::new();
    std::io::BufReader::new(file).read_line(&mut line).ok()?;
    let line = line.trim_end();
    (!line.is_empty()).then(|| line.to_owned())
}
