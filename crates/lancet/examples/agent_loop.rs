//! A small agent loop with a scripted model: the tool definitions go into the request, the model's tool calls come
//! back, lancet carries them out and its answers go to the model.
//! Run it with `cargo run -p lancet --example agent_loop`.

use std::sync::{Arc, Mutex};

use lancet::events::Event;
use lancet::{Check, Lancet, Mode, RawCall};
use serde_json::{Value, json};

/// The calls that a model would send, turn by turn. A real one would get `tools` and the conversation so far.
struct ScriptedModel {
    turns: Vec<(&'static str, Value)>,
}

impl ScriptedModel {
    fn next(&mut self, _conversation: &[String]) -> Option<(&'static str, Value)> {
        (!self.turns.is_empty()).then(|| self.turns.remove(0))
    }
}

#[allow(clippy::print_stdout)]
fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("price.py");
    std::fs::write(
        &path,
        "def total(items):\n    return sum(i.cost for i in items)  \n",
    )?;

    let touched = Arc::new(Mutex::new(Vec::new()));
    let seen = Arc::clone(&touched);
    let lancet = Lancet::builder()
        .root(folder.path())
        .mode(Mode::AcceptEdits)
        .observer(move |event: &Event| {
            if let Event::Changed { path, lines, .. } = event
                && let Ok(mut seen) = seen.lock()
            {
                seen.push((path.clone(), lines.clone()));
            }
        })
        .open()?;
    let session = lancet.new_session();
    let tools = lancet.tools();
    let names: Vec<&str> = tools.iter().map(|tool| &*tool.name).collect();
    println!("tools in the request: {}", names.join(", "));

    // The first call comes before the file was read; both edits quote the line without its trailing blanks.
    let edit = json!({ "file_path": path, "old_string": "    return sum(i.cost for i in items)\n", "new_string": "    return sum(i.price for i in items)\n" });
    let mut model = ScriptedModel {
        turns: vec![
            ("Edit", edit.clone()),
            ("Read", json!({ "file_path": path })),
            ("Edit", edit),
        ],
    };
    let mut conversation = Vec::new();
    while let Some((tool, arguments)) = model.next(&conversation) {
        let foreseen = match session.check(RawCall::new(tool, arguments.clone())) {
            Check::Passes => "passes".to_owned(),
            Check::Asks { reason } => format!("asks: {reason}"),
            Check::Refused(refusal) => format!("would be refused: {}", refusal.kind().name()),
            _ => "is not known".to_owned(),
        };
        let reply = session.call(RawCall::new(tool, arguments));
        println!("\n== {tool} ({foreseen})\n{}", reply.text());
        conversation.push(reply.text().to_owned());
    }
    println!("\n== the file now\n{}", std::fs::read_to_string(&path)?);
    println!(
        "changed: {:?}",
        touched.lock().map_err(|_| "an observer failed")?
    );
    Ok(())
}
