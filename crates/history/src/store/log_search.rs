//! The text search of the log: in paths, sessions, ids and tools, and in the prompts that led to changes.

use rusqlite::types::Value;
use rusqlite::{Connection, params};

/// Limits how many matching prompts (newest first) become conditions of the log query.
const MAX_PROMPTS: i64 = 64;

/// The changes of one session between two prompts, by their numbers in the order of recording.
struct PromptRange {
    session: String,
    after: i64,
    upto: i64,
}

/// Returns the condition that the operation contains this text somewhere, with the values of its parameters. Case
/// does not matter for ASCII letters.
pub(super) fn search_condition(
    connection: &Connection,
    words: &str,
) -> rusqlite::Result<(String, Vec<Value>)> {
    let words = words.to_ascii_lowercase();
    let mut condition =
        "(instr(lower(o.session), ?) OR instr(o.id, ?) OR instr(lower(o.tool), ?)
          OR EXISTS (SELECT 1 FROM files f WHERE f.operation = o.id
              AND (instr(lower(CAST(f.path AS TEXT)), ?) OR instr(lower(CAST(f.moved_from AS TEXT)), ?)))"
            .to_owned();
    let mut values = vec![Value::Text(words.clone()); 5];
    for range in matching_prompts(connection, &words)? {
        condition.push_str(" OR (o.session = ? AND o.sequence > ? AND o.sequence <= ?)");
        values.extend([
            Value::Text(range.session),
            Value::Integer(range.after),
            Value::Integer(range.upto),
        ]);
    }
    condition.push(')');
    Ok((condition, values))
}

/// Returns the ranges of changes that followed prompts with this text. The changes of a prompt are those that the
/// session made until its next prompt.
fn matching_prompts(connection: &Connection, words: &str) -> rusqlite::Result<Vec<PromptRange>> {
    let mut statement = connection.prepare_cached(
        "SELECT m.session, m.sequence,
                coalesce((SELECT n.sequence FROM marks n WHERE n.session = m.session AND n.id > m.id
                          ORDER BY n.id LIMIT 1), ?2)
         FROM marks m WHERE instr(lower(m.prompt), ?1) ORDER BY m.id DESC LIMIT ?3",
    )?;
    let rows = statement.query_map(params![words, i64::MAX, MAX_PROMPTS], |row| {
        Ok(PromptRange {
            session: row.get(0)?,
            after: row.get(1)?,
            upto: row.get(2)?,
        })
    })?;
    rows.collect()
}
