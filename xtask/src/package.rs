//! `cargo xtask package`: builds the packages that lancet is installed from, with the binary inside, into `dist/`.
//!
//! The same binaries at the same commit result in the same bytes: entries are sorted, every time is that of the commit,
//! and owners and permissions are fixed. The inputs of the packages besides the binaries are in `packages/`.

mod binary;
mod build;
mod bundles;
mod debian;
mod notices;
mod npm;
mod product;
mod self_description;
mod tree;
mod wheel;

use std::path::{Path, PathBuf};
use std::rc::Rc;

use anyhow::{Context, bail, ensure};

use crate::repository::top;
use binary::{Needs, Processor};
use product::Product;
use self_description::SelfDescription;
use tree::sha256_hex;

pub(crate) use tree::Effort;

/// One finished package.
struct Package {
    /// The name of its file.
    name: String,
    bytes: Vec<u8>,
}

/// The options of the command line.
struct Options {
    /// The binaries to package; if there are none, they are built.
    binaries: Vec<PathBuf>,
    /// The processors to build for.
    processors: Vec<Processor>,
    /// The folder that the packages are written to.
    into: PathBuf,
    effort: Effort,
}

impl Options {
    fn parse(words: &[&str]) -> anyhow::Result<Options> {
        let mut options = Options {
            binaries: Vec::new(),
            processors: Vec::new(),
            into: top().join("dist"),
            effort: Effort::Small,
        };
        let mut words = words.iter();
        while let Some(word) = words.next() {
            let mut value = || {
                words
                    .next()
                    .with_context(|| format!("{word} needs a value"))
            };
            match *word {
                "--binary" => options.binaries.push(std::path::absolute(value()?)?),
                "--target" => options.processors.push(Processor::of_target(value()?)?),
                "--all" => options.processors.extend(Processor::ALL),
                "--into" => options.into = std::path::absolute(value()?)?,
                "--quick" => options.effort = Effort::Quick,
                other => bail!("package knows no {other}"),
            }
        }
        ensure!(
            options.binaries.is_empty() || options.processors.is_empty(),
            "--binary packages what is built already, so that --target and --all have nothing to build"
        );
        Ok(options)
    }

    /// Returns the programs to package, which are built if none is named.
    fn programs(&self) -> anyhow::Result<Programs> {
        if !self.binaries.is_empty() {
            return Programs::from_packages(self.binaries.clone());
        }
        let here = Processor::here()?;
        // It is built in any case: the manual pages of the others are printed by it.
        let asked = build::release(here)?;
        let mut packaged = Vec::new();
        for processor in Processor::ALL {
            if processor == here && (self.processors.is_empty() || self.processors.contains(&here))
            {
                packaged.push(asked.clone());
            } else if self.processors.contains(&processor) {
                packaged.push(build::release(processor)?);
            }
        }
        Ok(Programs { packaged, asked })
    }
}

/// The programs of one version, all built from the same source.
pub(crate) struct Programs {
    /// The programs to package, each for another processor.
    packaged: Vec<PathBuf>,
    /// The program for this machine, which prints the manual pages and completion scripts.
    asked: PathBuf,
}

impl Programs {
    /// Creates the list from programs that are built already. One of them has to be for this machine.
    pub(crate) fn from_packages(packaged: Vec<PathBuf>) -> anyhow::Result<Programs> {
        let here = Processor::here()?;
        let mut asked = None;
        let mut known = Vec::new();
        for path in &packaged {
            let name = || path.display().to_string();
            let program = std::fs::read(path).with_context(name)?;
            let processor = Needs::parse(&program).with_context(name)?.processor;
            ensure!(
                !known.contains(&processor),
                "two programs are for {}",
                processor.machine()
            );
            known.push(processor);
            if processor == here {
                asked = Some(path.clone());
            }
        }
        let asked = asked.context(
            "no program is for this machine's processor, and one has to tell the manual pages: name it with --binary, too",
        )?;
        Ok(Programs { packaged, asked })
    }
}

/// Runs the command; returns true if every package was written.
pub(crate) fn all(words: &[&str]) -> anyhow::Result<bool> {
    let options = Options::parse(words)?;
    let programs = options.programs()?;
    for (name, size) in write(&programs, &options.into, options.effort)? {
        println!("{:>9.1} KiB  {name}", size as f64 / 1024.0);
    }
    println!("in {}", options.into.display());
    Ok(true)
}

/// Packages programs into a folder, from which earlier packages are removed; returns the names of the files and their
/// sizes.
pub(crate) fn write(
    programs: &Programs,
    into: &Path,
    effort: Effort,
) -> anyhow::Result<Vec<(String, usize)>> {
    let told = Rc::new(SelfDescription::by(&programs.asked)?);
    let products = programs.packaged.iter();
    let products: anyhow::Result<Vec<_>> = products
        .map(|binary| Product::describe(binary, &told, effort))
        .collect();
    let mut products = products?;
    // Packages that exist once are created with the first product, whatever the order of the command line.
    products.sort_by_key(|product| product.needs.processor.machine());
    let mut packages = packages(&products)?;
    let sums: String = packages
        .iter()
        .map(|package| format!("{}  {}\n", sha256_hex(&package.bytes), package.name))
        .collect();
    packages.push(Package {
        name: "SHA256SUMS".to_owned(),
        bytes: sums.into_bytes(),
    });
    if into.exists() {
        // Only a folder of packages is removed, not one that was named by mistake.
        let is_ours = into.join("SHA256SUMS").exists() || into.read_dir()?.next().is_none();
        ensure!(is_ours, "{} holds other files", into.display());
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

/// Returns all packages of one version, sorted by name: some for each processor, and those without a binary once.
fn packages(products: &[Product]) -> anyhow::Result<Vec<Package>> {
    let first = products.first().context("there is no program to package")?;
    let mut packages = vec![npm::launcher(first, products)?, bundles::codex(first)?];
    for product in products {
        packages.extend([
            wheel::package(product)?,
            npm::platform(product)?,
            debian::package(product)?,
            bundles::archive(product)?,
            bundles::mcpb(product)?,
            bundles::claude_code(product)?,
            bundles::gemini(product)?,
        ]);
    }
    packages.sort_by(|one, other| one.name.cmp(&other.name));
    Ok(packages)
}

#[cfg(test)]
mod tests;
