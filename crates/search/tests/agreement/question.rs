//! One random search, run by both implementations.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use lancet_search::{CaseMatching, IgnoreFiles, MatchSpan, Pattern};

use crate::chance::Chance;
use crate::judge::{self, Judge};
use crate::ours::{self, Scope, Wanted};
use crate::tree::Tree;

const PATTERNS: &[&str] = &[
    "foo",
    "bar",
    "needle",
    "fo+",
    "foo|bar",
    "^foo",
    "bar$",
    "^$",
    "",
    ".",
    ".*",
    "\\bfoo\\b",
    "fn \\w+_test",
    "[a-z]{3}",
    "é",
    "ünï",
    "\\w+",
    "open\\(",
    "(?i)FOO",
    "x\\s*$",
    "a.b",
    "K",
    "\\d+",
    "[^a-z]",
    "(foo)?",
    "\\s",
    "\\S+ \\S+",
    "end\\r?$",
    "--files",
    "-x",
    "(",
    "[",
    "a{2,1}",
    "foo\\b|\\bbar",
    "\\x41",
    "(?-u:\\xff)",
    "(?-u:.)",
    "\\Bo",
    "foo\\n",
    "ſ",
];
const MULTI: &[&str] = &[
    "foo\\n",
    "foo\\s+bar",
    "\\n",
    "\\n\\n",
    "foo.*bar",
    "^\\s*$",
    "x[\\s\\S]*?end",
    "$",
    "^",
    "foo.*?\\n.*?bar",
    "(?-s)foo.*",
    "\\s+",
    "\\A",
    "\\z",
    "bar\\r?\\n",
    "end\\n\\w",
    "foo|\\nbar",
    "",
    "[^x]+",
    "a\\nb|foo",
];
const GLOBS: &[&str] = &[
    "*.rs",
    "*.{rs,py}",
    "src/**",
    "src/*.rs",
    "**/*.log",
    "!*.rs",
    "!src",
    "/src/**/*.rs",
    "a",
    "[ab].rs",
    "**/a/**",
    "*",
    "?.rs",
    "lib/**/*",
    "*.b.c",
    "Makefile",
    "sp*",
    "**/[id]",
    "b/*",
    "*/*",
    "!**/b/**",
    "[",
    "{a,b",
    "deep/",
    ".hidden/**",
    "**/.dot",
    "ünï*",
    "x.log",
];
const TYPES: &[&str] = &["rust", "py", "json", "md", "make", "log", "all"];

/// A random search.
#[derive(Debug)]
pub(crate) struct Question {
    scope: Scope,
    /// The pattern; `None` lists the files.
    pattern: Option<&'static str>,
    case: CaseMatching,
    span: MatchSpan,
    before: usize,
    after: usize,
    /// The number of bytes that are searched at once. Small values exercise the steps in which large files are
    /// searched.
    piece: usize,
}

impl Question {
    pub(crate) fn random(chance: &mut Chance, tree: &Tree) -> Self {
        let path = if chance.once_in(4) && !tree.entries.is_empty() {
            tree.entries[chance.below(tree.entries.len())].clone()
        } else {
            PathBuf::new()
        };
        // A link that is named leads elsewhere, and a pipe is not a file.
        let full = tree.root.join(&path);
        let plain = full
            .symlink_metadata()
            .is_ok_and(|found| found.is_dir() || found.is_file());
        let span = if chance.once_in(3) {
            MatchSpan::MultiLine
        } else {
            MatchSpan::SingleLine
        };
        let patterns = if span == MatchSpan::MultiLine && !chance.once_in(3) {
            MULTI
        } else {
            PATTERNS
        };
        let pattern = (!chance.once_in(4)).then(|| chance.one(patterns));
        Question {
            scope: Scope {
                path: if plain { path } else { PathBuf::new() },
                ignoring: if chance.once_in(5) {
                    IgnoreFiles::Include
                } else {
                    IgnoreFiles::Respect
                },
                glob: chance.once_in(4).then(|| chance.one(GLOBS).to_owned()),
                kind: chance.once_in(8).then(|| chance.one(TYPES).to_owned()),
            },
            pattern,
            case: if chance.once_in(4) {
                CaseMatching::Insensitive
            } else {
                CaseMatching::Sensitive
            },
            span,
            before: [0, 0, 1, 3][chance.below(4)],
            after: [0, 0, 1, 2][chance.below(4)],
            piece: [usize::MAX, 0, 20, 300][chance.below(4)],
        }
    }

