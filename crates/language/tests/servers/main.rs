//! Real language servers, as the test command installs them: new problems are reported, old ones are not, fixed ones
//! disappear, and a server that is killed never delays an answer.

mod asking;
mod clang;
mod killed;
mod plans;
mod python;
mod setting;
mod typescript;
