//! Several edits in one call: the same file as the edits one by one, or a refusal that leaves everything.

use lancet_text::{Document, Encoding};
use proptest::collection::vec;
use proptest::prelude::*;
use serde_json::json;

use crate::ground::{Ground, config, done, refused, settings};
use crate::texts::{Charset, ENCODINGS, Sample, any_words, sample, spell};

/// Returns the present text of a file, and the encoding it is read in; only to pick places from.
fn view(charset: Charset, bytes: &[u8]) -> (String, &'static str) {
    let configured = match charset {
        Charset::Windows1252 => Encoding::for_label("windows-1252"),
        Charset::ShiftJis => Encoding::for_label("shift_jis"),
        Charset::Gbk => Encoding::for_label("gbk"),
        _ => None,
    };
    let document = Document::decode(bytes, configured).unwrap();
    (document.view().to_owned(), document.encoding().name())
}

/// Returns a range of characters that two numbers choose.
fn stretch(text: &str, from: u16, length: u8) -> String {
    let characters: Vec<char> = text.chars().collect();
    let start = usize::from(from) * characters.len() / (usize::from(u16::MAX) + 1);
    characters
        .iter()
        .skip(start)
        .take(1 + usize::from(length))
        .collect()
}

type Step = (u16, u8, Vec<(u8, bool)>, bool);

/// The edits as they were sent, the one that was refused, and whether the file had line ends throughout.
type OneByOne = (Vec<(String, String)>, Option<(usize, &'static str)>, bool);

/// Makes the edits one by one on a separate file. Returns the number and name of the first that is refused, and whether
/// the file had line ends throughout.
fn one_by_one(ground: &Ground, sample: &Sample, name: &str, steps: &[Step]) -> OneByOne {
    ground.put(name, sample.bytes());
    let session = ground.session();
    let mut edits = Vec::new();
    let mut steady = true;
    let first = view(sample.charset, &sample.bytes()).1;
    for (number, (from, length, new, odd)) in steps.iter().enumerate() {
        let (text, encoding) = view(sample.charset, &ground.bytes(name));
        if encoding != first {
            // A damaged file that has lost the characters that identified its encoding.
            break;
        }
        steady &= text.contains('\n');
        let old = stretch(&text, *from, *length);
        let mut new = spell(sample.charset, new);
        if *odd && sample.charset.encode("\u{FFFD}").is_some() {
            new.push('\u{FFFD}');
        }
        done(&ground.call(
            &session,
            "Read",
            json!({ "file_path": ground.path(name), "force": true }),
        ));
        edits.push((old.clone(), new.clone()));
        let reply = ground.edit(&session, name, &old, &new);
        if reply.is_error() {
            return (edits, Some((number + 1, refused(&reply))), steady);
        }
    }
    (edits, None, steady)
}

#[test]
fn several_edits_in_one_call_are_the_edits_one_by_one() {
    let ground = Ground::with(|builder| builder.settings(settings(ENCODINGS)));
    let step = (
        any::<u16>(),
        0..12_u8,
        any_words(),
        prop::bool::weighted(0.1),
    );
    proptest!(config(), |(sample in sample(), steps in vec(step, 1..5))| {
        ground.clear();
        let copy = sample.name().replace("sample", "copy");
        let (edits, failed, steady) = one_by_one(&ground, &sample, &copy, &steps);
        ground.put(sample.name(), sample.bytes());
        let session = ground.session();
        done(&ground.read(&session, sample.name()));
        let list: Vec<_> = edits.iter().map(|(old, new)| json!({ "old_string": old, "new_string": new })).collect();
        let call = json!({ "file_path": ground.path(sample.name()), "edits": list, "insist": true });
        let reply = ground.call(&session, "MultiEdit", call);
        if sample.view().contains('\r') {
            // Whether a lone CR ends a line may change between one edit and the next.
            return Ok(());
        }
        let number = reply.data()["error"]["edit"].as_u64().unwrap_or(1) as usize;
        match failed {
            // In one call, an edit that changes nothing is left out where others change something.
            Some((at, "no_change")) if !reply.is_error() && edits[at - 1].0 == edits[at - 1].1 => {
                assert!(ground.bytes(sample.name()) != sample.bytes(), "nothing changed: {edits:?}");
                if sample.uniform && steady {
                    assert_eq!(ground.bytes(sample.name()), ground.bytes(&copy), "{edits:?}");
                }
            }
            Some((at, name)) => {
                assert!(reply.is_error(), "one by one edit {at} was {name}, in one call it went through: {edits:?}");
                if refused(&reply) != "conflict" {
                    assert_eq!((number, refused(&reply)), (at, name), "{edits:?}: {}", reply.text());
                }
            }
            None => {
                let same = ground.bytes(&copy) == sample.bytes();
                match refused(&reply) {
                    "" if sample.uniform && steady => {
                        assert_eq!(ground.bytes(sample.name()), ground.bytes(&copy), "{edits:?}");
                        assert!(!same, "nothing changed: {edits:?}");
                    }
                    "" => {}
                    "conflict" => assert!(edits.len() > 1, "{}", reply.text()),
                    "no_change" => assert!(same || !sample.uniform, "{edits:?}: {}", reply.text()),
                    other => panic!("{other}: {edits:?}: {}", reply.text()),
                }
            }
        }
    });
}

#[test]
fn all_files_of_a_call_or_none() {
    let ground = Ground::with(|builder| builder.settings(settings(ENCODINGS)));
    let step = (
        0..3_usize,
        any::<u16>(),
        0..10_u8,
        any_words(),
        prop::bool::weighted(0.1),
    );
    proptest!(config(), |(samples in vec(sample(), 3), steps in vec(step, 1..6))| {
        ground.clear();
        let session = ground.session();
        let mut texts = Vec::new();
        let mut names = Vec::new();
        for (number, sample) in samples.iter().enumerate() {
            let name = sample.name().replace("sample", &number.to_string());
            ground.put(&name, sample.bytes());
            done(&ground.read(&session, &name));
            texts.push(sample.view());
            names.push(name);
        }
        let mut touched = [false; 3];
        let list: Vec<_> = steps
            .iter()
            .map(|(file, from, length, new, wrong)| {
                let old = if *wrong { "not there".to_owned() } else { stretch(&texts[*file], *from, *length) };
                touched[*file] = true;
                json!({ "file_path": ground.path(&names[*file]), "old_string": old, "new_string": spell(samples[*file].charset, new) })
            })
            .collect();
        let reply = ground.call(&session, "MultiEdit", json!({ "edits": list, "insist": true }));
        for (number, sample) in samples.iter().enumerate() {
            let changed = ground.bytes(&names[number]) != sample.bytes();
            assert_eq!(changed, !reply.is_error() && touched[number], "{list:?} {}", reply.text());
        }
    });
}
