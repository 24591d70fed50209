//! Starts language servers through the launcher.

use std::io;
use std::path::Path;

use lancet_language::{ServerProcess, ServerStarter};

use crate::launcher::Launcher;
use crate::programs::{LaunchRequest, Streams};

impl ServerStarter for Launcher {
    fn start(&self, entry: &str, folder: &Path) -> io::Result<ServerProcess> {
        let (its_input, input) = io::pipe()?;
        let (output, its_output) = io::pipe()?;
        // Servers' standard error is meant for their authors, and some write a great deal.
        let nowhere = std::fs::OpenOptions::new().write(true).open("/dev/null")?;
        let streams = Streams {
            input: its_input.into(),
            output: its_output.into(),
            error: nowhere.into(),
        };
        let launch = LaunchRequest::Server {
            name: entry.to_owned(),
            folder: folder.to_path_buf(),
        };
        let running = Launcher::start_program(self, &launch, streams)?;
        Ok(ServerProcess {
            input: Box::new(input),
            output: Box::new(output),
            // The launcher ends the program when the connection in this value is closed.
            alive: Box::new(running),
        })
    }
}
