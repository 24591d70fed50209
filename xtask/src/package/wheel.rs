//! The Python wheel: `lancet` and `lancet-mcp` as programs, and `lancet_mcp`, the client for programs in Python.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

use super::Package;
use super::binary::{Glibc, Needs};
use super::product::Product;
use super::tree::{Tree, sha256};

/// Builds the wheel.
pub(super) fn package(product: &Product) -> anyhow::Result<Package> {
    let stem = format!("lancet_mcp-{}", product.version);
    let tags = platforms(&product.needs);
    let mut tree = Tree::default();
    let scripts = format!("{stem}.data/scripts/");
    product.add_program(&mut tree, format!("{scripts}lancet"));
    tree.graft(&scripts, &product.template("wheel/scripts", &[])?);
    tree.graft(
        "lancet_mcp/",
        &product.template("wheel/src/lancet_mcp", &[])?,
    );
    tree.graft(&format!("{stem}.data/data/share/"), &product.share());
    let about = format!("{stem}.dist-info/");
    tree.graft(&about, &product.template("wheel/dist-info", &[])?);
    tree.graft(&format!("{about}licenses/"), &product.licences()?);
    let mut wheel =
        "Wheel-Version: 1.0\nGenerator: cargo xtask package\nRoot-Is-Purelib: false\n".to_owned();
    for tag in &tags {
        wheel.push_str(&format!("Tag: py3-none-{tag}\n"));
    }
    tree.add_text(format!("{about}WHEEL"), &wheel);
    let mut record: String = tree
        .files()
        .map(|(path, bytes)| {
            let hash = URL_SAFE_NO_PAD.encode(sha256(bytes));
            format!("{path},sha256={hash},{}\n", bytes.len())
        })
        .collect();
    record.push_str(&format!("{about}RECORD,,\n"));
    tree.add_text(format!("{about}RECORD"), &record);
    product.zip(format!("{stem}-py3-none-{}.whl", tags.join(".")), &tree)
}

/// Returns the platform tags: the glibc that the binary really needs, or every Linux for one that is linked statically.
fn platforms(needs: &Needs) -> Vec<String> {
    let machine = needs.processor.machine();
    // Installers know no tag for a glibc older than this, and every newer one is compatible.
    let oldest = Glibc {
        major: 2,
        minor: 17,
    };
    let glibc = needs.glibc.unwrap_or(oldest).max(oldest);
    let mut tags = vec![format!(
        "manylinux_{}_{}_{machine}",
        glibc.major, glibc.minor
    )];
    if needs.glibc.is_none() {
        tags.push(format!("musllinux_1_1_{machine}"));
    }
    tags
}

#[cfg(test)]
mod tests {
    use super::super::binary::Processor;
    use super::*;

    #[test]
    fn the_tag_says_what_the_binary_needs() {
        let tags = |minor: Option<u32>| {
            platforms(&Needs {
                processor: Processor::X64,
                glibc: minor.map(|minor| Glibc { major: 2, minor }),
                libraries: Vec::new(),
            })
        };
        assert_eq!(tags(Some(28)), ["manylinux_2_28_x86_64"]);
        assert_eq!(tags(Some(5)), ["manylinux_2_17_x86_64"]);
        assert_eq!(
            tags(None),
            ["manylinux_2_17_x86_64", "musllinux_1_1_x86_64"]
        );
    }
}
