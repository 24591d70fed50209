//! The resident index: what it may take, what it says of itself, and which roots it leaves alone.

mod budget;
mod home;
mod status;

pub use budget::{Budget, Exhausted, Held, PORTION, SLOT, WatchAllowance};
pub use home::is_home_folder;
pub use status::{IndexStatus, Residency, ResidentFacts, WhyNot};

#[allow(dead_code, reason = "the source of candidates is what uses it")]
mod columns;
#[allow(dead_code, reason = "the source of candidates is what uses it")]
mod grams;
#[allow(dead_code, reason = "the source of candidates is what uses it")]
mod literal_query;
#[allow(dead_code, reason = "the source of candidates is what uses it")]
mod plan;
#[allow(dead_code, reason = "the source of candidates is what uses it")]
mod signatures;
