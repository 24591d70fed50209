//! Who may touch which file: rules in layers, modes, protected names and secret files, decided in one place and one
//! order, each decision with its reason. Pure: what is judged is handed in; no disk, no environment.

mod decision;
mod fold;
mod folder;
mod glob;
#[cfg(test)]
mod laws;
mod name;
mod pattern;
mod policy;
mod rule;
mod scope;
mod secrets;
mod sets;
mod table;
#[cfg(test)]
mod tests;
mod tree;

pub use decision::{Cause, Decision, Entry, Layer, Mode, Outcome};
pub use fold::is_within;
pub use folder::Folder;
pub use pattern::PatternError;
pub use policy::{FileNames, OfferedScope, Policy, Shows};
pub use rule::{Access, Effect, Rule, RuleError};
pub use scope::Scope;
pub use secrets::{Credential, credential_kinds, find_credential};
pub use sets::Ground;
pub use table::{Verdict, judge, secret_names};
pub use tree::NameKind;
