//! Settings files of every kind, written by hand and generated: what is installed and taken out again leaves every other
//! byte as it was.

mod damaged;
mod generated;
mod json;
mod law;
mod toml;
mod yaml;
