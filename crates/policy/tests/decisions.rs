//! Tests the rows of `decisions.md`: every row of every table there is one decision of the policy, with its cause.

#![allow(clippy::print_stdout, reason = "what was counted or skipped is told")]

use std::path::{Path, PathBuf};

use lancet_policy::{
    Access, DecisionCause, FileNames, LayeredRule, Locations, Mode, NameKind, Outcome, Policy,
    Rule, RuleEffect, RuleLayer, Scope, ShownContent,
};

const PAGE: &str = include_str!("decisions.md");

/// The policy of one section, built from its lines.
#[derive(Default)]
struct Section {
    title: String,
    ground: Locations,
    mode: Mode,
    entries: Vec<LayeredRule>,
    scopes: Vec<Scope>,
}

impl Section {
    fn new(title: &str) -> Self {
        Section {
            title: title.to_owned(),
            ground: Locations {
                roots: vec!["/w".into()],
                read_roots: Vec::new(),
                home: Some("/home/me".into()),
            },
            mode: Mode::AcceptEdits,
            ..Section::default()
        }
    }

    /// Adds a line `- key: value` to the policy.
    fn take(&mut self, line: &str) {
        let (key, value) = line.split_once(": ").expect("`- key: value`");
        let value = value.trim_matches('`');
        let paths = || value.split(", ").map(PathBuf::from).collect();
        match key {
            "roots" => self.ground.roots = paths(),
            "read roots" => self.ground.read_roots = paths(),
            "mode" => {
                let modes = [Mode::Ask, Mode::AcceptEdits, Mode::Plan, Mode::Bypass];
                let named = modes.into_iter().find(|mode| mode.as_str() == value);
                self.mode = named.expect("a mode");
            }
            "open" => self.scopes.push(Scope::parse(value).expect("a scope")),
            _ => {
                let (layer, effect) = key.split_once(' ').expect("a layer and an effect");
                let layer = match layer {
                    "user" => RuleLayer::User,
                    "project" => RuleLayer::Project,
                    "command-line" => RuleLayer::CommandLine,
                    other => panic!("{other} is no layer"),
                };
                let effects = [RuleEffect::Deny, RuleEffect::Ask, RuleEffect::Allow];
                let effect = effects.into_iter().find(|known| known.as_str() == effect);
                self.entries.push(LayeredRule {
                    effect: effect.expect("an effect"),
                    rule: Rule::parse(value).expect("a rule"),
                    layer,
                    source: "decisions.md".to_owned(),
                    stands_for: None,
                });
            }
        }
    }

    fn policy(&self) -> Policy {
        Policy::new(
            self.ground.clone(),
            self.mode,
            self.entries.clone(),
            self.scopes.clone(),
            &Path::to_path_buf,
        )
    }
}

/// Returns the text of a cause as a row's last column has it.
fn named(cause: &DecisionCause<'_>) -> String {
    match cause {
        DecisionCause::Rule(entry) => format!("`{}`", entry.rule),
        DecisionCause::Protected { name } => format!("protected `{name}`"),
        DecisionCause::Secret { pattern } => format!("secret `{pattern}`"),
        DecisionCause::ReadRoot(root) => format!("read root `{}`", root.display()),
        DecisionCause::Mode(mode) => format!("mode {}", mode.as_str()),
        DecisionCause::Nothing => "–".to_owned(),
    }
}

fn decided(policy: &Policy, tool: &str, path: &str) -> (String, String) {
    let (given, opened) = path.split_once(" → ").unwrap_or((path, path));
    let others = [Path::new(given)];
    let names = FileNames {
        opened: Path::new(opened),
        others: &others,
        kind: NameKind::File,
    };
    let decision = match (Access::for_tool(tool), tool) {
        (Some(Access::Read), _) => policy.may_read_names(names),
        (Some(Access::Write), "Write" | "Undo") => policy.may_write(names, ShownContent::Nothing),
        (Some(Access::Write), _) => policy.may_write(names, ShownContent::Lines),
        (None, _) => panic!("{tool} is no tool"),
    };
    let outcome = match decision.outcome {
        Outcome::Allow => "allow",
        Outcome::Ask => "ask",
        Outcome::Deny => "deny",
    };
    (outcome.to_owned(), named(&decision.cause))
}

#[test]
fn every_row_of_the_page_is_decided_as_it_says() {
    let mut section = Section::default();
    let (mut rows, mut wrong) = (0, Vec::new());
    for (number, line) in PAGE.lines().enumerate() {
        if let Some(title) = line.strip_prefix("## ") {
            section = Section::new(title);
        } else if let Some(line) = line.strip_prefix("- ") {
            section.take(line);
        } else if let Some(row) = line.strip_prefix("| ") {
            let cells: Vec<&str> = row.trim_end_matches(" |").split(" | ").collect();
            let [tools, path, outcome, cause] = cells[..] else {
                panic!("line {}: four columns", number + 1);
            };
            if tools == "tools" {
                continue;
            }
            let policy = section.policy();
            for tool in tools.split(", ") {
                rows += 1;
                let got = decided(&policy, tool, path.trim_matches('`'));
                if got != (outcome.to_owned(), cause.to_owned()) {
                    wrong.push(format!(
                        "line {} ({}): {tool} {path}: wanted {outcome} by {cause}, got {} by {}",
                        number + 1,
                        section.title,
                        got.0,
                        got.1
                    ));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(rows >= 150, "only {rows} decisions");
    println!("{rows} decisions");
}
