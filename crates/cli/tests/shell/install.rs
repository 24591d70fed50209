//! `lancet install` and `lancet uninstall`: real files in an empty home.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use lancet_testing::folder::put;
use serde_json::Value;

use crate::stage::{LANCET, Run, Stage, finish};
use crate::terminal::on_terminal;

const CLAUDE: &str = "{\n  // mine\n  \"token\": \"secret-1\",\n  \"mcpServers\": {\n    \"other\": { \"command\": \"x\" } // the other\n  }\n}\n";
const CODEX: &str = "model = \"gpt-5.5\" # the model\n\n[mcp_servers.other]\ncommand = \"x\"\n";
const GOOSE: &str = "GOOSE_MODE: auto\nextensions:\n  developer: &d\n    enabled: true # on\n";

fn stage() -> Stage {
    let stage = Stage::new();
    put(&stage.home().join(".claude.json"), CLAUDE);
    put(&stage.home().join(".codex/config.toml"), CODEX);
    put(&stage.home().join(".config/goose/config.yaml"), GOOSE);
    stage
}

fn text(stage: &Stage, name: &str) -> String {
    fs::read_to_string(stage.home().join(name)).expect(name)
}

/// Returns the files below the home folder, without lancet's own records.
fn files(stage: &Stage) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut folders = vec![stage.home()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            let name = path
                .strip_prefix(stage.home())
                .expect("inside")
                .to_string_lossy()
                .into_owned();
            if path.is_dir() {
                if name != ".local" {
                    found.push((name, "a folder".to_owned()));
                    folders.push(path);
                }
            } else {
                found.push((name, fs::read_to_string(&path).expect("text")));
            }
        }
    }
    found.sort();
    found
}

#[test]
fn every_agent_is_given_back_byte_for_byte() {
    let stage = stage();
    let before = files(&stage);
    let agents: Vec<String> = {
        let (_, listed) = stage.json(&["install", "--json"]);
        let listed = listed["agents"].as_array().expect("agents").clone();
        listed
            .iter()
            .map(|agent| agent["agent"].as_str().expect("a name").to_owned())
            .collect()
    };
    assert_eq!(agents.len(), 17);
    let names: Vec<&str> = agents.iter().map(String::as_str).collect();
    let install = [
        &["install", "--yes", "--only", "--writes", "allow"][..],
        &names,
    ]
    .concat();
    let run = stage.run(&install);
    assert_eq!(run.code, 0, "{run:?}");
    let installed = files(&stage);
    assert!(installed.len() > before.len());
    let again = stage.run(&install);
    assert_eq!(again.code, 0, "{again:?}");
    assert_eq!(
        again.out.matches("installed already").count(),
        17,
        "{again:?}"
    );
    assert_eq!(files(&stage), installed, "a second run changes nothing");
    let (_, listed) = stage.json(&["install", "--json"]);
    for agent in listed["agents"].as_array().expect("agents") {
        assert_eq!(agent["state"], "installed", "{agent}");
    }
    let run = stage.run(&[&["uninstall", "--yes"][..], &names].concat());
    assert_eq!(run.code, 0, "{run:?}");
    assert_eq!(files(&stage), before);
}

