//! The three tokens of a state folder. Two give access to the tools of a server on the network: all of them, or those
//! that only read. The third is the user's: it approves changes and gives access to no tool. Each is a text in a file
//! that only its owner may read; the process holds only hashes.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use rustix::fs::{CWD, Mode, OFlags};
use rustix::io::Errno;

/// The name of the file with the token that gives access to all tools.
pub const WRITE_TOKEN: &str = "serve-token";
/// The name of the file with the token that gives access to the tools that only read.
pub const READ_TOKEN: &str = "serve-token-read";
/// The name of the file with the user's token, which approves changes and gives access to no tool.
pub const PERSON_TOKEN: &str = "person-token";

/// The least number of characters of a token.
const MIN_TOKEN_LENGTH: usize = 32;
/// The most bytes of a token's file that are read.
const MAX_TOKEN_FILE_BYTES: u64 = 4096;

/// The access that a token gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TokenKind {
    /// All tools.
    Write,
    /// The tools that only read.
    Read,
}

/// The tokens of a state folder, as hashes.
#[derive(Clone)]
pub struct Tokens {
    write: blake3::Hash,
    read: blake3::Hash,
}

/// The reason why there are no tokens.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TokenError {
    /// The system refused.
    #[error("{}: {error}", path.display())]
    System {
        /// The file.
        path: PathBuf,
        /// The system's error.
        #[source]
        error: io::Error,
    },
    /// Other users may read the file.
    #[error("{} can be read by others; `chmod 600 {}`, or make new tokens with --new-token", .0.display(), .0.display())]
    Open(PathBuf),
    /// The file is a link, not a regular file, or belongs to another user.
    #[error("{} does not belong to this user: remove it, or make new tokens with --new-token", .0.display())]
    Foreign(PathBuf),
    /// The file has no token.
    #[error("{} has no token of at least {MIN_TOKEN_LENGTH} characters in one line; make new ones with --new-token", .0.display())]
    Unusable(PathBuf),
    /// Two files have the same token.
    #[error("two tokens are the same; make new ones with --new-token")]
    Same,
}

impl Tokens {
    /// Reads the tokens of a state folder, and creates those that are missing.
    ///
    /// # Errors
    /// A file cannot be read or made, can be read by others, or has no token.
    pub fn load(state: &Path) -> Result<Self, TokenError> {
        let token = |name: &str| {
            let path = state.join(name);
            // A dangling link also exists, and is refused.
            if fs::symlink_metadata(&path).is_err() {
                write_token(&path, ExistingToken::Stays)
                    .map_err(|error| system_error(&path, error))?;
            }
            read_token(&path)
        };
        let person = token(PERSON_TOKEN)?;
        Self::new(&token(WRITE_TOKEN)?, &token(READ_TOKEN)?, &person)
    }

    /// Creates all tokens again. The old ones then work only for a server that has loaded them before.
    ///
    /// # Errors
    /// A file cannot be written.
    pub fn renew(state: &Path) -> Result<Self, TokenError> {
        for name in [WRITE_TOKEN, READ_TOKEN, PERSON_TOKEN] {
            let path = state.join(name);
            write_token(&path, ExistingToken::Goes).map_err(|error| system_error(&path, error))?;
        }
        Self::load(state)
    }

    fn new(write: &str, read: &str, person: &str) -> Result<Self, TokenError> {
        let tokens = Self {
            write: blake3::hash(write.as_bytes()),
            read: blake3::hash(read.as_bytes()),
        };
        // The agents' token must not be the one that approves.
        let person = blake3::hash(person.as_bytes());
        match tokens.write == tokens.read || person == tokens.write || person == tokens.read {
            true => Err(TokenError::Same),
            false => Ok(tokens),
        }
    }

