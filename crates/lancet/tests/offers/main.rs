//! Follows every correction that a refusal offers exactly: it does what was meant, or it is refused again, and it never
//! does anything else. Edits of source texts in several languages are damaged as models damage them, in the old text,
//! in the new text, or in both alike. `LANCET_OFFERS_TEXTS` names a folder of other texts, `LANCET_OFFERS_SEED` is the
//! seed of the random numbers.

mod damage;

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use damage::{DAMAGES, Damage, Dice, Edit, WHERE, Where};
use lancet::{NextCall, RawCall, RefusalKind, Reply};
use lancet_testing::TestProject;
use serde_json::{Value, json};

const TEXTS: [(&str, &str); 9] = [
    ("orders.py", include_str!("texts/orders.py")),
    ("queue.ts", include_str!("texts/queue.ts")),
    ("server.go", include_str!("texts/server.go")),
    ("pipeline.yml", include_str!("texts/pipeline.yml")),
    ("ring.c", include_str!("texts/ring.c")),
    ("page.html", include_str!("texts/page.html")),
    ("manifest.toml", include_str!("texts/manifest.toml")),
    ("closest.rs", include_str!("texts/closest.rs.txt")),
    ("stream.rs", include_str!("texts/stream.rs.txt")),
];

/// Edits of each damage at each place.
const EDITS: usize = 40;

/// The result of following an offer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Outcome {
    Meant,
    Again,
    Damaged,
}

#[derive(Debug, Default, Clone, Copy)]
struct Count {
    meant: usize,
    again: usize,
    damaged: usize,
}

impl Count {
    fn add(&mut self, outcome: Outcome) {
        match outcome {
            Outcome::Meant => self.meant += 1,
            Outcome::Again => self.again += 1,
            Outcome::Damaged => self.damaged += 1,
        }
    }

    fn total(self) -> usize {
        self.meant + self.again + self.damaged
    }
}

/// Returns the texts that an answer offers to send. They come from its data, and its message must show them too.
fn offered(reply: &Reply, edit: &Edit, old: &str, new: &str) -> Option<(String, String)> {
    let error = &reply.data()["error"];
    let place: &Value = match reply.refusal()? {
        RefusalKind::NotFound => &error["nearest"][0],
        RefusalKind::Ambiguous => error["places"]
            .as_array()?
            .iter()
            .find(|place| place["line"].as_u64() == Some(edit.first as u64 + 1))?,
        RefusalKind::Leaked => error,
        _ => return None,
    };
    let text = |name: &str| place[name].as_str().map(str::to_owned);
    let (old_offered, new_offered) = (text("old_string"), text("new_string"));
    let short = |text: &&String| text.len() < 5_000;
    for shown in [&old_offered, &new_offered]
        .into_iter()
        .flatten()
        .filter(short)
    {
        assert!(reply.text().contains(shown.as_str()), "{}", reply.text());
    }
    if old_offered.is_none() && new_offered.is_none() {
        return None;
    }
    Some((
        old_offered.unwrap_or_else(|| old.to_owned()),
        new_offered.unwrap_or_else(|| new.to_owned()),
    ))
}

/// Returns the call that an answer names for the place of the edit.
fn named(reply: &Reply, edit: &Edit) -> Option<NextCall> {
    let calls = reply.next_calls();
    let length = serde_json::to_string(calls).expect("JSON").len();
    assert!(length <= 4_096 && calls.len() <= 5, "{}", reply.text());
    assert_eq!(
        serde_json::to_value(calls).expect("JSON"),
        match calls {
            [] => json!([]),
            _ => reply.data()["error"]["next"].clone(),
        }
    );
    for call in calls {
        assert_eq!(call.tool, "Edit", "{}", reply.text());
        for never in ["insist", "replace_all"] {
            assert!(call.arguments.get(never).is_none(), "{call:?}");
        }
    }
    match reply.refusal()? {
        RefusalKind::Ambiguous => {
            let places = reply.data()["error"]["places"].as_array()?;
            let place = places
                .iter()
                .find(|place| place["line"].as_u64() == Some(edit.first as u64 + 1))?;
            let is_for = |call: &&NextCall| {
                ["old_string", "new_string"]
                    .iter()
                    .all(|text| call.arguments[*text] == place[*text])
            };
            calls.iter().find(is_for).cloned()
        }
        _ => {
            assert!(calls.len() <= 1, "{}", reply.text());
            calls.first().cloned()
        }
    }
}

