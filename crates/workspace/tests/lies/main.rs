//! The commit on file systems that do not do what they report: whatever they answer, nothing is lost, and the reported
//! guarantee is the one that held. They are served by this very program (`lancet_testing::lying_disk`); if it may not
//! mount, the tests are skipped.

#![cfg(target_os = "linux")]

mod counting;
mod crashes;
mod each_lie;
mod in_place;
mod mounts;
mod site;
