//! Which nodes of a tree are symbols, and which contain further ones: one table for each language.

use tree_sitter::Node;

use crate::language::Language;

/// The role of a node in the outline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rule {
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
pub(super) fn rule(language: Language, node: &Node<'_>, depth: usize) -> Rule {
    let kind = node.kind();
    match language {
        Language::Rust => rust(kind),
        Language::Python => python(node, kind, depth),
        Language::JavaScript | Language::TypeScript | Language::Tsx => script(node, kind, depth),
        Language::Go => go(node, kind),
        Language::Java => java(kind),
        Language::C | Language::Header | Language::Cpp => c_family(node, kind),
        Language::Json => json(kind, depth),
    }
}

fn rust(kind: &str) -> Rule {
    match kind {
        "function_item" | "function_signature_item" => Rule::Symbol("fn"),
        "struct_item" => Rule::Symbol("struct"),
        "enum_item" => Rule::Symbol("enum"),
        "union_item" => Rule::Symbol("union"),
        "type_item" => Rule::Symbol("type"),
        "const_item" => Rule::Symbol("const"),
        "static_item" => Rule::Symbol("static"),
        "macro_definition" => Rule::Symbol("macro_rules!"),
        "trait_item" => Rule::Holder("trait"),
        "impl_item" => Rule::Holder("impl"),
        "mod_item" => Rule::Holder("mod"),
        "declaration_list" | "foreign_mod_item" => Rule::Into,
        _ => Rule::Pass,
    }
}

fn python(node: &Node<'_>, kind: &str, depth: usize) -> Rule {
    match kind {
        "function_definition" => Rule::Symbol("def"),
        "class_definition" => Rule::Holder("class"),
        "decorated_definition" => Rule::Around,
        "block" => Rule::Into,
        // Names that are defined conditionally count like others.
        "if_statement" | "else_clause" | "try_statement" | "except_clause" => Rule::Into,
        "expression_statement" if depth == 0 => Rule::Into,
        "assignment" if depth == 0 && is_field(node, "left", "identifier") => {
            Rule::Symbol("variable")
        }
        _ => Rule::Pass,
    }
}

fn script(node: &Node<'_>, kind: &str, depth: usize) -> Rule {
    match kind {
        "function_declaration" | "generator_function_declaration" | "function_signature" => {
            Rule::Symbol("function")
        }
        "class_declaration" | "abstract_class_declaration" => Rule::Holder("class"),
        "class_body" | "statement_block" | "ambient_declaration" => Rule::Into,
        "method_definition" | "method_signature" | "abstract_method_signature" => {
            Rule::Symbol("method")
        }
        "field_definition" | "public_field_definition" if has_function(node) => {
            Rule::Symbol("method")
        }
        "interface_declaration" => Rule::Symbol("interface"),
        "type_alias_declaration" => Rule::Symbol("type"),
        "enum_declaration" => Rule::Symbol("enum"),
        "internal_module" | "module" => Rule::Holder("namespace"),
        // The grammar represents a namespace as an expression.
        "expression_statement" => match node.named_child(0).map(|child| child.kind()) {
            Some("internal_module") => Rule::Into,
            _ => Rule::Pass,
        },
        "export_statement" => Rule::Around,
        "lexical_declaration" | "variable_declaration" if depth == 0 => Rule::Around,
        "variable_declarator" if has_function(node) => Rule::Symbol("function"),
        "variable_declarator" if is_field(node, "value", "class") => Rule::Symbol("class"),
        "variable_declarator" if is_field(node, "name", "identifier") => Rule::Symbol("const"),
        _ => Rule::Pass,
    }
}

fn go(node: &Node<'_>, kind: &str) -> Rule {
    match kind {
        "function_declaration" | "method_declaration" => Rule::Symbol("func"),
        "type_declaration" | "const_declaration" | "var_declaration" | "var_spec_list" => {
            Rule::Into
        }
        "type_spec" if is_field(node, "type", "struct_type") => Rule::Symbol("struct"),
        "type_spec" if is_field(node, "type", "interface_type") => Rule::Symbol("interface"),
        "type_spec" | "type_alias" => Rule::Symbol("type"),
        "const_spec" => Rule::Symbol("const"),
        "var_spec" => Rule::Symbol("var"),
        _ => Rule::Pass,
    }
}

fn java(kind: &str) -> Rule {
    match kind {
        "class_declaration" => Rule::Holder("class"),
        "interface_declaration" => Rule::Holder("interface"),
        "enum_declaration" => Rule::Holder("enum"),
        "record_declaration" => Rule::Holder("record"),
        "annotation_type_declaration" => Rule::Holder("@interface"),
        "method_declaration" => Rule::Symbol("method"),
        "constructor_declaration" | "compact_constructor_declaration" => {
            Rule::Symbol("constructor")
        }
        "class_body" | "interface_body" | "enum_body" | "enum_body_declarations" => Rule::Into,
        _ => Rule::Pass,
    }
}

fn c_family(node: &Node<'_>, kind: &str) -> Rule {
    let has_body = node.child_by_field_name("body").is_some();
    match kind {
        "function_definition" => Rule::Symbol("function"),
        "declaration" | "field_declaration" if super::names::is_function(node) => {
            Rule::Symbol("function")
        }
        // A type may be defined where it is used.
        "declaration" | "field_declaration" => Rule::Into,
        "type_definition" => Rule::Symbol("typedef"),
        "struct_specifier" if has_body => Rule::Holder("struct"),
        "union_specifier" if has_body => Rule::Symbol("union"),
        "enum_specifier" if has_body => Rule::Symbol("enum"),
        "class_specifier" if has_body => Rule::Holder("class"),
        "namespace_definition" => Rule::Holder("namespace"),
        "alias_declaration" => Rule::Symbol("using"),
        "concept_definition" => Rule::Symbol("concept"),
        "preproc_function_def" => Rule::Symbol("#define"),
        "preproc_def" if node.child_by_field_name("value").is_some() => Rule::Symbol("#define"),
        "template_declaration" => Rule::Around,
        "preproc_if"
        | "preproc_ifdef"
        | "preproc_else"
        | "preproc_elif"
        | "linkage_specification"
        | "declaration_list"
        | "field_declaration_list" => Rule::Into,
        _ => Rule::Pass,
    }
}

fn json(kind: &str, depth: usize) -> Rule {
    match kind {
        "object" => Rule::Into,
        "array" if depth == 0 => Rule::Into,
        "pair" if depth == 0 => Rule::Holder("key"),
        "pair" if depth == 1 => Rule::Symbol("key"),
        _ => Rule::Pass,
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
