//! Opens the page in the user's browser. The link is passed in a file that only its owner can read, because the
//! arguments of a program can be seen by every user of the machine.

use std::fs::{self, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use crate::surroundings::Surroundings;

/// The prefix of the file's name. `crates/policy` denies tools access to such files in every folder.
const FILE_NAME: &str = "serve-page-open.";
/// How long the browser has to read the file.
const FILE_LIFETIME: Duration = Duration::from_secs(30);
/// The shell waits for the name of the file and then becomes the browser.
const WAIT_SCRIPT: &str = "IFS= read -r file && exec ";

/// A shell that waits for the file to open. It is started before the kernel confines this process, because the browser
/// must not be confined.
pub(super) struct Opener(Child);

impl Opener {
    /// Starts the shell; none where there is no browser to open.
    pub(super) fn begin(around: &Surroundings) -> Option<Self> {
        let browser = around.browser.as_deref()?;
        let mut command = Command::new("sh");
        command
            .args(["-c", &format!("{WAIT_SCRIPT}{browser} \"$file\"")])
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            // Ctrl-C ends the server and not the browser.
            .process_group(0);
        command.spawn().ok().map(Self)
    }

    /// Opens a link by means of a file in the state folder.
    ///
    /// # Errors
    /// The file cannot be written.
    pub(super) fn open(mut self, state: &Path, link: &str, code: &str) -> io::Result<()> {
        let name = blake3::hash(code.as_bytes()).to_hex();
        let path = state.join(format!("{FILE_NAME}{}.html", &name[..16]));
        let mut options = OpenOptions::new();
        let mut file = options
            .write(true)
            .create_new(true)
            .mode(0o600)
            .open(&path)?;
        file.write_all(redirect_page(link).as_bytes())?;
        if let Some(mut input) = self.0.stdin.take() {
            input.write_all(path.as_os_str().as_encoded_bytes())?;
            input.write_all(b"\n")?;
        }
        std::thread::spawn(move || {
            std::thread::sleep(FILE_LIFETIME);
            let _ = fs::remove_file(path);
            let _ = self.0.wait();
        });
        Ok(())
    }
}

/// Removes files that an earlier server left.
pub(super) fn remove_old_files(state: &Path) {
    let entries = fs::read_dir(state).into_iter().flatten();
    let left = entries.filter_map(Result::ok).map(|entry| entry.path());
    let is_one = |path: &PathBuf| {
        let name = path.file_name().and_then(|name| name.to_str());
        name.is_some_and(|name| name.starts_with(FILE_NAME))
    };
    for path in left.filter(is_one) {
        let _ = fs::remove_file(path);
    }
}

/// Returns a page that redirects the browser. The link has no character that HTML needs escaped.
fn redirect_page(link: &str) -> String {
    format!(
        "<!doctype html>\n<meta charset=\"utf-8\">\n<meta name=\"referrer\" content=\"no-referrer\">\n\
         <meta http-equiv=\"refresh\" content=\"0; url={link}\">\n<title>lancet</title>\n\
         <p><a href=\"{link}\">Open the page</a></p>\n"
    )
}
