//! `cargo xtask torture`: the long versions of tests, run by hand: the tests of the write in full, the laws over many
//! more generated cases than CI has time for, searches under faults compared with ripgrep and fff, real agents at
//! recorded and at newest versions, the extension in a real VS Code, then each fuzz target for a while (nightly and
//! cargo-fuzz). It prints the figures that `benches/RESULTS.md` records.

use std::time::Instant;

use anyhow::{Context, bail};

use crate::agents::{self, Known};
use crate::repository::top;
use crate::run::{cargo, command, succeeds};
use crate::test::live::Live;
use crate::test::system::{self, SystemPackages};
use crate::test::{PROFILE, binary, packed, setup};

const TARGETS: [&str; 9] = [
    "notebook",
    "picture",
    "encoding",
    "receive",
    "search_replace",
    "v4a",
    "unified",
    "whole",
    "detect",
];

/// Runs everything; returns true if nothing was found.
pub(crate) fn all(options: &[&str]) -> anyhow::Result<bool> {
    let mut cases = 1_000_000_u64;
    let mut seconds = 600_u64;
    let mut only = None;
    for pair in options.chunks(2) {
        match pair {
            ["--cases", number] => cases = number.parse().context("--cases")?,
            ["--seconds", number] => seconds = number.parse().context("--seconds")?,
            [
                "--only",
                part @ ("write" | "history" | "laws" | "search" | "agents" | "editors" | "load"
                | "fuzz"),
            ] => only = Some(*part),
            _ => bail!(
                "unknown option {}: cargo xtask torture [--only write|history|laws|search|agents|editors|load|fuzz] [--cases N] [--seconds N]",
                pair[0]
            ),
        }
    }
    let mut sound = true;
    let mut step = |name: &str, command: &mut std::process::Command| -> anyhow::Result<()> {
        println!("\n== {name}");
        let began = Instant::now();
        let held = succeeds(command)?;
        sound &= held;
        let word = if held {
            "no finding"
        } else {
            "FOUND SOMETHING"
        };
        println!("-- {name}: {word} ({:.0} s)", began.elapsed().as_secs_f64());
        Ok(())
    };
    let wanted = |part| only.is_none_or(|only| only == part);
    if wanted("write") {
        system::set_up(SystemPackages::Install, &Live::new());
        if let Err(error) = setup::watchers() {
            println!("no watchers: {error:#}");
        }
        step(
            "the write, in full",
            cargo(&[
                "test",
                "--package",
                "lancet-workspace",
                "--profile",
                PROFILE,
            ])
            .args(["--no-fail-fast", "--test", "it", "--test", "proofs"])
            .env("LANCET_TORTURE", "1"),
        )?;
        step(
            "file systems that do not do what they say",
            cargo(&[
                "test",
                "--package",
                "lancet-workspace",
                "--profile",
                PROFILE,
            ])
            .args(["--test", "lies"])
            .env("LANCET_TORTURE", "1"),
        )?;
        step(
            "file systems put to the proof",
            cargo(&["test", "--package", "lancet-cli", "--profile", PROFILE])
                .args(["--test", "file_systems"])
                .env("LANCET_SEAWEEDFS", setup::seaweedfs()?)
                .env("LANCET_TORTURE", "1"),
        )?;
    }
    if wanted("load") {
        step(
            "many agents at one server",
            cargo(&["test", "--package", "lancet-cli", "--profile", PROFILE])
                .args(["--test", "serve", "load", "--", "--nocapture"])
                .env("LANCET_LOAD", "200,50000"),
        )?;
        step(
            "a server after 10,000 calls in a hundred sessions",
            cargo(&["test", "--package", "lancet-cli", "--profile", PROFILE])
                .args(["--test", "serve", "soak", "--", "--nocapture"])
                .env("LANCET_SOAK", "100"),
        )?;
    }
    if wanted("history") {
        step(
            "a process killed at every step of commit and record, and at any time; the laws of going back",
            cargo(&[
                "test",
                "--package",
                "lancet",
                "--profile",
                PROFILE,
                "--test",
                "history",
            ])
            .args([
                "--",
                "--nocapture",
                "killed",
                "processes",
                "figures",
                "laws",
            ])
            .env("LANCET_TORTURE", "1")
            .env("LANCET_LAW_CASES", cases.to_string()),
        )?;
    }
    if wanted("history") {
        step(
            "twenty servers on one project, one killed every fifty milliseconds",
            cargo(&["test", "--package", "lancet-cli", "--profile", PROFILE])
                .args(["--test", "killed", "--", "--nocapture"])
                .env("LANCET_TORTURE", "1"),
        )?;
    }
    if wanted("history") {
        step(
            "an undo of 25,000 changes, interrupted",
            cargo(&["test", "--package", "lancet-cli", "--profile", PROFILE])
                .args(["--test", "shell", "undo_many"])
                .env("LANCET_TORTURE", "1"),
        )?;
    }
    if wanted("laws") {
        step(
            &format!("laws, {cases} cases each"),
            cargo(&["test", "--workspace", "--profile", PROFILE, "--quiet"])
                .env("LANCET_LAW_CASES", cases.to_string()),
        )?;
    }
    if wanted("search") {
        step(
            "the program that is searched with",
            &mut cargo(&["build", "--package", "lancet-cli", "--profile", PROFILE]),
        )?;
        let mut faults = command("python3", &["benches/search_faults.py"]);
        faults
            .current_dir(top())
            .arg("--require-index")
            .arg("--lancet")
            .arg(binary())
            .arg("--rg")
            .arg(setup::ripgrep()?);
        match setup::fff() {
            Ok(modules) => _ = faults.arg("--fff").arg(modules),
            Err(error) => println!("no fff: {error:#}"),
        }
        step("searches while everything changes", &mut faults)?;
    }
    if wanted("agents") {
        step(
            "the program that agents start",
            &mut cargo(&["build", "--package", "lancet-cli", "--profile", PROFILE]),
        )?;
        let (pinned, newest) = (
            setup::agents(&agents::ALL)?,
            setup::newest_agents(&agents::ALL)?,
        );
        step(
            "agents and their sub-agents",
            &mut agents::sub_agents(
                &binary(),
                &setup::agents(&agents::WITH_SUB_AGENTS)?,
                &agents::WITH_SUB_AGENTS,
            ),
        )?;
        let waiting = setup::typescript_client()?.join("waiting.mjs");
        step(
            "calls that outlast their client, at the times that it has",
            command("node", &[])
                .arg(waiting)
                .arg(binary())
                .arg("--long"),
        )?;
        let page = setup::page_client()?.join("run.mjs");
        step(
            "the page in a browser, in both themes and sizes",
            command("node", &[])
                .arg(page)
                .arg(binary())
                .arg("looks")
                .env("LANCET_EVERY_LOOK", "1"),
        )?;
        let mut compared = agents::comparison(&binary(), &pinned, &[]);
        let mut plugins = agents::plugins(&packed()?, &pinned);
        for (name, packages, known) in [
            ("agents at the recorded versions", pinned, Known::Required),
            ("agents at their newest versions", newest, Known::Reported),
        ] {
            let mut drive = agents::drive(&binary(), &packages, &agents::ALL, known);
            step(name, &mut drive)?;
            step(
                "agents with their own tools",
                &mut agents::observe(&binary(), &packages, known),
            )?;
            step(
                "questions at a terminal",
                &mut agents::dialogs(&binary(), &packages),
            )?;
        }
        step("lancet as a plugin of agents", &mut plugins)?;
        step(
            "three hundred edits, in each agent both ways",
            &mut compared,
        )?;
    }
    if wanted("editors") {
        step(
            "the program that editors start",
            &mut cargo(&["build", "--package", "lancet-cli", "--profile", PROFILE]),
        )?;
        let extension = setup::vscode_extension()?;
        step(
            "the protocol of the extension for VS Code",
            command("node", &[])
                .arg(extension.join("test/run.mjs"))
                .arg(binary()),
        )?;
        step(
            "the extension in VS Code",
            command("node", &[])
                .arg(setup::vscode_window()?.join("run.mjs"))
                .arg(binary())
                .arg(&extension),
        )?;
    }
    for target in TARGETS.iter().filter(|_| wanted("fuzz")) {
        step(
            &format!("fuzz {target}, {seconds} s"),
            command("cargo", &["+nightly", "fuzz", "run", target, "--"])
                .arg(format!("-max_total_time={seconds}"))
                .args(["-timeout=10", "-rss_limit_mb=2048"]),
        )?;
    }
    Ok(sound)
}
