//! The Debian package: the program, the manual pages and completion scripts in the system's folders.

use std::io::Cursor;

use super::Package;
use super::product::Product;
use super::tree::{Tree, gzip};
use crate::repository::top;

/// Builds the package.
pub(super) fn package(product: &Product) -> anyhow::Result<Package> {
    let data = data(product)?;
    let mut depends = Vec::new();
    if let Some(glibc) = product.needs.glibc {
        depends.push(format!("libc6 (>= {}.{})", glibc.major, glibc.minor));
    }
    let needs = |library: &str| product.needs.libraries.iter().any(|it| it == library);
    if needs("libgcc_s.so.1") {
        depends.push("libgcc-s1".to_owned());
    }
    let depends = match depends.is_empty() {
        true => String::new(),
        false => format!("Depends: {}\n", depends.join(", ")),
    };
    let architecture = product.needs.processor.debian();
    let control = product.template(
        "debian/control",
        &[
            ("@architecture@", architecture.to_owned()),
            ("@depends@", depends),
            ("@size@", data.size().div_ceil(1024).to_string()),
        ],
    )?;
    let mut archive = ar::Builder::new(Vec::new());
    for (name, bytes) in [
        ("debian-binary", b"2.0\n".to_vec()),
        (
            "control.tar.gz",
            control.tar_gz(product.time, product.effort)?,
        ),
        ("data.tar.gz", data.tar_gz(product.time, product.effort)?),
    ] {
        let mut header = ar::Header::new(name.as_bytes().to_vec(), bytes.len() as u64);
        header.set_mtime(product.time);
        header.set_mode(0o100_644);
        archive.append(&header, Cursor::new(bytes))?;
    }
    Ok(Package {
        name: format!("lancet-mcp_{}_{architecture}.deb", product.version),
        bytes: archive.into_inner()?,
    })
}

/// Returns the files that the package installs.
fn data(product: &Product) -> anyhow::Result<Tree> {
    let mut tree = Tree::default();
    product.add_program(&mut tree, "usr/bin/lancet");
    tree.link("usr/bin/lancet-mcp", "lancet");
    for (path, bytes) in product.share().files() {
        // Debian's policy requires compressed manual pages.
        let (path, bytes) = match path.starts_with("man/") {
            true => (format!("{path}.gz"), gzip(bytes)?),
            false => (path.to_owned(), bytes.to_vec()),
        };
        tree.add(
            format!("usr/share/{path}"),
            bytes,
            super::tree::Permissions::Plain,
        );
    }
    let doc = "usr/share/doc/lancet-mcp/";
    tree.graft(doc, &product.template("debian/doc", &[])?);
    tree.graft(doc, &product.licences()?);
    let changelog = std::fs::read(top().join("CHANGELOG.md"))?;
    tree.add(
        format!("{doc}changelog.gz"),
        gzip(&changelog)?,
        super::tree::Permissions::Plain,
    );
    Ok(tree)
}