    /// Returns the access that a text gives; none if it is no token, and for the user's token. The duration reveals
    /// nothing about the tokens: hashes are compared, in constant time, and always both.
    pub fn token_kind(&self, given: &str) -> Option<TokenKind> {
        let given = blake3::hash(given.as_bytes());
        let (write, read) = (given == self.write, given == self.read);
        match (write, read) {
            (true, _) => Some(TokenKind::Write),
            (_, true) => Some(TokenKind::Read),
            _ => None,
        }
    }
}

/// Returns whether a text is the user's token. The token is created if there is none, so that the error can name its
/// file. The duration of the comparison reveals nothing about the token.
///
/// # Errors
/// The file cannot be read or made, can be read by others, or has no token.
pub fn is_person_token(state: &Path, given: &str) -> Result<bool, TokenError> {
    let path = state.join(PERSON_TOKEN);
    if !state.is_dir() {
        return Ok(false);
    }
    if fs::symlink_metadata(&path).is_err() {
        write_token(&path, ExistingToken::Stays).map_err(|error| system_error(&path, error))?;
    }
    let kept = read_token(&path)?;
    Ok(blake3::hash(given.trim().as_bytes()) == blake3::hash(kept.as_bytes()))
}

fn system_error(path: &Path, error: io::Error) -> TokenError {
    let path = path.to_owned();
    TokenError::System { path, error }
}

/// Reads the token of a file.
fn read_token(path: &Path) -> Result<String, TokenError> {
    let failed = |error| system_error(path, error);
    // Without the last of these flags, opening a pipe would block.
    let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NOFOLLOW | OFlags::NONBLOCK;
    let file = match rustix::fs::open(path, flags, Mode::empty()) {
        Err(Errno::LOOP) => return Err(TokenError::Foreign(path.to_owned())),
        opened => File::from(opened.map_err(|error| failed(error.into()))?),
    };
    let metadata = file.metadata().map_err(failed)?;
    if !metadata.is_file() || metadata.uid() != rustix::process::geteuid().as_raw() {
        return Err(TokenError::Foreign(path.to_owned()));
    }
    if metadata.permissions().mode() & 0o077 != 0 {
        return Err(TokenError::Open(path.to_owned()));
    }
    let mut text = String::new();
    file.take(MAX_TOKEN_FILE_BYTES)
        .read_to_string(&mut text)
        .map_err(failed)?;
    let token = text.trim();
    let is_plain = token.chars().all(|c| c.is_ascii_graphic());
    if token.len() < MIN_TOKEN_LENGTH || !is_plain {
        return Err(TokenError::Unusable(path.to_owned()));
    }
    Ok(token.to_owned())
}

/// The treatment of an existing token.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ExistingToken {
    Stays,
    Goes,
}

/// Writes a new token. The file gets its name when it is complete, so that no process reads a part of it.
fn write_token(path: &Path, existing: ExistingToken) -> io::Result<()> {
    let token = random_token()?;
    let temporary = path.with_extension(format!("new-{}", &random_token()?[..16]));
    // For file systems without hard links.
    let moved = || {
        let flags = rustix::fs::RenameFlags::NOREPLACE;
        rustix::fs::renameat_with(CWD, &temporary, CWD, path, flags).map_err(io::Error::from)
    };
    let written = (|| {
        let mut options = OpenOptions::new();
        let mut file = options
            .write(true)
            .create_new(true)
            .mode(0o600)
            .open(&temporary)?;
        file.write_all(format!("{token}\n").as_bytes())?;
        file.sync_all()?;
        match existing {
            ExistingToken::Goes => fs::rename(&temporary, path),
            // Another process may have made one meanwhile; neither a link nor such a move replaces it.
            ExistingToken::Stays => match fs::hard_link(&temporary, path).or_else(|_| moved()) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
                named => named,
            },
        }
    })();
    let _ = fs::remove_file(&temporary);
    written
}