#[test]
fn a_server_of_lancets_name_in_a_list_is_nobody_elses_to_replace() {
    let stage = stage();
    let own = "[[mcp_servers]]\nname = \"lancet\"\ncommand = \"mine\"\n";
    put(&stage.home().join(".vibe/config.toml"), own);
    let run = stage.run(&["install", "vibe", "--yes"]);
    assert_eq!(run.code, 1, "{run:?}");
    let words = "mcp_servers has its own entry `lancet`";
    assert!(run.out.contains(words), "{run:?}");
    assert_eq!(text(&stage, ".vibe/config.toml"), own);
    put(
        &stage.home().join(".vibe/config.toml"),
        "theme = \"dark\"\n",
    );
    assert_eq!(stage.run(&["install", "vibe", "--yes"]).code, 0);
    let settings = text(&stage, ".vibe/config.toml");
    assert!(
        settings.contains("args = [\"mcp\", \"--structured\"]"),
        "{settings}"
    );
    // Other tools make another entry with the same name, which replaces the first.
    let other = ["install", "vibe", "--yes", "--tools", "claude"];
    assert_eq!(stage.run(&other).code, 0);
    let settings = text(&stage, ".vibe/config.toml");
    assert_eq!(settings.matches("[[mcp_servers]]").count(), 1, "{settings}");
    // Without the receipt it is recognized by its name.
    fs::remove_dir_all(stage.home().join(".local/state/lancet/installed")).expect("removed");
    assert_eq!(stage.run(&["uninstall", "vibe", "--yes"]).code, 0);
    assert_eq!(text(&stage, ".vibe/config.toml"), "theme = \"dark\"\n");
}

#[test]
fn the_entry_is_this_program_and_the_receipt_has_nobodys_secrets() {
    let stage = stage();
    assert_eq!(
        stage
            .run(&["install", "claude", "codex", "goose", "--yes"])
            .code,
        0
    );
    let claude = text(&stage, ".claude.json");
    assert!(
        claude.contains(&format!("\"command\": \"{LANCET}\"")),
        "{claude}"
    );
    assert!(claude.starts_with("{\n  // mine\n  \"token\": \"secret-1\",\n  \"mcpServers\": {\n    \"other\": { \"command\": \"x\" }, // the other\n    \"lancet\": {\n"), "{claude}");
    let rules = text(&stage, ".claude/settings.json");
    assert!(
        rules.contains("mcp__lancet__Read") && !rules.contains("mcp__lancet__Edit"),
        "{rules}"
    );
    let codex = text(&stage, ".codex/config.toml");
    assert!(
        codex.starts_with(CODEX) && codex.contains("\n[mcp_servers.lancet]\n"),
        "{codex}"
    );
    assert!(!codex.contains("approval_mode"), "{codex}");
    assert!(text(&stage, ".codex/AGENTS.md").contains("instead of apply_patch"));
    let goose = text(&stage, ".config/goose/config.yaml");
    assert!(
        goose.contains("extensions:\n  lancet:\n    enabled: true\n"),
        "{goose}"
    );
    let receipt = text(&stage, ".local/state/lancet/installed/claude-code.json");
    assert!(!receipt.contains("secret-1"), "{receipt}");
    let log = stage.run(&["log"]);
    assert!(
        !log.out.contains("claude.json"),
        "it is not in the history: {log:?}"
    );
}

#[test]
fn a_file_that_others_changed_loses_lancets_entries_alone() {
    let stage = stage();
    assert_eq!(
        stage
            .run(&["install", "claude-code", "codex", "goose", "--yes"])
            .code,
        0
    );
    let path = stage.home().join(".claude.json");
    let changed = text(&stage, ".claude.json").replace("secret-1", "secret-2");
    fs::write(&path, changed).expect("written");
    let codex = text(&stage, ".codex/config.toml");
    fs::write(
        stage.home().join(".codex/config.toml"),
        format!("{codex}\n[later]\na = 1\n"),
    )
    .expect("written");
    let goose = text(&stage, ".config/goose/config.yaml").replace("auto", "approve");
    fs::write(stage.home().join(".config/goose/config.yaml"), goose).expect("written");
    let again = stage.run(&["install", "claude-code", "codex", "goose", "--yes"]);
    assert_eq!(
        again.out.matches("installed already").count(),
        3,
        "{again:?}"
    );
    let run = stage.run(&["uninstall", "claude-code", "codex", "goose", "--yes"]);
    assert_eq!(run.code, 0, "{run:?}");
    assert_eq!(
        text(&stage, ".claude.json"),
        CLAUDE.replace("secret-1", "secret-2")
    );
    assert_eq!(
        text(&stage, ".codex/config.toml"),
        format!("{CODEX}\n[later]\na = 1\n")
    );
    assert_eq!(
        text(&stage, ".config/goose/config.yaml"),
        GOOSE.replace("auto", "approve")
    );
    assert!(!stage.home().join(".claude/settings.json").exists());
}

