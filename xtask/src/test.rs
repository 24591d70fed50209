//! `cargo xtask test`: the one command that sets up, tests and checks everything. External tools are fetched in the
//! background from the start. Tests of behaviour run first; lints and other checks run concurrently at low priority and
//! are reported after them. It continues after a failure, so that one run reports everything, and its last line is the
//! total.

mod checks;
mod fetch;
pub(crate) mod live;
mod memory;
mod pool;
mod report;
pub(crate) mod setup;
mod suites;
pub(crate) mod system;
mod tally;

use std::process::Command;
use std::time::Instant;

use anyhow::Context;

use crate::agents::{self, Known};
use crate::package::{self, Effort, Programs};
use crate::repository::top;
use crate::run::{command, each_line_of_both, limited, succeeds};
use crate::size;
use checks::Checks;
use fetch::Fetches;
use live::Live;
use memory::MemoryFolder;
use pool::{Areas, Setting};
use report::Report;
use suites::Suite;
use system::{LeftOut, SystemPackages};
use tally::Tally;

/// The cargo profile of the build under test. There is only one, so that dependencies are compiled once.
pub(crate) const PROFILE: &str = "ci";

/// The number of generated cases for every law; a plain `cargo test` uses fewer, `cargo xtask torture` many more. With
/// 5,000 the longest test program takes 149 s of the seven minutes of the whole command.
const LAW_CASES: &str = "3000";

/// The seed of the generated cases: the same for every run, so that a failure is caused by the change under test.
/// `cargo xtask torture` and a plain `cargo test` use a new seed each time.
const LAW_SEED: &str = "20261115";

/// How many minutes a test runner may take. One that hangs fails, and the others are still reported.
const LONGEST_STEP: u32 = 10;

/// Runs everything; returns true if nothing failed.
pub(crate) fn all(packages: SystemPackages) -> anyhow::Result<bool> {
    let began = Instant::now();
    let live = Live::new();
    let mut fetches = Fetches::begin(&live, packages);
    let mut report = Report::new(live.clone());
    let mut built = Vec::new();
    // The build of the tests builds the program, too. A build of only the program would compile some dependencies
    // twice, because tests enable further features of them.
    report.step("build", || {
        built = live.lend(|| suites::build(PROFILE))?;
        Ok(Tally::from_result(true))
    });
    let mut areas = Areas::new();
    let tested = prepared(&live, &mut fetches).map(|(environment, left_out)| {
        let memory = MemoryFolder::new();
        let setting = Setting {
            live: &live,
            environment,
            memory: memory.as_ref().map(MemoryFolder::path),
        };
        live.print("\n== tests, laws and scenarios");
        setting.run(&built, 1, Suite::tests_the_write, &mut areas);
        let checks = Checks::begin(live.clone(), fetches.cargo_deny);
        let processors = std::thread::available_parallelism().map_or(2, usize::from);
        let others = |suite: &Suite| !suite.tests_the_write();
        setting.run(&built, processors, others, &mut areas);
        (checks, left_out)
    });
    for (area, (tally, seconds)) in areas {
        report.add(area, tally.settled(true), seconds);
    }
    report.step("size of the program", || {
        Ok(Tally::from_result(size::is_within_limit(&binary())?))
    });
    report.step("agents: acceptance cases", || {
        let mut cases = command("python3", &["acceptance/run.py"]);
        counted(&live, cases.arg(binary()).args(["--jobs", "2"]))
    });
    report.step("agents: Python SDK", || {
        let packages = fetches.python_client.wait()?;
        let mut client = command("python3", &["clients/python/client.py"]);
        counted(&live, client.arg(binary()).env("PYTHONPATH", packages))
    });
    // Later steps use these, too.
    let (mut typescript, mut packages) = (None, None);
    report.step("agents: TypeScript SDK", || {
        let folder = typescript.insert(fetches.typescript_client.wait()?);
        let client = folder.join("client.mjs");
        counted(&live, command("node", &[]).arg(client).arg(binary()))
    });
    report.step("agents: conformance over HTTP", || {
        let run = fetches.conformance.wait()?.join("run.mjs");
        let server = binary().with_file_name("examples").join("conformance");
        counted(&live, command("node", &[]).arg(run).arg(server))
    });
    report.step("questions: a call that outlasts its client", || {
        let folder = typescript.as_ref().context("there is no client")?;
        let client = folder.join("waiting.mjs");
        counted(&live, command("node", &[]).arg(client).arg(binary()))
    });
    let has = |program: &str| match &tested {
        Ok((_, left_out)) => !left_out.programs.contains(&program),
        Err(_) => true,
    };
    if has(system::NEOVIM) {
        report.step("editors: Neovim", || {
            let mut cases = command("python3", &["editors/nvim/tests/run.py"]);
            counted(&live, cases.arg(binary()))
        });
    }
    report.step("editors: VS Code, its protocol", || {
        let run = fetches.vscode_extension.wait()?.join("test/run.mjs");
        counted(&live, command("node", &[]).arg(run).arg(binary()))
    });
    if has(system::CHROMIUM) {
        report.step("questions and page: in a browser", || {
            let run = fetches.page_client.wait()?.join("run.mjs");
            let mut cases = command("node", &[]);
            // The profiles of a browser consist of thousands of small files.
            let memory = MemoryFolder::new();
            if let Some(memory) = &memory {
                cases.env("TMPDIR", memory.path());
            }
            counted(&live, cases.arg(run).arg(binary()))
        });
    }
    let mut installed_agents = None;
    report.step("agents: driven by a scripted model", || {
        let packages = installed_agents.insert(fetches.agents.wait()?);
        counted(
            &live,
            &mut agents::drive(&binary(), packages, &agents::QUICK, Known::Required),
        )
    });
    report.step("agents: their own tools, recorded by hooks", || {
        let packages = installed_agents.as_ref();
        let packages = packages.context("there are no agents")?;
        let mut observe = agents::observe(&binary(), packages, Known::Required);
        counted(&live, &mut observe)
    });
    report.step("agents: sub-agents", || {
        let packages = installed_agents.as_ref();
        let packages = packages.context("there are no agents")?;
        let first = &agents::WITH_SUB_AGENTS[..1];
        counted(&live, &mut agents::sub_agents(&binary(), packages, first))
    });
    report.step("agents: packages", || {
        let (folder, checker) = (packages.insert(packed()?), fetches.mcpb.wait()?);
        let mut check = command("python3", &["packages/check.py"]);
        counted(&live, check.arg(folder).arg(checker))
    });
    report.step("agents: clients for builders", || {
        let packages = packages.as_ref().context("there are no packages")?;
        let typescript = typescript.as_ref().context("there is no compiler")?;
        let mut clients = command("python3", &["packages/clients.py"]);
        clients.arg(packages).arg(fetches.mypy.wait()?);
        counted(&live, clients.arg(typescript.join("node_modules/.bin/tsc")))
    });
    let left_out = match tested {
        Ok((checks, left_out)) => {
            checks.report(&live, &mut report);
            left_out.lines
        }
        Err(error) => {
            report.step("tests", || Err(error));
            Vec::new()
        }
    };
    Ok(report.close(began, &left_out))
}