/// Returns 256 random bits as text.
fn random_token() -> io::Result<String> {
    let mut bytes = [0; 32];
    getrandom::fill(&mut bytes).map_err(io::Error::other)?;
    Ok(blake3::Hash::from(bytes).to_hex().to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_token_file(folder: &Path, name: &str) -> String {
        fs::read_to_string(folder.join(name)).expect("read")
    }

    #[test]
    fn tokens_are_created_once_and_grant_their_access() {
        let folder = tempfile::tempdir().expect("a folder");
        let first = Tokens::load(folder.path()).expect("made");
        let (write, read) = (
            read_token_file(folder.path(), WRITE_TOKEN),
            read_token_file(folder.path(), READ_TOKEN),
        );
        assert_eq!(first.token_kind(write.trim()), Some(TokenKind::Write));
        assert_eq!(first.token_kind(read.trim()), Some(TokenKind::Read));
        for wrong in ["", "x", &write, &write.trim()[1..], &write.to_uppercase()] {
            assert_eq!(first.token_kind(wrong), None, "{wrong:?}");
        }
        let again = Tokens::load(folder.path()).expect("read");
        assert_eq!(again.token_kind(write.trim()), Some(TokenKind::Write));
        let person = read_token_file(folder.path(), PERSON_TOKEN);
        assert_eq!(first.token_kind(person.trim()), None, "it opens no tool");
        assert!(is_person_token(folder.path(), &person).expect("read"));
        assert!(!is_person_token(folder.path(), &write).expect("read"));
        assert!(!is_person_token(folder.path(), "").expect("read"));
        for name in [WRITE_TOKEN, READ_TOKEN, PERSON_TOKEN] {
            let mode = fs::metadata(folder.path().join(name))
                .expect("there")
                .permissions()
                .mode();
            assert_eq!(mode & 0o777, 0o600, "{name}");
        }
        assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 3);

        let new = Tokens::renew(folder.path()).expect("made");
        assert_eq!(new.token_kind(write.trim()), None);
        assert_eq!(new.token_kind(read.trim()), None);
        assert!(!is_person_token(folder.path(), &person).expect("read"));
        assert_eq!(
            new.token_kind(read_token_file(folder.path(), READ_TOKEN).trim()),
            Some(TokenKind::Read)
        );
    }

    #[test]
    fn refuses_readable_or_empty_token_files() {
        let folder = tempfile::tempdir().expect("a folder");
        Tokens::load(folder.path()).expect("made");
        let path = folder.path().join(READ_TOKEN);
        fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).expect("set");
        assert!(matches!(
            Tokens::load(folder.path()),
            Err(TokenError::Open(_))
        ));
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).expect("set");
        for short in ["", "short\n", &"two words ".repeat(5)] {
            fs::write(&path, short).expect("written");
            assert!(
                matches!(Tokens::load(folder.path()), Err(TokenError::Unusable(_))),
                "{short:?}"
            );
        }
        fs::copy(folder.path().join(WRITE_TOKEN), &path).expect("copied");
        assert!(matches!(Tokens::load(folder.path()), Err(TokenError::Same)));
        assert!(Tokens::renew(folder.path()).is_ok());
        let person = folder.path().join(PERSON_TOKEN);
        fs::copy(folder.path().join(WRITE_TOKEN), &person).expect("copied");
        assert!(matches!(Tokens::load(folder.path()), Err(TokenError::Same)));
    }

    #[test]
    fn refuses_foreign_files_and_replaces_them_on_renewal() {
        let folder = tempfile::tempdir().expect("a folder");
        Tokens::load(folder.path()).expect("made");
        let (path, other) = (folder.path().join(READ_TOKEN), folder.path().join("other"));
        fs::rename(&path, &other).expect("moved");
        let is_foreign = || matches!(Tokens::load(folder.path()), Err(TokenError::Foreign(_)));
        for target in [other.as_path(), Path::new("nowhere")] {
            std::os::unix::fs::symlink(target, &path).expect("linked");
            assert!(is_foreign(), "{target:?}");
            fs::remove_file(&path).expect("removed");
        }
        rustix::fs::mkfifoat(CWD, &path, 0o600.into()).expect("a pipe");
        assert!(is_foreign());
        Tokens::renew(folder.path()).expect("made");
        assert!(!is_foreign());
    }
}
