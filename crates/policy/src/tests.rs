//! The parts of the policy by themselves: names, rules, scopes, and the laws that hold for all of them.

mod laws;
mod names;
mod rules;
