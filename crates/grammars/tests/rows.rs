//! The smaller tables are equivalent to the grammars' own tables.

#[path = "../build/packing.rs"]
mod packing;
#[path = "../build/places.rs"]
mod places;
#[path = "../build/rows.rs"]
mod rows;
#[path = "../build/source.rs"]
mod source;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use rows::{Tables, compact};

/// The actions of a grammar in a state: the value of each symbol, and the values of tokens in the order in which the
/// runtime meets them when it tries to recover from an error.
type State = (BTreeMap<usize, String>, Vec<String>);

/// A grammar: its name, its `parser.c`, and the states of that.
struct Original {
    name: &'static str,
    text: String,
    states: Vec<State>,
}

static ORIGINALS: LazyLock<Vec<Original>> = LazyLock::new(|| {
    let folder = tempfile::tempdir().unwrap();
    let mut originals = Vec::new();
    for grammar in source::grammars(folder.path()).unwrap() {
        let text = std::fs::read_to_string(grammar.folder.join("parser.c")).unwrap();
        originals.push(Original {
            name: grammar.name,
            states: states(&text),
            text,
        });
    }
    originals
});

/// Returns the states of a `parser.c`, read as the runtime reads them.
fn states(text: &str) -> Vec<State> {
    let tables = Tables::read(text).unwrap();
    let mut states = Vec::new();
    for state in 0..tables.whole_rows() {
        let mut values = BTreeMap::new();
        for group in tables.row(state).unwrap() {
            for symbol in group.symbols {
                values.insert(tables.number(symbol).unwrap(), group.value.to_owned());
            }
        }
        let met = values
            .iter()
            .map(|(symbol, value)| (*symbol, value.clone()));
        let met = in_order(met.collect());
        states.push((values, met));
    }
    for place in &tables.places {
        let mut words = tables.words[*place..].iter();
        let groups: usize = words.next().unwrap().parse().unwrap();
        let mut met = Vec::new();
        for _ in 0..groups {
            let value = *words.next().unwrap();
            let symbols = words.next().unwrap().parse().unwrap();
            for symbol in words.by_ref().take(symbols) {
                met.push((tables.number(symbol).unwrap(), value.to_owned()));
            }
        }
        states.push((met.iter().cloned().collect(), in_order(met)));
    }
    states
}

/// Returns the values of tokens, each once, without the end of the text alone.
fn in_order(met: Vec<(usize, String)>) -> Vec<String> {
    let mut order = Vec::new();
    for (symbol, value) in met {
        if symbol != 0 && value.starts_with("ACTIONS(") && !order.contains(&value) {
            order.push(value);
        }
    }
    order
}

#[test]
fn each_state_of_each_grammar_does_the_same_for_each_symbol() {
    assert_eq!(ORIGINALS.len(), 10);
    for grammar in ORIGINALS.iter() {
        let text = &grammar.text;
        let compact = compact(text).unwrap();
        let (before, after) = (&grammar.states, states(&compact));
        assert_eq!(before.len(), after.len(), "{}", grammar.name);
        for (state, (before, after)) in before.iter().zip(&after).enumerate() {
            assert_eq!(before, after, "{} in state {state}", grammar.name);
        }
        let rows = |text| Tables::read(text).unwrap().whole_rows();
        assert!(
            rows(&compact) <= (rows(text) / 16).max(2),
            "{} has whole rows left",
            grammar.name
        );
    }
}

/// Returns the number in `ACTIONS(n)` or `STATE(n)`.
fn value(text: &str) -> u16 {
    text.split(['(', ')']).nth(1).unwrap().parse().unwrap()
}

