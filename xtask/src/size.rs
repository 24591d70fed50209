//! `cargo xtask size`: how many bytes of the program each crate takes, from the program's own symbols, and the size
//! limit that the test command checks for the program of its build.

mod owner;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail, ensure};
use object::read::elf::ElfFile64;
use object::{Object as _, ObjectSection as _, ObjectSymbol as _, SymbolKind};

use crate::repository::top;
use crate::run::{cargo, succeeds};
use owner::{Owners, SymbolAt};

/// The maximum number of bytes that the program of the test command's build loads. It is built with other levels of
/// optimisation than a release, so the figure differs; what makes a release larger makes this one larger, too. A commit
/// that raises it says what the bytes are for.
const MOST_LOADED: u64 = 68_000_000;
/// The number of rows in the table; smaller crates are added up.
const ROWS: usize = 40;

/// Builds the program with its symbols and prints the table.
pub(crate) fn print(options: &[&str]) -> anyhow::Result<bool> {
    let program = match options {
        [] => built()?,
        ["--binary", path] => PathBuf::from(path),
        _ => bail!("unknown option: cargo xtask size [--binary PATH]"),
    };
    let bytes = std::fs::read(&program).with_context(|| program.display().to_string())?;
    let sizes = Sizes::parse(&bytes)?;
    ensure!(
        !sizes.by_owner.is_empty(),
        "{} has no symbols: `cargo xtask size` builds one that has",
        program.display()
    );
    println!("{}\n{}", program.display(), sizes.table());
    Ok(true)
}

/// Returns whether the program of the test command's build is within its limit.
pub(crate) fn is_within_limit(program: &Path) -> anyhow::Result<bool> {
    let bytes = std::fs::read(program).with_context(|| program.display().to_string())?;
    let sizes = Sizes::parse(&bytes)?;
    let loaded = sizes.loaded();
    let within = loaded <= MOST_LOADED;
    println!(
        "the program loads {:.1} MB, of at most {:.1}",
        megabytes(loaded),
        megabytes(MOST_LOADED)
    );
    if !within {
        println!("{}", sizes.table());
        println!("What grew? The limit is MOST_LOADED in xtask/src/size.rs.");
    }
    Ok(within)
}

/// Returns a release build that keeps its symbols; the profile of the benches is one.
fn built() -> anyhow::Result<PathBuf> {
    let mut build = cargo(&["build", "--package", "lancet-cli", "--profile", "bench"]);
    ensure!(
        succeeds(build.env("CARGO_PROFILE_BENCH_DEBUG", "0"))?,
        "the build failed"
    );
    Ok(top().join("target/release/lancet"))
}

/// The bytes of a program.
struct Sizes {
    /// Name and size of each part that is loaded into memory.
    sections: Vec<(String, u64)>,
    /// The bytes of symbols by owner.
    by_owner: BTreeMap<String, u64>,
}

impl Sizes {
    fn parse(bytes: &[u8]) -> anyhow::Result<Sizes> {
        let file: ElfFile64 = ElfFile64::parse(bytes).context("no 64-bit ELF program")?;
        let mut sections = Vec::new();
        for section in file.sections() {
            // Sections that are not loaded, such as the symbols, have no address.
            if section.address() != 0 {
                sections.push((section.name()?.to_owned(), section.size()));
            }
        }
        let mut owners = Owners::default();
        for symbol in file.symbols() {
            let name = symbol.name().unwrap_or_default();
            match symbol.kind() {
                SymbolKind::File => owners.enter_file(name),
                SymbolKind::Text | SymbolKind::Data => owners.add(SymbolAt {
                    name,
                    address: symbol.address(),
                    size: symbol.size(),
                    is_local: symbol.is_local(),
                }),
                _ => {}
            }
        }
        Ok(Sizes {
            sections,
            by_owner: owners.sums(),
        })
    }

    /// Returns the number of bytes that are loaded into memory.
    fn loaded(&self) -> u64 {
        self.sections.iter().map(|(_, size)| size).sum()
    }

    /// Returns the table: parts of the file, then crates, the largest first.
    fn table(&self) -> String {
        let mut lines = vec![format!("{:>9}  loaded", kilobytes(self.loaded()))];
        let mut sections = self.sections.clone();
        sections.sort_by_key(|(_, size)| std::cmp::Reverse(*size));
        for (name, size) in sections.iter().take(8) {
            lines.push(format!("{:>9}  {name}", kilobytes(*size)));
        }
        lines.push("\n       kB  crate or C library (code and data that have a symbol)".to_owned());
        let mut owners: Vec<_> = self.by_owner.iter().collect();
        owners.sort_by_key(|(_, size)| std::cmp::Reverse(**size));
        for (owner, size) in owners.iter().take(ROWS) {
            lines.push(format!("{:>9}  {owner}", kilobytes(**size)));
        }
        let rest: u64 = owners.iter().skip(ROWS).map(|(_, size)| **size).sum();
        lines.push(format!("{:>9}  all others", kilobytes(rest)));
        lines.join("\n")
    }
}

fn kilobytes(bytes: u64) -> u64 {
    bytes.div_ceil(1000)
}

#[expect(clippy::cast_precision_loss, reason = "for people, with one decimal")]
fn megabytes(bytes: u64) -> f64 {
    bytes as f64 / 1e6
}
