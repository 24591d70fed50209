//! Rewrites the tables of a `parser.c`.
//!
//! tree-sitter writes the first `LARGE_STATE_COUNT` states of a grammar as rows with an entry for every symbol
//! (`ts_parse_table`), and the others as groups of symbols that share a value (`ts_small_parse_table`, and a map from
//! states to positions in it). Its runtime reads both forms, and the boundary between them is a constant of the
//! grammar.

use std::collections::HashMap;

/// One in this many of the states with whole rows remains a whole row: the first ones, which have the most symbols. A
/// parser is in them often, and looking up a symbol among groups takes longer. With this share a text of Rust takes 4 %
/// more instructions to parse and one of C++ 1 % less, because the lexer is optimised; without whole rows it is 6 and 4
/// % more.
const WHOLE_ROWS: usize = 16;
/// The first two states are special to the runtime.
const FEWEST_WHOLE_ROWS: usize = 2;

const LARGE_COUNT: &str = "#define LARGE_STATE_COUNT ";
const ALL_COUNT: &str = "#define STATE_COUNT ";
const SYMBOL_COUNT: &str = "#define SYMBOL_COUNT ";
const SYMBOLS: &str = "enum ts_symbol_identifiers {\n";
/// The symbol for the end of the text, which grammars do not define themselves.
const END: &str = "ts_builtin_sym_end";
const LARGE_TABLE: &str =
    "static const uint16_t ts_parse_table[LARGE_STATE_COUNT][SYMBOL_COUNT] = {\n";
const SMALL_TABLE: &str = "static const uint16_t ts_small_parse_table[] = {\n";
const SMALL_MAP: &str = "static const uint32_t ts_small_parse_table_map[] = {\n";
const TABLE_END: &str = "\n};\n";

/// The symbols of a state that share one value, as written in C.
pub(crate) struct Group<'t> {
    /// `ACTIONS(n)` for a token, `STATE(n)` for a complete node.
    pub(crate) value: &'t str,
    pub(crate) symbols: Vec<&'t str>,
}

/// The tables of a `parser.c`.
pub(crate) struct Tables<'t> {
    /// The numbers of the symbols.
    pub(crate) symbols: HashMap<&'t str, usize>,
    /// The text before, between and after the three tables.
    pub(crate) others: [&'t str; 4],
    /// The text of each whole row.
    rows: Vec<&'t str>,
    /// The words of the table of groups.
    pub(crate) words: Vec<&'t str>,
    /// For each state without a whole row, the position of its first word.
    pub(crate) places: Vec<usize>,
}

impl<'t> Tables<'t> {
    /// Parses what the generator, or [`compact`], has written.
    pub(crate) fn read(text: &'t str) -> Result<Self, String> {
        let (before, rest) = split(text, LARGE_TABLE)?;
        let (large, rest) = split(rest, TABLE_END)?;
        let (between, rest) = split(rest, SMALL_TABLE)?;
        let (small, rest) = split(rest, TABLE_END)?;
        let (beside, rest) = split(rest, SMALL_MAP)?;
        let (map, after) = split(rest, TABLE_END)?;
        let (_, symbols) = split(before, SYMBOLS)?;
        let (symbols, _) = split(symbols, TABLE_END)?;

        let mut numbers = HashMap::from([(END, 0)]);
        for line in symbols.lines() {
            let (name, number) = line
                .trim()
                .trim_end_matches(',')
                .split_once(" = ")
                .ok_or_else(|| format!("no symbol: {line}"))?;
            numbers.insert(name, number.parse().map_err(|_| line.to_owned())?);
        }
        let rows: Vec<_> = large
            .split_inclusive("\n  },")
            .map(|row| row.trim_matches('\n'))
            .collect();
        let places = items(map)
            .map(|place| place.parse().map_err(|_| format!("no place: {place}")))
            .collect::<Result<Vec<_>, _>>()?;
        let tables = Tables {
            symbols: numbers,
            others: [before, between, beside, after],
            rows,
            words: items(small).collect(),
            places,
        };
        let (large, all) = (number(before, LARGE_COUNT)?, number(before, ALL_COUNT)?);
        if tables.rows.len() != large || large + tables.places.len() != all {
            return Err(format!(
                "{} rows and {} places where there are {large} of {all} states",
                tables.rows.len(),
                tables.places.len()
            ));
        }
        Ok(tables)
    }