/// Waits for the programs that the tests compare with; returns their environment, and the list of what is left out.
fn prepared(
    live: &Live,
    fetches: &mut Fetches,
) -> anyhow::Result<(Vec<(&'static str, String)>, LeftOut)> {
    let left_out = fetches.system.wait()?;
    // Without them, only their own test fails.
    if let Err(error) = fetches.watchers.wait() {
        live.print(&format!("no watchers: {error:#}"));
    }
    let ripgrep = fetches.ripgrep.wait()?;
    let detect_secrets = fetches.detect_secrets.wait()?;
    let format_judges = fetches.format_judges.wait()?;
    let seaweedfs = fetches.seaweedfs.wait()?;
    let formatters = fetches.formatters.wait()?;
    let language_servers = fetches.language_servers.wait()?;
    let text = |path: std::path::PathBuf| path.into_os_string().into_string();
    let not_text = |_| anyhow::anyhow!("the path of the repository is not UTF-8");
    let environment = vec![
        ("LANCET_LAW_CASES", LAW_CASES.to_owned()),
        ("PROPTEST_RNG_SEED", LAW_SEED.to_owned()),
        ("LANCET_REQUIRE_JUDGES", "1".to_owned()),
        ("LANCET_LEFT_OUT", left_out.programs.join(" ")),
        ("LANCET_RIPGREP", text(ripgrep).map_err(not_text)?),
        (
            "LANCET_DETECT_SECRETS",
            text(detect_secrets).map_err(not_text)?,
        ),
        (
            "LANCET_FORMATTERS",
            formatters.into_string().map_err(not_text)?,
        ),
        (
            "LANCET_LANGUAGE_SERVERS",
            language_servers.into_string().map_err(not_text)?,
        ),
        ("LANCET_SEAWEEDFS", text(seaweedfs).map_err(not_text)?),
        (
            "LANCET_FORMAT_JUDGES",
            text(format_judges).map_err(not_text)?,
        ),
    ];
    Ok((environment, left_out))
}

/// Packages the tested program without its symbols, which would take most of the time; returns the folder of the
/// packages.
pub(crate) fn packed() -> anyhow::Result<std::path::PathBuf> {
    let folder = top().join("target/packages");
    let stripped = top().join("target/packages-binary");
    let mut strip = command("strip", &["-o"]);
    anyhow::ensure!(
        succeeds(strip.arg(&stripped).arg(binary()))?,
        "strip failed"
    );
    let programs = Programs::from_packages(vec![stripped])?;
    package::write(&programs, &folder, Effort::Quick)?;
    Ok(folder)
}

pub(crate) fn binary() -> std::path::PathBuf {
    top().join("target").join(PROFILE).join("lancet")
}

/// Runs a test runner and parses its closing line. A runner that fails without reporting a failure (it crashed), or
/// that ran no tests, counts as one failure.
fn counted(live: &Live, command: &mut Command) -> anyhow::Result<Tally> {
    let mut tally = Tally::default();
    let mut limited = limited(command, LONGEST_STEP);
    let succeeded = each_line_of_both(&mut limited, |line| match Tally::of_closing_line(line) {
        Some(more) => {
            // The closing line of a part is indented, so that it is not mistaken for that of the whole.
            live.print(&format!("  {line}"));
            tally += more;
        }
        None => live.print(line),
    })?;
    Ok(tally.settled(succeeded))
}
