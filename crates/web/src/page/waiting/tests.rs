//! Forms become answers, and the pages of questions that were really asked.

mod forms;
mod handlers;
