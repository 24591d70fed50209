//! Kilo: derived from opencode, with its settings in `kilo.json` or `kilo.jsonc`.

use super::{Agent, no_plugin, opencode};

pub(super) const AGENT: Agent = Agent {
    name: "kilo",
    title: "Kilo",
    other_names: &["kilo-code", "kilocode"],
    program: Some("kilo"),
    marks: |place| vec![place.config.join("kilo")],
    plan: |request, place| Ok(opencode::plan_like(request, place, "kilo")),
    plugin: no_plugin,
};
