//! Checks that a resident tree returns what a walk returns, comparing whole results, while files, folders and ignore
//! files change between the searches. The neighbouring modules check that a walk returns what ripgrep returns.

use std::sync::Arc;
use std::time::Duration;

use lancet_search::{
    AllowAll, CannotAnswer, IndexScope, KeepContents, ListedFile, MemoryBudget, PageNeed, PageUnit,
    Pattern, ResidentTree, ResultOrder, SearchSummary, SearchTotals, TreeIndex, Walk, WalkStart,
    WatchAllowance, count_matches, count_resident, list_files, list_resident,
};
use lancet_workspace::{RealDisk, Workspace};

use crate::chance::Chance;
use crate::number;
use crate::ours::{excludes, with_walk};
use crate::question::Question;
use crate::tree::Tree;

/// The number of searches of one tree.
const PER_TREE: u64 = 100;
/// One search for this many cases of a property test: 1,000 in the test command.
const CASES_EACH: u64 = 10;

/// The counts of searches by how they were answered.
#[derive(Debug, Default)]
struct Answered {
    from_memory: u64,
    partly: u64,
    by_walk: u64,
    rebuilt: u64,
}

#[test]
fn a_resident_tree_answers_as_a_walk_does_while_files_change() {
    let cases = u64::from(lancet_testing::laws::requested_cases().unwrap_or_default());
    let seed: u64 = number("LANCET_SEARCH_SEED").unwrap_or(1);
    let questions = (cases / CASES_EACH).clamp(300, 1_000_000);
    let mut answered = Answered::default();
    for nth in 0..questions.div_ceil(PER_TREE) {
        let seed = seed + nth;
        let mut chance = Chance::new(seed);
        let mut tree = Tree::grow(&mut chance);
        let contents = match chance.once_in(2) {
            true => KeepContents::Yes,
            false => KeepContents::No,
        };
        let mut resident = build(&tree, contents);
        for number in 0..PER_TREE {
            for _ in 0..chance.below(4) {
                tree.change(&mut chance);
            }
            let question = Question::random(&mut chance, &tree);
            let counting = match chance.once_in(3) {
                true => Some(Duration::ZERO),
                false => None,
            };
            let compared = compare(
                &tree,
                &question,
                contents,
                counting,
                &mut resident,
                &mut answered,
            );
            if let Err(difference) = compared {
                panic!("tree {seed}, question {number}, {question:?}\n{difference}");
            }
        }
    }
    println!("{questions} questions, no difference; {answered:?}");
    assert!(
        answered.from_memory > answered.by_walk,
        "most are answered from memory: {answered:?}"
    );
}

fn build(tree: &Tree, contents: KeepContents) -> Vec<Arc<ResidentTree>> {
    let workspace =
        Workspace::open(std::slice::from_ref(&tree.root), Arc::new(RealDisk), None).expect("opens");
    let start = WalkStart::new(workspace.locate(&tree.root).expect("it is there"));
    let excludes = excludes(tree);
    let index = TreeIndex::build_index(
        &scope(&excludes),
        &start,
        contents,
        &MemoryBudget::for_process(256 << 20),
        &WatchAllowance::for_process(8_192),
    );
    vec![Arc::new(ResidentTree::new(index.expect("it is built")))]
}

fn scope(excludes: &lancet_search::Excludes) -> IndexScope<'_> {
    IndexScope {
        excludes: Some(excludes),
        gate: &AllowAll,
        encodings: &|_| None,
        stop: &|| false,
    }
}

fn compare(
    tree: &Tree,
    question: &Question,
    contents: KeepContents,
    counting: Option<Duration>,
    resident: &mut Vec<Arc<ResidentTree>>,
    answered: &mut Answered,
) -> Result<(), String> {
    let Some((place, pattern)) = question.parts(tree) else {
        return Ok(());
    };
    let excludes = excludes(tree);
    let scope = scope(&excludes);
    with_walk(tree, place, |walk, _, _| {
        let mut ours = ask(resident, &scope, walk, pattern.as_ref(), counting);
        if matches!(ours, Err(CannotAnswer::Lost(..))) {
            answered.rebuilt += 1;
            *resident = build(tree, contents);
            ours = ask(resident, &scope, walk, pattern.as_ref(), counting);
        }
        let mut ours = match ours {
            Ok(ours) => ours,
            Err(CannotAnswer::Walk) => {
                answered.by_walk += 1;
                return Ok(());
            }
            Err(lost) => return Err(format!("a tree that was just built: {lost:?}")),
        };
        answered.from_memory += 1;
        let mut theirs = match &pattern {
            Some(pattern) => count_matches(walk, pattern, ORDER, &|_| None, &|_, _| true),
            None => list_files(walk, ORDER, &|_, _| true),
        };
        if ours.totals == SearchTotals::AtLeast {
            answered.partly += 1;
        }
        same(&mut ours, &mut theirs)
    })
}

const ORDER: ResultOrder = ResultOrder::Newest;

fn ask(
    trees: &[Arc<ResidentTree>],
    scope: &IndexScope<'_>,
    walk: &Walk<'_>,
    pattern: Option<&Pattern>,
    counting: Option<Duration>,
) -> Result<SearchSummary, CannotAnswer> {
    let page = PageNeed {
        entries: 1,
        unit: PageUnit::Files,
        counting,
    };
    match pattern {
        Some(pattern) => count_resident(trees, scope, walk, pattern, ORDER, &|_, _| true, page),
        None => list_resident(trees, scope, walk, ORDER, &|_, _| true),
    }
}

fn without<'l>(list: &'l [ListedFile], other: &[ListedFile]) -> Vec<&'l ListedFile> {
    list.iter().filter(|file| !other.contains(file)).collect()
}

fn same(ours: &mut SearchSummary, theirs: &mut SearchSummary) -> Result<(), String> {
    let partly = ours.totals == SearchTotals::AtLeast;
    let known = ours.files.len();
    let (mine, their) = (ours.files.all_entries(), theirs.files.all_entries());
    let their = match partly {
        true => &their[..known.min(their.len())],
        false => their,
    };
    if mine != their {
        let (only_mine, only_their) = (without(mine, their), without(their, mine));
        return Err(format!(
            "only in memory {only_mine:?}\nonly by the walk {only_their:?}\n(neither: the order differs)"
        ));
    }
    let numbers = |summary: &SearchSummary| (summary.total, summary.matches);
    let (one, other) = (numbers(ours), numbers(theirs));
    let fits = match partly {
        true => one.0 <= other.0 && one.1 <= other.1 && known > 0,
        false => one == other,
    };
    if !fits || (ours.tally != theirs.tally && !partly) {
        return Err(format!(
            "in memory {one:?} {:?}\nby the walk {other:?} {:?}",
            ours.tally, theirs.tally
        ));
    }
    Ok(())
}