    /// Returns the scope, and the compiled pattern if there is one.
    pub(crate) fn parts(&self, tree: &Tree) -> Option<(&Scope, Option<Pattern>)> {
        let globs: Vec<&str> = self.scope.glob.as_deref().into_iter().collect();
        let understood = lancet_search::FileFilter::default().with_globs(&[&tree.root], &globs);
        understood.ok()?;
        let pattern = match self.pattern {
            None => None,
            Some(expression) => Some(Pattern::new(expression, self.case, self.span).ok()?),
        };
        Some((&self.scope, pattern))
    }

    /// Runs both; an error describes how the results differ.
    pub(crate) fn compare(&self, tree: &Tree, judge: &Judge) -> Result<(), String> {
        if let Some(glob) = &self.scope.glob {
            let asked = ["--files", "-g", glob].map(str::to_owned);
            let understood = lancet_search::FileFilter::default()
                .with_globs(&[&tree.root], &[glob])
                .is_ok();
            if judge.accepts(tree, &asked) != understood {
                return Err(format!("understood here: {understood}"));
            }
            if !understood {
                return Ok(());
            }
        }
        let Some(expression) = self.pattern else {
            let ours = ours::answer(tree, &self.scope, None);
            return self.compare_names(tree, judge, &ours.files, &["--files".to_owned()]);
        };
        let flags = self.flags();
        let asked = [&flags[..], &["-e", expression].map(str::to_owned)].concat();
        let pattern = Pattern::new(expression, self.case, self.span)
            .map(|pattern| pattern.with_max_piece(self.piece));
        if judge.accepts(tree, &asked) != pattern.is_ok() {
            return Err(format!("understood here: {:?}", pattern.err()));
        }
        // A file that is named may be binary, which ripgrep then searches all the same.
        let named_file = tree.root.join(&self.scope.path).is_file();
        let (Ok(pattern), false) = (&pattern, named_file) else {
            return Ok(());
        };
        let wanted = Wanted {
            pattern,
            before: self.before,
            after: self.after,
        };
        let ours = ours::answer(tree, &self.scope, Some(&wanted));
        let mut list = flags.clone();
        list.extend(["-l", "-e", expression].map(str::to_owned));
        self.compare_names(tree, judge, &ours.files, &list)?;

        let mut asked = flags.clone();
        asked.extend(["-c", "-e", expression].map(str::to_owned));
        let theirs = judge.ask(tree, &self.with_path(asked));
        let theirs = judge::counts(&theirs);
        for (path, count) in &ours.counts {
            // Named by the glob although left out by the rules: a file that ripgrep finds only with `-g`.
            if theirs.get(path).is_some_and(|number| number != count) {
                return Err(format!(
                    "{path:?}: {:?} matches, here {count}",
                    theirs.get(path)
                ));
            }
        }
        let mut asked = flags;
        asked.extend([
            "-n".to_owned(),
            format!("-B{}", self.before),
            format!("-A{}", self.after),
            "-e".to_owned(),
            expression.to_owned(),
        ]);
        let theirs = judge.ask(tree, &self.with_path(asked));
        let theirs = judge::lines(&theirs);
        for (path, mine) in &ours.lines {
            let Some(their) = theirs.get(path) else {
                continue;
            };
            let mut their = &their[..];
            if self.span == MatchSpan::MultiLine {
                // Lines before an empty match after the last line, which is itself not shown.
                while their.len() > mine.len() && their.last().is_some_and(|line| !line.1) {
                    their = &their[..their.len() - 1];
                }
            }
            let same = mine.len() == their.len()
                && mine.iter().zip(their).all(|(mine, their)| {
                    (mine.0, mine.1) == (their.0, their.1)
                        && (mine.2 == their.2 || (mine.2 == b"(cut)" && their.2.len() > 1_000))
                });
            if !same {
                return Err(format!("{path:?}: theirs {their:?}\nours {mine:?}"));
            }
        }
        Ok(())
    }

