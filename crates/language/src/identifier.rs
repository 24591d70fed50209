//! The protocol's identifiers of languages.

use std::path::Path;

/// Returns the language identifier for a file's extension. An unknown extension is returned as it is.
pub(crate) fn language_id(path: &Path) -> &str {
    let ending = path
        .extension()
        .and_then(|ending| ending.to_str())
        .unwrap_or("plaintext");
    match ending {
        "py" | "pyi" => "python",
        "rs" => "rust",
        "ts" | "mts" | "cts" => "typescript",
        "tsx" => "typescriptreact",
        "js" | "mjs" | "cjs" => "javascript",
        "jsx" => "javascriptreact",
        "c" => "c",
        "h" | "cc" | "cpp" | "cxx" | "hh" | "hpp" | "hxx" => "cpp",
        "m" => "objective-c",
        "mm" => "objective-cpp",
        "yml" => "yaml",
        "sh" | "bash" => "shellscript",
        "rb" => "ruby",
        "md" => "markdown",
        other => other,
    }
}