/// Returns the result of following an answer: by the texts in its data, and by the call that it names.
fn followed(
    project: &TestProject,
    path: &PathBuf,
    edit: &Edit,
    text: &str,
    (old, new): (&str, &str),
    accounts: &mut Vec<String>,
) -> Option<[Outcome; 2]> {
    fs::write(path, text).expect("written");
    let read = RawCall::new("Read", json!({ "file_path": path }));
    assert!(!project.session.call(read).is_error());
    let reply = project.edit(path, old, new);
    reply.refusal()?;
    let meant = text.replace(&edit.old.join("\n"), &edit.new.join("\n"));
    let mut outcome = |second: Option<Reply>| {
        let result = fs::read_to_string(path).expect("read");
        match second {
            None => Outcome::Again,
            Some(second) if second.is_error() => Outcome::Again,
            Some(_) if result == meant => Outcome::Meant,
            Some(_) => {
                let words = format!(
                    "followed, and not what was meant: {path:?}\nold_string:\n{old}\nnew_string:\n{new}\nanswer:\n{}\n{:?}\nmeant:\n{}\n",
                    reply.text(),
                    reply.next_calls(),
                    edit.new.join("\n")
                );
                accounts.push(words);
                Outcome::Damaged
            }
        }
    };
    let call = named(&reply, edit);
    let sent = call.map(|call| {
        let answer = project
            .session
            .call(RawCall::new(&call.tool, call.arguments.clone()));
        assert!(!answer.is_error(), "{call:?}\n{}", answer.text());
        answer
    });
    let by_call = outcome(sent);
    fs::write(path, text).expect("written");
    let read = RawCall::new("Read", json!({ "file_path": path }));
    assert!(!project.session.call(read).is_error());
    let texts = offered(&reply, edit, old, new);
    let by_data = outcome(texts.map(|(old, new)| project.edit(path, &old, &new)));
    Some([by_data, by_call])
}

#[test]
fn an_offer_that_is_followed_does_what_was_meant() {
    let project = TestProject::with_history(|builder| builder);
    let mut accounts = Vec::new();
    let mut counts: [BTreeMap<(Where, Damage), Count>; 2] = Default::default();
    let mut texts: Vec<(String, String)> = TEXTS
        .iter()
        .map(|(name, text)| ((*name).to_owned(), (*text).to_owned()))
        .collect();
    if let Some(folder) = std::env::var_os("LANCET_OFFERS_TEXTS") {
        texts = fs::read_dir(folder)
            .expect("a folder")
            .flatten()
            .filter_map(|entry| {
                Some((
                    entry.file_name().into_string().ok()?,
                    fs::read_to_string(entry.path()).ok()?,
                ))
            })
            .filter(|(_, text)| {
                text.len() < 60_000
                    && (40..1_900).contains(&text.lines().count())
                    && text.lines().all(|line| line.len() < 500)
            })
            .collect();
    }
    let seed = std::env::var("LANCET_OFFERS_SEED")
        .ok()
        .and_then(|seed| seed.parse().ok())
        .unwrap_or(7);
    for (turn, damage) in DAMAGES.into_iter().enumerate() {
        for (side, at) in WHERE.into_iter().enumerate() {
            let mut dice = Dice::new(seed * 1_000 + (turn * 3 + side) as u64 + 1);
            let mut made = 0;
            for _ in 0..EDITS * 60 {
                if made == EDITS {
                    break;
                }
                let (name, text) = &texts[dice.below(texts.len())];
                let Some(edit) = Edit::random(text, &mut dice) else {
                    continue;
                };
                let Some((old, new)) = edit.damaged(damage, at, &mut dice) else {
                    continue;
                };
                made += 1;
                let path = project.root.join(name);
                let outcomes = followed(&project, &path, &edit, text, (&old, &new), &mut accounts);
                for (counts, outcome) in counts.iter_mut().zip(outcomes.into_iter().flatten()) {
                    counts.entry((at, damage)).or_default().add(outcome);
                }
            }
        }
    }
    // No call is named where the new text is already at the place.
    for (counts, old_only) in counts.iter().zip([99, 95]) {
        require_right(counts, &accounts, old_only);
    }
}

/// Requires the share of right results from following answers.
fn require_right(counts: &BTreeMap<(Where, Damage), Count>, accounts: &[String], bar: usize) {
    let sum = |wanted: &dyn Fn(Where, Damage) -> bool| {
        let mut sum = Count::default();
        for ((at, damage), count) in counts {
            if wanted(*at, *damage) {
                sum.meant += count.meant;
                sum.again += count.again;
                sum.damaged += count.damaged;
            }
        }
        sum
    };
    let table: Vec<String> = counts
        .iter()
        .map(|(key, count)| format!("{key:?} {count:?}"))
        .collect();
    let table = table.join("\n");
    assert_eq!(
        sum(&|_, _| true).damaged,
        0,
        "{table}\n{}",
        accounts.join("\n")
    );
    // Where lines are left out, several places may fit, and then none is offered.
    let leaves_out = |damage| matches!(damage, Damage::Elision | Damage::MissingLine);
    let left_out = sum(&|_, damage| leaves_out(damage));
    assert!(
        left_out.meant * 100 >= left_out.total() * 65,
        "{left_out:?}\n{table}"
    );
    let all = sum(&|_, damage| !leaves_out(damage));
    let old_only = sum(&|at, damage| at == Where::Old && !leaves_out(damage));
    assert!(all.meant * 100 >= all.total() * 95, "{all:?}\n{table}");
    assert!(
        old_only.meant * 100 >= old_only.total() * bar,
        "{old_only:?}\n{table}"
    );
    assert!(old_only.total() >= 200, "{old_only:?}");
}
