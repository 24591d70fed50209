//! The table of clients: which clients a row matches, the rules for the table, and which data remains.

use super::*;

fn profile_for(client: &str, meta: Value, set: &[ClientLimit]) -> ClientProfile {
    let Value::Object(meta) = meta else {
        panic!("an object")
    };
    ClientProfile::for_client(Some(client), &meta, set, DataExtent::ByClient)
}

fn limits_for(client: &str, meta: Value) -> Option<(usize, Measure)> {
    let handed_on = profile_for(client, meta, &[]).forwarded_answer(&json!({}));
    handed_on.answers.map(|limit| (limit.most, limit.measure))
}

#[test]
fn limits_depend_on_client_name_and_model() {
    let none = || json!({});
    assert_eq!(
        limits_for("@cline/core", none()),
        Some((7_100, Measure::Json))
    );
    assert_eq!(
        limits_for("codex-mcp-client", none()),
        Some((9_500, Measure::Bytes))
    );
    for model in [
        json!({"model": "gpt-5.5"}),
        json!("{\"model\": \"gpt-5.5\"}"),
    ] {
        assert_eq!(
            limits_for("codex-mcp-client", json!({"x-codex-turn-metadata": model})),
            None
        );
    }
    let local = json!({"x-codex-turn-metadata": {"model": "a-local-one"}});
    assert_eq!(
        limits_for("codex-mcp-client", local),
        Some((9_500, Measure::Bytes))
    );
    assert_eq!(
        limits_for("copilot-cli", none()),
        Some((19_000, Measure::Bytes))
    );
    assert_eq!(
        limits_for("qwen-cli-mcp-client-lancet", none()),
        Some((24_000, Measure::Bytes))
    );
    for other in [
        "claude-code",
        "gemini-cli-mcp-client-lancet",
        "@cline/corex",
        "",
    ] {
        assert_eq!(limits_for(other, none()), None, "{other}");
    }
    let nameless = ClientProfile::for_client(None, &Map::new(), &[], DataExtent::ByClient);
    assert!(nameless.most.is_none());
}

#[test]
fn last_matching_setting_overrides_the_table() {
    let set = |name: &str, most_bytes| ClientLimit::new(name.to_owned(), most_bytes);
    let all = [set("*", 5_000), set("@cline/*", 6_000)];
    assert_eq!(
        profile_for("@cline/core", json!({}), &all).most,
        Some(6_000)
    );
    assert_eq!(profile_for("somebody", json!({}), &all).most, Some(5_000));
    let raised = [set("copilot-cli", 1_000_000)];
    assert_eq!(
        profile_for("copilot-cli", json!({}), &raised).most,
        Some(1_000_000)
    );
}

#[test]
fn refusal_limit_excludes_repeated_arguments() {
    let qwen = profile_for("qwen-cli-mcp-client-x", json!({}), &[]);
    let arguments = json!({"file_path": "/a", "content": "\"\n"});
    let refusals = qwen.forwarded_answer(&arguments).refusals.expect("a limit");
    let repeated = json!(arguments.to_string()).to_string().len() - 2;
    assert_eq!(
        (refusals.most, refusals.measure),
        (24_000 - 700 - repeated, Measure::NestedJson)
    );
}

#[test]
fn brief_data_omits_what_the_text_repeats() {
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
        ClientProfile::for_client(Some(client), meta, &[], extent).filter_data(data.clone())
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
fn brief_data_has_bounded_size() {
    let mut data = JsonObject::new();
    for number in 0..200 {
        data.insert(format!("a_rather_long_key_{number}"), json!(f64::MAX));
    }
    data.insert("type".into(), json!("x".repeat(1_000)));
    assert!(shorten_data(&Value::Object(data)).to_string().len() < FRAME_BYTES - 100);
}
