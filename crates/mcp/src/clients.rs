//! What clients do with an answer before their model reads it, and the form that an answer takes for that. Agents cut
//! long answers, most of them in the middle. The model does not see a line that was cut, so an answer must be short
//! enough to be forwarded whole. Some clients forward `_meta` to their model, where its data would only repeat the
//! text. So the data is complete only for clients that are known to keep it from the model, and for programs that
//! request it.

mod table;

use lancet::call::{AnswerLimit, Measure, PassedOnLimits};
use lancet::settings::ClientLimit;
use lancet_serving::identity;
use rmcp::model::{JsonObject, Tool};
use serde_json::{Map, Value, json};

use crate::options::DataExtent;
use table::{CLIENTS, ClientRow, ForwardedForm};

/// The length of a result without its text where the client forwards the JSON of the result: the JSON syntax and the
/// shortened data.
const FRAME_BYTES: usize = 700;
/// The most bytes of that data.
const MAX_DATA_BYTES: usize = 500;
/// The longest string in that data, in bytes.
const LONGEST_TEXT: usize = 64;

/// The key of a request's `_meta` that says how much data the client wants: `"full"` or `"brief"`.
const DATA_KEY: &str = "lancet/data";

/// The profile of a client: its row in the table, the limit from the settings, and how much data it gets.
#[derive(Clone)]
pub(crate) struct ClientProfile {
    row: Option<&'static ClientRow>,
    most: Option<usize>,
    extent: DataExtent,
}

impl ClientProfile {
    /// Looks up the client of this name. `meta` is the `_meta` of its request, `set` contains the limits from the
    /// settings, and `extent` is the data extent from the server's options.
    pub(crate) fn for_client(
        client: Option<&str>,
        meta: &Map<String, Value>,
        set: &[ClientLimit],
        extent: DataExtent,
    ) -> Self {
        let row = client.and_then(|client| CLIENTS.iter().find(|row| row.is_named(client)));
        let set =
            client.and_then(|client| set.iter().rev().find(|set| set.applies_to_client(client)));
        let built_in = row.and_then(|row| {
            let model = identity::meta_string(meta, "x-codex-turn-metadata/model");
            let whole = model.is_some_and(|model| row.unless_model.contains(&model.as_str()));
            row.most.filter(|_| !whole)
        });
        let asked = match meta.get(DATA_KEY).and_then(Value::as_str) {
            Some("full") => Some(DataExtent::Full),
            Some("brief") => Some(DataExtent::Brief),
            _ => None,
        };
        Self {
            row,
            most: set.map(|set| set.most_bytes).or(built_in),
            extent: asked.unwrap_or(extent),
        }
    }

    fn forwarded_form(&self) -> ForwardedForm {
        self.row.map_or(ForwardedForm::Unknown, |row| row.hands_on)
    }

    /// Returns how much of an answer reaches the model.
    pub(crate) fn forwarded_answer(&self, arguments: &Value) -> PassedOnLimits {
        let handed_on = self.forwarding_limits(arguments);
        match self.forwarded_form() {
            // A picture would reach the model as a cut piece of base64.
            ForwardedForm::Result => handed_on.without_pictures(),
            _ => handed_on,
        }
    }

    fn forwarding_limits(&self, arguments: &Value) -> PassedOnLimits {
        let Some(most) = self.most else {
            return PassedOnLimits::default();
        };
        let plain = AnswerLimit::new(most, Measure::Bytes);
        let framed = AnswerLimit::new(most.saturating_sub(FRAME_BYTES), Measure::Json);
        let (answers, refusals) = match self.forwarded_form() {
            ForwardedForm::Unknown | ForwardedForm::Text => (plain, plain),
            ForwardedForm::TextAndData => {
                let beside = AnswerLimit::new(most.saturating_sub(FRAME_BYTES), Measure::Bytes);
                (beside, beside)
            }
            ForwardedForm::Result => (framed, framed),
            ForwardedForm::RefusalsWithArguments => {
                // The arguments are JSON inside a JSON string, and the text is a string inside that JSON.
                let taken = Measure::Json.length(&arguments.to_string());
                let most = framed.most.saturating_sub(taken);
                (plain, AnswerLimit::new(most, Measure::NestedJson))
            }
        };
        PassedOnLimits::new(answers, refusals)
    }

    /// Reports whether structured content would reach the client's model in addition to the text, or instead of it.
    pub(crate) fn accepts_only_text(&self) -> bool {
        let is_read = !matches!(
            self.forwarded_form(),
            ForwardedForm::Unknown | ForwardedForm::Text
        );
        self.most.is_some() || is_read
    }

    /// Returns the data of a result: all of it, or only what the text does not say.
    pub(crate) fn filter_data(&self, data: Value) -> Value {
        match (self.forwarded_form(), self.extent) {
            (ForwardedForm::Text, DataExtent::ByClient | DataExtent::Full)
            | (ForwardedForm::Unknown, DataExtent::Full) => data,
            // A client that forwards the data may cut the answer for its length, even if all of the data was requested.
            _ => shorten_data(&data),
        }
    }

    /// Returns the list of tools with the answer limit that applies to this client.
    pub(crate) fn tools_with_limits(&self, tools: &[Tool]) -> Vec<Tool> {
        let mut tools = tools.to_vec();
        for tool in &mut tools {
            if self.accepts_only_text() {
                tool.output_schema = None;
            }
            if let (Some(most), Some(meta)) = (self.most, &mut tool.meta)
                && let Some(told) = meta.0.get_mut(BUDGET_KEY)
            {
                *told = json!(told.as_u64().unwrap_or(u64::MAX).min(most as u64));
            }
        }
        tools
    }
}

/// The `_meta` key by which clients learn how long answers may be.
const BUDGET_KEY: &str = "anthropic/maxResultSizeChars";

/// Shortens data to what the text does not repeat: codes, names, revisions, operations, types and counts, as far as the
/// limit allows.
fn shorten_data(data: &Value) -> Value {
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
    for (key, value) in entries.filter(|(key, value)| is_count(value) && *key != "durationMs") {
        let longer = length + key.len() + value.to_string().len() + 4;
        if longer <= MAX_DATA_BYTES {
            brief.insert(key.clone(), value.clone());
            length = longer;
        }
    }
    Value::Object(brief)
}

/// Reports whether a value is a number, a boolean, or a small object of them.
fn is_count(value: &Value) -> bool {
    let is_plain = |value: &Value| value.is_number() || value.is_boolean();
    match value {
        Value::Object(counts) => counts.len() <= 8 && counts.values().all(is_plain),
        value => is_plain(value),
    }
}

#[cfg(test)]
mod tests;