#[test]
fn without_the_receipt_what_has_lancets_name_goes() {
    let stage = stage();
    assert_eq!(
        stage
            .run(&["install", "claude-code", "--only", "--yes"])
            .code,
        0
    );
    fs::remove_dir_all(stage.home().join(".local/state/lancet/installed")).expect("removed");
    let run = stage.run(&["uninstall", "claude-code", "--yes"]);
    assert_eq!(run.code, 0, "{run:?}");
    assert!(run.out.contains("no record"), "{run:?}");
    assert_eq!(text(&stage, ".claude.json"), CLAUDE);
    let rules = text(&stage, ".claude/settings.json");
    assert!(
        !rules.contains("lancet") && rules.contains("NotebookEdit"),
        "{rules}"
    );
    let memory = text(&stage, ".claude/CLAUDE.md");
    assert!(!memory.contains("lancet"), "{memory}");
}

#[test]
fn without_the_receipt_a_file_of_lancets_own_that_differs_stays_and_the_rest_goes() {
    let stage = stage();
    assert_eq!(stage.run(&["install", "copilot", "--yes"]).code, 0);
    let settings = text(&stage, ".copilot/mcp-config.json");
    assert!(settings.contains("lancet"), "{settings}");
    fs::remove_dir_all(stage.home().join(".local/state/lancet/installed")).expect("removed");
    let run = stage.run(&["uninstall", "copilot", "--yes"]);
    assert_eq!(run.code, 0, "{run:?}");
    assert!(run.out.contains("lancet.json was left as it is"), "{run:?}");
    let settings = text(&stage, ".copilot/mcp-config.json");
    assert!(!settings.contains("lancet"), "{settings}");
}

#[test]
fn what_only_an_earlier_installation_wrote_is_taken_out() {
    let stage = stage();
    let install = ["install", "gemini", "--yes", "--writes"];
    assert_eq!(stage.run(&[&install[..], &["ask"]].concat()).code, 0);
    let policy = stage.home().join(".gemini/policies/lancet.toml");
    let memory = stage.home().join(".gemini/GEMINI.md");
    assert!(policy.exists() && memory.exists());
    // The rule for reading is needed only if writes need confirmation.
    let run = stage.run(&[&install[..], &["allow", "--no-memory"]].concat());
    assert_eq!(run.code, 0, "{run:?}");
    assert!(!policy.exists(), "{run:?}");
    assert!(memory.exists(), "it is left alone: {run:?}");
    assert_eq!(stage.run(&["uninstall", "gemini", "--yes"]).code, 0);
    assert!(!memory.exists(), "it is still in the receipt");
}

/// Installs from a program in a folder where npx or uvx unpacks it, and returns the run.
fn install_from(stage: &Stage, program: &Path, agent: &str) -> Run {
    fs::create_dir_all(program.parent().expect("a folder")).expect("made");
    fs::copy(LANCET, program).expect("copied");
    let mut install = stage.command(program.to_str().expect("text"));
    install.args(["install", agent, "--yes"]);
    finish(install, b"")
}

