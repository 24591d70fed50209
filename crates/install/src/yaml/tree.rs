//! The nodes of a YAML text with their positions.

use saphyr_parser::{Event, Parser, ScalarStyle};
use serde_json::{Map, Value, json};

use crate::container::{Comments, Container};
use crate::entry::EditError;
use crate::layout::byte_order_mark_length;

/// The deepest nesting of settings that are read.
const MAX_DEPTH: usize = 128;

/// A node.
#[derive(Debug)]
pub(super) enum YamlNode {
    Scalar {
        start: usize,
        end: usize,
        value: Value,
        is_empty: bool,
    },
    Alias {
        start: usize,
        end: usize,
        anchor: usize,
    },
    Sequence {
        start: usize,
        end: usize,
        items: Vec<YamlNode>,
    },
    Mapping(Mapping),
}

/// A mapping.
#[derive(Debug)]
pub(super) struct Mapping {
    start: usize,
    end: usize,
    /// The offset behind the opening bracket, if there is one.
    pub(super) flow_open: Option<usize>,
    pub(super) pairs: Vec<Pair>,
}

/// A key and its value.
#[derive(Debug)]
pub(super) struct Pair {
    pub(super) key: YamlNode,
    pub(super) value: YamlNode,
}

impl YamlNode {
    /// Returns the offset at which it begins.
    pub(super) fn start(&self) -> usize {
        match self {
            YamlNode::Scalar { start, .. }
            | YamlNode::Alias { start, .. }
            | YamlNode::Sequence { start, .. } => *start,
            YamlNode::Mapping(mapping) => mapping.start,
        }
    }

    fn end(&self) -> usize {
        match self {
            YamlNode::Scalar { end, .. } | YamlNode::Alias { end, .. } => *end,
            YamlNode::Sequence { end, items, .. } => {
                (*end).max(items.last().map_or(0, YamlNode::end))
            }
            YamlNode::Mapping(mapping) => match (mapping.flow_open, mapping.pairs.last()) {
                (None, Some(last)) => last.end(),
                _ => mapping.end,
            },
        }
    }

    pub(super) fn as_mapping(&self) -> Option<&Mapping> {
        match self {
            YamlNode::Mapping(mapping) => Some(mapping),
            _ => None,
        }
    }

    /// Returns whether it is a scalar without any text.
    pub(super) fn is_empty_scalar(&self) -> bool {
        matches!(self, YamlNode::Scalar { is_empty: true, .. })
    }

    /// Returns the kind of the node, as messages name it.
    pub(super) fn kind(&self) -> &'static str {
        match self {
            YamlNode::Scalar { .. } => "a scalar",
            YamlNode::Alias { .. } => "an alias",
            YamlNode::Sequence { .. } => "a sequence",
            YamlNode::Mapping(_) => "a mapping",
        }
    }

    /// Returns the node as a value. Aliases are named, not followed.
    pub(super) fn value(&self) -> Value {
        match self {
            YamlNode::Scalar { value, .. } => value.clone(),
            YamlNode::Alias { anchor, .. } => json!({ "alias": anchor }),
            YamlNode::Sequence { items, .. } => {
                Value::Array(items.iter().map(YamlNode::value).collect())
            }
            YamlNode::Mapping(mapping) => {
                let pairs = mapping.pairs.iter();
                Value::Object(Map::from_iter(
                    pairs.map(|pair| (pair.key.name(), pair.value.value())),
                ))
            }
        }
    }

    fn name(&self) -> String {
        match self.value() {
            Value::String(text) => text,
            other => other.to_string(),
        }
    }
}

impl Pair {
    /// Returns the offset at which it ends.
    pub(super) fn end(&self) -> usize {
        self.value.end().max(self.key.end())
    }

    /// Returns the offset behind the colon after the key.
    pub(super) fn offset_after_colon(&self, text: &str) -> Option<usize> {
        let rest = text.get(self.key.end()..)?;
        let blanks = rest.len() - rest.trim_start_matches([' ', '\t']).len();
        rest[blanks..]
            .starts_with(':')
            .then_some(self.key.end() + blanks + 1)
    }
}

impl Mapping {
    /// Returns the pair with a key.
    pub(super) fn pair(&self, name: &str) -> Option<&Pair> {
        self.pairs.get(self.position(name)?)
    }

    /// Returns the index of the pair with a key.
    pub(super) fn position(&self, name: &str) -> Option<usize> {
        self.pairs.iter().position(|pair| match &pair.key {
            YamlNode::Scalar { value, .. } => value.as_str() == Some(name),
            _ => false,
        })
    }

    /// Returns the brackets around the mapping and its pairs; none for a block mapping.
    pub(super) fn flow_container(&self) -> Option<Container> {
        let pairs = self.pairs.iter();
        Some(Container {
            open: self.flow_open?,
            close: self.end.checked_sub(1)?,
            children: pairs.map(|pair| pair.key.start()..pair.end()).collect(),
            comments: Comments::Hash,
        })
    }
}

