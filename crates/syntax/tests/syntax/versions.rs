//! A reader that caches the trees of earlier versions reports the same on a change as one with an empty cache.

use std::path::Path;

use lancet_formats::syntax::SyntaxReader as _;
use lancet_testing::laws;
use proptest::prelude::*;
use proptest::test_runner::TestCaseError;

use super::reader;

/// The languages whose changes are judged by their trees, and one that is judged by brackets first.
const NAMES: [&str; 5] = ["a.go", "a.js", "a.json", "a.py", "a.rs"];

/// Texts that change how the text after them is parsed.
const PIECES: [&str; 16] = [
    "\n", "    ", "\"", "'", "`", "\"\"\"", "(", ")", "{", "}", "# ", "/* ", "é", ":", "x = 1\n",
    "async ",
];

/// One change of a text: the place, the length removed, and the inserted text.
#[derive(Clone, Debug)]
enum Change {
    /// Characters from a place on are replaced by a piece.
    Piece(usize, usize, usize),
    /// A part of the text is moved to another place.
    Moved(usize, usize, usize),
}

fn change() -> impl Strategy<Value = Change> {
    prop_oneof![
        3 => (any::<usize>(), 0..4_usize, 0..PIECES.len()).prop_map(|(at, gone, piece)| Change::Piece(at, gone, piece)),
        1 => (any::<usize>(), 1..80_usize, any::<usize>()).prop_map(|(from, length, to)| Change::Moved(from, length, to)),
    ]
}

fn changed(text: &str, change: &Change) -> String {
    let mut characters: Vec<char> = text.chars().collect();
    let length = characters.len().max(1);
    match change {
        Change::Piece(at, gone, piece) => {
            let at = at % length;
            let end = (at + gone).min(characters.len());
            characters.splice(at..end, PIECES[*piece].chars());
        }
        Change::Moved(from, moved, to) => {
            let from = from % length;
            let end = (from + moved).min(characters.len());
            let part: Vec<char> = characters.drain(from..end).collect();
            let to = to % (characters.len() + 1);
            characters.splice(to..to, part);
        }
    }
    characters.into_iter().collect()
}

/// Applies changes to a text; one that broke it is undone if `mends` is set.
fn follow(name: &str, text: &str, changes: &[(Change, bool)]) -> Result<(), TestCaseError> {
    let (path, remembering) = (Path::new(name), reader());
    let mut before = text.to_owned();
    for (change, mends) in changes {
        let after = changed(&before, change);
        let told = remembering.newly_broken(path, &before, &after);
        let alone = reader().newly_broken(path, &before, &after);
        prop_assert_eq!(&told, &alone, "{}: {:?}\n{}", name, change, after);
        if told.is_none() || !mends {
            before = after;
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(laws::config_of(laws::limited(laws::cases(), 300)))]

    #[test]
    fn what_is_remembered_changes_no_answer(
        which in 0..NAMES.len(),
        changes in prop::collection::vec((change(), prop::bool::weighted(0.9)), 1..30),
    ) {
        let name = NAMES[which];
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/syntax/outlines");
        let sample = std::fs::read_to_string(folder.join(format!("{name}.txt"))).expect("a sample");
        // The outline is below the text.
        let (text, _) = sample.split_once("\n----").expect("a line between them");
        follow(name, text, &changes)?;
    }
}
