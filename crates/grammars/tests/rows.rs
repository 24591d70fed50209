//! The smaller tables are equivalent to the grammars' own tables.

#[path = "../build/rows.rs"]
mod rows;
#[path = "../build/source.rs"]
mod source;

use std::collections::BTreeMap;

use rows::{Tables, compact};

/// The actions of a grammar in a state: the value of each symbol, and the values of tokens in the order in which the
/// runtime meets them when it tries to recover from an error.
type State = (BTreeMap<usize, String>, Vec<String>);

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
    let folder = tempfile::tempdir().unwrap();
    let grammars = source::grammars(folder.path()).unwrap();
    assert_eq!(grammars.len(), 10);
    for grammar in grammars {
        let text = std::fs::read_to_string(grammar.folder.join("parser.c")).unwrap();
        let compact = compact(&text).unwrap();
        let (before, after) = (states(&text), states(&compact));
        assert_eq!(before.len(), after.len(), "{}", grammar.name);
        for (state, (before, after)) in before.iter().zip(&after).enumerate() {
            assert_eq!(before, after, "{} in state {state}", grammar.name);
        }
        let rows = |text| Tables::read(text).unwrap().whole_rows();
        assert!(
            rows(&compact) <= (rows(&text) / 16).max(2),
            "{} has whole rows left",
            grammar.name
        );
    }
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
