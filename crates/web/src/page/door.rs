//! Who may see the page: a device that came in once by a link. A link's code is a file whose name is the code's hash; using
//! it up is removing that file, which succeeds for one alone. A device is a file, too, named after the hash of its cookie,
//! so that all servers of a state folder know it and removing the file locks it out.

use std::fs::{self, DirBuilder, OpenOptions};
use std::io;
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// How long a link's code is good.
const CODE_AGE: Duration = Duration::from_secs(10 * 60);
/// How long a device stays known after it came in.
pub(super) const DEVICE_AGE: Duration = Duration::from_secs(30 * 24 * 60 * 60);
/// The length of codes and cookies: 32 random bytes in hexadecimal digits.
const LENGTH: usize = 64;

/// The codes and devices of a state folder.
pub(crate) struct Door {
    codes: PathBuf,
    devices: PathBuf,
}

impl Door {
    pub(crate) fn new(state: &Path) -> Self {
        Self {
            codes: state.join("page-codes"),
            devices: state.join("page-devices"),
        }
    }

    /// Makes a code that lets one device in, once.
    ///
    /// # Errors
    /// The state folder cannot be written, or the system has no random bytes.
    pub(crate) fn new_code(&self) -> io::Result<String> {
        let code = random()?;
        keep(&self.codes, &code)?;
        Ok(code)
    }

    /// Uses a code up; gives the cookie of the device that came in by it.
    pub(super) fn enter(&self, code: &str) -> Option<String> {
        let path = self.codes.join(name(code)?);
        let is_young = is_younger(&path, CODE_AGE);
        // Whoever removes the file is the one that has used the code.
        fs::remove_file(&path).ok()?;
        if !is_young {
            return None;
        }
        let cookie = random().ok()?;
        keep(&self.devices, &cookie).ok()?;
        Some(cookie)
    }

    /// Whether a cookie is that of a known device.
    pub(super) fn knows(&self, cookie: &str) -> bool {
        let Some(name) = name(cookie) else {
            return false;
        };
        let path = self.devices.join(name);
        match is_younger(&path, DEVICE_AGE) {
            true => true,
            false => {
                let _ = fs::remove_file(&path);
                false
            }
        }
    }
}

/// The name of the file for a code or cookie; none where it cannot be one.
fn name(secret: &str) -> Option<String> {
    let is_one = secret.len() == LENGTH && secret.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_one.then(|| blake3::hash(secret.as_bytes()).to_hex().to_string())
}

fn is_younger(path: &Path, age: Duration) -> bool {
    let made = fs::symlink_metadata(path).and_then(|found| found.modified());
    // A time in the future is a clock that was set back.
    made.is_ok_and(|made| {
        SystemTime::now()
            .duration_since(made)
            .is_ok_and(|passed| passed < age)
    })
}

fn random() -> io::Result<String> {
    let mut bytes = [0; LENGTH / 2];
    getrandom::fill(&mut bytes).map_err(io::Error::other)?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

fn keep(folder: &Path, secret: &str) -> io::Result<()> {
    let name = name(secret).ok_or(io::ErrorKind::InvalidInput)?;
    match DirBuilder::new().mode(0o700).create(folder) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
        _ => {}
    }
    let mut options = OpenOptions::new();
    options.write(true).create_new(true).mode(0o600);
    options.open(folder.join(name)).map(drop)
}
