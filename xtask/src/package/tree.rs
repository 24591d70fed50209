//! The files of a package, and the archives made of them: the same files result in the same bytes.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{Cursor, Write};
use std::rc::Rc;

use anyhow::Context;
use flate2::{Compression, GzBuilder};
use sha2::{Digest as _, Sha256};
use zip::CompressionMethod;
use zip::write::{SimpleFileOptions, ZipWriter};

/// The effort of the compression.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Effort {
    /// The packages become as small as possible.
    Small,
    /// The packages are built quickly, for tests.
    Quick,
}

impl Effort {
    fn level(self) -> u32 {
        match self {
            Effort::Small => 9,
            Effort::Quick => 1,
        }
    }
}

/// Files by their path, sorted.
#[derive(Clone, Debug, Default)]
pub(super) struct Tree(BTreeMap<String, Entry>);

#[derive(Clone, Debug)]
enum Entry {
    File {
        bytes: Rc<[u8]>,
        permissions: Permissions,
    },
    /// A symbolic link to this target.
    Link(String),
}

/// The permissions of a file; every user may read it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Permissions {
    Plain,
    Executable,
}

impl Permissions {
    fn bits(self) -> u32 {
        match self {
            Permissions::Plain => 0o644,
            Permissions::Executable => 0o755,
        }
    }

    /// Returns the permissions for a file with this content: a script is executable.
    pub(super) fn detect(bytes: &[u8]) -> Permissions {
        match bytes.starts_with(b"#!") {
            true => Permissions::Executable,
            false => Permissions::Plain,
        }
    }
}

impl Tree {
    /// Adds a file.
    pub(super) fn add(
        &mut self,
        path: impl Into<String>,
        bytes: impl Into<Rc<[u8]>>,
        permissions: Permissions,
    ) {
        let entry = Entry::File {
            bytes: bytes.into(),
            permissions,
        };
        self.0.insert(path.into(), entry);
    }

    /// Adds a text file, which is executable if it is a script.
    pub(super) fn add_text(&mut self, path: impl Into<String>, text: &str) {
        self.add(path, text.as_bytes(), Permissions::detect(text.as_bytes()));
    }

    /// Adds a symbolic link.
    pub(super) fn link(&mut self, path: impl Into<String>, target: impl Into<String>) {
        self.0.insert(path.into(), Entry::Link(target.into()));
    }

    /// Adds the files of another tree below a folder.
    pub(super) fn graft(&mut self, folder: &str, other: &Tree) {
        for (path, entry) in &other.0 {
            self.0.insert(format!("{folder}{path}"), entry.clone());
        }
    }

    /// Iterates over the files with their content, sorted by path.
    pub(super) fn files(&self) -> impl Iterator<Item = (&str, &[u8])> {
        self.0.iter().filter_map(|(path, entry)| match entry {
            Entry::File { bytes, .. } => Some((path.as_str(), &**bytes)),
            Entry::Link(_) => None,
        })
    }

    /// Returns the sum of the sizes of all files.
    pub(super) fn size(&self) -> usize {
        self.files().map(|(_, bytes)| bytes.len()).sum()
    }

    /// Returns a gzipped tar archive with an entry for every folder.
    pub(super) fn tar_gz(&self, time: u64, effort: Effort) -> anyhow::Result<Vec<u8>> {
        let gzip = GzBuilder::new().write(Vec::new(), Compression::new(effort.level()));
        let mut archive = tar::Builder::new(gzip);
        let mut folders = BTreeSet::new();
        for (path, entry) in &self.0 {
            for (at, _) in path.match_indices('/') {
                let folder = &path[..=at];
                if folders.insert(folder.to_owned()) {
                    let mut header = tar_header(tar::EntryType::Directory, 0o755, 0, time)?;
                    archive.append_data(&mut header, folder, std::io::empty())?;
                }
            }
            match entry {
                Entry::File { bytes, permissions } => {
                    let size = bytes.len() as u64;
                    let bits = permissions.bits();
                    let mut header = tar_header(tar::EntryType::Regular, bits, size, time)?;
                    archive.append_data(&mut header, path, &**bytes)?;
                }
                Entry::Link(target) => {
                    let mut header = tar_header(tar::EntryType::Symlink, 0o777, 0, time)?;
                    archive.append_link(&mut header, path, target)?;
                }
            }
        }
        Ok(archive.into_inner()?.finish()?)
    }

    /// Returns a zip archive. It cannot contain links: many programs that unpack one write the target's name into a
    /// file.
    pub(super) fn zip(&self, time: u64, effort: Effort) -> anyhow::Result<Vec<u8>> {
        let moment = chrono::DateTime::from_timestamp(i64::try_from(time)?, 0)
            .context("the time of the commit is out of range")?;
        let moment = zip::DateTime::try_from(moment.naive_utc())
            .context("a zip archive holds no time before 1980")?;
        let mut archive = ZipWriter::new(Cursor::new(Vec::new()));
        for (path, entry) in &self.0 {
            let Entry::File { bytes, permissions } = entry else {
                anyhow::bail!("{path} is a link, and a zip archive holds none");
            };
            let options = SimpleFileOptions::default()
                .compression_method(CompressionMethod::Deflated)
                .compression_level(Some(i64::from(effort.level())))
                .last_modified_time(moment)
                .unix_permissions(permissions.bits());
            archive.start_file(path.as_str(), options)?;
            archive.write_all(bytes)?;
        }
        Ok(archive.finish()?.into_inner())
    }
}

fn tar_header(
    kind: tar::EntryType,
    mode: u32,
    size: u64,
    time: u64,
) -> anyhow::Result<tar::Header> {
    let mut header = tar::Header::new_gnu();
    header.set_entry_type(kind);
    header.set_mode(mode);
    header.set_size(size);
    header.set_mtime(time);
    header.set_uid(0);
    header.set_gid(0);
    header.set_username("root")?;
    header.set_groupname("root")?;
    Ok(header)
}

/// Compresses a file with gzip.
pub(super) fn gzip(bytes: &[u8]) -> anyhow::Result<Vec<u8>> {
    let mut gzip = GzBuilder::new().write(Vec::new(), Compression::best());
    gzip.write_all(bytes)?;
    Ok(gzip.finish()?)
}

/// Returns the SHA-256 of a file.
pub(super) fn sha256(bytes: &[u8]) -> [u8; 32] {
    Sha256::digest(bytes).into()
}

/// Returns the SHA-256 of a file as `sha256sum` prints it.
pub(super) fn sha256_hex(bytes: &[u8]) -> String {
    sha256(bytes)
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect()
}
