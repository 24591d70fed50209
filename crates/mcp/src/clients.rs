//! What clients do with an answer before their model reads it, and the form that an answer takes for that. Agents cut
//! long answers, most of them in the middle. The model does not see a line that was cut, so an answer must be short
//! enough to be forwarded whole. Some clients forward `_meta` to their model, where its data would only repeat the
//! text. So the data is complete only for clients that are known to keep it from the model, and for programs that
//! request it.

mod table;

use lancet::call::{AnswerLimit, HandedOn, Measure};
use lancet::settings::ClientLimit;
use lancet_serving::identity;
use rmcp::model::{JsonObject, Tool};
use serde_json::{Map, Value, json};

use crate::options::DataExtent;
use table::{CLIENTS, Client, ForwardedForm};

/// The length of a result without its text where the client forwards the JSON of the result: the JSON syntax and the
/// shortened data.
const FRAME: usize = 700;
/// The most bytes of that data.
const MOST_DATA: usize = 500;
/// The longest string in that data, in bytes.
const LONGEST_TEXT: usize = 64;

/// The key of a request's `_meta` that says how much data the client wants: `"full"` or `"brief"`.
const DATA: &str = "lancet/data";

/// The profile of a client: its row in the table, the limit from the settings, and how much data it gets.
#[derive(Clone)]
pub(crate) struct ClientProfile {
    row: Option<&'static Client>,
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
        let set = client.and_then(|client| set.iter().rev().find(|set| set.is_for(client)));
        let built_in = row.and_then(|row| {
            let model = identity::text(meta, "x-codex-turn-metadata/model");
            let whole = model.is_some_and(|model| row.unless_model.contains(&model.as_str()));
            row.most.filter(|_| !whole)
        });
        let asked = match meta.get(DATA).and_then(Value::as_str) {
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

    fn hands_on(&self) -> ForwardedForm {
        self.row.map_or(ForwardedForm::Unknown, |row| row.hands_on)
    }

    /// Returns how much of an answer reaches the model.
    pub(crate) fn handed_on(&self, arguments: &Value) -> HandedOn {
        let handed_on = self.limits(arguments);
        match self.hands_on() {
            // A picture would reach the model as a cut piece of base64.
            ForwardedForm::Result => handed_on.without_pictures(),
            _ => handed_on,
        }
    }

    fn limits(&self, arguments: &Value) -> HandedOn {
        let Some(most) = self.most else {
            return HandedOn::default();
        };
        let plain = AnswerLimit::new(most, Measure::Bytes);
        let framed = AnswerLimit::new(most.saturating_sub(FRAME), Measure::Json);
        let (answers, refusals) = match self.hands_on() {
            ForwardedForm::Unknown | ForwardedForm::Text => (plain, plain),
            ForwardedForm::TextAndData => {
                let beside = AnswerLimit::new(most.saturating_sub(FRAME), Measure::Bytes);
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
        HandedOn::new(answers, refusals)
    }

    /// Reports whether structured content would reach the client's model in addition to the text, or instead of it.
    pub(crate) fn takes_text_alone(&self) -> bool {
        let is_read = !matches!(
            self.hands_on(),
            ForwardedForm::Unknown | ForwardedForm::Text
        );
        self.most.is_some() || is_read
    }

    /// Returns the data of a result: all of it, or only what the text does not say.
    pub(crate) fn data(&self, data: Value) -> Value {
        match (self.hands_on(), self.extent) {
            (ForwardedForm::Text, DataExtent::ByClient | DataExtent::Full)
            | (ForwardedForm::Unknown, DataExtent::Full) => data,
            // A client that forwards the data may cut the answer for its length, even if all of the data was requested.
            _ => brief(&data),
        }
    }

    /// Returns the list of tools with the answer limit that applies to this client.
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

/// The `_meta` key by which clients learn how long answers may be.
const BUDGET: &str = "anthropic/maxResultSizeChars";

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
    for (key, value) in entries.filter(|(key, value)| is_count(value) && *key != "durationMs") {
        let longer = length + key.len() + value.to_string().len() + 4;
        if longer <= MOST_DATA {
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
