//! Symbols and files are renamed as real language servers plan it, through the real program and its launcher.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::agent::Agent;
use crate::diagnostics::{project, stage_with, trust};

/// How long a server may take to know a project of two files.
const PATIENCE: Duration = Duration::from_secs(60);

const TOOLS: [&str; 2] = ["--tools", "default,Rename,MoveFile,Undo"];

/// Calls a tool again and again while the server is not ready.
fn patiently(agent: &mut Agent, tool: &str, arguments: &Value) -> (String, String) {
    let until = Instant::now() + PATIENCE;
    loop {
        let (error, text) = agent.call(tool, arguments.clone());
        if !(error == "busy" || error == "timeout") || Instant::now() > until {
            return (error, text);
        }
    }
}

#[test]
fn ty_renames_a_function_in_a_file_that_nobody_has_read() {
    let Some(stage) = stage_with("ty") else {
        return;
    };
    let (prices, cart) = project(&stage);
    let before = [&prices, &cart].map(|file| std::fs::read(file).expect("read"));
    trust(&stage);
    let mut agent = Agent::new(&stage, &TOOLS);
    assert_eq!(agent.read(&prices), "");
    let asked = json!({ "file_path": prices, "line": 1, "symbol": "price", "new_name": "cost" });
    let (error, text) = patiently(&mut agent, "Rename", &asked);
    assert_eq!(error, "", "{text}");
    assert!(
        text.starts_with("`price` to `cost`, planned by ty: 3 places in 2 files."),
        "{text}"
    );
    assert!(text.contains("1→def cost(count: int)"), "{text}");
    assert!(text.contains("changed: lines 1, 3"), "{text}");
    assert!(
        !text.contains("print(cost(2))"),
        "lines of another file are shown: {text}"
    );
    let now = std::fs::read_to_string(&cart).expect("read");
    assert_eq!(now, "from prices import cost\n\nprint(cost(2))\n");

    let to = stage.project().join("costs.py");
    let asked = json!({ "from_path": prices, "to_path": to });
    let (error, text) = agent.call("MoveFile", asked);
    assert_eq!(error, "", "{text}");
    assert!(text.contains("cart.py: 1 replacement"), "{text}");
    let now = std::fs::read_to_string(&cart).expect("read");
    assert_eq!(now, "from costs import cost\n\nprint(cost(2))\n");

    for _ in 0..2 {
        let (error, text) = agent.call("Undo", json!({}));
        assert_eq!(error, "", "{text}");
    }
    let after = [&prices, &cart].map(|file| std::fs::read(file).expect("read"));
    assert_eq!(after, before);
}

#[test]
fn typescript_moves_a_file_with_the_imports_of_both_sides() {
    let Some(stage) = stage_with("tsc") else {
        return;
    };
    stage.file("tsconfig.json", "{\"compilerOptions\": {\"noEmit\": true}}");
    let prices = stage.file(
        "prices.ts",
        "export function price(count: number) {\n  return count * 2;\n}\n",
    );
    let text = "import { price } from \"./prices\";\r\nprice(2);\r\n";
    let cart = stage.file("cart.ts", text);
    trust(&stage);
    let mut agent = Agent::new(&stage, &TOOLS);
    assert_eq!(agent.read(&prices), "");
    // The server runs, and knows the project, once it has planned something.
    let asked = json!({
        "file_path": prices, "line": 1, "symbol": "price", "new_name": "cost", "dry_run": true,
    });
    let (error, told) = patiently(&mut agent, "Rename", &asked);
    assert_eq!(error, "", "{told}");
    let to = stage.project().join("lib/costs.ts");
    let (error, told) = agent.call("MoveFile", json!({ "from_path": prices, "to_path": to }));
    assert_eq!(error, "", "{told}");
    assert!(told.contains("typescript planned"), "{told}");
    let now = std::fs::read_to_string(&cart).expect("read");
    assert_eq!(now, text.replace("./prices", "./lib/costs"));
    let to = stage.project().join("shop/cart.ts");
    let (error, told) = agent.call("MoveFile", json!({ "from_path": cart, "to_path": to }));
    assert_eq!(error, "", "{told}");
    assert!(told.contains("own imports"), "{told}");
    let now = std::fs::read_to_string(&to).expect("read");
    assert_eq!(now, text.replace("./prices", "../lib/costs"));
    for _ in 0..2 {
        let (error, told) = agent.call("Undo", json!({}));
        assert_eq!(error, "", "{told}");
    }
    assert_eq!(std::fs::read_to_string(&cart).expect("read"), text);
    assert!(prices.exists());
}

#[test]
fn without_trust_nothing_is_renamed() {
    let Some(stage) = stage_with("ty") else {
        return;
    };
    let (prices, _) = project(&stage);
    let mut agent = Agent::new(&stage, &TOOLS);
    assert_eq!(agent.read(&prices), "");
    let asked = json!({ "file_path": prices, "line": 1, "symbol": "price", "new_name": "cost" });
    let (error, text) = agent.call("Rename", asked);
    assert_eq!(error, "invalid", "{text}");
    assert!(text.contains("lancet trust"), "{text}");
}
