//! The rows of the table about looking at a whole project: checkpoints, Glob, Grep and the resident index.

use super::{Key, ProjectPermission, Unit, ValueForm, key};
use crate::values::{ContentsUse, IndexUse};

/// The keys of `[checkpoint]` and `[search]`, in the order of the documentation.
pub(super) const KEYS: &[Key] = &[
    key(
        "checkpoint.include",
        ValueForm::Patterns,
        "no file",
        ProjectPermission::Ignored,
        "Files that checkpoints cover although they are ignored, by pattern as in [encoding]; a pattern that matches a folder covers everything in it. Only a pattern with a slash reaches into an ignored folder.",
    ),
    key(
        "checkpoint.exclude",
        ValueForm::Patterns,
        "no file",
        ProjectPermission::Ignored,
        "Files that checkpoints do not cover, by pattern as in [encoding]; a pattern that matches a folder leaves out everything in it. It wins over checkpoint.include.",
    ),
    key(
        "checkpoint.max_file",
        ValueForm::Measured {
            least: 0,
            most: 1 << 40,
            unit: Unit::Bytes,
        },
        "33554432",
        ProjectPermission::Ignored,
        "Bytes up to which the content of a file is stored. A change of a larger file is seen and named, but cannot be undone.",
    )
    .number(
        |settings, number| settings.checkpoint.max_file = number,
        |settings| Some(settings.checkpoint.max_file),
    ),
    key(
        "checkpoint.max_size",
        ValueForm::Measured {
            least: 1 << 20,
            most: 1 << 50,
            unit: Unit::Bytes,
        },
        "1073741824",
        ProjectPermission::Ignored,
        "Bytes that the checkpoints of a project may take, as a part of history.max_size; beyond them the oldest checkpoints go.",
    )
    .number(
        |settings, number| settings.checkpoint.max_size = number,
        |settings| Some(settings.checkpoint.max_size),
    ),
    key(
        "search.time_budget",
        ValueForm::Measured {
            least: 100,
            most: 50_000,
            unit: Unit::Milliseconds,
        },
        "10000",
        ProjectPermission::Ignored,
        "Milliseconds after which Glob and Grep answer with what they have found so far, and say so.",
    )
    .number(
        |settings, number| settings.search.time_budget = number,
        |settings| Some(settings.search.time_budget),
    ),
    key(
        "search.seen_lines",
        ValueForm::Switch,
        "true",
        ProjectPermission::Ignored,
        "Whether lines that Grep shows whole count as read, so that an Edit inside them needs no Read.",
    )
    .switch(
        |settings, switch| settings.search.seen_lines = switch,
        |settings| settings.search.seen_lines,
    ),
    key(
        "search.index",
        ValueForm::Choice(IndexUse::WORDS),
        "\"auto\"",
        ProjectPermission::SetsOnly("off"),
        "Whether Glob and Grep may answer from an index in memory: auto builds one in the background from the second search of a tree of more than 2,000 files, off never does. The answers are the same.",
    )
    .choice(
        |settings, word| settings.search.index = IndexUse::from_word(word).unwrap_or(settings.search.index),
        |settings| Some(settings.search.index.as_str()),
    ),
    key(
        "search.memory",
        ValueForm::Measured {
            least: 8 << 20,
            most: 1 << 36,
            unit: Unit::Bytes,
        },
        "268435456",
        ProjectPermission::Lowers,
        "Bytes that the indexes of all running lancets of this user may take together. A process that finds them used up searches without an index, or without contents.",
    )
    .number(
        |settings, number| settings.search.memory = number,
        |settings| Some(settings.search.memory),
    ),
    key(
        "search.contents",
        ValueForm::Choice(ContentsUse::WORDS),
        "\"auto\"",
        ProjectPermission::SetsOnly("off"),
        "Whether the index also keeps the text of files, as far as search.memory goes: auto as many as fit and leave an eighth of it to other servers, on as many as fit, off none. They are given back after five minutes without a search.",
    )
    .choice(
        |settings, word| settings.search.contents = ContentsUse::from_word(word).unwrap_or(settings.search.contents),
        |settings| Some(settings.search.contents.as_str()),
    ),
];
