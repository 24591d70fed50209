//! The guarantees of a resident tree, on real folders: writes are seen at once, changes that come together are taken in
//! whole, and large files are searched as if they were read to their end.

#![allow(clippy::print_stdout)]

mod changes;
mod contents;
mod folder;
mod fresh;
mod large_files;
#[cfg(target_os = "linux")]
mod mounts;
