//! Every correction that a refusal offers, followed to the letter: it does what was meant, or it is refused again; it
//! never does anything else. Edits of source texts in several languages are damaged as models damage them, in the old
//! text, in the new text, or in both alike. `LANCET_OFFERS_TEXTS` names a folder of other texts, `LANCET_OFFERS_SEED` is
//! where the dice start.

mod damage;

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use damage::{DAMAGES, Damage, Dice, Edit, WHERE, Where};
use lancet::{RawCall, RefusalKind, Reply, Session};
use lancet_testing::{TestFolder, TestProject};
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

struct Place {
    _folder: TestFolder,
    root: PathBuf,
    session: Session,
}

impl Place {
    fn new() -> Place {
        let project = TestProject::with_history(|builder| builder);
        Place {
            _folder: project.around,
            root: project.root,
            session: project.session,
        }
    }

    fn edit(&self, path: &PathBuf, old: &str, new: &str) -> Reply {
        self.session.call(RawCall::new(
            "Edit",
            json!({ "file_path": path, "old_string": old, "new_string": new }),
        ))
    }
}

/// The texts that an answer says to send: its data, which its words must show too.
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

fn followed(
    place: &Place,
    path: &PathBuf,
    edit: &Edit,
    text: &str,
    (old, new): (&str, &str),
    accounts: &mut Vec<String>,
) -> Option<Outcome> {
    fs::write(path, text).expect("written");
    let read = RawCall::new("Read", json!({ "file_path": path }));
    assert!(!place.session.call(read).is_error());
    let reply = place.edit(path, old, new);
    reply.refusal()?;
    let meant = text.replace(&edit.old.join("\n"), &edit.new.join("\n"));
    let Some((old_offered, new_offered)) = offered(&reply, edit, old, new) else {
        return Some(Outcome::Again);
    };
    let second = place.edit(path, &old_offered, &new_offered);
    let result = fs::read_to_string(path).expect("read");
    Some(if second.is_error() {
        Outcome::Again
    } else if result == meant {
        Outcome::Meant
    } else {
        let words = format!(
            "followed, and not what was meant: {path:?}\nold_string:\n{old}\nnew_string:\n{new}\nanswer:\n{}\nmeant:\n{}\n",
            reply.text(),
            edit.new.join("\n")
        );
        accounts.push(words);
        Outcome::Damaged
    })
}

#[test]
fn an_offer_that_is_followed_does_what_was_meant() {
    let place = Place::new();
    let mut accounts = Vec::new();
    let mut counts: BTreeMap<(Where, Damage), Count> = BTreeMap::new();
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
                let Some(edit) = Edit::of(text, &mut dice) else {
                    continue;
                };
                let Some((old, new)) = edit.damaged(damage, at, &mut dice) else {
                    continue;
                };
                made += 1;
                let path = place.root.join(name);
                if let Some(outcome) =
                    followed(&place, &path, &edit, text, (&old, &new), &mut accounts)
                {
                    counts.entry((at, damage)).or_default().add(outcome);
                }
            }
        }
    }
    let sum = |wanted: &dyn Fn(Where, Damage) -> bool| {
        let mut sum = Count::default();
        for ((at, damage), count) in &counts {
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
        old_only.meant * 100 >= old_only.total() * 99,
        "{old_only:?}\n{table}"
    );
    assert!(old_only.total() >= 200, "{old_only:?}");
}