/// A collection that is not closed yet.
struct OpenCollection {
    start: usize,
    flow_open: Option<usize>,
    is_mapping: bool,
    nodes: Vec<YamlNode>,
}

/// Returns the root of a text; `None` if it has none.
pub(super) fn parse_document(text: &str) -> Result<Option<YamlNode>, EditError> {
    let damaged = |line: Option<usize>, words: &str| EditError::Damaged {
        form: "YAML",
        line,
        words: words.to_owned(),
    };
    let shift = byte_order_mark_length(text);
    let offsets = Offsets::for_text(text, shift);
    let mut open: Vec<OpenCollection> = Vec::new();
    let mut root = None;
    let mut documents = 0;
    for event in Parser::new_from_str(&text[shift..]) {
        let (event, span) =
            event.map_err(|error| damaged(Some(error.marker().line()), error.info()))?;
        let (start, end) = (
            offsets.byte_offset(span.start.index()),
            offsets.byte_offset(span.end.index()),
        );
        let whole = match event {
            Event::DocumentStart(_) => {
                documents += 1;
                None
            }
            Event::Scalar(words, style, _, tag) => Some(YamlNode::Scalar {
                start,
                end,
                is_empty: start == end && words.is_empty(),
                value: match (style, tag) {
                    (ScalarStyle::Plain, None) => plain_scalar_value(&words),
                    (_, Some(tag)) => json!({ "tag": format!("{tag:?}"), "text": words }),
                    _ => json!(words),
                },
            }),
            Event::Alias(anchor) => Some(YamlNode::Alias { start, end, anchor }),
            Event::SequenceStart(..) | Event::MappingStart(..) => {
                let is_mapping = matches!(event, Event::MappingStart(..));
                let bracket = text[start..end].rfind('{').filter(|_| is_mapping);
                if open.len() >= MAX_DEPTH {
                    return Err(damaged(Some(span.start.line()), "it is nested too deeply"));
                }
                open.push(OpenCollection {
                    start,
                    flow_open: bracket.map(|at| start + at + 1),
                    is_mapping,
                    nodes: Vec::new(),
                });
                None
            }
            Event::SequenceEnd | Event::MappingEnd => open.pop().map(|done| done.into_node(end)),
            _ => None,
        };
        match (whole, open.last_mut()) {
            (Some(node), Some(parent)) => parent.nodes.push(node),
            (Some(node), None) => root = root.or(Some(node)),
            (None, _) => {}
        }
    }
    let has_end = text.lines().any(|line| line.starts_with("..."));
    if documents > 1 || has_end {
        return Err(EditError::Unsure(
            "it holds several YAML documents".to_owned(),
        ));
    }
    Ok(root.filter(|node| !node.is_empty_scalar()))
}

impl OpenCollection {
    fn into_node(self, end: usize) -> YamlNode {
        if !self.is_mapping {
            return YamlNode::Sequence {
                start: self.start,
                end,
                items: self.nodes,
            };
        }
        let mut pairs = Vec::new();
        let mut nodes = self.nodes.into_iter();
        while let (Some(key), Some(value)) = (nodes.next(), nodes.next()) {
            pairs.push(Pair { key, value });
        }
        YamlNode::Mapping(Mapping {
            start: self.start,
            end,
            flow_open: self.flow_open,
            pairs,
        })
    }
}

/// Returns the value of a plain scalar by YAML's core schema.
fn plain_scalar_value(words: &str) -> Value {
    match words {
        "" | "~" | "null" | "Null" | "NULL" => Value::Null,
        "true" | "True" | "TRUE" => json!(true),
        "false" | "False" | "FALSE" => json!(false),
        words => match words.parse::<i64>() {
            Ok(number) => json!(number),
            Err(_) => json!(words),
        },
    }
}

/// The byte offsets of the characters of a text, for a parser that counts characters.
struct Offsets {
    shift: usize,
    /// Each multi-byte character: its number, and the number of additional bytes up to and including it.
    wide: Vec<(usize, usize)>,
    length: usize,
}

impl Offsets {
    fn for_text(text: &str, shift: usize) -> Self {
        let mut wide = Vec::new();
        let mut more = 0;
        for (number, mark) in text[shift..].chars().enumerate() {
            if mark.len_utf8() > 1 {
                more += mark.len_utf8() - 1;
                wide.push((number, more));
            }
        }
        Self {
            shift,
            wide,
            length: text.len(),
        }
    }

    fn byte_offset(&self, index: usize) -> usize {
        let before = self.wide.partition_point(|(number, _)| *number < index);
        let more = before.checked_sub(1).map_or(0, |last| self.wide[last].1);
        (index + more + self.shift).min(self.length)
    }
}
