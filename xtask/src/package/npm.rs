//! The npm packages: `lancet-mcp` contains no binary; it finds that in the package of the platform, which npm installs
//! with it.

use serde_json::{Value, json};

use super::Package;
use super::product::Product;
use super::tree::Tree;

/// Builds the package that users install, for all platforms at once: npm also installs the one of its
/// `optionalDependencies` that fits the machine. It starts the binary and contains the client for programs in
/// JavaScript and TypeScript, manual pages and completion scripts.
pub(super) fn launcher(first: &Product, products: &[Product]) -> anyhow::Result<Package> {
    let mut content = Tree::default();
    let mut pages = Vec::new();
    for (name, page) in &first.told.pages {
        content.add_text(format!("man/{name}"), page);
        pages.push(format!("./man/{name}"));
    }
    for (shell, script) in &first.told.completions {
        content.add_text(format!("completions/lancet.{shell}"), script);
    }
    let platforms = products.iter().map(|product| {
        let version = Value::from(product.version.as_str());
        (name_of_platform(product), version)
    });
    let platforms: serde_json::Map<String, Value> = platforms.collect();
    let values = [
        ("\"@man@\"", json!(pages).to_string()),
        ("\"@platforms@\"", Value::from(platforms).to_string()),
    ];
    content.graft("", &first.template("npm/lancet-mcp", &values)?);
    packed(first, "lancet-mcp", content)
}

/// Builds the package with the binary for one platform.
pub(super) fn platform(product: &Product) -> anyhow::Result<Package> {
    // npm skips a package if the C library differs; a static binary runs with any.
    let libc = match product.needs.glibc {
        Some(_) => json!(["glibc"]),
        None => json!(["glibc", "musl"]),
    };
    let mut content = product.template("npm/platform", &[("\"@libc@\"", libc.to_string())])?;
    product.add_program(&mut content, "bin/lancet");
    packed(product, &name_of_platform(product), content)
}

fn name_of_platform(product: &Product) -> String {
    format!("lancet-mcp-{}", product.platform())
}

/// Returns the archive in the form of `npm pack`: everything below `package/`.
fn packed(product: &Product, name: &str, mut content: Tree) -> anyhow::Result<Package> {
    content.graft("", &product.licences()?);
    let mut tree = Tree::default();
    tree.graft("package/", &content);
    product.tar_gz(format!("{name}-{}.tgz", product.version), &tree)
}
