//! Fetches external tools in the background from the start of the test command: each on a thread of its own, awaited
//! only by the step that uses it.

use std::path::PathBuf;
use std::thread::JoinHandle;

use anyhow::anyhow;

use super::setup;

/// A tool that is being fetched.
pub(crate) struct Fetch<T>(Option<JoinHandle<anyhow::Result<T>>>);

impl<T: Send + 'static> Fetch<T> {
    fn begin(work: impl FnOnce() -> anyhow::Result<T> + Send + 'static) -> Fetch<T> {
        Fetch(Some(std::thread::spawn(work)))
    }

    /// Waits until the tool is there. A second call is an error.
    pub(crate) fn wait(&mut self) -> anyhow::Result<T> {
        let handle = self
            .0
            .take()
            .ok_or_else(|| anyhow!("it was waited for before"))?;
        handle.join().map_err(|_| anyhow!("fetching it panicked"))?
    }
}

/// Everything that is fetched.
pub(crate) struct Fetches {
    pub(crate) cargo_deny: Fetch<PathBuf>,
    pub(crate) ripgrep: Fetch<PathBuf>,
    pub(crate) detect_secrets: Fetch<PathBuf>,
    pub(crate) nbformat: Fetch<PathBuf>,
    pub(crate) python_client: Fetch<PathBuf>,
    pub(crate) typescript_client: Fetch<()>,
    /// The tools of file systems and the watchers. A failure is printed, and the tests that need them fail.
    pub(crate) system: Fetch<()>,
}

impl Fetches {
    /// Starts to fetch everything.
    pub(crate) fn begin() -> Fetches {
        Fetches {
            cargo_deny: Fetch::begin(setup::cargo_deny),
            ripgrep: Fetch::begin(setup::ripgrep),
            detect_secrets: Fetch::begin(setup::detect_secrets),
            nbformat: Fetch::begin(setup::nbformat),
            python_client: Fetch::begin(setup::python_client),
            typescript_client: Fetch::begin(setup::typescript_client),
            system: Fetch::begin(|| {
                setup::file_systems();
                setup::watchers();
                Ok(())
            }),
        }
    }
}
