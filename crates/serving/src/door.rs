//! Access to the page of a server: a device gets in once with a link. A link's code is a file of the state folder
//! whose name has the code's hash; using up the code means removing that file, which succeeds for only one process. A
//! device is a file, too, named after the hash of its cookie, so that every server of the state folder knows it;
//! removing the file revokes its access.

use std::fs::{self, DirBuilder, File, Metadata, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use rustix::fs::{Mode, OFlags};

/// The validity of a link's code.
pub const CODE_LIFETIME: Duration = Duration::from_secs(10 * 60);
/// The time for which a device stays known after it entered.
pub const DEVICE_LIFETIME: Duration = Duration::from_secs(30 * 24 * 60 * 60);

/// The prefix of the names of codes; `crates/policy` denies tools such files in every folder.
const CODE_FILE_PREFIX: &str = "serve-page-code.";
/// The prefix of the names of devices, which tools are denied in the same way.
const DEVICE_FILE_PREFIX: &str = "serve-page-device.";
/// The characters of codes: lower case, and none that is easily confused with another when it is typed.
const CODE_ALPHABET: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";
/// The length of a code in characters of five random bits each: 130 bits cannot be guessed while the code is good.
const CODE_LENGTH: usize = 26;
/// The length of cookies: 32 random bytes in hexadecimal digits.
const COOKIE_LENGTH: usize = 64;
/// The largest number of known devices; a new one replaces the one that was not used for the longest time.
const MAX_DEVICES: usize = 100;
/// The largest number of unused codes; a new one replaces the oldest.
const MAX_CODES: usize = 20;
/// The most characters of a device's description.
const MAX_DESCRIPTION_LENGTH: usize = 300;
/// The most bytes of a device's file that are read.
const MAX_DEVICE_FILE_BYTES: u64 = 4096;
/// The minimum interval between two records of a device's use.
const USE_RECORD_INTERVAL: Duration = Duration::from_secs(60);
/// If the clock was set back by less than this, codes and devices stay valid.
const CLOCK_SLACK: Duration = Duration::from_secs(24 * 60 * 60);

/// The codes and devices of a state folder.
#[derive(Clone, Debug)]
pub struct PageAccess {
    codes: PathBuf,
    devices: PathBuf,
}

/// A known device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Device {
    /// The hash of its cookie in hexadecimal digits. It identifies the device but gives no access.
    pub id: String,
    /// The browser's description of itself.
    pub words: String,
    /// The time at which it entered.
    pub since: SystemTime,
    /// The time of its last use, to within a minute.
    pub used: SystemTime,
}

impl PageAccess {
    /// Returns the access control of a state folder's page.
    #[must_use]
    pub fn new(state: &Path) -> Self {
        Self {
            codes: state.join("page-codes"),
            devices: state.join("page-devices"),
        }
    }

    /// Creates a code that gives access to one device, once.
    ///
    /// # Errors
    /// The state folder cannot be written, or the system has no random bytes.
    pub fn new_code(&self) -> io::Result<String> {
        self.remove_expired();
        evict_oldest(&self.codes, MAX_CODES);
        let mut bytes = [0; CODE_LENGTH];
        getrandom::fill(&mut bytes).map_err(io::Error::other)?;
        let letter = |byte: u8| char::from(CODE_ALPHABET[usize::from(byte) % CODE_ALPHABET.len()]);
        let code: String = bytes.into_iter().map(letter).collect();
        write_private_file(
            &self.codes,
            &format!("{CODE_FILE_PREFIX}{}", hash_secret(&code)),
            "",
        )?;
        Ok(code)
    }