#[test]
fn packed_words_are_what_each_state_does_for_each_symbol() {
    for grammar in ORIGINALS.iter() {
        let text = &grammar.text;
        let taken = packing::take(&compact(text).unwrap(), grammar.name).unwrap();
        let packed = packing::pack(&taken).unwrap();
        let bytes = miniz_oxide::inflate::decompress_to_vec_zlib(&packed[8..]).unwrap();
        let same = bytes
            .chunks(2)
            .eq(taken.words.iter().map(|word| word.to_le_bytes()));
        assert!(same, "{}", grammar.name);

        let symbols = Tables::read(text).unwrap().symbol_count().unwrap();
        let (rows, groups) = taken.words.split_at(taken.whole);
        let mut found = Vec::new();
        for row in rows.chunks(symbols) {
            let values = row.iter().copied().enumerate();
            found.push(values.filter(|(_, value)| *value != 0).collect());
        }
        for place in places::places(groups) {
            let mut values = BTreeMap::new();
            let mut words = groups[place as usize..].iter().copied();
            for _ in 0..words.next().unwrap() {
                let (value, count) = (words.next().unwrap(), words.next().unwrap());
                for symbol in words.by_ref().take(count.into()) {
                    values.insert(usize::from(symbol), value);
                }
            }
            found.push(values);
        }
        let states = &grammar.states;
        assert!(!taken.text.contains("ts_small_parse_table"));
        assert_eq!(states.len(), found.len(), "{}", grammar.name);
        for (state, ((wanted, _), found)) in states.iter().zip(&found).enumerate() {
            let wanted = wanted.iter().map(|(symbol, text)| (*symbol, value(text)));
            let wanted: BTreeMap<_, _> = wanted.filter(|(_, value)| *value != 0).collect();
            assert_eq!(&wanted, found, "{} in state {state}", grammar.name);
        }
    }
}

#[test]
fn the_linked_grammars_know_in_each_state_what_their_sources_know() {
    use lancet_grammars as linked;

    for grammar in ORIGINALS.iter() {
        let language: tree_sitter::Language = match grammar.name {
            "c" => linked::C,
            "cpp" => linked::CPP,
            "go" => linked::GO,
            "java" => linked::JAVA,
            "javascript" => linked::JAVASCRIPT,
            "json" => linked::JSON,
            "python" => linked::PYTHON,
            "rust" => linked::RUST,
            "typescript" => linked::TYPESCRIPT,
            "tsx" => linked::TSX,
            other => panic!("{other}"),
        }
        .into();
        let states = &grammar.states;
        assert_eq!(language.parse_state_count(), states.len());
        for (state, (values, _)) in states.iter().enumerate().skip(1) {
            let at = u16::try_from(state).unwrap();
            for (symbol, text) in values {
                if text.starts_with("STATE(") {
                    let next = language.next_state(at, u16::try_from(*symbol).unwrap());
                    assert_eq!(next, value(text), "{} in state {state}", grammar.name);
                }
            }
            let known: BTreeSet<_> = language
                .lookahead_iterator(at)
                .unwrap()
                .map(usize::from)
                .collect();
            let wanted = values.iter().filter(|(_, text)| value(text) != 0);
            let wanted = wanted.map(|(symbol, _)| *symbol).collect();
            assert_eq!(known, wanted, "{} in state {state}", grammar.name);
        }
    }
}

#[test]
fn threads_that_need_a_grammar_at_once_get_the_same() {
    let gate = std::sync::Barrier::new(8);
    let states = std::thread::scope(|scope| {
        let start = || {
            gate.wait();
            let language = tree_sitter::Language::from(lancet_grammars::CPP);
            let mut parser = tree_sitter::Parser::new();
            parser.set_language(&language).unwrap();
            let tree = parser
                .parse("int main() { return f<int>(1); }", None)
                .unwrap();
            assert!(!tree.root_node().has_error());
            language.clone()
        };
        let threads: Vec<_> = (0..8).map(|_| scope.spawn(start)).collect();
        let found: Vec<_> = threads
            .into_iter()
            .map(|thread| thread.join().unwrap())
            .collect();
        found
    });
    assert!(states.windows(2).all(|pair| pair[0] == pair[1]));
}

#[test]
fn all_grammars_are_compiled_so_in_the_versions_that_the_workspace_has() {
    let compiled: Vec<_> = env!("COMPACT_GRAMMARS").split(' ').collect();
    let wanted = "c cpp go java javascript json python rust typescript tsx";
    assert_eq!(compiled, wanted.split(' ').collect::<Vec<_>>());

    let lock = include_str!("../../../Cargo.lock");
    for (name, version) in source::CRATES {
        let entry = format!("name = \"{name}\"\nversion = \"{version}\"\n");
        assert!(lock.contains(&entry), "{name} {version}");
    }
}

#[test]
fn what_is_no_parser_is_refused_with_its_reason() {
    let reason = compact("int main(void) { return 0; }\n").unwrap_err();
    assert!(reason.contains("ts_parse_table"), "{reason}");
}
