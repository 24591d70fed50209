//! Runs git in one work tree, for `lancet commit`. Every call may have an index and a folder of objects of its own, so
//! that nothing of the repository changes before the commit.

use std::ffi::{OsStr, OsString};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use crate::failure::Failure;
use crate::terminal::escape_for_terminal;

/// git in one work tree.
#[derive(Clone, Debug)]
pub(super) struct Git {
    top: PathBuf,
    variables: Vec<(OsString, OsString)>,
}

impl Git {
    /// Returns git in this folder, with the repository's own index and objects.
    pub(super) fn new(top: &Path) -> Self {
        Self {
            top: top.to_path_buf(),
            variables: Vec::new(),
        }
    }

    /// Returns the folder that git runs in.
    pub(super) fn top(&self) -> &Path {
        &self.top
    }

    /// Returns git with another index.
    pub(super) fn with_index(&self, index: &Path) -> Self {
        self.with("GIT_INDEX_FILE", index.as_os_str())
    }

    /// Returns git that writes its objects into a folder, and reads those of the repository, too.
    pub(super) fn with_objects(&self, folder: &Path, repository: &Path) -> Self {
        self.with("GIT_OBJECT_DIRECTORY", folder.as_os_str())
            .with("GIT_ALTERNATE_OBJECT_DIRECTORIES", repository.as_os_str())
    }

    fn with(&self, name: &str, value: &OsStr) -> Self {
        let mut git = self.clone();
        git.variables.push((name.into(), value.to_owned()));
        git
    }

    /// Returns the words of a command line that runs git with these arguments, its variables included.
    pub(super) fn command_line(&self, arguments: &[OsString]) -> Vec<OsString> {
        let mut words: Vec<OsString> = vec!["env".into()];
        for (name, value) in &self.variables {
            let mut word = name.clone();
            word.push("=");
            word.push(value);
            words.push(word);
        }
        words.extend(["git".into(), "-C".into(), self.top.clone().into()]);
        words.extend_from_slice(arguments);
        words
    }

    fn start(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new("git");
        command
            .arg("-C")
            .arg(&self.top)
            // A temporary index has all entries itself.
            .args(["-c", "core.splitIndex=false"])
            .args(arguments)
            .env("GIT_OPTIONAL_LOCKS", "0")
            .envs(self.variables.iter().map(|(name, value)| (name, value)))
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }

    /// Runs git and returns its output; none where its exit code is not 0.
    pub(super) fn query(&self, arguments: &[&str]) -> Result<Option<Vec<u8>>, Failure> {
        let output = self.start(arguments).output().map_err(start_failure)?;
        Ok(output.status.success().then_some(output.stdout))
    }

    /// Runs git and returns its output.
    pub(super) fn run(&self, arguments: &[&str]) -> Result<Vec<u8>, Failure> {
        self.run_with(arguments, Vec::new())
    }

    /// Runs git with standard input and returns its output.
    pub(super) fn run_with(&self, arguments: &[&str], input: Vec<u8>) -> Result<Vec<u8>, Failure> {
        let output = self.finish(arguments, input)?;
        if output.status.success() {
            return Ok(output.stdout);
        }
        let named = arguments.first().copied().unwrap_or_default();
        let error = String::from_utf8_lossy(&output.stderr);
        Err(Failure::system(format!(
            "git {named}: {}. Nothing was committed",
            escape_for_terminal(error.trim_end())
        )))
    }

    /// Runs git with standard input and returns its output, whatever its exit code is.
    pub(super) fn run_any(&self, arguments: &[&str], input: Vec<u8>) -> Result<Vec<u8>, Failure> {
        Ok(self.finish(arguments, input)?.stdout)
    }

    fn finish(&self, arguments: &[&str], input: Vec<u8>) -> Result<Output, Failure> {
        let mut command = self.start(arguments);
        let mut child = command
            .stdin(Stdio::piped())
            .spawn()
            .map_err(start_failure)?;
        let stdin = child.stdin.take();
        // git may answer before it has read everything.
        let writer = std::thread::spawn(move || {
            if let Some(mut stdin) = stdin {
                let _ = stdin.write_all(&input);
            }
        });
        let output = child.wait_with_output().map_err(start_failure)?;
        let _ = writer.join();
        Ok(output)
    }

    /// Runs git and returns its output as one line of text.
    pub(super) fn line(&self, arguments: &[&str]) -> Result<String, Failure> {
        Ok(first_line(&self.run(arguments)?))
    }

    /// Reads objects by their ids, in their order.
    pub(super) fn read_blobs(&self, ids: &[&str]) -> Result<Vec<Vec<u8>>, Failure> {
        if ids.is_empty() {
            return Ok(Vec::new());
        }
        let input = ids.iter().flat_map(|id| [id.as_bytes(), &b"\n"[..]]);
        let out = self.run_with(&["cat-file", "--batch"], input.flatten().copied().collect())?;
        let mut blobs = Vec::with_capacity(ids.len());
        let mut rest = &out[..];
        for _ in ids {
            let blob = split_blob(rest);
            let (blob, after) =
                blob.ok_or_else(|| Failure::system("git cat-file: an object is missing"))?;
            blobs.push(blob.to_vec());
            rest = after;
        }
        Ok(blobs)
    }
}

/// Splits the first object from the output of `git cat-file --batch`.
fn split_blob(out: &[u8]) -> Option<(&[u8], &[u8])> {
    let end = out.iter().position(|byte| *byte == b'\n')?;
    let (head, rest) = out.split_at(end);
    let size = std::str::from_utf8(head).ok()?.rsplit(' ').next()?;
    let size: usize = size.parse().ok()?;
    let (blob, rest) = rest.get(1..)?.split_at_checked(size)?;
    Some((blob, rest.get(1..)?))
}

/// Returns the first line of an output.
pub(super) fn first_line(out: &[u8]) -> String {
    let text = String::from_utf8_lossy(out);
    text.lines().next().unwrap_or_default().to_owned()
}

fn start_failure(error: std::io::Error) -> Failure {
    Failure::system(format!("git could not be started: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn objects_are_split_by_their_sizes() {
        let out = b"0123 blob 4\na\nb\n\n4567 blob 0\n\n";
        let (first, rest) = split_blob(out).expect("an object");
        assert_eq!(first, b"a\nb\n");
        assert_eq!(split_blob(rest), Some((&b""[..], &b""[..])));
        assert_eq!(split_blob(b"0123 missing\n"), None);
    }
}
