//! Compiles the parsers of the grammars with smaller tables; `src/lib.rs` explains why.

#![expect(
    clippy::print_stdout,
    reason = "a build script speaks to cargo on standard output"
)]

mod packing;
mod places;
mod rows;
mod source;

use std::path::{Path, PathBuf};

fn main() {
    println!("cargo::rerun-if-changed=build");
    println!("cargo::rustc-check-cfg=cfg(packed)");
    println!("cargo::rustc-check-cfg=cfg(packed_grammar, values(any()))");
    let folder = PathBuf::from(std::env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    let grammars = match source::grammars(&folder) {
        Ok(grammars) => grammars,
        Err(reason) => {
            println!("cargo::warning=the grammars keep their larger tables: {reason}");
            Vec::new()
        }
    };
    let mut compiled = Vec::new();
    for grammar in &grammars {
        match compile(grammar, &folder.join(grammar.name)) {
            Ok(()) => {
                println!("cargo::rustc-cfg=packed_grammar=\"{}\"", grammar.name);
                compiled.push(grammar.name);
            }
            Err(reason) => println!(
                "cargo::warning=the grammar {} keeps its larger tables: {reason}",
                grammar.name
            ),
        }
    }
    if !compiled.is_empty() {
        println!("cargo::rustc-cfg=packed");
    }
    // The tests expect all of them.
    println!("cargo::rustc-env=COMPACT_GRAMMARS={}", compiled.join(" "));
}

/// Compiles one grammar: its parser without its tables, which are packed with compact rows, and its scanner unchanged.
fn compile(grammar: &source::Grammar, folder: &Path) -> Result<(), String> {
    let parser = grammar.folder.join("parser.c");
    println!("cargo::rerun-if-changed={}", parser.display());
    let text = std::fs::read_to_string(&parser)
        .map_err(|error| format!("{}: {error}", parser.display()))?;
    let taken = packing::take(&rows::compact(&text)?, grammar.name)?;
    let tables = packing::pack(&taken)?;
    // The file name is required: `cargo xtask size` identifies grammars by it.
    let compact = folder.join("parser.c");
    std::fs::create_dir_all(folder)
        .and_then(|()| std::fs::write(&compact, taken.text))
        .and_then(|()| std::fs::write(folder.join("tables"), tables))
        .map_err(|error| format!("{}: {error}", compact.display()))?;

    let mut build = cc::Build::new();
    build
        .std("c11")
        .include(&grammar.folder)
        .warnings(false)
        .cargo_warnings(false)
        // No panic unwinds through this code.
        .flag_if_supported("-fno-asynchronous-unwind-tables")
        .flag_if_supported("-utf-8")
        .file(&compact);
    let scanner = grammar.folder.join("scanner.c");
    if scanner.exists() {
        println!("cargo::rerun-if-changed={}", scanner.display());
        build.file(scanner);
    }
    build
        .try_compile(&format!("lancet-{}", grammar.name))
        .map_err(|error| error.to_string())
}
