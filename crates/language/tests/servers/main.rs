//! Real language servers, as the test command installs them: what breaks is told, what was there is not, what is mended
//! is gone, and a server that is killed never holds up an answer.

mod asking;
mod clang;
mod killed;
mod plans;
mod python;
mod setting;
mod typescript;
