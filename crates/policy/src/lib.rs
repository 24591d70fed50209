//! Decides who may access which file: rules in layers, modes, protected names and secret files, in one fixed order,
//! each decision with its cause.
//!
//! - [`Policy`] is compiled from [`Rule`]s with their effect and [`RuleLayer`] ([`LayeredRule`]), a [`Mode`],
//!   [`Scope`]s and the folders that patterns start from ([`Locations`]). [`Policy::may_read_names`] and
//!   [`Policy::may_write`] return a [`Decision`].
//! - [`classify_path`] classifies a path by its names alone: protected, secret, or neither.
//! - [`find_credential`] finds published formats of credentials in a text.
//!
//! ```
//! use std::path::Path;
//! use lancet_policy::{RuleEffect, FileNames, RuleLayer, LayeredRule, Locations, Mode, Outcome, Policy, Rule, ShownContent};
//!
//! let rule = LayeredRule {
//!     effect: RuleEffect::Allow,
//!     rule: Rule::parse("Edit(src/**)")?,
//!     layer: RuleLayer::User,
//!     source: "settings.toml:3".to_owned(),
//!     stands_for: None,
//! };
//! let locations = Locations { roots: vec!["/project".into()], ..Locations::default() };
//! let policy = Policy::new(locations, Mode::Ask, vec![rule], Vec::new(), &|path| path.to_path_buf());
//! let outcome = |path: &str| policy.may_write(FileNames::single(Path::new(path)), ShownContent::Lines).outcome;
//! assert_eq!(outcome("/project/src/main.rs"), Outcome::Allow);
//! assert_eq!(outcome("/project/README.md"), Outcome::Ask);
//! # Ok::<(), lancet_policy::RuleError>(())
//! ```
//!
//! # Limitations
//!
//! The crate touches neither the disk nor the environment: the caller passes resolved paths and all names of a file.
//! Names are compared folded, so that a rule that forbids also covers spellings which some file system treats as equal.

mod decision;
mod file_names;
mod fold;
mod folder;
mod glob;
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

#[cfg(test)]
use lancet_testing::laws;

pub use decision::{Decision, DecisionCause, LayeredRule, Mode, Outcome, RuleLayer};
pub use file_names::FileNames;
pub use fold::is_within;
pub use folder::PreparedFolder;
pub use pattern::PatternError;
pub use policy::{OfferedScope, Policy, ShownContent};
pub use rule::{Access, Rule, RuleEffect, RuleError};
pub use scope::Scope;
pub use secrets::{Credential, credential_kinds, find_credential};
pub use sets::Locations;
pub use table::{NameClass, classify_path, secret_names};
pub use tree::NameKind;
