//! Starts servers: the part that the host implements.

use std::io::{self, Read, Write};
use std::path::Path;

/// Starts the program of an entry. It receives the entry's name, never its command line: the host's launcher reads the
/// table itself.
pub trait ServerStarter: Send + Sync {
    /// Starts the server of the entry with this name, in this folder. It may block: it is called on a separate thread.
    ///
    /// # Errors
    /// If the program cannot be started.
    fn start(&self, entry: &str, folder: &Path) -> io::Result<ServerProcess>;
}

/// A server that runs.
pub struct ServerProcess {
    /// Its standard input.
    pub input: Box<dyn Write + Send>,
    /// Its standard output.
    pub output: Box<dyn Read + Send>,
    /// Dropping this ends the server, so that a blocked read of `output` and a blocked write of `input` return.
    pub alive: Box<dyn Send>,
}
