//! The inputs of every package: the program, what it prints about itself, the licences, and the files in `packages/`.

use std::path::Path;
use std::rc::Rc;

use anyhow::Context;

use super::binary::Needs;
use super::self_description::SelfDescription;
use super::tree::{Effort, Permissions, Tree};
use super::{Package, notices};
use crate::repository::top;

/// One version of lancet for one platform.
pub(super) struct Product {
    pub(super) version: String,
    /// The time of the commit, in seconds since 1970, which every file gets.
    pub(super) time: u64,
    pub(super) effort: Effort,
    /// The binary.
    pub(super) program: Rc<[u8]>,
    pub(super) needs: Needs,
    pub(super) told: Rc<SelfDescription>,
    /// The licences of the crates that are linked into the binary.
    pub(super) notices: String,
}

impl Product {
    /// Collects from the repository and cargo everything that packages contain besides the binary and what it prints
    /// about itself.
    pub(super) fn describe(
        binary: &Path,
        told: &Rc<SelfDescription>,
        effort: Effort,
    ) -> anyhow::Result<Product> {
        let program = std::fs::read(binary).with_context(|| binary.display().to_string())?;
        let needs = Needs::parse(&program).with_context(|| binary.display().to_string())?;
        Ok(Product {
            version: version()?,
            time: commit_time()?,
            effort,
            told: Rc::clone(told),
            notices: notices::text(&needs.target())?,
            program: program.into(),
            needs,
        })
    }

    /// Returns Node's name of the platform, such as `linux-x64`.
    pub(super) fn platform(&self) -> String {
        format!("linux-{}", self.needs.processor.node())
    }

    /// Returns the files of one folder in `packages/`, with the version and these values in place of their
    /// placeholders, such as `@version@`.
    pub(super) fn template(&self, folder: &str, values: &[(&str, String)]) -> anyhow::Result<Tree> {
        let folder = top().join("packages").join(folder);
        let mut tree = Tree::default();
        for path in files_below(&folder)? {
            let mut text = std::fs::read_to_string(folder.join(&path))
                .with_context(|| format!("packages: {path}"))?;
            let own = [
                ("@version@", self.version.clone()),
                ("@platform@", self.platform()),
                ("@cpu@", self.needs.processor.node().to_owned()),
            ];
            for (mark, value) in own.iter().chain(values) {
                text = text.replace(mark, value);
            }
            tree.add_text(path, &text);
        }
        Ok(tree)
    }

    /// Returns the licence of lancet and those of the crates that are linked into the binary.
    pub(super) fn licences(&self) -> anyhow::Result<Tree> {
        let mut tree = Tree::default();
        for name in ["LICENSE-APACHE", "LICENSE-MIT"] {
            tree.add_text(name, &std::fs::read_to_string(top().join(name))?);
        }
        tree.add_text("THIRD-PARTY-LICENSES", &self.notices);
        Ok(tree)
    }

    /// Adds the binary to a tree.
    pub(super) fn add_program(&self, tree: &mut Tree, path: impl Into<String>) {
        tree.add(path, Rc::clone(&self.program), Permissions::Executable);
    }

    /// Returns the manual pages and completion scripts at their paths below `share/`.
    pub(super) fn share(&self) -> Tree {
        let mut tree = Tree::default();
        for (name, page) in &self.told.pages {
            tree.add_text(format!("man/man1/{name}"), page);
        }
        for (shell, script) in &self.told.completions {
            let place = match *shell {
                "bash" => "bash-completion/completions/lancet",
                "fish" => "fish/vendor_completions.d/lancet.fish",
                _ => "zsh/vendor-completions/_lancet",
            };
            // A completion script is read by the shell and not executed.
            tree.add(place, script.as_bytes(), Permissions::Plain);
        }
        tree
    }

    /// Packs a tree as a gzipped tar archive.
    pub(super) fn tar_gz(&self, name: String, tree: &Tree) -> anyhow::Result<Package> {
        let bytes = tree.tar_gz(self.time, self.effort)?;
        Ok(Package { name, bytes })
    }

    /// Packs a tree as a zip archive.
    pub(super) fn zip(&self, name: String, tree: &Tree) -> anyhow::Result<Package> {
        let bytes = tree.zip(self.time, self.effort)?;
        Ok(Package { name, bytes })
    }
}

/// Returns the paths of the files below a folder, sorted.
pub(super) fn files_below(folder: &Path) -> anyhow::Result<Vec<String>> {
    let mut found = Vec::new();
    let mut open = vec![folder.to_path_buf()];
    while let Some(inner) = open.pop() {
        for entry in std::fs::read_dir(&inner).with_context(|| inner.display().to_string())? {
            let entry = entry?;
            if entry.file_type()?.is_dir() {
                // Python writes it next to the sources that it runs.
                if entry.file_name() != "__pycache__" {
                    open.push(entry.path());
                }
            } else {
                let path = entry.path();
                let path = path.strip_prefix(folder)?.to_str();
                found.push(path.context("a name that is not UTF-8")?.to_owned());
            }
        }
    }
    found.sort();
    Ok(found)
}

/// Returns the version of the workspace.
pub(super) fn version() -> anyhow::Result<String> {
    let manifest: toml_edit::DocumentMut =
        std::fs::read_to_string(top().join("Cargo.toml"))?.parse()?;
    let version = manifest["workspace"]["package"]["version"].as_str();
    Ok(version
        .context("Cargo.toml has no workspace.package.version")?
        .to_owned())
}

/// Returns the time of the commit, or the value of `SOURCE_DATE_EPOCH`.
fn commit_time() -> anyhow::Result<u64> {
    if let Ok(time) = std::env::var("SOURCE_DATE_EPOCH") {
        return time.parse().context("SOURCE_DATE_EPOCH is no number");
    }
    let done = crate::run::command("git", &["log", "-1", "--format=%ct"]).output()?;
    let time = String::from_utf8_lossy(&done.stdout).trim().parse();
    time.context("git does not say when the commit was made; set SOURCE_DATE_EPOCH")
}
