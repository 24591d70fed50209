//! Clients that cut long answers: what their models never saw cannot be edited.

use lancet::Settings;
use lancet::settings::{Layer, Origin};
use lancet_testing::{TestFolder, laws};
use proptest::prelude::*;
use proptest::test_runner::Config;
use serde_json::{Value, json};

use crate::connection::{
    Connection, MODERN, connect, connect_exactly, connect_with, data, refusal, text,
};
use crate::cut::{AGENTS, Agent};

/// Numbers determined by a seed.
struct Chance(u64);

impl Chance {
    fn below(&mut self, most: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % most.max(1)
    }
}

/// Returns lines that are all different, some of them long, and many of them longer in one measure than in another.
fn lines(chance: &mut Chance, tag: &str) -> Vec<String> {
    let pieces = [
        "word ",
        "\"quoted\" ",
        "\\\\",
        "日本語の",
        "\t\t",
        "\u{1}\u{2}",
        "ä",
        "🏴",
        "  ",
    ];
    let count = 1 + chance.below(700);
    let typical = 1 + chance.below(30);
    (0..count)
        .map(|number| {
            let mut line = format!("{tag}{number}.");
            let length = if chance.below(60) == 0 {
                900
            } else {
                chance.below(typical)
            };
            for _ in 0..length {
                line.push_str(pieces[chance.below(pieces.len())]);
            }
            line
        })
        .collect()
}

/// A conversation with one agent about one file, and what its model has read.
struct Model {
    connection: Connection,
    agent: Agent,
    path: std::path::PathBuf,
    read: Vec<(String, bool)>,
}

impl Model {
    async fn call(&mut self, tool: &str, arguments: Value) -> Value {
        let result = self.connection.call(tool, arguments.clone()).await;
        let handed_on = self.agent.hands_on(&arguments, &result);
        self.read.push((handed_on, result["isError"] == true));
        result
    }

    /// Reports whether the model has read a whole line, under one of these marks.
    fn has_read(&self, line: &str, marks: &[String]) -> bool {
        self.read.iter().any(|(answer, refused)| {
            marks
                .iter()
                .any(|mark| self.agent.shows(answer, *refused, &format!("{mark}{line}")))
        })
    }

    /// Returns the refusal of a dry-run edit of a line; empty if the edit would land.
    async fn try_edit(&mut self, line: &str) -> String {
        let arguments = json!({
            "file_path": self.path, "old_string": line, "new_string": "x", "dry_run": true, "insist": true,
        });
        let result = self.connection.call("Edit", arguments).await;
        if result["isError"] == true {
            refusal(&result).to_owned()
        } else {
            String::new()
        }
    }
}

/// Returns lines worth trying: the borders of the file and of pages, and some more.
fn probes(chance: &mut Chance, count: usize, first: usize, shown: usize) -> Vec<usize> {
    let mut probes = vec![
        0,
        count - 1,
        first,
        first + shown,
        (first + shown).saturating_sub(1),
    ];
    probes.extend((0..8).map(|_| chance.below(count)));
    probes.retain(|line| *line < count);
    probes.sort_unstable();
    probes.dedup();
    probes
}