    /// Returns the number of states with whole rows.
    pub(crate) fn whole_rows(&self) -> usize {
        self.rows.len()
    }

    /// Returns the number of entries of a whole row.
    pub(crate) fn symbol_count(&self) -> Result<usize, String> {
        number(self.others[0], SYMBOL_COUNT)
    }

    /// Returns the groups of a state that has a whole row, ordered by their first symbol. The end of the text does not
    /// count for that order, as the runtime ignores it when it tries to recover from an error.
    pub(crate) fn row(&self, state: usize) -> Result<Vec<Group<'t>>, String> {
        let mut entries = Vec::new();
        for line in self.rows[state].lines() {
            let line = line.trim();
            // The first line contains the state's own number, the last one closes the row.
            if line.ends_with('{') || line == "}," {
                continue;
            }
            let entry = line
                .strip_prefix('[')
                .and_then(|line| line.strip_suffix(','))
                .and_then(|line| line.split_once("] = "))
                .ok_or_else(|| format!("no entry of a row: {line}"))?;
            entries.push((self.number(entry.0)?, entry));
        }
        entries.sort_unstable();
        let mut groups: Vec<Group<'t>> = Vec::new();
        let has_end = entries.first().is_some_and(|(number, _)| *number == 0);
        entries.rotate_left(usize::from(has_end));
        for (_, (symbol, value)) in entries {
            match groups.iter_mut().find(|group| group.value == value) {
                Some(group) => group.symbols.push(symbol),
                None => groups.push(Group {
                    value,
                    symbols: vec![symbol],
                }),
            }
        }
        Ok(groups)
    }

    /// Returns the number of a symbol.
    pub(crate) fn number(&self, symbol: &str) -> Result<usize, String> {
        let known = self.symbols.get(symbol).copied();
        known.ok_or_else(|| format!("no number for {symbol}"))
    }
}

/// Returns a `parser.c` with few whole rows, and with an optimised lexer: the generator turns that off because
/// compilers take long for tables with many cases, which is two seconds for the largest of these grammars.
pub(crate) fn compact(text: &str) -> Result<String, String> {
    let tables = Tables::read(text)?;
    let large = tables.whole_rows();
    let whole = (large / WHOLE_ROWS).max(FEWEST_WHOLE_ROWS);
    if large <= whole {
        return Ok(text.to_owned());
    }
    let [before, between, beside, after] = tables.others;
    let count = |states: usize| format!("{LARGE_COUNT}{states}\n");
    let before = before
        .replacen(&count(large), &count(whole), 1)
        .replacen("#pragma clang optimize off\n", "", 1)
        .replacen("#pragma GCC optimize (\"O0\")\n", "", 1);

    let mut words = String::new();
    let mut places = Vec::with_capacity(large + tables.places.len());
    let mut length = 0;
    for state in whole..large {
        places.push(length);
        let mut groups = tables.row(state)?;
        // The symbol after a complete node is looked up most often.
        groups.sort_by_key(|group| !group.value.starts_with("STATE("));
        words += &format!("{},", groups.len());
        length += 1;
        for Group { value, symbols } in groups {
            words += &format!("{value},{},{},", symbols.len(), symbols.join(","));
            length += 2 + symbols.len();
        }
        words += "\n";
    }
    places.extend(tables.places.iter().map(|place| length + place));
    let places: Vec<_> = places.iter().map(ToString::to_string).collect();

    Ok([
        &before,
        LARGE_TABLE,
        &tables.rows[..whole].join("\n"),
        TABLE_END,
        between,
        SMALL_TABLE,
        &words,
        &tables.words.join(","),
        TABLE_END,
        beside,
        SMALL_MAP,
        &places.join(","),
        TABLE_END,
        after,
    ]
    .concat())
}

/// Iterates over the items of a table without the positions that they name.
fn items(table: &str) -> impl Iterator<Item = &str> {
    table
        .split(',')
        .map(|item| item.rsplit(" = ").next().unwrap_or(item).trim())
        .filter(|item| !item.is_empty())
}

fn split<'t>(text: &'t str, at: &str) -> Result<(&'t str, &'t str), String> {
    text.split_once(at).ok_or_else(|| format!("no line {at}"))
}

fn number(text: &str, name: &str) -> Result<usize, String> {
    let (_, rest) = split(text, name)?;
    let digits = rest.lines().next().unwrap_or_default();
    digits.parse().map_err(|_| format!("{name}{digits}"))
}
