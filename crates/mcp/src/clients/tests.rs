//! The table of clients: which clients a row matches, the rules for the table, and which data remains.

use super::*;

fn manners(client: &str, meta: Value, set: &[ClientLimit]) -> ClientProfile {
    let Value::Object(meta) = meta else {
        panic!("an object")
    };
    ClientProfile::for_client(Some(client), &meta, set, DataExtent::ByClient)
}

fn limits(client: &str, meta: Value) -> Option<(usize, Measure)> {
    let handed_on = manners(client, meta, &[]).handed_on(&json!({}));
    handed_on.answers.map(|limit| (limit.most, limit.measure))
}

#[test]
fn each_client_is_known_by_its_name_and_its_model() {
    let none = || json!({});
    assert_eq!(limits("@cline/core", none()), Some((7_100, Measure::Json)));
    assert_eq!(
        limits("codex-mcp-client", none()),
        Some((9_500, Measure::Bytes))
    );
    for model in [
        json!({"model": "gpt-5.5"}),
        json!("{\"model\": \"gpt-5.5\"}"),
    ] {
        assert_eq!(
            limits("codex-mcp-client", json!({"x-codex-turn-metadata": model})),
            None
        );
    }
    let local = json!({"x-codex-turn-metadata": {"model": "a-local-one"}});
    assert_eq!(
        limits("codex-mcp-client", local),
        Some((9_500, Measure::Bytes))
    );
    assert_eq!(
        limits("copilot-cli", none()),
        Some((19_000, Measure::Bytes))
    );
    assert_eq!(
        limits("qwen-cli-mcp-client-lancet", none()),
        Some((24_000, Measure::Bytes))
    );
    for other in [
        "claude-code",
        "gemini-cli-mcp-client-lancet",
        "@cline/corex",
        "",
    ] {
        assert_eq!(limits(other, none()), None, "{other}");
    }
    let nameless = ClientProfile::for_client(None, &Map::new(), &[], DataExtent::ByClient);
    assert!(nameless.most.is_none());
}

#[test]
fn the_settings_hold_over_the_table_and_the_last_of_them_decides() {
    let set = |name: &str, most_bytes| ClientLimit::new(name.to_owned(), most_bytes);
    let all = [set("*", 5_000), set("@cline/*", 6_000)];
    assert_eq!(manners("@cline/core", json!({}), &all).most, Some(6_000));
    assert_eq!(manners("somebody", json!({}), &all).most, Some(5_000));
    let raised = [set("copilot-cli", 1_000_000)];
    assert_eq!(
        manners("copilot-cli", json!({}), &raised).most,
        Some(1_000_000)
    );
}

#[test]
fn what_a_refusal_repeats_of_the_call_is_taken_off() {
    let qwen = manners("qwen-cli-mcp-client-x", json!({}), &[]);
    let arguments = json!({"file_path": "/a", "content": "\"\n"});
    let refusals = qwen.handed_on(&arguments).refusals.expect("a limit");
    let repeated = json!(arguments.to_string()).to_string().len() - 2;
    assert_eq!(
        (refusals.most, refusals.measure),
        (24_000 - 700 - repeated, Measure::NestedJson)
    );
}

#[test]
fn data_that_repeats_the_text_is_left_out_unless_it_is_kept_from_the_model() {
    let data = json!({
        "file_path": "/a", "type": "update", "revision": "0123456789abcdef", "operation": "op1",
        "added": 1, "removed": 2, "patch": [{"lines": ["+x"]}], "warnings": ["hidden_text: x"], "durable": true,
        "files": [{"file_path": "/a"}], "skipped": {"ignored": 1, "hidden": 2},
        "error": {"code": 7, "name": "stale", "diff": "x", "nearest": {"text": "x"}, "suggestion": "y"},
    });
    let wanted = json!({
        "type": "update", "revision": "0123456789abcdef", "operation": "op1", "added": 1, "removed": 2,
        "durable": true, "skipped": {"ignored": 1, "hidden": 2}, "error": {"code": 7, "name": "stale"},
    });
    let told = |client: &str, meta: Value, extent: DataExtent| {
        let meta = meta.as_object().expect("an object");
        ClientProfile::for_client(Some(client), meta, &[], extent).data(data.clone())
    };
    let (nothing, full) = (|| json!({}), || json!({"lancet/data": "full"}));
    for client in [
        "@cline/core",
        "gemini-cli-mcp-client-lancet",
        "qwen-cli-mcp-client-lancet",
        "kimi-code",
    ] {
        for extent in [DataExtent::ByClient, DataExtent::Full, DataExtent::Brief] {
            assert_eq!(told(client, nothing(), extent), wanted, "{client}");
            assert_eq!(told(client, full(), extent), wanted, "{client}");
        }
    }
    for client in [
        "claude-code",
        "codex-mcp-client",
        "copilot-cli",
        "opencode",
        "kilo",
        "goose-cli",
        "inspector-cli",
        "acceptance",
    ] {
        assert_eq!(
            told(client, nothing(), DataExtent::ByClient),
            data,
            "{client}"
        );
        assert_eq!(
            told(client, nothing(), DataExtent::Brief),
            wanted,
            "{client}"
        );
        assert_eq!(told(client, full(), DataExtent::Brief), data, "{client}");
    }
    for client in ["somebody", "", "claude-code-x"] {
        assert_eq!(
            told(client, nothing(), DataExtent::ByClient),
            wanted,
            "{client}"
        );
        assert_eq!(told(client, nothing(), DataExtent::Full), data, "{client}");
        assert_eq!(told(client, full(), DataExtent::ByClient), data, "{client}");
        let brief = json!({"lancet/data": "brief"});
        assert_eq!(told(client, brief, DataExtent::Full), wanted, "{client}");
        let other = json!({"lancet/data": "everything"});
        assert_eq!(
            told(client, other, DataExtent::ByClient),
            wanted,
            "{client}"
        );
    }
}

#[test]
fn data_that_is_left_fits_its_frame_whatever_it_was() {
    let mut data = JsonObject::new();
    for number in 0..200 {
        data.insert(format!("a_rather_long_key_{number}"), json!(f64::MAX));
    }
    data.insert("type".into(), json!("x".repeat(1_000)));
    assert!(brief(&Value::Object(data)).to_string().len() < FRAME - 100);
}
