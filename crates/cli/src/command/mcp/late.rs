//! The roots of a server that was started in a folder that cannot be a root (the home folder, the top of the file
//! system): those that the client names below the home folder.

use std::path::PathBuf;

use lancet::Lancet;
use lancet_mcp::LateRoots;

use crate::arguments::McpArguments;
use crate::surroundings::{AgentRoots, Surroundings};

/// The arguments for opening an engine on the client's roots.
#[derive(Debug)]
pub(super) struct ClientRootsOpener {
    pub(super) arguments: McpArguments,
    pub(super) around: Surroundings,
    /// The working folder, and a description of it.
    pub(super) started_in: (PathBuf, &'static str),
}

impl LateRoots for ClientRootsOpener {
    fn open(&self, folders: &[PathBuf]) -> Result<Lancet, String> {
        let ceiling = AgentRoots::widest_client_root(&self.around);
        let none = || "None of them is an existing folder below the home folder.".to_owned();
        let ceiling = ceiling.ok_or_else(none)?;
        let mut place = self.arguments.place.clone();
        place.root = folders
            .iter()
            .filter_map(|folder| folder.canonicalize().ok())
            .filter(|folder| folder.is_dir() && *folder != ceiling && folder.starts_with(&ceiling))
            .collect();
        if place.root.is_empty() {
            return Err(none());
        }
        let opened = super::open_request(&self.arguments, &place).open_confined(&self.around);
        opened.map_err(|failure| format!("They cannot be opened: {}.", failure.message))
    }

    fn explain_missing_roots(&self) -> String {
        let (folder, what) = &self.started_in;
        AgentRoots::explain_missing_roots(folder, what)
    }
}
