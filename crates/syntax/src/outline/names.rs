//! The names of symbols, each as one line of text.

use tree_sitter::Node;

use crate::language::Language;

/// The longest name, in characters.
const MAX_NAME_LENGTH: usize = 100;
/// The maximum number of pointers and brackets around a name in C.
const MAX_DECLARATOR_DEPTH: usize = 20;

/// Returns the name of a node, if it has one.
pub(super) fn symbol_name(language: Language, node: &Node<'_>, text: &str) -> Option<String> {
    let words = |node: Node<'_>| text.get(node.byte_range());
    let field = |name: &str| node.child_by_field_name(name).and_then(words);
    let name = match (language, node.kind()) {
        (Language::Rust, "impl_item") => {
            let of = field("type")?;
            match field("trait") {
                Some(name) => format!("{name} for {of}"),
                None => of.to_owned(),
            }
        }
        (Language::Go, "method_declaration") => {
            format!("{} {}", field("receiver")?, field("name")?)
        }
        (Language::Python, "assignment") => field("left")?.to_owned(),
        (Language::Json, _) => field("key")?.to_owned(),
        (Language::JavaScript, "field_definition") => field("property")?.to_owned(),
        (Language::C | Language::Header | Language::Cpp, kind) => match kind {
            "function_definition" | "declaration" | "field_declaration" | "type_definition" => {
                words(declared_name_node(node)?)?.to_owned()
            }
            _ => field("name")?.to_owned(),
        },
        // A function or class that a module exports by default may have no name.
        (Language::JavaScript | Language::TypeScript | Language::Tsx, _) => {
            field("name").unwrap_or("default").to_owned()
        }
        _ => field("name")?.to_owned(),
    };
    let line = name.split_whitespace().collect::<Vec<_>>().join(" ");
    let cut: String = line.chars().take(MAX_NAME_LENGTH).collect();
    Some(match cut.len() < line.len() {
        true => format!("{cut}…"),
        false => cut,
    })
}

/// Returns the name in a declaration of C, which pointers, parameters and brackets may surround.
fn declared_name_node<'t>(node: &Node<'t>) -> Option<Node<'t>> {
    let mut at = node.child_by_field_name("declarator")?;
    for _ in 0..MAX_DECLARATOR_DEPTH {
        let inner = at.child_by_field_name("declarator");
        let inner = inner.or_else(|| {
            let wraps = matches!(
                at.kind(),
                "reference_declarator" | "parenthesized_declarator"
            );
            at.named_child(0).filter(|_| wraps)
        });
        match inner {
            Some(inner) => at = inner,
            None => return Some(at),
        }
    }
    None
}

/// Returns whether a declaration of C declares a function.
pub(super) fn is_function(node: &Node<'_>) -> bool {
    let mut at = node.child_by_field_name("declarator");
    for _ in 0..MAX_DECLARATOR_DEPTH {
        let Some(declarator) = at else {
            return false;
        };
        match declarator.kind() {
            // A name in parentheses is a pointer to a function.
            "function_declarator" => {
                let inner = declarator.child_by_field_name("declarator");
                return inner.is_some_and(|inner| inner.kind() != "parenthesized_declarator");
            }
            "pointer_declarator" => at = declarator.child_by_field_name("declarator"),
            "reference_declarator" => at = declarator.named_child(0),
            _ => return false,
        }
    }
    false
}
