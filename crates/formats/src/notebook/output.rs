//! The outputs of a code cell: text, pictures, and data of which only the size is reported.

use std::ops::Range;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use super::multiline::join_strings;
use crate::json::{self, JsonMember, JsonType, text::decode_literal};

/// The media types of pictures that an output may contain in base64.
const PICTURE_TYPES: [&str; 4] = ["image/png", "image/jpeg", "image/gif", "image/webp"];

/// The names of version 3 for the media types of version 4.
const OLD_FORMAT_NAMES: [(&str, &str); 8] = [
    ("text", "text/plain"),
    ("html", "text/html"),
    ("svg", "image/svg+xml"),
    ("png", "image/png"),
    ("jpeg", "image/jpeg"),
    ("latex", "text/latex"),
    ("json", "application/json"),
    ("javascript", "application/javascript"),
];

/// One item of an output.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Output<'t> {
    /// Text: what was printed, the plain form of a result, an error.
    Text {
        /// `stdout`, `stderr`, `result` or `error`.
        name: String,
        /// The text without terminal control sequences.
        text: String,
    },
    /// A picture.
    Picture {
        /// Its media type as the notebook has it.
        media_type: String,
        /// The JSON value that contains its base64.
        base64: Base64<'t>,
    },
    /// Data that is not shown.
    Data {
        /// Its media type.
        media_type: String,
        /// Its length in the notebook, in characters.
        length: usize,
    },
}

/// The base64 text of a picture, decoded from JSON only on demand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Base64<'t> {
    text: &'t str,
    value: Range<usize>,
}

impl Base64<'_> {
    /// Returns the base64 text without line ends.
    pub fn text(&self) -> String {
        let mut joined = join_strings(self.text, &self.value);
        joined.retain(|character| !character.is_ascii_whitespace());
        joined
    }

    /// Returns the bytes of the picture; none if the text is not base64.
    pub fn bytes(&self) -> Option<Vec<u8>> {
        STANDARD.decode(self.text()).ok()
    }

    /// Returns the length of the value in the notebook, in characters.
    pub fn length(&self) -> usize {
        self.value.len()
    }
}

/// Returns the items of an array of outputs, in order.
pub(super) fn parse_outputs<'t>(text: &'t str, array: &Range<usize>) -> Vec<Output<'t>> {
    let items = json::array_items(text, array);
    items
        .iter()
        .filter(|item| json::type_at(text, item.start) == JsonType::Object)
        .flat_map(|item| parse_output(text, &json::object_members(text, item)))
        .collect()
}

fn parse_output<'t>(text: &'t str, members: &[JsonMember]) -> Vec<Output<'t>> {
    let value = |name: &str| {
        json::last_member_named(text, members, name)
            .map(|member| join_strings(text, &member.value))
            .unwrap_or_default()
    };
    let shown = |name: &str, text: &str| {
        vec![Output::Text {
            name: name.to_owned(),
            text: strip_control_sequences(text),
        }]
    };
    match value("output_type").as_str() {
        "stream" => {
            let name = [value("name"), value("stream")].concat();
            let name = if name.is_empty() { "stdout" } else { &name };
            shown(name, &value("text"))
        }
        "error" | "pyerr" => {
            let trace = json::last_member_named(text, members, "traceback")
                .map(|member| traceback_lines(text, &member.value).join("\n"))
                .unwrap_or_default();
            let short = format!("{}: {}", value("ename"), value("evalue"));
            shown("error", if trace.is_empty() { &short } else { &trace })
        }
        _ => match json::last_member_named(text, members, "data") {
            Some(data) if json::type_at(text, data.value.start) == JsonType::Object => {
                bundle_outputs(text, &json::object_members(text, &data.value), |name| {
                    name.to_owned()
                })
            }
            _ => bundle_outputs(text, members, |name| {
                let known = OLD_FORMAT_NAMES.iter().find(|(old, _)| *old == name);
                known.map_or_else(String::new, |(_, media_type)| (*media_type).to_owned())
            }),
        },
    }
}

/// Returns the items of one result: its plain text and its pictures are shown, of other forms only the size.
fn bundle_outputs<'t>(
    text: &'t str,
    members: &[JsonMember],
    media_type: impl Fn(&str) -> String,
) -> Vec<Output<'t>> {
    let forms = members.iter().filter_map(|member| {
        let media_type = media_type(&decode_literal(&text[member.key.clone()]));
        let value = member.value.clone();
        Some(match media_type.as_str() {
            "" => return None,
            "text/plain" => Output::Text {
                name: "result".to_owned(),
                text: strip_control_sequences(&join_strings(text, &value)),
            },
            picture if PICTURE_TYPES.contains(&picture) => Output::Picture {
                media_type,
                base64: Base64 { text, value },
            },
            _ => Output::Data {
                media_type,
                length: value.len(),
            },
        })
    });
    forms.collect()
}

fn traceback_lines(text: &str, value: &Range<usize>) -> Vec<String> {
    if json::type_at(text, value.start) != JsonType::Array {
        return vec![join_strings(text, value)];
    }
    let items = json::array_items(text, value);
    items.iter().map(|item| join_strings(text, item)).collect()
}

/// Removes the control sequences that colour a terminal (CSI, ECMA-48).
fn strip_control_sequences(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    let mut characters = text.chars();
    while let Some(character) = characters.next() {
        if character != '\u{1b}' {
            shown.push(character);
        } else if characters.as_str().starts_with('[') {
            characters.next();
            // Parameters and intermediates end with a byte from @ to ~.
            characters.by_ref().find(|last| ('@'..='~').contains(last));
        }
    }
    shown
}
