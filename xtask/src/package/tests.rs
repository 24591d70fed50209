//! Packages of a small replacement for the binary: the same input results in the same bytes, and they list their
//! contents.

use std::collections::BTreeMap;
use std::io::Read as _;

use super::binary::Glibc;
use super::*;

fn product(glibc: Option<u32>) -> Product {
    product_for(Processor::X64, glibc)
}

fn product_for(processor: Processor, glibc: Option<u32>) -> Product {
    let text = |text: &str| text.to_owned();
    Product {
        version: text("1.2.3"),
        time: 1_700_000_000,
        effort: Effort::Small,
        program: b"\x7fELF stand-in".to_vec().into(),
        needs: Needs {
            processor,
            glibc: glibc.map(|minor| Glibc { major: 2, minor }),
            libraries: vec![text("libc.so.6"), text("libgcc_s.so.1")],
        },
        told: Rc::new(SelfDescription {
            pages: vec![(text("lancet.1"), text(".TH lancet 1\n"))],
            completions: vec![("bash", text("complete\n")), ("zsh", text("#compdef\n"))],
            tools: vec![(text("Edit"), text("Replaces \"text\"."))],
        }),
        notices: text("a crate\n"),
    }
}

fn made(product: Product) -> BTreeMap<String, Vec<u8>> {
    made_together(&[product])
}

fn made_together(products: &[Product]) -> BTreeMap<String, Vec<u8>> {
    let packages = packages(products).expect("packages");
    let named = packages
        .into_iter()
        .map(|package| (package.name, package.bytes));
    named.collect()
}

/// Returns one version for every processor, as a release has it.
fn both() -> [Product; 2] {
    Processor::ALL.map(|processor| product_for(processor, Some(28)))
}

/// Returns the entries of a gzipped tar archive: path, permission bits and text.
fn entries(bytes: &[u8]) -> Vec<(String, u32, String)> {
    let mut archive = tar::Archive::new(flate2::read::GzDecoder::new(bytes));
    let entries = archive.entries().expect("an archive").map(|entry| {
        let mut entry = entry.expect("an entry");
        assert_eq!(entry.header().mtime().ok(), Some(1_700_000_000));
        let path = entry.path().expect("a path").display().to_string();
        let mode = entry.header().mode().expect("permission bits");
        let mut text = Vec::new();
        entry.read_to_end(&mut text).expect("content");
        (path, mode, String::from_utf8_lossy(&text).into_owned())
    });
    entries.collect()
}

#[test]
fn the_same_input_gives_the_same_bytes() {
    let one = made(product(Some(28)));
    let other = made(product(Some(28)));
    assert_eq!(one.len(), 9);
    for (name, bytes) in &one {
        assert!(other[name] == *bytes, "{name} differs");
    }
}

#[test]
fn every_name_has_the_version_or_is_the_one_that_gemini_looks_for() {
    for name in made(product(Some(28))).keys() {
        assert!(
            name.contains("1.2.3") || name == "linux.x64.lancet.tar.gz",
            "{name}"
        );
    }
}

#[test]
fn no_mark_is_left_and_every_json_file_is_json() {
    let packages = made_together(&both());
    let product = product(Some(28));
    for (name, bytes) in &packages {
        if !name.ends_with("gz") {
            continue;
        }
        for (path, _, text) in entries(bytes) {
            assert!(!text.contains("@version@"), "{name}: {path}");
            if path.ends_with(".json") {
                let parsed: Result<serde_json::Value, _> = serde_json::from_str(&text);
                assert!(parsed.is_ok(), "{name}: {path}: {text}");
            }
        }
    }
    for folder in ["mcpb", "claude-code", "codex", "npm/lancet-mcp"] {
        let marks = product.template(folder, &[("\"@tools@\"", "[]".to_owned())]);
        for (path, bytes) in marks.expect("a template").files() {
            let text = String::from_utf8_lossy(bytes);
            assert!(!text.contains("@version@"), "{folder}/{path}");
        }
    }
}

