//! The resident index: what it may take, what it says of itself, and which roots it leaves alone.

mod budget;
mod home;
mod status;

pub use budget::{Budget, Exhausted, Held, PORTION, SLOT, WatchAllowance};
pub use home::is_home_folder;
pub use status::{IndexStatus, Residency, ResidentFacts, WhyNot};
