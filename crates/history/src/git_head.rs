//! The branch and the commit of HEAD of a git work tree, and how a recorded call moved it.

use std::fmt;

/// HEAD of a work tree at a moment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GitHead {
    /// The branch, without `refs/heads/`; none where HEAD is detached.
    pub branch: Option<String>,
    /// The id of the commit, in hexadecimal digits; none on a branch without a commit.
    pub commit: Option<String>,
}

/// A change of HEAD between two looks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HeadMove {
    /// HEAD before.
    pub from: GitHead,
    /// HEAD after.
    pub to: GitHead,
}

/// How many digits of a commit are shown.
const SHOWN_DIGITS: usize = 10;
/// What is stored where there is no commit.
const NO_COMMIT: &str = "-";

impl GitHead {
    /// Returns the form that is stored: the commit, and the branch after a space.
    pub(crate) fn encode(&self) -> String {
        let commit = self.commit.as_deref().unwrap_or(NO_COMMIT);
        match &self.branch {
            Some(branch) => format!("{commit} {branch}"),
            None => commit.to_owned(),
        }
    }

    pub(crate) fn decode(text: &str) -> GitHead {
        let (commit, branch) = match text.split_once(' ') {
            Some((commit, branch)) => (commit, Some(branch)),
            None => (text, None),
        };
        GitHead {
            branch: branch.map(str::to_owned),
            commit: (commit != NO_COMMIT).then(|| commit.to_owned()),
        }
    }

    /// Returns the first digits of the commit.
    fn short_commit(&self) -> Option<&str> {
        let commit = self.commit.as_deref()?;
        Some(commit.get(..SHOWN_DIGITS).unwrap_or(commit))
    }
}

impl fmt::Display for GitHead {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.branch, self.short_commit()) {
            (Some(branch), Some(commit)) => write!(formatter, "{branch} {commit}"),
            (Some(branch), None) => write!(formatter, "{branch} without a commit"),
            (None, Some(commit)) => write!(formatter, "{commit}"),
            (None, None) => formatter.write_str("no commit"),
        }
    }
}

impl HeadMove {
    /// Returns the git command that moves HEAD back and leaves the files alone, or changes them as git does where another
    /// branch was checked out.
    #[must_use]
    pub fn command_back(&self) -> String {
        match (&self.from.branch, &self.from.commit) {
            (branch, Some(commit)) if *branch == self.to.branch && self.to.commit.is_some() => {
                format!("git reset --soft {commit}")
            }
            (Some(branch), Some(_)) => format!("git switch {}", quoted(branch)),
            (None, Some(commit)) => format!("git switch --detach {commit}"),
            (branch, None) if *branch == self.to.branch => "git update-ref -d HEAD".to_owned(),
            (Some(branch), None) => format!(
                "git symbolic-ref HEAD {}",
                quoted(&format!("refs/heads/{branch}"))
            ),
            (None, None) => "git reflog".to_owned(),
        }
    }
}

impl fmt::Display for HeadMove {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} → {}", self.from, self.to)
    }
}

/// Returns a name quoted for a shell.
fn quoted(name: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./".contains(c);
    match name.chars().all(is_plain) {
        true => name.to_owned(),
        false => format!("'{}'", name.replace('\'', "'\\''")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn head(branch: Option<&str>, commit: Option<&str>) -> GitHead {
        GitHead {
            branch: branch.map(str::to_owned),
            commit: commit.map(str::to_owned),
        }
    }

    #[test]
    fn stored_form_is_read_back() {
        for one in [
            head(Some("main"), Some("1234")),
            head(Some("feature/a"), None),
            head(None, Some("1234")),
            head(None, None),
        ] {
            assert_eq!(GitHead::decode(&one.encode()), one);
        }
    }

    #[test]
    fn the_command_back_fits_the_move() {
        let main = |commit| head(Some("main"), commit);
        for (from, to, expected) in [
            (main(Some("a1")), main(Some("b2")), "git reset --soft a1"),
            (
                main(Some("a1")),
                head(Some("it's"), Some("b2")),
                "git switch main",
            ),
            (
                head(Some("it's"), Some("b2")),
                main(Some("a1")),
                r"git switch 'it'\''s'",
            ),
            (main(Some("a1")), head(None, Some("b2")), "git switch main"),
            (
                head(None, Some("a1")),
                main(Some("b2")),
                "git switch --detach a1",
            ),
            (
                head(None, Some("a1")),
                head(None, Some("b2")),
                "git reset --soft a1",
            ),
            (main(None), main(Some("b2")), "git update-ref -d HEAD"),
            (
                main(None),
                head(Some("b"), Some("b2")),
                "git symbolic-ref HEAD refs/heads/main",
            ),
        ] {
            assert_eq!(HeadMove { from, to }.command_back(), expected);
        }
    }
}
