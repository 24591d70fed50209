//! Takes the tables out of a `parser.c` and packs them.

use crate::places::places;
use crate::rows::Tables;

/// The most thorough level of deflate.
const LEVEL: u8 = 10;
/// The fields that are set when the tables are unpacked.
const FIELDS: [&str; 3] = [
    "    .parse_table = &ts_parse_table[0][0],\n",
    "    .small_parse_table = ts_small_parse_table,\n",
    "    .small_parse_table_map = ts_small_parse_table_map,\n",
];
const RETURN: &str = "  return &language;\n";

/// A `parser.c` without its tables, and their words.
pub(crate) struct Taken {
    pub(crate) text: String,
    /// The whole rows, then the groups.
    pub(crate) words: Vec<u16>,
    /// The number of words in whole rows.
    pub(crate) whole: usize,
}

/// Takes the tables out of the `parser.c` of a grammar. Its function gets them as arguments and has another name.
pub(crate) fn take(text: &str, name: &str) -> Result<Taken, String> {
    let tables = Tables::read(text)?;
    let mut words = Vec::new();
    for state in 0..tables.whole_rows() {
        let mut row = vec![0; tables.symbol_count()?];
        for group in tables.row(state)? {
            for symbol in group.symbols {
                row[tables.number(symbol)?] = parse_item(&tables, group.value)?;
            }
        }
        words.append(&mut row);
    }
    let whole = words.len();
    for item in &tables.words {
        words.push(parse_item(&tables, item)?);
    }
    let found = places(&words[whole..]);
    if !found
        .iter()
        .map(|place| *place as usize)
        .eq(tables.places.iter().copied())
    {
        return Err("the groups of its states do not follow each other".to_owned());
    }

    let mut text = tables.others.concat();
    for field in FIELDS {
        text = once(&text, field, "")?;
    }
    let function = format!(
        "TS_PUBLIC const TSLanguage *tree_sitter_{name}(void) {{\n  static const TSLanguage language"
    );
    let packed = format!(
        "const TSLanguage *tree_sitter_{name}_packed(const uint16_t *rows, const uint16_t *groups, \
         const uint32_t *places) {{\n  static TSLanguage language"
    );
    text = once(&text, &function, &packed)?;
    let set = "  language.parse_table = rows;\n  language.small_parse_table = groups;\n  \
               language.small_parse_table_map = places;\n";
    text = once(&text, RETURN, &format!("{set}{RETURN}"))?;
    Ok(Taken { text, words, whole })
}

/// Packs the words of tables: the number of all words, the number of those in whole rows, and a zlib stream, whose
/// checksum is verified when the words are unpacked.
pub(crate) fn pack(taken: &Taken) -> Result<Vec<u8>, String> {
    let mut packed = Vec::new();
    for count in [taken.words.len(), taken.whole] {
        let count = u32::try_from(count).map_err(|_| "too many words".to_owned())?;
        packed.extend(count.to_le_bytes());
    }
    let bytes: Vec<_> = taken
        .words
        .iter()
        .flat_map(|word| word.to_le_bytes())
        .collect();
    packed.extend(miniz_oxide::deflate::compress_to_vec_zlib(&bytes, LEVEL));
    Ok(packed)
}

/// Returns the number that an item of a table has after C's preprocessor.
fn parse_item(tables: &Tables<'_>, item: &str) -> Result<u16, String> {
    let number = ["ACTIONS(", "STATE("]
        .iter()
        .find_map(|macro_name| item.strip_prefix(macro_name)?.strip_suffix(')'))
        .unwrap_or(item);
    if let Ok(number) = number.parse() {
        return Ok(number);
    }
    u16::try_from(tables.number(item)?).map_err(|_| format!("no word: {item}"))
}

/// Replaces the one place that has a text.
fn once(text: &str, from: &str, to: &str) -> Result<String, String> {
    match text.matches(from).count() {
        1 => Ok(text.replacen(from, to, 1)),
        count => Err(format!("{count} times: {from}")),
    }
}
