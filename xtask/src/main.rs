//! House rules, test set-up, generated pages.

fn main() {}
