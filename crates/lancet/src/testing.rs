//! A disk that fails on demand, for the tests of a host. The feature `testing` enables this module; without it, nothing
//! of it is in the library.
//!
//! An agent has to cope with a disk that is full or broken. [`FaultyDisk`] makes the real system calls until a test
//! says otherwise, and [`Builder::disk`](crate::Builder::disk) opens an engine on it:
//!
//! ```
//! use std::sync::Arc;
//!
//! use lancet::testing::FaultyDisk;
//! use lancet::tools::{EditArguments, ReadArguments};
//! use lancet::{Lancet, Mode, RefusalKind};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let folder = tempfile::tempdir()?;
//! # let root = folder.path();
//! std::fs::write(root.join("a.txt"), "one\n")?;
//! let disk = Arc::new(FaultyDisk::new());
//! let lancet = Lancet::builder()
//!     .root(root)
//!     .mode(Mode::AcceptEdits)
//!     .disk(Arc::clone(&disk))
//!     .open()?;
//! let session = lancet.new_session();
//! let path = root.join("a.txt").display().to_string();
//! let edit = || session.edit(EditArguments::new(&path, "one", "two"));
//! session.read(ReadArguments::new(&path));
//!
//! // The disk is full: the edit is refused, and the file is as it was.
//! disk.fill_disk();
//! assert_eq!(edit().refusal(), Some(RefusalKind::Io));
//! assert_eq!(std::fs::read_to_string(&path)?, "one\n");
//!
//! // There is room again.
//! disk.clear_faults();
//! assert!(!edit().is_error());
//! assert_eq!(std::fs::read_to_string(&path)?, "two\n");
//! # Ok(())
//! # }
//! ```
//!
//! [`FaultyDisk::fail_call`] makes one call fail, by its number: a test that raises the number until no call fails any more
//! has covered a failure at every step. [`FaultyDisk::set_hook`] runs code of the test before each call, where it
//! can act as another program that changes the same files. The names of the calls ([`DiskCall::method`]) are internal: any
//! version may change them.

pub use lancet_workspace::{DiskCall, FaultDuration, FaultyDisk};
