//! The commit on a real disk: what it preserves, what it refuses, and that a failure at any call leaves the files as
//! they were. No test here may start another program: `tests/processes/main.rs` explains why, and contains those that
//! do.

mod crash;
#[cfg(target_os = "linux")]
mod explorer;
mod faults;
mod ground;
mod hashed_parts;
mod interference;
mod keeping;
#[cfg(target_os = "linux")]
mod left;
mod links;
#[cfg(target_os = "linux")]
mod metadata;
#[cfg(target_os = "linux")]
mod moved;
#[cfg(target_os = "linux")]
mod new_names;
#[cfg(target_os = "linux")]
mod permissions;
#[cfg(target_os = "linux")]
mod places;
mod reading_calls;
mod refusing;
mod seen;
mod several;
#[cfg(target_os = "linux")]
mod special;
mod streaming;
mod transaction;
