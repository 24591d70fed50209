//! The archive with only the program, and the packages for particular agents: an MCPB bundle, a plugin for Claude Code,
//! an extension for Gemini CLI, and the metadata of a plugin for Codex.

use serde_json::{Value, json};

use super::Package;
use super::product::Product;
use super::tree::Tree;

/// Builds the archive that users unpack themselves, and that `cargo binstall` fetches.
pub(super) fn archive(product: &Product) -> anyhow::Result<Package> {
    let stem = format!("lancet-{}-{}", product.version, product.needs.target());
    let mut content = product.licences()?;
    product.add_program(&mut content, "bin/lancet");
    content.link("bin/lancet-mcp", "lancet");
    content.graft("share/", &product.share());
    let mut tree = Tree::default();
    tree.graft(&format!("{stem}/"), &content);
    product.tar_gz(format!("{stem}.tar.gz"), &tree)
}

/// Builds the MCPB bundle, which desktop programs install.
pub(super) fn mcpb(product: &Product) -> anyhow::Result<Package> {
    let tools: Vec<Value> = product
        .told
        .tools
        .iter()
        .map(|(name, description)| json!({ "name": name, "description": description }))
        .collect();
    let mut tree = product.template("mcpb", &[("\"@tools@\"", json!(tools).to_string())])?;
    product.add_program(&mut tree, "server/lancet");
    tree.graft("", &product.licences()?);
    product.zip(name_for(product, "lancet", "mcpb"), &tree)
}

/// Builds the plugin for Claude Code, in a separate marketplace, which is how Claude Code installs a plugin from a
/// folder.
pub(super) fn claude_code(product: &Product) -> anyhow::Result<Package> {
    let mut tree = product.template("claude-code", &[])?;
    product.add_program(&mut tree, "lancet/bin/lancet");
    tree.graft("lancet/", &product.licences()?);
    product.zip(name_for(product, "lancet-claude-code-plugin", "zip"), &tree)
}

/// Builds the extension for Gemini CLI, which finds the archive of its platform by this name.
pub(super) fn gemini(product: &Product) -> anyhow::Result<Package> {
    let mut tree = product.template("gemini", &[])?;
    product.add_program(&mut tree, "bin/lancet");
    tree.graft("", &product.licences()?);
    let name = format!("linux.{}.lancet.tar.gz", product.needs.processor.node());
    product.tar_gz(name, &tree)
}

/// Builds the plugin for Codex: metadata that starts the `lancet` in `PATH`.
pub(super) fn codex(product: &Product) -> anyhow::Result<Package> {
    let tree = product.template("codex", &[])?;
    let name = format!("lancet-codex-plugin-{}.zip", product.version);
    product.zip(name, &tree)
}

/// Returns the name of a package for one platform.
fn name_for(product: &Product, name: &str, ending: &str) -> String {
    format!("{name}-{}-{}.{ending}", product.version, product.platform())
}
