//! Which nodes of a tree are symbols, and which contain further ones: one table for each language.

use tree_sitter::Node;

use crate::language::Language;

/// The role of a node in the outline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum OutlineRule {
    /// Neither it nor anything in it belongs to the outline.
    Pass,
    /// It is not a symbol itself, but nodes in it may be.
    Into,
    /// The same, and its first line belongs to the symbol in it.
    Around,
    /// A symbol.
    Symbol(&'static str),
    /// A symbol that may contain others.
    Holder(&'static str),
}

/// Returns the rule for a node; `depth` is the number of symbols around it.
pub(super) fn outline_rule(language: Language, node: &Node<'_>, depth: usize) -> OutlineRule {
    let kind = node.kind();
    match language {
        Language::Rust => rust_rule(kind),
        Language::Python => python_rule(node, kind, depth),
        Language::JavaScript | Language::TypeScript | Language::Tsx => {
            script_rule(node, kind, depth)
        }
        Language::Go => go_rule(node, kind),
        Language::Java => java_rule(kind),
        Language::C | Language::Header | Language::Cpp => c_family_rule(node, kind),
        Language::Json => json_rule(kind, depth),
    }
}

fn rust_rule(kind: &str) -> OutlineRule {
    match kind {
        "function_item" | "function_signature_item" => OutlineRule::Symbol("fn"),
        "struct_item" => OutlineRule::Symbol("struct"),
        "enum_item" => OutlineRule::Symbol("enum"),
        "union_item" => OutlineRule::Symbol("union"),
        "type_item" => OutlineRule::Symbol("type"),
        "const_item" => OutlineRule::Symbol("const"),
        "static_item" => OutlineRule::Symbol("static"),
        "macro_definition" => OutlineRule::Symbol("macro_rules!"),
        "trait_item" => OutlineRule::Holder("trait"),
        "impl_item" => OutlineRule::Holder("impl"),
        "mod_item" => OutlineRule::Holder("mod"),
        "declaration_list" | "foreign_mod_item" => OutlineRule::Into,
        _ => OutlineRule::Pass,
    }
}

fn python_rule(node: &Node<'_>, kind: &str, depth: usize) -> OutlineRule {
    match kind {
        "function_definition" => OutlineRule::Symbol("def"),
        "class_definition" => OutlineRule::Holder("class"),
        "decorated_definition" => OutlineRule::Around,
        "block" => OutlineRule::Into,
        // Names that are defined conditionally count like others.
        "if_statement" | "else_clause" | "try_statement" | "except_clause" => OutlineRule::Into,
        "expression_statement" if depth == 0 => OutlineRule::Into,
        "assignment" if depth == 0 && is_field(node, "left", "identifier") => {
            OutlineRule::Symbol("variable")
        }
        _ => OutlineRule::Pass,
    }
}

fn script_rule(node: &Node<'_>, kind: &str, depth: usize) -> OutlineRule {
    match kind {
        "function_declaration" | "generator_function_declaration" | "function_signature" => {
            OutlineRule::Symbol("function")
        }
        "class_declaration" | "abstract_class_declaration" => OutlineRule::Holder("class"),
        "class_body" | "statement_block" | "ambient_declaration" => OutlineRule::Into,
        "method_definition" | "method_signature" | "abstract_method_signature" => {
            OutlineRule::Symbol("method")
        }
        "field_definition" | "public_field_definition" if has_function(node) => {
            OutlineRule::Symbol("method")
        }
        "interface_declaration" => OutlineRule::Symbol("interface"),
        "type_alias_declaration" => OutlineRule::Symbol("type"),
        "enum_declaration" => OutlineRule::Symbol("enum"),
        "internal_module" | "module" => OutlineRule::Holder("namespace"),
        // The grammar represents a namespace as an expression.
        "expression_statement" => match node.named_child(0).map(|child| child.kind()) {
            Some("internal_module") => OutlineRule::Into,
            _ => OutlineRule::Pass,
        },
        "export_statement" => OutlineRule::Around,
        "lexical_declaration" | "variable_declaration" if depth == 0 => OutlineRule::Around,
        "variable_declarator" if has_function(node) => OutlineRule::Symbol("function"),
        "variable_declarator" if is_field(node, "value", "class") => OutlineRule::Symbol("class"),
        "variable_declarator" if is_field(node, "name", "identifier") => {
            OutlineRule::Symbol("const")
        }
        _ => OutlineRule::Pass,
    }
}

fn go_rule(node: &Node<'_>, kind: &str) -> OutlineRule {
    match kind {
        "function_declaration" | "method_declaration" => OutlineRule::Symbol("func"),
        "type_declaration" | "const_declaration" | "var_declaration" | "var_spec_list" => {
            OutlineRule::Into
        }
        "type_spec" if is_field(node, "type", "struct_type") => OutlineRule::Symbol("struct"),
        "type_spec" if is_field(node, "type", "interface_type") => OutlineRule::Symbol("interface"),
        "type_spec" | "type_alias" => OutlineRule::Symbol("type"),
        "const_spec" => OutlineRule::Symbol("const"),
        "var_spec" => OutlineRule::Symbol("var"),
        _ => OutlineRule::Pass,
    }
}

fn java_rule(kind: &str) -> OutlineRule {
    match kind {
        "class_declaration" => OutlineRule::Holder("class"),
        "interface_declaration" => OutlineRule::Holder("interface"),
        "enum_declaration" => OutlineRule::Holder("enum"),
        "record_declaration" => OutlineRule::Holder("record"),
        "annotation_type_declaration" => OutlineRule::Holder("@interface"),
        "method_declaration" => OutlineRule::Symbol("method"),
        "constructor_declaration" | "compact_constructor_declaration" => {
            OutlineRule::Symbol("constructor")
        }
        "class_body" | "interface_body" | "enum_body" | "enum_body_declarations" => {
            OutlineRule::Into
        }
        _ => OutlineRule::Pass,
    }
}

fn c_family_rule(node: &Node<'_>, kind: &str) -> OutlineRule {
    let has_body = node.child_by_field_name("body").is_some();
    match kind {
        "function_definition" => OutlineRule::Symbol("function"),
        "declaration" | "field_declaration" if super::names::is_function(node) => {
            OutlineRule::Symbol("function")
        }
        // A type may be defined where it is used.
        "declaration" | "field_declaration" => OutlineRule::Into,
        "type_definition" => OutlineRule::Symbol("typedef"),
        "struct_specifier" if has_body => OutlineRule::Holder("struct"),
        "union_specifier" if has_body => OutlineRule::Symbol("union"),
        "enum_specifier" if has_body => OutlineRule::Symbol("enum"),
        "class_specifier" if has_body => OutlineRule::Holder("class"),
        "namespace_definition" => OutlineRule::Holder("namespace"),
        "alias_declaration" => OutlineRule::Symbol("using"),
        "concept_definition" => OutlineRule::Symbol("concept"),
        "preproc_function_def" => OutlineRule::Symbol("#define"),
        "preproc_def" if node.child_by_field_name("value").is_some() => {
            OutlineRule::Symbol("#define")
        }
        "template_declaration" => OutlineRule::Around,
        "preproc_if"
        | "preproc_ifdef"
        | "preproc_else"
        | "preproc_elif"
        | "linkage_specification"
        | "declaration_list"
        | "field_declaration_list" => OutlineRule::Into,
        _ => OutlineRule::Pass,
    }
}

fn json_rule(kind: &str, depth: usize) -> OutlineRule {
    match kind {
        "object" => OutlineRule::Into,
        "array" if depth == 0 => OutlineRule::Into,
        "pair" if depth == 0 => OutlineRule::Holder("key"),
        "pair" if depth == 1 => OutlineRule::Symbol("key"),
        _ => OutlineRule::Pass,
    }
}

/// Returns whether a field of a node has this kind.
fn is_field(node: &Node<'_>, field: &str, kind: &str) -> bool {
    let child = node.child_by_field_name(field);
    child.is_some_and(|child| child.kind() == kind)
}

/// Returns whether the value of a name is a function.
fn has_function(node: &Node<'_>) -> bool {
    let functions = [
        "arrow_function",
        "function_expression",
        "generator_function",
    ];
    functions.iter().any(|kind| is_field(node, "value", kind))
}