    /// Uses up a code; returns the cookie of the device that entered with it and describes itself by `words`. Returns
    /// none if there is no such code, or it is too old.
    ///
    /// # Errors
    /// The device cannot be stored in the state folder.
    pub fn redeem_code(&self, typed: &str, words: &str) -> io::Result<Option<String>> {
        let Some(code) = normalize_code(typed) else {
            return Ok(None);
        };
        let path = self
            .codes
            .join(format!("{CODE_FILE_PREFIX}{}", hash_secret(&code)));
        let is_young = check_own_folder(&self.codes).is_ok()
            && fs::symlink_metadata(&path).is_ok_and(|found| is_code_valid(&found));
        // The process that removes the file is the one that has used the code.
        if fs::remove_file(&path).is_err() || !is_young {
            return Ok(None);
        }
        evict_oldest(&self.devices, MAX_DEVICES);
        let mut bytes = [0; COOKIE_LENGTH / 2];
        getrandom::fill(&mut bytes).map_err(io::Error::other)?;
        let cookie = blake3::Hash::from(bytes).to_hex().to_string();
        let words: String = words.chars().filter(|c| !c.is_control()).collect();
        let words: String = words.chars().take(MAX_DESCRIPTION_LENGTH).collect();
        let text = format!("{}\n{words}\n", unix_seconds(SystemTime::now()));
        write_private_file(
            &self.devices,
            &format!("{DEVICE_FILE_PREFIX}{}", hash_secret(&cookie)),
            &text,
        )?;
        Ok(Some(cookie))
    }

    /// Returns whether a cookie is that of a known device; records its use.
    #[must_use]
    pub fn is_device_known(&self, cookie: &str) -> bool {
        let is_one = cookie.len() == COOKIE_LENGTH && cookie.bytes().all(|b| b.is_ascii_hexdigit());
        if !is_one || check_own_folder(&self.devices).is_err() {
            return false;
        }
        let path = self
            .devices
            .join(format!("{DEVICE_FILE_PREFIX}{}", hash_secret(cookie)));
        let Some((file, device)) = read_device(&path) else {
            return false;
        };
        let now = SystemTime::now();
        if elapsed_since(device.used, now).is_none_or(|unused| unused >= USE_RECORD_INTERVAL) {
            let _ = file.set_modified(now);
        }
        true
    }

    /// Returns whether the device of this id is still known.
    #[must_use]
    pub fn has_device(&self, id: &str) -> bool {
        read_device(&self.devices.join(format!("{DEVICE_FILE_PREFIX}{id}"))).is_some()
    }

    /// Returns the known devices, those used last first.
    #[must_use]
    pub fn devices(&self) -> Vec<Device> {
        let found = list_own_files(&self.devices);
        let found = found.iter().filter_map(|(path, _)| read_device(path));
        let mut devices: Vec<_> = found.map(|(_, device)| device).collect();
        devices.sort_by_key(|device| std::cmp::Reverse((device.used, device.since)));
        devices
    }

    /// Removes a device; returns false if there is none with this id.
    #[must_use]
    pub fn forget(&self, id: &str) -> bool {
        let is_one = blake3::Hash::from_hex(id).is_ok();
        is_one && fs::remove_file(self.devices.join(format!("{DEVICE_FILE_PREFIX}{id}"))).is_ok()
    }

    /// Removes every device except this one; returns the number of those removed.
    pub fn forget_others(&self, id: &str) -> usize {
        let others = self.devices().into_iter().filter(|device| device.id != id);
        others.filter(|device| self.forget(&device.id)).count()
    }

    /// Removes every device and every code.
    ///
    /// # Errors
    /// A file cannot be removed.
    pub fn forget_all(&self) -> io::Result<()> {
        for folder in [&self.codes, &self.devices] {
            for (path, _) in list_own_files(folder) {
                match fs::remove_file(&path) {
                    Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                    _ => {}
                }
            }
        }
        Ok(())
    }

    /// Removes expired codes and devices.
    pub fn remove_expired(&self) {
        for (path, found) in list_own_files(&self.codes) {
            if !is_code_valid(&found) {
                let _ = fs::remove_file(path);
            }
        }
        for (path, _) in list_own_files(&self.devices) {
            if read_device(&path).is_none() {
                let _ = fs::remove_file(path);
            }
        }
    }
}

/// Returns the code that was meant, in whatever form it was typed.
fn normalize_code(typed: &str) -> Option<String> {
    let meant = typed.chars().filter(|c| !c.is_whitespace() && *c != '-');
    let meant = meant.map(|c| match c.to_ascii_lowercase() {
        'o' => '0',
        'i' | 'l' => '1',
        other => other,
    });
    let code: String = meant.take(CODE_LENGTH + 1).collect();
    let is_one =
        code.len() == CODE_LENGTH && code.bytes().all(|byte| CODE_ALPHABET.contains(&byte));
    is_one.then_some(code)
}

fn hash_secret(secret: &str) -> String {
    blake3::hash(secret.as_bytes()).to_hex().to_string()
}