async fn what_was_cut_cannot_be_edited(agent: Agent, seed: u64) {
    let mut chance = Chance(seed);
    let before = lines(&mut chance, "L");
    let mut connection = connect();
    connection.shake_hands_as(agent.name(), json!({})).await;
    let path = connection.write("a.txt", &(before.join("\n") + "\n"));
    let mut model = Model {
        connection,
        agent,
        path,
        read: Vec::new(),
    };
    let first = chance.below(before.len());
    let look = match chance.below(4) {
        0 => json!({"file_path": model.path}),
        1 => json!({"file_path": model.path, "offset": first + 1}),
        2 => json!({"file_path": model.path, "offset": first + 1, "limit": 1 + chance.below(400)}),
        _ => {
            json!({"pattern": "^L[0-9]*[1-7][.]", "path": model.path, "output_mode": "content", "-C": chance.below(4), "head_limit": 0})
        }
    };
    let tool = if look.get("pattern").is_some() {
        "Grep"
    } else {
        "Read"
    };
    let shown = model.call(tool, look).await;
    let shown = data(&shown)["numLines"].as_u64().unwrap_or(0) as usize;
    let numbered = |line: usize| {
        let marks = ["→", ":", "-"];
        marks.map(|mark| format!("{}{mark}", line + 1))
    };
    for line in probes(&mut chance, before.len(), first, shown) {
        let answer = model.try_edit(&before[line]).await;
        let read = model.has_read(&before[line], &numbered(line));
        assert_eq!(
            answer.is_empty(),
            read,
            "{agent:?}, seed {seed}: line {} was answered {answer:?}",
            line + 1
        );
        assert!(
            read || answer == "not_read",
            "{agent:?}, seed {seed}: {answer}"
        );
    }

    // Another process changes the file. The change counts as seen if the diff reached the model whole.
    let mut after = before.clone();
    let changed: Vec<usize> = {
        let count = 1 + chance.below(120);
        (0..count).map(|_| chance.below(before.len())).collect()
    };
    for line in &changed {
        after[*line] = format!("{} changed", before[*line]);
    }
    std::fs::write(&model.path, after.join("\n") + "\n").expect("written");
    let whole = json!({
        "file_path": model.path, "old_string": after[changed[0]], "new_string": "y", "dry_run": true, "insist": true,
    });
    let told = model.call("Edit", whole).await;
    if told["isError"] != true {
        return;
    }
    for line in probes(&mut chance, before.len(), changed[0], 1) {
        let answer = model.try_edit(&after[line]).await;
        let marks: Vec<String> = numbered(line)
            .into_iter()
            .chain(["+".to_owned(), " ".to_owned()])
            .collect();
        let read = model.has_read(&after[line], &marks);
        assert!(
            read || !answer.is_empty(),
            "{agent:?}, seed {seed}: line {} of the changed file was taken for seen",
            line + 1
        );
    }
}

fn cases() -> Config {
    // Each case is a whole conversation with a server, of some fifty calls.
    laws::config_of(laws::requested_cases().map_or(48, |cases| (cases / 25).max(1)))
}

proptest! {
    #![proptest_config(cases())]

    #[test]
    fn lines_that_a_client_cuts_cannot_be_edited(agent in 0..AGENTS.len(), seed in any::<u64>()) {
        let reactor = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        reactor.block_on(what_was_cut_cannot_be_edited(AGENTS[agent], seed));
    }
}

/// Returns the lines of a file that is longer than any client forwards.
fn long_file() -> String {
    (1..=900)
        .map(|number| format!("line {number} of the file, filled up with words\n"))
        .collect()
}

#[tokio::test]
async fn a_page_ends_where_the_client_would_cut_with_the_call_for_the_next() {
    for agent in AGENTS {
        let mut connection = connect();
        connection.shake_hands_as(agent.name(), json!({})).await;
        let path = connection.write("a.txt", &long_file());
        let result = connection.call("Read", json!({"file_path": path})).await;
        let shown = data(&result)["numLines"].as_u64().expect("a number");
        assert!(
            shown < 900 && text(&result).contains(&format!("\"offset\": {}", shown + 1)),
            "{agent:?}"
        );
        assert_eq!(
            agent.hands_on(&json!({}), &result).matches("cut …").count(),
            0,
            "{agent:?}"
        );
        let late =
            json!({"file_path": path, "old_string": "line 899 of the file", "new_string": "x"});
        assert_eq!(
            refusal(&connection.call("Edit", late).await),
            "not_read",
            "{agent:?}"
        );
    }
}

