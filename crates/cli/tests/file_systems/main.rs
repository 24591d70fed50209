//! `lancet doctor --prove`: the real program on real file systems, and on one that does not do what it reports.

#![cfg(target_os = "linux")]

mod liar;
mod run;
mod shared;
mod stopped;
mod systems;
