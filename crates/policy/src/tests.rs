//! Tests of the parts of the policy: names, rules, scopes, and the invariants of all of them.

mod laws;
mod names;
mod rules;