#[test]
fn from_a_local_package_the_entry_names_that_package_and_hooks_come_along() {
    let stage = stage();
    let tgz = put(&stage.home().join("dist/a.tgz"), "");
    let folder = stage.home().join("_npx/1f");
    put(
        &folder.join("package.json"),
        r#"{"dependencies": {"lancet-mcp": "file:../../dist/a.tgz"}}"#,
    );
    let program = folder.join("node_modules/lancet-mcp-linux-x64/bin/lancet");
    let run = install_from(&stage, &program, "codex");
    assert_eq!(run.code, 0, "{run:?}");
    let entry = text(&stage, ".codex/config.toml");
    let (tgz, program) = (tgz.display(), program.display());
    let arguments = format!(r#"args = ["-y", "--package", "{tgz}", "lancet-mcp", "mcp"]"#);
    assert!(entry.contains(&arguments), "{entry}");
    let hooks = text(&stage, ".codex/hooks.json");
    let line =
        format!("{program} hook codex || npx -y --package {tgz} lancet-mcp hook codex || true");
    assert!(hooks.contains(&line), "{hooks}");
    // Installed as an independent program, the same hooks run that one.
    assert_eq!(stage.run(&["install", "codex", "--yes"]).code, 0);
    let hooks = text(&stage, ".codex/hooks.json");
    assert!(!hooks.contains("npx"), "{hooks}");
    assert_eq!(stage.run(&["uninstall", "codex", "--yes"]).code, 0);
    assert_eq!(text(&stage, ".codex/config.toml"), CODEX);
}

#[test]
fn from_a_local_package_that_is_gone_nothing_is_installed() {
    let stage = stage();
    let environment = stage.home().join("archive-v0/x");
    put(
        &environment
            .join("lib/python3.12/site-packages/lancet_mcp-0.1.0.dist-info/direct_url.json"),
        r#"{"url": "file:///gone/x.whl", "archive_info": {}}"#,
    );
    let run = install_from(&stage, &environment.join("bin/lancet"), "codex");
    assert_ne!(run.code, 0, "{run:?}");
    assert!(
        run.err.contains("/gone/x.whl, which is not there any more"),
        "{run:?}"
    );
    assert_eq!(text(&stage, ".codex/config.toml"), CODEX);
}

#[test]
fn a_damaged_file_is_left_alone_and_told() {
    let stage = Stage::new();
    let path = put(&stage.home().join(".gemini/settings.json"), "{ \"a\": ");
    let run = stage.run(&["install", "gemini", "--yes"]);
    assert_eq!(run.code, 1, "{run:?}");
    assert!(
        run.out
            .contains("settings.json was left as it is: it is not valid JSON (line 1)"),
        "{run:?}"
    );
    assert_eq!(fs::read_to_string(&path).expect("text"), "{ \"a\": ");
    assert!(
        !stage.home().join(".gemini/GEMINI.md").exists(),
        "nothing else is written either"
    );
    fs::write(&path, [b'{', 0xff, b'}']).expect("written");
    let run = stage.run(&["install", "gemini", "--yes"]);
    assert!(
        run.code == 1 && run.out.contains("is not UTF-8 text (byte 1)"),
        "{run:?}"
    );
}

#[test]
fn a_linked_file_is_written_where_it_is() {
    let stage = stage();
    let real = put(&stage.home().join("dotfiles/claude.json"), CLAUDE);
    let link = stage.home().join(".claude.json");
    fs::remove_file(&link).expect("removed");
    symlink(&real, &link).expect("linked");
    assert_eq!(stage.run(&["install", "claude-code", "--yes"]).code, 0);
    assert!(link.is_symlink());
    assert!(
        fs::read_to_string(&real)
            .expect("text")
            .contains("\"lancet\"")
    );
    assert_eq!(stage.run(&["uninstall", "claude-code", "--yes"]).code, 0);
    assert!(link.is_symlink());
    assert_eq!(fs::read_to_string(&real).expect("text"), CLAUDE);
}

#[test]
fn a_dry_run_shows_the_diff_and_writes_nothing() {
    let stage = stage();
    let before = files(&stage);
    let run = stage.run(&["install", "codex", "--dry-run"]);
    assert_eq!(run.code, 0, "{run:?}");
    assert!(run.out.contains("+[mcp_servers.lancet]\n"), "{run:?}");
    assert!(
        run.out.contains("Codex: lancet would be installed\n"),
        "{run:?}"
    );
    assert_eq!(files(&stage), before);
    let run = stage.run(&["install", "codex"]);
    assert_eq!(run.code, 2, "{run:?}");
    assert!(run.err.contains("give --yes"), "{run:?}");
    assert_eq!(files(&stage), before);
}

#[test]
fn an_own_rule_is_put_back_and_a_table_of_rules_is_not_replaced() {
    let stage = Stage::new();
    let own = "{\n  \"permission\": { \"edit\": \"ask\" }\n}\n";
    let path = put(&stage.home().join(".config/opencode/opencode.json"), own);
    assert_eq!(
        stage.run(&["install", "opencode", "--only", "--yes"]).code,
        0
    );
    assert!(
        fs::read_to_string(&path)
            .expect("text")
            .contains("\"edit\": \"deny\"")
    );
    assert_eq!(stage.run(&["uninstall", "opencode", "--yes"]).code, 0);
    assert_eq!(fs::read_to_string(&path).expect("text"), own);
    let rules = "{ \"permission\": { \"edit\": { \"*.md\": \"allow\" } } }\n";
    fs::write(&path, rules).expect("written");
    let run = stage.run(&["install", "opencode", "--only", "--yes"]);
    assert!(
        run.code == 1 && run.out.contains("leave --only out"),
        "{run:?}"
    );
    assert_eq!(fs::read_to_string(&path).expect("text"), rules);
}

#[test]
fn a_plugin_is_noticed_and_a_program_that_is_gone_is_told() {
    let stage = stage();
    put(
        &stage.home().join(".claude/settings.json"),
        "{\"enabledPlugins\": {\"lancet@market\": true}}\n",
    );
    let run = stage.run(&["install", "claude-code", "--yes"]);
    assert!(run.code == 1 && run.out.contains("plugin"), "{run:?}");
    assert_eq!(text(&stage, ".claude.json"), CLAUDE);
    assert_eq!(stage.run(&["install", "codex", "--yes"]).code, 0);
    let receipt = stage
        .home()
        .join(".local/state/lancet/installed/codex.json");
    let moved = fs::read_to_string(&receipt)
        .expect("a receipt")
        .replace(LANCET, "/gone/lancet");
    fs::write(&receipt, moved).expect("written");
    let run = stage.run(&["doctor"]);
    assert!(
        run.out
            .contains("Codex starts lancet as /gone/lancet, which is not there"),
        "{run:?}"
    );
    assert!(run.out.contains("lancet install codex"), "{run:?}");
}

#[test]
fn an_unknown_agent_is_answered_with_the_known_ones() {
    let run = Stage::new().run(&["install", "emacs", "--yes"]);
    assert!(
        run.code == 2 && run.err.contains("claude-code, codex"),
        "{run:?}"
    );
}

#[test]
fn a_project_has_its_own_files() {
    let stage = Stage::new();
    let run = stage.run(&["install", "claude-code", "--project", "--yes"]);
    assert_eq!(run.code, 0, "{run:?}");
    assert!(stage.text(".mcp.json").contains("\"lancet\""));
    assert!(stage.text("CLAUDE.md").contains("mcp__lancet__Edit"));
    assert_eq!(
        stage
            .run(&["uninstall", "claude-code", "--project", "--yes"])
            .code,
        0
    );
    assert!(
        !stage.project().join(".mcp.json").exists() && !stage.project().join(".claude").exists()
    );
}

#[test]
fn at_a_terminal_two_questions_are_asked_and_enter_is_a_no() {
    let stage = stage();
    let before = files(&stage);
    let run = on_terminal(&stage, "install codex", "\n\n");
    assert_eq!(run.code, 1, "{run:?}");
    assert!(
        run.out.contains("May lancet write without a question"),
        "{run:?}"
    );
    assert!(
        run.out.contains("[mcp_servers.lancet]"),
        "the diff is shown: {run:?}"
    );
    assert!(
        run.out.contains("Cancelled; nothing was written."),
        "{run:?}"
    );
    assert_eq!(files(&stage), before);
    let run = on_terminal(&stage, "install codex", "\ny\n");
    assert_eq!(run.code, 0, "{run:?}");
    assert!(!text(&stage, ".codex/config.toml").contains("approval_mode"));
    let run = on_terminal(&stage, "install codex", "y\ny\n");
    assert_eq!(run.code, 0, "{run:?}");
    assert!(
        text(&stage, ".codex/config.toml").contains("default_tools_approval_mode = \"approve\"")
    );
    let run = on_terminal(&stage, "uninstall codex", "y\n");
    assert_eq!(run.code, 0, "{run:?}");
    assert_eq!(files(&stage), before);
}

#[test]
fn installs_and_uninstalls_at_once_leave_what_the_next_one_takes_out() {
    let stage = stage();
    let before = files(&stage);
    for _ in 0..2 {
        let children: Vec<_> = (0..8)
            .map(|number| {
                let word = ["install", "uninstall"][number % 2];
                let mut command = stage.command(LANCET);
                command.args([word, "--yes", "claude", "codex", "goose"]);
                command.stdout(std::process::Stdio::null());
                command.stderr(std::process::Stdio::null());
                command.spawn().expect("it starts")
            })
            .collect();
        for mut child in children {
            child.wait().expect("it ends");
        }
        let run = stage.run(&["install", "--yes", "claude", "codex", "goose"]);
        assert_eq!(run.code, 0, "{run:?}");
        let run = stage.run(&["uninstall", "--yes", "claude", "codex", "goose"]);
        assert_eq!(run.code, 0, "{run:?}");
        assert_eq!(files(&stage), before);
    }
}

#[test]
fn an_entry_of_lancets_name_that_was_there_before_comes_back() {
    let stage = Stage::new();
    let claude = "{\n  \"mcpServers\": {\n    \"lancet\": { \"command\": \"/opt/mine\", \"args\": [\"x\"] }\n  }\n}\n";
    put(&stage.home().join(".claude.json"), claude);
    let codex = "[mcp_servers.lancet]\ncommand = \"/opt/mine\"\nargs = [\"x\"]\n\n[other]\na = 1\n";
    put(&stage.home().join(".codex/config.toml"), codex);
    let goose = "extensions:\n  lancet:\n    enabled: false\n    cmd: /opt/mine\n";
    put(&stage.home().join(".config/goose/config.yaml"), goose);
    let agents = ["claude", "codex", "goose"];
    let run = stage.run(&[&["install", "--yes"][..], &agents].concat());
    assert_eq!(run.code, 0, "{run:?}");
    for name in [
        ".claude.json",
        ".codex/config.toml",
        ".config/goose/config.yaml",
    ] {
        assert!(text(&stage, name).contains(LANCET), "{name}");
    }
    let run = stage.run(&[&["uninstall", "--yes"][..], &agents].concat());
    assert_eq!(run.code, 0, "{run:?}");
    let value: serde_json::Value =
        serde_json::from_str(&text(&stage, ".claude.json")).expect("JSON");
    let mine = serde_json::json!({ "command": "/opt/mine", "args": ["x"] });
    assert_eq!(value["mcpServers"]["lancet"], mine);
    let codex = text(&stage, ".codex/config.toml");
    assert!(
        codex.contains("[mcp_servers.lancet]\ncommand = \"/opt/mine\"\nargs = [\"x\"]\n"),
        "{codex}"
    );
    assert!(codex.contains("[other]\na = 1\n"), "{codex}");
    let goose = text(&stage, ".config/goose/config.yaml");
    assert!(
        goose.contains("/opt/mine") && !goose.contains(LANCET),
        "{goose}"
    );
}

#[test]
fn codexs_table_goes_also_where_it_is_the_first_or_the_only_one() {
    for (before, after) in [
        (
            "[mcp_servers.lancet]\ncommand = \"/usr/bin/lancet\"\nargs = [\"mcp\"]\n",
            "",
        ),
        (
            "[mcp_servers.lancet]\ncommand = \"/usr/bin/lancet\"\nargs = [\"mcp\"]\n\n[other]\na = 1\n",
            "[other]\na = 1\n",
        ),
    ] {
        let stage = Stage::new();
        put(&stage.home().join(".codex/config.toml"), before);
        let run = stage.run(&["uninstall", "--yes", "codex"]);
        assert_eq!(run.code, 0, "{run:?}");
        let left = text(&stage, ".codex/config.toml");
        assert_eq!(left.trim_start(), after, "{run:?}");
    }
}

#[test]
fn hooks_alone_leave_the_agent_its_own_tools() {
    for (agent, hook) in [
        ("claude-code", "hook claude"),
        ("codex", "hook codex"),
        ("gemini", "hook gemini"),
        ("qwen", "hook qwen"),
        ("copilot", "hook copilot"),
        ("opencode", "hook opencode"),
    ] {
        let stage = Stage::new();
        let all = || {
            let texts = files(&stage).into_iter().map(|(_, text)| text);
            texts.filter(|text| text != "a folder").collect::<String>()
        };
        let run = stage.run(&["install", agent, "--observe", "--yes"]);
        assert_eq!(run.code, 0, "{run:?}");
        if agent == "codex" {
            assert!(run.out.contains("once you have trusted them"), "{run:?}");
        }
        let text = all();
        assert!(text.contains(hook), "{agent}: {text}");
        for server in [
            "mcpServers",
            "mcp_servers",
            "mcp__lancet__Read",
            "AGENTS.md",
        ] {
            assert!(!text.contains(&format!("{server:?}")), "{agent}: {text}");
        }
        let run = stage.run(&["install", agent, "--yes"]);
        assert_eq!(run.code, 0, "{run:?}");
        assert!(all().contains(hook), "{agent}");
        let run = stage.run(&["install", agent, "--observe", "--yes"]);
        assert_eq!(run.code, 0, "{run:?}");
        assert_eq!(all(), text, "{agent}: the server is gone again");
        let run = stage.run(&["uninstall", agent, "--yes"]);
        assert_eq!(run.code, 0, "{run:?}");
        assert_eq!(all(), "", "{agent}");
    }
    let stage = Stage::new();
    let run = stage.run(&["install", "goose", "--observe", "--yes"]);
    assert_eq!(run.code, 1, "{run:?}");
    assert!(run.out.contains("no hooks that lancet knows"), "{run:?}");
}

#[test]
fn packaged_plugins_have_the_hooks_that_install_writes() {
    let events = |text: &str| {
        let parsed: Value = serde_json::from_str(text).expect("JSON");
        let events = parsed["hooks"].as_object().expect("hooks").clone();
        let matchers = events.into_iter().map(|(event, groups)| {
            let matcher = groups[0]["matcher"].as_str().unwrap_or_default();
            // Claude Code gives the tools of a plugin other names.
            (
                event,
                matcher.replace("mcp__plugin_lancet_lancet__", "mcp__lancet__"),
            )
        });
        matchers.collect::<BTreeMap<_, _>>()
    };
    let packages = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../packages");
    for (agent, settings, package) in [
        ("claude-code", ".claude/settings.json", "claude-code/lancet"),
        ("codex", ".codex/hooks.json", "codex/lancet"),
        ("gemini", ".gemini/settings.json", "gemini"),
    ] {
        let stage = Stage::new();
        let run = stage.run(&["install", agent, "--observe", "--yes"]);
        assert_eq!(run.code, 0, "{run:?}");
        let packaged = fs::read_to_string(packages.join(package).join("hooks/hooks.json"));
        let packaged = events(&packaged.expect("the hooks of the package"));
        assert_eq!(packaged, events(&text(&stage, settings)), "{agent}");
    }
}
