//! Finds the owner of a symbol: the crate that its name begins with, or the C library that contains its file.

use std::collections::BTreeMap;

/// A symbol that takes space.
pub(super) struct SymbolAt<'a> {
    pub(super) name: &'a str,
    pub(super) address: u64,
    pub(super) size: u64,
    pub(super) is_local: bool,
}

/// Adds up symbols by owner, in the order of the symbol table: a file's local symbols follow its name.
#[derive(Default)]
pub(super) struct Owners {
    file: String,
    sums: BTreeMap<String, u64>,
    /// The local symbols of each grammar's `parser.c`: where its function `ts_lex` is, and their bytes.
    parsers: Vec<(u64, u64)>,
    /// The functions by which the grammars are known, such as `tree_sitter_rust_packed`.
    grammars: Vec<(u64, String)>,
}

impl Owners {
    /// Sets the file of the symbols that follow.
    pub(super) fn enter_file(&mut self, name: &str) {
        name.clone_into(&mut self.file);
        if name == "parser.c" {
            self.parsers.push((0, 0));
        }
    }

    pub(super) fn add(&mut self, symbol: SymbolAt<'_>) {
        if let Some(language) = symbol.name.strip_prefix("tree_sitter_")
            && !language.contains("_external_scanner_")
        {
            let language = language.trim_end_matches("_packed");
            self.grammars
                .push((symbol.address, format!("tree-sitter-{language}")));
        }
        if symbol.is_local && self.file == "parser.c" && crate_of(symbol.name).is_none() {
            if let Some((lexer, bytes)) = self.parsers.last_mut() {
                if symbol.name == "ts_lex" {
                    *lexer = symbol.address;
                }
                *bytes += symbol.size;
            }
            return;
        }
        let owner = match crate_of(symbol.name) {
            Some(name) => name,
            None if symbol.is_local => library_of(&self.file),
            None => library_of_function(symbol.name),
        };
        *self.sums.entry(owner).or_default() += symbol.size;
    }

    /// Returns the bytes of each owner. A grammar's tables go to the grammar whose function follows its `ts_lex`.
    pub(super) fn sums(mut self) -> BTreeMap<String, u64> {
        for (lexer, bytes) in &self.parsers {
            let following = self.grammars.iter().filter(|(place, _)| place >= lexer);
            let owner = following
                .min_by_key(|(place, _)| *place)
                .map_or("tree-sitter", |(_, name)| name.as_str());
            *self.sums.entry(owner.to_owned()).or_default() += bytes;
        }
        self.sums.retain(|_, bytes| *bytes > 0);
        self.sums
    }
}

/// Returns the crate of a Rust symbol: the first name of its path, or of the type for which a trait is implemented.
fn crate_of(symbol: &str) -> Option<String> {
    if symbol.starts_with("_R") {
        return Some("std".to_owned());
    }
    let path = symbol.strip_prefix("_ZN")?;
    let digits = path.bytes().take_while(u8::is_ascii_digit).count();
    let length: usize = path.get(..digits)?.parse().ok()?;
    let first = path.get(digits..digits + length)?;
    if !first.contains('$') {
        return Some(first.to_owned());
    }
    // `_$LT$a..b..Type$u20$as$u20$c..Trait$GT$`: the type's crate, or the trait's where the type is a parameter.
    let plain = first
        .replace("$LT$", " ")
        .replace("$GT$", " ")
        .replace("$RF$", " ")
        .replace("$BP$", " ")
        .replace("$LP$", " ")
        .replace("$C$", " ");
    let decoded = without_escapes(&plain);
    let named = decoded
        .split(|letter: char| !(letter.is_ascii_alphanumeric() || "_.".contains(letter)))
        .find_map(|word| word.split_once("..").map(|(name, _)| name));
    Some(named.unwrap_or("core").trim_start_matches('_').to_owned())
}

/// Returns the text with each `$u20$` and the like as a blank.
fn without_escapes(text: &str) -> String {
    let mut parts = text.split('$');
    let mut plain = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let is_escape = part.len() == 3 && part.starts_with('u');
        plain.push_str(if is_escape { " " } else { part });
    }
    plain
}

/// Returns the library of a C file.
fn library_of(file: &str) -> String {
    let name = file.split('.').next().unwrap_or(file);
    let library = match name {
        "sqlite3" => "SQLite",
        "scanner" => "scanners of tree-sitter's grammars",
        "lib" => "tree-sitter",
        _ if [
            "zstd",
            "huf",
            "fse",
            "hist",
            "cover",
            "divsufsort",
            "zdict",
            "entropy",
        ]
        .iter()
        .any(|prefix| name.starts_with(prefix)) =>
        {
            "zstd"
        }
        _ if file.ends_with(".c") => "C of ring and others",
        // A codegen unit of a Rust crate, such as `png.0123456789abcdef-cgu.0`.
        _ if file.contains("-cgu.") => name,
        _ => "std",
    };
    library.to_owned()
}

/// Returns the library of a C function that other files call.
fn library_of_function(name: &str) -> String {
    const PREFIXES: [(&str, &str); 8] = [
        ("sqlite3", "SQLite"),
        ("ZSTD", "zstd"),
        ("HUF_", "zstd"),
        ("FSE_", "zstd"),
        ("tree_sitter_", "scanners of tree-sitter's grammars"),
        ("ts_", "tree-sitter"),
        ("blake3_", "blake3"),
        ("ring_", "C of ring and others"),
    ];
    let found = PREFIXES.iter().find(|(prefix, _)| name.starts_with(prefix));
    found.map_or("other C", |(_, library)| library).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_symbol_belongs_to_the_crate_its_name_begins_with() {
        let plain = "_ZN11lancet_text5match3run17h0123456789abcdefE";
        assert_eq!(crate_of(plain).as_deref(), Some("lancet_text"));
        let first = "_$LT$png..decoder..Reader$LT$R$GT$$u20$as$u20$std..io..Read$GT$";
        let symbol = format!("_ZN{}{first}4read17h0123456789abcdefE", first.len());
        assert_eq!(crate_of(&symbol).as_deref(), Some("png"));
        let first = "_$LT$$RF$T$u20$as$u20$core..fmt..Debug$GT$";
        let symbol = format!("_ZN{}{first}3fmt17h0123456789abcdefE", first.len());
        assert_eq!(crate_of(&symbol).as_deref(), Some("core"));
        assert_eq!(crate_of("sqlite3_step"), None);
    }

    #[test]
    fn the_tables_of_a_grammar_belong_to_the_grammar_whose_function_follows() {
        let local = |name, address, size| SymbolAt {
            name,
            address,
            size,
            is_local: true,
        };
        let global = |name, address| SymbolAt {
            name,
            address,
            size: 10,
            is_local: false,
        };
        let mut owners = Owners::default();
        owners.enter_file("parser.c");
        owners.add(local("ts_parse_table", 100, 5_000));
        owners.add(local("ts_lex", 9_000, 700));
        owners.add(local("ts_symbol_names", 30_000, 300));
        owners.enter_file("parser.c");
        owners.add(local("ts_lex", 20_000, 30));
        owners.add(global("tree_sitter_c", 8_990));
        owners.add(global("tree_sitter_rust_packed", 9_800));
        owners.add(global("tree_sitter_json", 20_100));
        let sums = owners.sums();
        assert_eq!(sums.get("tree-sitter-rust"), Some(&6_000));
        assert_eq!(sums.get("tree-sitter-json"), Some(&30));
    }
}
