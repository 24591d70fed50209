//! The output of a program about itself: its manual pages, completion scripts and tools. It does not depend on the
//! processor, so the program for this machine prints it for those that cannot be started here.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, ensure};
use serde_json::Value;

use super::product::{files_below, version};
use crate::repository::top;

/// The output of a program about itself.
pub(super) struct SelfDescription {
    /// The manual pages by file name.
    pub(super) pages: Vec<(String, String)>,
    /// The completion scripts by shell.
    pub(super) completions: Vec<(&'static str, String)>,
    /// The tools that the program offers an agent: names and descriptions.
    pub(super) tools: Vec<(String, String)>,
}

/// The shells whose completion is packaged.
const SHELLS: [&str; 3] = ["bash", "fish", "zsh"];

impl SelfDescription {
    /// Runs a program of this version.
    pub(super) fn by(binary: &Path) -> anyhow::Result<SelfDescription> {
        let version = version()?;
        let asked = Asked::new(binary)?;
        let told = asked.says(&["--version"])?;
        ensure!(
            told.trim_end() == format!("lancet {version}"),
            "{} is {}, and the workspace is {version}",
            binary.display(),
            told.trim_end()
        );
        let completion = |shell| Ok((shell, asked.says(&["completions", shell])?));
        let completions: anyhow::Result<_> = SHELLS.into_iter().map(completion).collect();
        Ok(SelfDescription {
            pages: asked.pages()?,
            completions: completions?,
            tools: asked.tools()?,
        })
    }
}

/// A binary that is run for its output, isolated from the settings of the user who builds the packages.
struct Asked<'b> {
    binary: &'b Path,
    home: PathBuf,
}

impl<'b> Asked<'b> {
    fn new(binary: &'b Path) -> anyhow::Result<Self> {
        let home = top().join("target/package-home");
        if home.exists() {
            std::fs::remove_dir_all(&home)?;
        }
        std::fs::create_dir_all(&home)?;
        Ok(Asked { binary, home })
    }

    fn says(&self, words: &[&str]) -> anyhow::Result<String> {
        let mut command = Command::new(self.binary);
        command
            .args(words)
            .current_dir(&self.home)
            .env_clear()
            .env("HOME", &self.home)
            .env("PATH", "/usr/bin:/bin");
        let done = command
            .output()
            .with_context(|| format!("could not start {}", self.binary.display()))?;
        ensure!(
            done.status.success(),
            "lancet {}: {}",
            words.join(" "),
            String::from_utf8_lossy(&done.stderr)
        );
        Ok(String::from_utf8(done.stdout)?)
    }

    fn pages(&self) -> anyhow::Result<Vec<(String, String)>> {
        self.says(&["man", "--dir", "man"])?;
        let folder = self.home.join("man");
        let names = files_below(&folder)?.into_iter();
        names
            .map(|name| {
                let page = std::fs::read_to_string(folder.join(&name))?;
                Ok((name, page))
            })
            .collect()
    }

    fn tools(&self) -> anyhow::Result<Vec<(String, String)>> {
        let told: Vec<Value> = serde_json::from_str(&self.says(&["tools", "--format", "mcp"])?)?;
        let field = |tool: &Value, name: &str| {
            let text = tool[name].as_str().map(str::to_owned);
            text.with_context(|| format!("a tool without {name}"))
        };
        told.iter()
            .map(|tool| Ok((field(tool, "name")?, field(tool, "description")?)))
            .collect()
    }
}
