//! `lancet serve`: the real program, and clients that write HTTP by hand, so that what goes over the wire is what is tested.

mod access;
mod agents;
mod client;
mod crowds;
mod load;
mod messages;
mod page;
mod questions;
mod soak;
mod stopping;
