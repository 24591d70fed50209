//! `cargo xtask package`: makes the packages that lancet is installed from, with the binary inside, into `dist/`.
//!
//! The same binary at the same commit gives the same bytes: entries are sorted, every time is that of the commit, and
//! owners and permissions are fixed. What the packages are made from besides the binary is in `packages/`.

mod binary;
mod build;
mod bundles;
mod debian;
mod notices;
mod npm;
mod product;
mod tree;
mod wheel;

use std::path::{Path, PathBuf};

use anyhow::{Context, bail};

use crate::house::top;
use product::Product;
use tree::sha256_hex;

pub(crate) use tree::Effort;

/// One finished package.
struct Package {
    /// The name of its file.
    name: String,
    bytes: Vec<u8>,
}

/// What the command line asks for.
struct Options {
    /// The binary to package; none where it is to be built.
    binary: Option<PathBuf>,
    /// The folder that the packages go to.
    into: PathBuf,
    effort: Effort,
}

impl Options {
    fn parse(words: &[&str]) -> anyhow::Result<Options> {
        let mut options = Options {
            binary: None,
            into: top().join("dist"),
            effort: Effort::Small,
        };
        let mut words = words.iter();
        while let Some(word) = words.next() {
            let mut value = || words.next().with_context(|| format!("{word} needs a path"));
            match *word {
                "--binary" => options.binary = Some(std::path::absolute(value()?)?),
                "--into" => options.into = std::path::absolute(value()?)?,
                "--quick" => options.effort = Effort::Quick,
                other => bail!("package knows no {other}"),
            }
        }
        Ok(options)
    }
}

/// Runs the command; true where every package was written.
pub(crate) fn all(words: &[&str]) -> anyhow::Result<bool> {
    let options = Options::parse(words)?;
    let binary = match options.binary {
        Some(binary) => binary,
        None => build::release()?,
    };
    for (name, size) in write(&binary, &options.into, options.effort)? {
        println!("{:>9.1} KiB  {name}", size as f64 / 1024.0);
    }
    println!("in {}", options.into.display());
    Ok(true)
}

/// Packages a binary into a folder, which is emptied of earlier packages; the names of the files and their sizes.
pub(crate) fn write(
    binary: &Path,
    into: &Path,
    effort: Effort,
) -> anyhow::Result<Vec<(String, usize)>> {
    let product = Product::of(binary, effort)?;
    let mut packages = packages(&product)?;
    let sums: String = packages
        .iter()
        .map(|package| format!("{}  {}\n", sha256_hex(&package.bytes), package.name))
        .collect();
    packages.push(Package {
        name: "SHA256SUMS".to_owned(),
        bytes: sums.into_bytes(),
    });
    if into.exists() {
        // Only a folder of packages is removed, and not one that was named by mistake.
        let is_ours = into.join("SHA256SUMS").exists() || into.read_dir()?.next().is_none();
        anyhow::ensure!(is_ours, "{} holds other files", into.display());
        std::fs::remove_dir_all(into)?;
    }
    std::fs::create_dir_all(into)?;
    let mut written = Vec::new();
    for package in packages {
        std::fs::write(into.join(&package.name), &package.bytes)?;
        written.push((package.name, package.bytes.len()));
    }
    Ok(written)
}

/// All packages of a product, sorted by name.
fn packages(product: &Product) -> anyhow::Result<Vec<Package>> {
    let mut packages = vec![
        wheel::package(product)?,
        npm::launcher(product)?,
        npm::platform(product)?,
        debian::package(product)?,
        bundles::archive(product)?,
        bundles::mcpb(product)?,
        bundles::claude_code(product)?,
        bundles::gemini(product)?,
        bundles::codex(product)?,
    ];
    packages.sort_by(|one, other| one.name.cmp(&other.name));
    Ok(packages)
}

#[cfg(test)]
mod tests;