#[tokio::test]
async fn the_name_of_the_request_itself_and_the_model_count() {
    let mut connection = connect();
    let path = connection.write("a.txt", &long_file());
    let meta = |name: &str, turn: Value| {
        json!({
            "io.modelcontextprotocol/protocolVersion": MODERN,
            "io.modelcontextprotocol/clientCapabilities": {},
            "io.modelcontextprotocol/clientInfo": {"name": name, "version": "2"},
            "x-codex-turn-metadata": turn,
        })
    };
    let mut lengths = Vec::new();
    for (name, turn) in [
        ("codex-mcp-client", json!({})),
        ("codex-mcp-client", json!({"model": "gpt-5.5"})),
        ("copilot-cli", json!({})),
        ("somebody", json!({})),
    ] {
        let arguments = json!({"file_path": path, "force": true});
        let result = connection
            .call_with("Read", arguments, meta(name, turn))
            .await;
        lengths.push(text(&result).len());
    }
    assert!(lengths[0] > 8_000 && lengths[0] <= 9_500, "{lengths:?}");
    assert!(lengths[2] > 17_000 && lengths[2] <= 19_000, "{lengths:?}");
    assert!(
        lengths[1] > 25_000 && lengths[1] == lengths[3],
        "{lengths:?}"
    );
}

#[tokio::test]
async fn the_settings_hold_over_the_table() {
    let layer = Layer {
        origin: Origin::User,
        path: "lancet.toml".into(),
        text: "[read.clients]\n\"copilot-cli\" = 5000\n\"some*\" = 3000\n".into(),
    };
    let settings = Settings::load(&[layer]).expect("settings");
    for (name, most) in [("copilot-cli", 5_000), ("somebody", 3_000)] {
        let set = settings.clone();
        let mut connection = connect_with(
            |builder| builder.settings(set),
            lancet_mcp::Options::default(),
        );
        connection.shake_hands_as(name, json!({})).await;
        let path = connection.write("a.txt", &long_file());
        let result = connection.call("Read", json!({"file_path": path})).await;
        let length = text(&result).len();
        assert!(length <= most && length > most / 3, "{name}: {length}");
        let tools = connection.request("tools/list", json!({})).await;
        let told = &tools["result"]["tools"][0]["_meta"]["anthropic/maxResultSizeChars"];
        assert_eq!(*told, most);
    }
}

#[tokio::test]
async fn data_that_the_model_reads_does_not_repeat_the_text() {
    for (name, whole) in [
        ("@cline/core", false),
        ("gemini-cli-mcp-client-lancet", false),
        ("claude-code", true),
    ] {
        let options = lancet_mcp::Options {
            answers: lancet_mcp::AnswerFormat::Structured,
            ..Default::default()
        };
        let mut connection = connect_with(|builder| builder, options);
        connection.shake_hands_as(name, json!({})).await;
        let path = connection.write("a.txt", "one\ntwo\n");
        connection.read(&path).await;
        let edit = json!({"file_path": path, "old_string": "two", "new_string": "zwei"});
        let result = connection.call("Edit", edit.clone()).await;
        assert_eq!(data(&result).get("patch").is_some(), whole, "{result}");
        assert_eq!(result.get("structuredContent").is_some(), whole, "{result}");
        assert!(data(&result)["revision"].is_string() && data(&result)["added"] == 1);
        let tools = connection.request("tools/list", json!({})).await;
        assert_eq!(
            tools["result"]["tools"][1].get("outputSchema").is_some(),
            whole
        );
        let result = connection.call("Edit", edit).await;
        assert_eq!(refusal(&result), "not_found");
        assert_eq!(
            data(&result)["error"].as_object().expect("an object").len() > 2,
            whole,
            "{result}"
        );
    }
}

/// Starts a server with the default options, and a client of this name.
async fn as_shipped(name: &str, options: lancet_mcp::Options) -> Connection {
    let folder = TestFolder::new();
    folder.make("root");
    let mut connection = connect_exactly(folder, |builder| builder, options);
    connection.shake_hands_as(name, json!({})).await;
    connection
}

