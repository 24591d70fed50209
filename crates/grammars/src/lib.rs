//! The grammars of tree-sitter that lancet knows, with smaller tables.
//!
//! A grammar's `parser.c` has a row as wide as the grammar has symbols for each of its first states, most of it zeros:
//! 5.9 of the 9.4 MB of these ten grammars. The build script (`build/`) compiles each `parser.c` again with such rows
//! in the form of the grammar's other states, which is 3.7 MB smaller in all and equivalent. It packs these tables, 4.7
//! MB, into 0.4, and they are unpacked when a grammar is first used (`packed.rs`). As nothing refers to the original of
//! such a grammar, the linker drops it. If the build script does not find a grammar's source, the original is linked.

#[cfg(packed)]
mod packed;

use tree_sitter_language::LanguageFn;

macro_rules! grammar {
    ($(#[$text:meta])* $constant:ident, $name:literal, $function:ident, $original:expr) => {
        $(#[$text])*
        #[cfg(packed_grammar = $name)]
        #[allow(unsafe_code, reason = "the grammar is C")]
        pub const $constant: LanguageFn = {
            unsafe extern "C" {
                fn $function(rows: *const u16, groups: *const u16, places: *const u32)
                -> *const ();
            }
            // SAFETY: the build script compiled the function and packed its tables, and it is called nowhere else.
            static PACKED: packed::Packed = unsafe {
                let bytes = include_bytes!(concat!(env!("OUT_DIR"), "/", $name, "/tables"));
                packed::Packed::new(bytes, $function)
            };
            extern "C" fn grammar() -> *const () {
                PACKED.grammar()
            }
            // SAFETY: it returns what the grammar's own function returns, with the same tables.
            unsafe { LanguageFn::from_raw(grammar) }
        };
        $(#[$text])*
        #[cfg(not(packed_grammar = $name))]
        pub const $constant: LanguageFn = $original;
    };
}

grammar!(
    /// C.
    C, "c", tree_sitter_c_packed, tree_sitter_c::LANGUAGE
);
grammar!(
    /// C++.
    CPP, "cpp", tree_sitter_cpp_packed, tree_sitter_cpp::LANGUAGE
);
grammar!(
    /// Go.
    GO, "go", tree_sitter_go_packed, tree_sitter_go::LANGUAGE
);
grammar!(
    /// Java.
    JAVA, "java", tree_sitter_java_packed, tree_sitter_java::LANGUAGE
);
grammar!(
    /// JavaScript, with JSX.
    JAVASCRIPT, "javascript", tree_sitter_javascript_packed, tree_sitter_javascript::LANGUAGE
);
grammar!(
    /// JSON.
    JSON, "json", tree_sitter_json_packed, tree_sitter_json::LANGUAGE
);
grammar!(
    /// Python.
    PYTHON, "python", tree_sitter_python_packed, tree_sitter_python::LANGUAGE
);
grammar!(
    /// Rust.
    RUST, "rust", tree_sitter_rust_packed, tree_sitter_rust::LANGUAGE
);
grammar!(
    /// TypeScript.
    TYPESCRIPT, "typescript", tree_sitter_typescript_packed, tree_sitter_typescript::LANGUAGE_TYPESCRIPT
);
grammar!(
    /// TypeScript with JSX.
    TSX, "tsx", tree_sitter_tsx_packed, tree_sitter_typescript::LANGUAGE_TSX
);
