//! The table of what clients do with an answer before their model reads it, with the version in which each figure was
//! observed. Agents cut long answers, most of them in the middle; a line that was cut was not seen, so an answer must
//! be short enough to be forwarded whole.

use lancet::call::{AnswerLimit, HandedOn, Measure};
use lancet::settings::ClientLimit;
use lancet_serving::identity;
use rmcp::model::{JsonObject, Tool};
use serde_json::{Map, Value, json};

/// The length of a result besides its text where the client forwards the JSON of the result: the JSON syntax and the
/// shortened data.
const FRAME: usize = 700;
/// The most bytes of that data.
const MOST_DATA: usize = 500;
/// The longest string in that data, in bytes.
const LONGEST_TEXT: usize = 64;

/// How a client forwards an answer.
struct Client {
    /// The name that the client gives itself; a name that ends in `*` covers all names with that prefix.
    name: &'static str,
    /// The most bytes of an answer that reach the client's model.
    most: Option<usize>,
    /// Models for which the client cuts nothing, where its requests name the model.
    unless_model: &'static [&'static str],
    hands_on: ForwardedForm,
}

/// The form in which a client forwards answers to its model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ForwardedForm {
    /// The text alone.
    Text,
    /// The JSON of the whole result, `_meta` included, and pictures as base64.
    Result,
    /// The text; for a refusal, a JSON string of the call's arguments, `_meta` and the text.
    RefusalsWithArguments,
}

/// The table. Each figure is a little below the length at which cutting was observed.
const CLIENTS: &[Client] = &[
    // Cline CLI 3.0.65, November 2026: the JSON of the result is cut in the middle at 8,000 characters.
    Client {
        name: "@cline/core",
        most: Some(7_800),
        unless_model: &[],
        hands_on: ForwardedForm::Result,
    },
    // Codex 0.166.0, November 2026: cut in the middle at about 10,000 bytes, with a line about the time before the
    // text, for models that it does not know; with gpt-5.5, 31 kB arrived whole.
    Client {
        name: "codex-mcp-client",
        most: Some(9_500),
        unless_model: &["gpt-5.5"],
        hands_on: ForwardedForm::Text,
    },
    // Copilot CLI 1.0.102, November 2026: of an answer over about 20,000 bytes only 500 characters are shown.
    Client {
        name: "copilot-cli",
        most: Some(19_000),
        unless_model: &[],
        hands_on: ForwardedForm::Text,
    },
    // Qwen Code 0.15.10, November 2026: cut in the middle at 25,000 characters. The name ends in the server's.
    Client {
        name: "qwen-cli-mcp-client-*",
        most: Some(24_000),
        unless_model: &[],
        hands_on: ForwardedForm::RefusalsWithArguments,
    },
    // Gemini CLI 0.61.0, November 2026: 31 kB arrived whole. The name ends in the server's.
    Client {
        name: "gemini-cli-mcp-client*",
        most: None,
        unless_model: &[],
        hands_on: ForwardedForm::RefusalsWithArguments,
    },
];

/// What is known about a client: its row in the table, and the limit that the settings set.
#[derive(Clone)]
pub(crate) struct ClientProfile {
    row: Option<&'static Client>,
    most: Option<usize>,
}

impl ClientProfile {
    /// Looks up the client of this name; `meta` is the `_meta` of its request, `set` the limits of the settings.
    pub(crate) fn of(client: Option<&str>, meta: &Map<String, Value>, set: &[ClientLimit]) -> Self {
        let row = client.and_then(|client| CLIENTS.iter().find(|row| is_named(row.name, client)));
        let set = client.and_then(|client| set.iter().rev().find(|set| set.is_for(client)));
        let built_in = row.and_then(|row| {
            let model = identity::text(meta, "x-codex-turn-metadata/model");
            let whole = model.is_some_and(|model| row.unless_model.contains(&model.as_str()));
            row.most.filter(|_| !whole)
        });
        Self {
            row,
            most: set.map(|set| set.most_bytes).or(built_in),
        }
    }

    fn hands_on(&self) -> ForwardedForm {
        self.row.map_or(ForwardedForm::Text, |row| row.hands_on)
    }