#[test]
fn programs_and_scripts_are_executable_and_texts_are_not() {
    let packages = made(product(Some(28)));
    for (path, mode, _) in entries(&packages["lancet-mcp-1.2.3.tgz"]) {
        let is_program = path.starts_with("package/bin/") || path.ends_with('/');
        assert_eq!(mode, if is_program { 0o755 } else { 0o644 }, "{path}");
    }
}

#[test]
fn debian_is_told_what_the_binary_needs() {
    let control = |glibc| {
        let packages = made(product(glibc));
        let mut archive = ar::Archive::new(&packages["lancet-mcp_1.2.3_amd64.deb"][..]);
        let mut names = Vec::new();
        let mut control = String::new();
        while let Some(entry) = archive.next_entry() {
            let mut entry = entry.expect("an entry");
            let name = String::from_utf8_lossy(entry.header().identifier()).into_owned();
            let mut bytes = Vec::new();
            entry.read_to_end(&mut bytes).expect("content");
            if name == "control.tar.gz" {
                control = entries(&bytes).remove(0).2;
            }
            names.push(name);
        }
        assert_eq!(names, ["debian-binary", "control.tar.gz", "data.tar.gz"]);
        control
    };
    let needed = "\nDepends: libc6 (>= 2.28), libgcc-s1\nSection: devel\n";
    assert!(control(Some(28)).contains(needed), "{}", control(Some(28)));
    assert!(!control(None).contains("libc6"));
}

#[test]
fn a_release_has_packages_for_every_processor_and_those_without_a_binary_once() {
    let expected = [
        "lancet-1.2.3-aarch64-unknown-linux-gnu.tar.gz",
        "lancet-1.2.3-linux-arm64.mcpb",
        "lancet-1.2.3-linux-x64.mcpb",
        "lancet-1.2.3-x86_64-unknown-linux-gnu.tar.gz",
        "lancet-claude-code-plugin-1.2.3-linux-arm64.zip",
        "lancet-claude-code-plugin-1.2.3-linux-x64.zip",
        "lancet-codex-plugin-1.2.3.zip",
        "lancet-mcp-1.2.3.tgz",
        "lancet-mcp-linux-arm64-1.2.3.tgz",
        "lancet-mcp-linux-x64-1.2.3.tgz",
        "lancet-mcp_1.2.3_amd64.deb",
        "lancet-mcp_1.2.3_arm64.deb",
        "lancet_mcp-1.2.3-py3-none-manylinux_2_28_aarch64.whl",
        "lancet_mcp-1.2.3-py3-none-manylinux_2_28_x86_64.whl",
        "linux.arm64.lancet.tar.gz",
        "linux.x64.lancet.tar.gz",
    ];
    let together = made_together(&both());
    assert!(together.keys().eq(expected.iter()), "{:?}", together.keys());
    // Packages for one processor do not depend on which others are built.
    let [_, arm64] = both();
    for (name, bytes) in made(arm64) {
        let differs = ["lancet-mcp-1.2.3.tgz"].contains(&&*name);
        assert_eq!(together[&name] != bytes, differs, "{name}");
    }
}

#[test]
fn npm_is_told_of_every_platform_and_each_of_its_own_processor() {
    let packages = made_together(&both());
    let settings = |name: &str| -> serde_json::Value {
        let mut entries = entries(&packages[name]).into_iter();
        let found = entries.find(|(path, ..)| path == "package/package.json");
        serde_json::from_str(&found.expect("settings").2).expect("JSON")
    };
    let platforms = &settings("lancet-mcp-1.2.3.tgz")["optionalDependencies"];
    let expected =
        serde_json::json!({ "lancet-mcp-linux-arm64": "1.2.3", "lancet-mcp-linux-x64": "1.2.3" });
    assert_eq!(*platforms, expected);
    for cpu in ["arm64", "x64"] {
        let own = settings(&format!("lancet-mcp-linux-{cpu}-1.2.3.tgz"));
        assert_eq!(own["cpu"], serde_json::json!([cpu]));
        assert_eq!(own["name"], format!("lancet-mcp-linux-{cpu}"));
    }
}