/// Reports whether a client gets all of the data with an Edit that lands and with one that does not.
async fn gets_all(connection: &mut Connection, meta: Value) -> bool {
    let path = connection.write("a.txt", "one\ntwo\n");
    connection.read(&path).await;
    let edit = json!({"file_path": path, "old_string": "two", "new_string": "zwei"});
    let landed = connection
        .call_with("Edit", edit.clone(), meta.clone())
        .await;
    let refused = connection.call_with("Edit", edit, meta).await;
    assert_eq!(refusal(&refused), "not_found");
    assert_eq!(data(&refused)["error"]["code"], 8, "{refused}");
    let told = data(&landed);
    assert!(told["revision"].is_string() && told["operation"].is_string() && told["added"] == 1);
    let is_whole = told.get("patch").is_some();
    let nearest = data(&refused)["error"].get("nearest").is_some();
    assert_eq!(nearest, is_whole, "{refused}");
    if !is_whole {
        assert!(told.to_string().len() < 250, "{told}");
        let error = data(&refused)["error"].as_object().expect("an object");
        assert_eq!(error.len(), 2, "{refused}");
    }
    is_whole
}

#[tokio::test]
async fn only_clients_that_keep_data_from_their_model_get_all_of_it() {
    for (name, is_whole) in [
        ("somebody", false),
        ("kimi-code", false),
        ("@cline/core", false),
        ("claude-code", true),
        ("codex-mcp-client", true),
        ("opencode", true),
        ("kilo", true),
        ("goose-cli", true),
        ("copilot-cli", true),
        ("inspector-cli", true),
    ] {
        let mut connection = as_shipped(name, lancet_mcp::Options::default()).await;
        assert_eq!(
            gets_all(&mut connection, json!({})).await,
            is_whole,
            "{name}"
        );
    }
}

#[tokio::test]
async fn a_program_asks_for_all_data_by_the_call_or_by_the_command_line() {
    let asked = json!({"lancet/data": "full"});
    let by_call = as_shipped("somebody", lancet_mcp::Options::default()).await;
    let options = lancet_mcp::Options {
        data: lancet_mcp::DataExtent::Full,
        ..Default::default()
    };
    let by_option = as_shipped("somebody", options.clone()).await;
    for (mut connection, meta) in [(by_call, asked.clone()), (by_option, json!({}))] {
        assert!(gets_all(&mut connection, meta).await);
    }
    // Kimi Code's model would read it.
    let mut kimi = as_shipped("kimi-code", options).await;
    assert!(!gets_all(&mut kimi, asked).await);
}

/// A picture of 13 by 7 pixels.
const PICTURE: &[u8] = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\r\0\0\0\x07\x08\x02\0\0\0\\\x12PM\0\0\0\x11IDATx\xdac8!'G\x0cb\x18a\xea\0\xcb\x84\\m\x9am\xd0\x90\0\0\0\0IEND\xaeB`\x82";

/// Cline forwards the JSON of a result, cut at 8,000 characters: a picture would be a piece of base64.
#[tokio::test]
async fn a_client_that_hands_on_json_gets_no_picture() {
    for (client, is_shown) in [("@cline/core", false), ("copilot-cli", true)] {
        let mut connection = connect();
        connection.shake_hands_as(client, json!({})).await;
        let path = connection.path("a.png");
        std::fs::write(&path, PICTURE).expect("written");
        let result = connection.call("Read", json!({"file_path": path})).await;
        let blocks = result["content"].as_array().expect("a list");
        let has_picture = blocks.iter().any(|block| block["type"] == "image");
        assert_eq!(has_picture, is_shown, "{client}: {result}");
        let words = result["content"].to_string();
        let says_why = words.contains("does not hand pictures on");
        assert_eq!(says_why, !is_shown, "{client}: {result}");
        assert!(words.contains("13x7"), "{client}: {result}");
    }
}
