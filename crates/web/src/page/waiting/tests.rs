//! Tests of the conversion of forms to answers, and of the pages of actual questions.

mod forms;
mod handlers;
