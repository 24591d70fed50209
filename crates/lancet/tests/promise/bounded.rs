//! Answers stay within their limit, however small it is and whatever is requested. What was left out of an answer does
//! not count as seen.

use lancet_testing::laws;
use proptest::collection::vec;
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::ground::{Ground, cases, config_of, done, is_refused, numbered, refused};

/// Generates a file of long and short lines.
fn text() -> impl Strategy<Value = String> {
    let line = (
        prop::sample::select(vec![0, 1, 3, 30, 300, 1_999, 2_000, 2_001, 5_000]),
        0..26_u8,
    );
    let few = vec(line, 0..12);
    let many = (1..400_usize, 0..26_u8, 0..60_usize)
        .prop_map(|(count, letter, length)| vec![(length, letter); count]);
    prop_oneof![few, many].prop_map(|lines| {
        let line = |(number, (length, letter)): (usize, (usize, u8))| {
            let letters = char::from(b'a' + letter).to_string().repeat(length);
            format!("{number} {letters}\n")
        };
        lines.into_iter().enumerate().map(line).collect()
    })
}

#[test]
fn answers_stay_within_a_small_limit() {
    let ground = Ground::with(|builder| builder.answer_limit(3_000));
    // A case is about sixty calls on texts of many pages.
    proptest!(config_of(laws::limited(cases() / 8, 250)), |(before in text(), foreign in text(), pick in any::<(u16, u16)>(), new in text())| {
        ground.clear();
        ground.put("a.txt", &before);
        let path = ground.path("a.txt");
        let session = ground.session();
        // Pages show all of it, each by the call that the page before named; `Ground::call` checks each against the
        // limit.
        let mut offset = 1;
        let total = before.split_terminator('\n').count() as u64;
        while offset <= total {
            let reply = ground.call(&session, "Read", json!({ "file_path": path, "offset": offset }));
            done(&reply);
            let lines = reply.data()["numLines"].as_u64().unwrap();
            assert!(lines > 0, "a page shows at least one line");
            offset += lines;
        }
        let start = usize::from(pick.0) % (before.len() + 1);
        let end = (start + usize::from(pick.1) % 3_000).min(before.len());
        let old = &before[start..end];
        let mut calls: Vec<(&str, Value)> = vec![
            ("Edit", json!({ "file_path": path, "old_string": old, "new_string": new, "dry_run": true })),
            ("Edit", json!({ "file_path": path, "old_string": old, "new_string": new })),
            ("Edit", json!({ "file_path": path, "old_string": " ", "new_string": "-", "replace_all": true })),
            ("Edit", json!({ "file_path": path, "old_string": format!("{old}!"), "new_string": "" })),
            ("Edit", json!({ "file_path": path, "old_string": "a", "new_string": "b" })),
            ("Write", json!({ "file_path": path, "content": new, "dry_run": true })),
            ("Write", json!({ "file_path": path, "content": new, "mode": "append" })),
            ("Write", json!({ "file_path": path, "content": new })),
            ("MultiEdit", json!({ "file_path": path, "edits": vec![json!({ "old_string": old, "new_string": new }); 40] })),
        ];
        for (_, arguments) in &mut calls {
            arguments["insist"] = json!(true);
        }
        for (tool, arguments) in &calls {
            ground.call(&session, tool, arguments.clone());
        }
        ground.put("a.txt", &foreign);
        for (tool, arguments) in &calls {
            ground.call(&session, tool, arguments.clone());
        }
    });
}

#[test]
fn lines_that_an_answer_left_out_were_not_shown() {
    let ground = Ground::with(|builder| builder.answer_limit(3_000));
    proptest!(config_of(cases() / 8), |(count in 20..200_usize, length in 1..300_usize, places in vec(any::<u16>(), 1..30), probe in any::<u16>())| {
        ground.clear();
        let line = |number: usize| format!("{number}. {}\n", "x".repeat(length));
        let text: String = (1..=count).map(line).collect();
        ground.put("a.txt", &text);
        let session = ground.session();
        let path = ground.path("a.txt");
        // Lines here and there are read alone, then all of them are changed at once.
        let mut read: Vec<usize> = places.iter().map(|place| 1 + usize::from(*place) % count).collect();
        read.sort_unstable();
        read.dedup();
        for number in &read {
            done(&ground.call(&session, "Read", json!({ "file_path": path, "offset": number, "limit": 1 })));
        }
        let edits: Vec<Value> = read.iter().map(|number| json!({ "old_string": format!("\n{number}. x"), "new_string": format!("\n{number}, x") })).collect();
        let edits: Vec<Value> = if read[0] == 1 || read.len() == 1 { Vec::new() } else { edits };
        if edits.is_empty() {
            return Ok(());
        }
        // The newline before each line belongs to the line above, which was mostly not read.
        let reply = ground.call(&session, "MultiEdit", json!({ "file_path": path, "edits": edits }));
        assert!(matches!(refused(&reply), "" | "not_read" | "conflict"), "{}", reply.text());
        let edits: Vec<Value> = read.iter().map(|number| json!({ "old_string": line(*number), "new_string": line(*number).replace(". ", ", ") })).collect();
        let unique = read.iter().all(|number| text.matches(&line(*number)).count() == 1);
        if !unique || !reply.is_error() {
            return Ok(());
        }
        let reply = ground.call(&session, "MultiEdit", json!({ "file_path": path, "edits": edits }));
        done(&reply);
        let shown: Vec<usize> = numbered(reply.text()).iter().map(|(number, _)| *number).collect();
        let probe = 1 + usize::from(probe) % count;
        let old = if read.contains(&probe) { line(probe).replace(". ", ", ") } else { line(probe) };
        if ground.text("a.txt").matches(&old).count() != 1 {
            return Ok(());
        }
        let reply = ground.edit(&session, "a.txt", &old, "probed\n");
        if shown.contains(&probe) || read.contains(&probe) {
            done(&reply);
        } else {
            is_refused(&reply, "not_read");
        }
    });
}
