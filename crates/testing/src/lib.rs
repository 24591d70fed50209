//! Fixtures that the tests of several crates share. A fixture that only one crate needs is a file of that crate's
//! tests.
//!
//! The functions here panic if the machine does not do what they request: that fails the test that called them.

pub mod corpus;
pub mod folder;
pub mod git;
pub mod judges;
pub mod laws;
#[cfg(target_os = "linux")]
pub mod lying_disk;
pub mod place;
#[cfg(target_os = "linux")]
pub mod shared_volume;
pub mod small_disk;
pub mod user;

#[cfg(feature = "engine")]
pub mod project;
#[cfg(feature = "engine")]
pub mod proposing;
#[cfg(feature = "engine")]
pub mod replies;

pub use folder::{TestFolder, make_pipe};
#[cfg(feature = "engine")]
pub use project::{TestProject, settings};
