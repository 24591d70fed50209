//! Agreement with ripgrep: random trees and random searches, run by both and compared. The table in docs/search.md
//! lists what may differ, and why; every other difference is a failure. `LANCET_LAW_CASES` sets how many searches there
//! are (one for five cases), `LANCET_SEARCH_SEED` where they begin.

#![allow(clippy::print_stdout, clippy::print_stderr)]

mod chance;
mod changes;
mod judge;
mod ours;
mod question;
mod resident;
mod tree;

use chance::Chance;
use judge::Judge;
use question::Question;
use tree::Tree;

/// The number of searches of one tree.
const PER_TREE: u64 = 30;

/// One search for this many cases of a property test, because each search starts processes: 2,000 in CI.
const CASES_EACH: u64 = 5;
/// The least and the greatest number of searches.
const LEAST: u64 = 100;
const MOST: u64 = 100_000;

#[test]
fn random_questions_have_ripgreps_answers() {
    let Some(judge) = Judge::find() else {
        return lancet_testing::judges::missing("ripgrep (target/tools)");
    };
    let cases = u64::from(lancet_testing::laws::requested_cases().unwrap_or_default());
    let seed: u64 = number("LANCET_SEARCH_SEED").unwrap_or(1);
    let mut compared = 0;
    let mut failures = Vec::new();
    let questions = (cases / CASES_EACH).clamp(LEAST, MOST);
    for nth in 0..questions.div_ceil(PER_TREE) {
        let seed = seed + nth;
        let mut chance = Chance::new(seed);
        let tree = Tree::grow(&mut chance);
        for _ in 0..PER_TREE {
            let question = Question::random(&mut chance, &tree);
            compared += 1;
            if let Err(difference) = question.compare(&tree, &judge) {
                failures.push(format!("tree {seed}, {question:?}\n{difference}"));
            }
        }
        assert!(
            failures.len() < 10,
            "{} of {compared} differ:\n\n{}",
            failures.len(),
            failures.join("\n\n")
        );
    }
    assert!(
        failures.is_empty(),
        "{} of {compared} differ:\n\n{}",
        failures.len(),
        failures.join("\n\n")
    );
    println!("{compared} questions, no difference");
}

/// Returns the number in an environment variable, such as the seed of the random trees.
fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok()?.parse().ok()
}