    fn flags(&self) -> Vec<String> {
        let mut flags = Vec::new();
        if self.scope.ignoring == IgnoreFiles::Include {
            flags.push("--no-ignore".to_owned());
        }
        if self.case == CaseMatching::Insensitive {
            flags.push("-i".to_owned());
        }
        if self.span == MatchSpan::MultiLine {
            flags.extend(["-U", "--multiline-dotall"].map(str::to_owned));
        }
        flags
    }

    fn with_path(&self, mut asked: Vec<String>) -> Vec<String> {
        if !self.scope.path.as_os_str().is_empty() {
            asked.push("--".to_owned());
            asked.push(self.scope.path.to_str().expect("text").to_owned());
        }
        asked
    }

    /// Compares names: lancet must find what ripgrep finds without `-g` and `-t`, except what these leave out, and no
    /// other file except one that the glob names literally.
    fn compare_names(
        &self,
        tree: &Tree,
        judge: &Judge,
        ours: &[PathBuf],
        question: &[String],
    ) -> Result<(), String> {
        let mut asked = question.to_vec();
        if self.pattern.is_none() && self.scope.ignoring == IgnoreFiles::Include {
            asked.push("--no-ignore".to_owned());
        }
        let theirs = judge.ask(tree, &self.with_path(asked));
        let mut theirs: Vec<PathBuf> = judge::names(&theirs);
        theirs.retain(|path| !is_version_control(path));
        let (mut wide, mut filtered) = (None, false);
        for (flag, value) in [("-g", &self.scope.glob), ("-t", &self.scope.kind)] {
            let Some(value) = value else { continue };
            filtered = true;
            // The glob means everything below the folder.
            let files = if flag == "-g" && value.ends_with('/') {
                "**"
            } else {
                ""
            };
            let value = format!("{value}{files}");
            let all = ["--files", "--no-ignore", "--hidden", flag, &value].map(str::to_owned);
            let answer = judge.ask(tree, &self.with_path(all.to_vec()));
            let kept: BTreeSet<PathBuf> = judge::names(&answer).into_iter().collect();
            theirs.retain(|path| kept.contains(path));
            wide = Some(match wide {
                None => kept,
                Some(before) => kept.intersection(&before).cloned().collect(),
            });
        }
        if ours == theirs {
            return Ok(());
        }
        let (mine, theirs): (BTreeSet<_>, BTreeSet<_>) =
            (ours.iter().cloned().collect(), theirs.into_iter().collect());
        let missing: Vec<_> = theirs.difference(&mine).collect();
        let literal = |path: &Path| {
            let glob = self.scope.glob.as_deref().unwrap_or_default();
            glob.split('/')
                .any(|part| path.iter().any(|name| name == part))
        };
        let more: Vec<_> = mine
            .difference(&theirs)
            .filter(|path| {
                !(filtered
                    && literal(path)
                    && (wide.as_ref().is_some_and(|wide| wide.contains(*path))
                        || path.iter().any(|name| name == "[id]")))
            })
            .collect();
        if missing.is_empty() && more.is_empty() {
            if mine.len() == theirs.len() {
                return Err("the order differs".to_owned());
            }
            return Ok(());
        }
        Err(format!("missing here {missing:?}, only here {more:?}"))
    }
}

fn is_version_control(path: &Path) -> bool {
    path.iter().any(|name| {
        [".git", ".hg", ".svn", ".jj"]
            .iter()
            .any(|known| name == *known)
    })
}