/// Returns the time elapsed since a time; none if it is further in the future than a clock may have been set back.
fn elapsed_since(time: SystemTime, now: SystemTime) -> Option<Duration> {
    match now.duration_since(time) {
        Ok(passed) => Some(passed),
        Err(ahead) if ahead.duration() < CLOCK_SLACK => Some(Duration::ZERO),
        Err(_) => None,
    }
}

fn is_code_valid(found: &Metadata) -> bool {
    let made = found.modified().ok();
    let age = made.and_then(|made| elapsed_since(made, SystemTime::now()));
    is_own_file(found) && age.is_some_and(|age| age < CODE_LIFETIME)
}

/// Returns whether it is a file of this user that no other user may read or write.
fn is_own_file(found: &Metadata) -> bool {
    let is_own = found.uid() == rustix::process::geteuid().as_raw();
    found.is_file() && is_own && found.mode() & 0o077 == 0
}

/// Reads the file of a device; none if it has expired or is no such file.
fn read_device(path: &Path) -> Option<(File, Device)> {
    let id = path
        .file_name()?
        .to_str()?
        .strip_prefix(DEVICE_FILE_PREFIX)?;
    // Links are not followed, and opening a pipe does not block.
    let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NOFOLLOW | OFlags::NONBLOCK;
    let file = File::from(rustix::fs::open(path, flags, Mode::empty()).ok()?);
    let found = file.metadata().ok().filter(is_own_file)?;
    let mut text = String::new();
    (&file)
        .take(MAX_DEVICE_FILE_BYTES)
        .read_to_string(&mut text)
        .ok()?;
    let (since, words) = text.split_once('\n')?;
    let since = UNIX_EPOCH.checked_add(Duration::from_secs(since.parse().ok()?))?;
    let is_young = elapsed_since(since, SystemTime::now()).is_some_and(|age| age < DEVICE_LIFETIME);
    let device = Device {
        id: id.to_owned(),
        words: words.trim_end().to_owned(),
        since,
        used: found.modified().ok()?,
    };
    is_young.then_some((file, device))
}

fn unix_seconds(time: SystemTime) -> u64 {
    let since = time.duration_since(UNIX_EPOCH);
    since.map_or(0, |since| since.as_secs())
}

/// Returns the files of a folder; none if the folder does not belong to this user.
fn list_own_files(folder: &Path) -> Vec<(PathBuf, Metadata)> {
    let entries = match check_own_folder(folder) {
        Ok(()) => fs::read_dir(folder).ok(),
        Err(_) => None,
    };
    let entries = entries.into_iter().flatten().filter_map(Result::ok);
    let known = entries.filter(|entry| {
        let name = entry.file_name();
        let name = name.to_str().unwrap_or_default();
        name.starts_with(CODE_FILE_PREFIX) || name.starts_with(DEVICE_FILE_PREFIX)
    });
    known
        .filter_map(|entry| Some((entry.path(), entry.metadata().ok()?)))
        .collect()
}

/// Removes the files that were not used for the longest time, so that one more can be added.
fn evict_oldest(folder: &Path, most: usize) {
    let mut found = list_own_files(folder);
    found.sort_by_key(|(_, metadata)| metadata.modified().ok());
    let surplus = (found.len() + 1).saturating_sub(most);
    for (path, _) in found.into_iter().take(surplus) {
        let _ = fs::remove_file(path);
    }
}

/// Fails if a folder is a link, belongs to another user, or is accessible to others.
fn check_own_folder(folder: &Path) -> io::Result<()> {
    let found = fs::symlink_metadata(folder)?;
    let is_own = found.uid() == rustix::process::geteuid().as_raw();
    match found.is_dir() && is_own && found.mode() & 0o077 == 0 {
        true => Ok(()),
        false => Err(io::Error::other(format!(
            "{} is not a private folder of this user: remove it",
            folder.display()
        ))),
    }
}

fn write_private_file(folder: &Path, name: &str, text: &str) -> io::Result<()> {
    match DirBuilder::new().mode(0o700).create(folder) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
        _ => check_own_folder(folder)?,
    }
    let mut options = OpenOptions::new();
    let path = folder.join(name);
    let mut file = options
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(&path)?;
    let written = file.write_all(text.as_bytes());
    // A file that was written in part is removed, because it could not be read as a code or device.
    written.inspect_err(|_| drop(fs::remove_file(&path)))
}

#[cfg(test)]
mod tests;
