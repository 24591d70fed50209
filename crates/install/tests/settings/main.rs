//! Settings files of every kind, written by hand and generated: installing and uninstalling leaves every other byte
//! unchanged.

mod damaged;
mod generated;
mod json;
mod law;
mod toml;
mod yaml;