    /// How much of an answer reaches the model.
    pub(crate) fn handed_on(&self, arguments: &Value) -> HandedOn {
        let handed_on = self.limits(arguments);
        match self.hands_on() {
            // A picture would reach the model as a cut piece of base64.
            ForwardedForm::Result => handed_on.without_pictures(),
            ForwardedForm::Text | ForwardedForm::RefusalsWithArguments => handed_on,
        }
    }

    fn limits(&self, arguments: &Value) -> HandedOn {
        let Some(most) = self.most else {
            return HandedOn::default();
        };
        let plain = AnswerLimit::new(most, Measure::Bytes);
        let framed = AnswerLimit::new(most.saturating_sub(FRAME), Measure::Json);
        let (answers, refusals) = match self.hands_on() {
            ForwardedForm::Text => (plain, plain),
            ForwardedForm::Result => (framed, framed),
            ForwardedForm::RefusalsWithArguments => {
                // The arguments are JSON inside a JSON string, and the text is a string inside that JSON.
                let taken = Measure::Json.length(&arguments.to_string());
                let most = framed.most.saturating_sub(taken);
                (plain, AnswerLimit::new(most, Measure::NestedJson))
            }
        };
        HandedOn::new(answers, refusals)
    }

    /// Whether the client's model reads answers in another form than the text alone. Structured content would reach it
    /// beside the text, or instead of it.
    pub(crate) fn takes_text_alone(&self) -> bool {
        self.most.is_some() || self.hands_on() != ForwardedForm::Text
    }

    /// The data of a result: all of it or, for a client whose model reads it, only what the text does not say.
    pub(crate) fn data(&self, data: Value) -> Value {
        match self.hands_on() {
            ForwardedForm::Text => data,
            ForwardedForm::Result | ForwardedForm::RefusalsWithArguments => brief(&data),
        }
    }

    /// The list of tools with the answer limit that is in force for this client.
    pub(crate) fn tools(&self, tools: &[Tool]) -> Vec<Tool> {
        let mut tools = tools.to_vec();
        for tool in &mut tools {
            if self.takes_text_alone() {
                tool.output_schema = None;
            }
            if let (Some(most), Some(meta)) = (self.most, &mut tool.meta)
                && let Some(told) = meta.0.get_mut(BUDGET)
            {
                *told = json!(told.as_u64().unwrap_or(u64::MAX).min(most as u64));
            }
        }
        tools
    }
}

/// The `_meta` key that tells clients how long answers may be.
const BUDGET: &str = "anthropic/maxResultSizeChars";

fn is_named(pattern: &str, client: &str) -> bool {
    match pattern.strip_suffix('*') {
        Some(beginning) => client.starts_with(beginning),
        None => client == pattern,
    }
}

/// Shortens data to what the text does not repeat: codes, names, revisions, operations, types and counts, as far as the
/// limit allows.
fn brief(data: &Value) -> Value {
    let mut brief = JsonObject::new();
    if let Some(error) = data.get("error") {
        let known = |key: &&str| Some(((*key).to_owned(), error.get(*key)?.clone()));
        let kept = ["code", "name"].iter().filter_map(known).collect();
        brief.insert("error".to_owned(), Value::Object(kept));
    }
    for key in ["type", "revision", "operation"] {
        let text = data.get(key).and_then(Value::as_str);
        if let Some(text) = text.filter(|text| text.len() <= LONGEST_TEXT) {
            brief.insert(key.to_owned(), text.into());
        }
    }
    let mut length = json!(brief).to_string().len();
    let entries = data.as_object().into_iter().flatten();
    for (key, value) in entries.filter(|(_, value)| is_count(value)) {
        let longer = length + key.len() + value.to_string().len() + 4;
        if longer <= MOST_DATA {
            brief.insert(key.clone(), value.clone());
            length = longer;
        }
    }
    Value::Object(brief)
}

/// Whether a value is a number, a boolean, or a small object of them.
fn is_count(value: &Value) -> bool {
    let is_plain = |value: &Value| value.is_number() || value.is_boolean();
    match value {
        Value::Object(counts) => counts.len() <= 8 && counts.values().all(is_plain),
        value => is_plain(value),
    }
}

#[cfg(test)]
mod tests;
