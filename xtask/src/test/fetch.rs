//! Fetches external tools in the background from the start of the test command: each on a separate thread, awaited only
//! by the step that uses it.

use std::ffi::OsString;
use std::path::PathBuf;
use std::thread::JoinHandle;

use anyhow::anyhow;

use super::live::Live;
use super::setup;
use super::system::{self, LeftOut, SystemPackages};
use crate::agents;

/// A tool that is being fetched.
pub(crate) struct Fetch<T>(Option<JoinHandle<anyhow::Result<T>>>);

impl<T: Send + 'static> Fetch<T> {
    fn begin(
        live: &Live,
        name: &'static str,
        work: impl FnOnce() -> anyhow::Result<T> + Send + 'static,
    ) -> Fetch<T> {
        let live = live.clone();
        Fetch(Some(std::thread::spawn(move || {
            let _running = live.begin(name);
            work()
        })))
    }

    /// Waits until the tool is available. A second call is an error.
    pub(crate) fn wait(&mut self) -> anyhow::Result<T> {
        let handle = self
            .0
            .take()
            .ok_or_else(|| anyhow!("it was waited for before"))?;
        handle.join().map_err(|_| anyhow!("fetching it panicked"))?
    }
}

/// All tools that are fetched.
pub(crate) struct Fetches {
    pub(crate) cargo_deny: Fetch<PathBuf>,
    pub(crate) ripgrep: Fetch<PathBuf>,
    pub(crate) detect_secrets: Fetch<PathBuf>,
    pub(crate) format_judges: Fetch<PathBuf>,
    pub(crate) seaweedfs: Fetch<PathBuf>,
    pub(crate) formatters: Fetch<OsString>,
    pub(crate) python_client: Fetch<PathBuf>,
    pub(crate) typescript_client: Fetch<PathBuf>,
    pub(crate) conformance: Fetch<PathBuf>,
    pub(crate) page_client: Fetch<PathBuf>,
    pub(crate) vscode_extension: Fetch<PathBuf>,
    pub(crate) mypy: Fetch<PathBuf>,
    pub(crate) watchers: Fetch<PathBuf>,
    pub(crate) language_servers: Fetch<OsString>,
    pub(crate) mcpb: Fetch<PathBuf>,
    pub(crate) agents: Fetch<PathBuf>,
    pub(crate) system: Fetch<LeftOut>,
}

impl Fetches {
    /// Starts to fetch everything.
    pub(crate) fn begin(live: &Live, packages: SystemPackages) -> Fetches {
        let shown = live.clone();
        Fetches {
            cargo_deny: Fetch::begin(live, "installing cargo-deny", setup::cargo_deny),
            ripgrep: Fetch::begin(live, "installing ripgrep", setup::ripgrep),
            detect_secrets: Fetch::begin(live, "installing detect-secrets", setup::detect_secrets),
            format_judges: Fetch::begin(
                live,
                "installing nbformat and Pillow",
                setup::format_judges,
            ),
            seaweedfs: Fetch::begin(live, "installing SeaweedFS", setup::seaweedfs),
            formatters: Fetch::begin(live, "installing formatters", setup::formatters),
            python_client: Fetch::begin(live, "installing the Python SDK", setup::python_client),
            typescript_client: Fetch::begin(
                live,
                "installing the TypeScript SDK",
                setup::typescript_client,
            ),
            conformance: Fetch::begin(live, "installing the conformance suite", setup::conformance),
            page_client: Fetch::begin(live, "installing Playwright", setup::page_client),
            vscode_extension: Fetch::begin(
                live,
                "installing the types of VS Code",
                setup::vscode_extension,
            ),
            mypy: Fetch::begin(live, "installing mypy", setup::mypy),
            watchers: Fetch::begin(live, "installing file watchers", setup::watchers),
            language_servers: Fetch::begin(
                live,
                "installing language servers",
                setup::language_servers,
            ),
            mcpb: Fetch::begin(live, "installing the checker of MCPB bundles", setup::mcpb),
            agents: Fetch::begin(live, "installing agents", || setup::agents(&agents::TESTED)),
            system: Fetch::begin(live, "system packages", move || {
                Ok(system::set_up(packages, &shown))
            }),
        }
    }
}
