//! The table of observed clients: how much of an answer each forwards to its model, and in which form. The comment of a
//! row names the version in which that was observed.

/// How a client forwards an answer.
pub(super) struct ClientRow {
    /// The name that the client gives itself; a name that ends in `*` covers all names with that prefix.
    pub(super) name: &'static str,
    /// The most bytes of an answer that reach the client's model.
    pub(super) most: Option<usize>,
    /// Models for which the client cuts nothing, where its requests name the model.
    pub(super) unless_model: &'static [&'static str],
    pub(super) hands_on: ForwardedForm,
}

/// The form in which a client forwards answers to its model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ForwardedForm {
    /// Not observed: `_meta` may reach the model.
    Unknown,
    /// The text alone.
    Text,
    /// The text, with the JSON of `_meta` after it.
    TextAndData,
    /// The JSON of the whole result, `_meta` included, and pictures as base64.
    Result,
    /// The text; for a refusal, a JSON string of the call's arguments, `_meta` and the text.
    RefusalsWithArguments,
}

impl ClientRow {
    /// Makes the row of a client that forwards all of the text and nothing else.
    const fn with_text_only(name: &'static str) -> Self {
        Self {
            name,
            most: None,
            unless_model: &[],
            hands_on: ForwardedForm::Text,
        }
    }

    /// Reports whether this row is for a client of this name.
    pub(super) fn is_named(&self, client: &str) -> bool {
        match self.name.strip_suffix('*') {
            Some(beginning) => client.starts_with(beginning),
            None => client == self.name,
        }
    }
}

/// The table. Each figure is a little below the length at which cutting was observed.
pub(super) const CLIENTS: &[ClientRow] = &[
    // Claude Code 2.1.197, November 2026.
    ClientRow::with_text_only("claude-code"),
    // Codex 0.166.0, November 2026: cut in the middle at about 10,000 bytes, with a line about the time before the
    // text, for models that it does not know; with gpt-5.5, 31 kB arrived whole.
    ClientRow {
        name: "codex-mcp-client",
        most: Some(9_500),
        unless_model: &["gpt-5.5"],
        hands_on: ForwardedForm::Text,
    },
    // opencode 1.18.33, November 2026.
    ClientRow::with_text_only("opencode"),
    // Kilo 7.8.1, November 2026; made from opencode.
    ClientRow::with_text_only("kilo"),
    // goose 1.52.0, November 2026.
    ClientRow::with_text_only("goose-cli"),
    // Copilot CLI 1.0.102, November 2026: of an answer over about 20,000 bytes only 500 characters are shown.
    ClientRow {
        name: "copilot-cli",
        most: Some(19_000),
        unless_model: &[],
        hands_on: ForwardedForm::Text,
    },
    // Cline CLI 3.0.65, November 2026: the JSON of the result is cut in the middle at 8,000 characters.
    ClientRow {
        name: "@cline/core",
        most: Some(7_800),
        unless_model: &[],
        hands_on: ForwardedForm::Result,
    },
    // Qwen Code 0.15.10, November 2026: cut in the middle at 25,000 characters. The name ends in the server's.
    ClientRow {
        name: "qwen-cli-mcp-client-*",
        most: Some(24_000),
        unless_model: &[],
        hands_on: ForwardedForm::RefusalsWithArguments,
    },
    // Gemini CLI 0.61.0, November 2026: 31 kB arrived whole. The name ends in the server's.
    ClientRow {
        name: "gemini-cli-mcp-client*",
        most: None,
        unless_model: &[],
        hands_on: ForwardedForm::RefusalsWithArguments,
    },
    // Kimi Code 2.1.0, November 2026: `_meta` follows the text in `<mcp-result-extras>`.
    ClientRow {
        name: "kimi-code",
        most: None,
        unless_model: &[],
        hands_on: ForwardedForm::TextAndData,
    },
    // The MCP Inspector 1.0.3, its command line and its page: there is no model, and a person reads the whole result.
    ClientRow::with_text_only("inspector*"),
    ClientRow::with_text_only("mcp-inspector*"),
    // Programs: the clients for builders in lancet's own wheel and npm package, and lancet's acceptance runner.
    ClientRow::with_text_only("lancet-mcp"),
    ClientRow::with_text_only("acceptance"),
];
