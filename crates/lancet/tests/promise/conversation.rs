//! Conversations of several sessions with outside writers in between, compared with a simple model: the true content of
//! every file, and for each session which version it knows and which of its bytes it was shown. After every step the
//! disk must be as in the model: no outside write is lost, nothing is reported stale that has not changed, nothing
//! unseen is edited.

mod model;
mod outside;

use lancet::{Lancet, Mode, Reply, Session, SessionName};
use lancet_testing::TestFolder;
use lancet_workspace::Revision;
use proptest::collection::vec;
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::exact::places;
use crate::ground::{Ground, cases, config, config_of, refused, settings};
use model::{Known, Model, NAMES, Node, replaced};
use outside::Outside;

#[derive(Clone, Debug)]
enum Step {
    Read {
        session: usize,
        file: usize,
        offset: usize,
        limit: Option<usize>,
        force: bool,
    },
    Edit {
        session: usize,
        edit: EditStep,
        dry: bool,
        all: bool,
    },
    MultiEdit {
        session: usize,
        edits: Vec<EditStep>,
        dry: bool,
    },
    Write {
        session: usize,
        file: usize,
        content: Vec<u8>,
        mode: &'static str,
        revision: Named,
        dry: bool,
    },
    Outside(usize, Outside),
    Restart,
}

#[derive(Clone, Debug)]
struct EditStep {
    file: usize,
    from: u16,
    length: u8,
    /// Whether the place is picked from what the session knows instead of the present content.
    remembered: bool,
    new: Vec<u8>,
    revision: Named,
}

/// The revision that a call names.
#[derive(Clone, Copy, Debug)]
enum Named {
    None,
    Current,
    Other,
}

fn named() -> impl Strategy<Value = Named> {
    prop_oneof![8 => Just(Named::None), 1 => Just(Named::Current), 1 => Just(Named::Other)]
}

fn text() -> impl Strategy<Value = Vec<u8>> {
    vec(any::<u8>(), 0..7)
}

fn edit() -> impl Strategy<Value = EditStep> {
    let length = prop_oneof![3 => 0..12_u8, 1 => any::<u8>()];
    (
        0..3_usize,
        any::<u16>(),
        length,
        prop::bool::weighted(0.3),
        text(),
        named(),
    )
        .prop_map(|(file, from, length, remembered, new, revision)| EditStep {
            file,
            from,
            length,
            remembered,
            new,
            revision,
        })
}

fn step() -> impl Strategy<Value = Step> {
    let dry = || prop::bool::weighted(0.15);
    let limit = prop_oneof![1 => Just(None), 1 => (1..6_usize).prop_map(Some)];
    let mode = prop::sample::select(vec!["overwrite", "overwrite", "append", "append", "create"]);
    prop_oneof![
        6 => (0..2_usize, 0..3_usize, 1..9_usize, limit, any::<bool>())
            .prop_map(|(session, file, offset, limit, force)| Step::Read { session, file, offset: if limit.is_none() { 1 } else { offset }, limit, force }),
        6 => (0..2_usize, edit(), dry(), prop::bool::weighted(0.2)).prop_map(|(session, edit, dry, all)| Step::Edit { session, edit, dry, all }),
        2 => (0..2_usize, vec(edit(), 1..4), dry()).prop_map(|(session, edits, dry)| Step::MultiEdit { session, edits, dry }),
        3 => (0..2_usize, 0..3_usize, text(), mode, named(), dry())
            .prop_map(|(session, file, content, mode, revision, dry)| Step::Write { session, file, content, mode, revision, dry }),
        4 => (0..3_usize, outside::outside()).prop_map(|(file, outside)| Step::Outside(file, outside)),
        1 => Just(Step::Restart),
    ]
}

/// Uses letters only, so that nothing looks like a leak, a look-alike or a line number.
fn spell(words: &[u8]) -> String {
    const WORDS: [&str; 12] = [
        "ant\n", "bee\n", "cat\n", "dog ", "eel\n", "fox\n", "gnu", "hen\n", "\n", "ibis\n",
        "jay\n", "kiwi ",
    ];
    words
        .iter()
        .map(|word| WORDS[usize::from(*word) % WORDS.len()])
        .collect()
}

/// The result of a call that the model expects.
#[derive(Debug, PartialEq)]
enum Expected {
    Done,
    Refused(&'static str),
}

use Expected::{Done, Refused};

struct Talk<'g> {
    ground: &'g Ground,
    lancet: Lancet,
    sessions: Vec<Session>,
    model: Model,
    state: Option<TestFolder>,
}

impl<'g> Talk<'g> {
    fn new(ground: &'g Ground, keeps: bool) -> Talk<'g> {
        ground.clear();
        let state = keeps.then(TestFolder::in_memory);
        let lancet = open(ground, state.as_ref());
        let mut talk = Talk {
            ground,
            sessions: Vec::new(),
            lancet,
            model: Model::default(),
            state,
        };
        talk.begin();
        talk
    }

    fn begin(&mut self) {
        let lancet = &self.lancet;
        let named = |name: &str| lancet.session(&SessionName::new(name).unwrap());
        self.sessions = if self.state.is_some() {
            vec![named("one"), named("two")]
        } else {
            vec![lancet.new_session(), lancet.new_session()]
        };
    }

    fn call(&self, session: usize, tool: &str, arguments: Value) -> Reply {
        self.ground.call(&self.sessions[session], tool, arguments)
    }

    fn play(&mut self, step: &Step) {
        match step {
            Step::Read {
                session,
                file,
                offset,
                limit,
                force,
            } => self.read(*session, *file, *offset, *limit, *force),
            Step::Edit {
                session,
                edit,
                dry,
                all,
            } => self.edits(*session, std::slice::from_ref(edit), *dry, *all, "Edit"),
            Step::MultiEdit {
                session,
                edits,
                dry,
            } => self.edits(*session, edits, *dry, false, "MultiEdit"),
            Step::Write {
                session,
                file,
                content,
                mode,
                revision,
                dry,
            } => {
                self.write(*session, *file, &spell(content), mode, *revision, *dry);
            }
            Step::Outside(file, outside) => outside.act(&mut self.model, self.ground, *file),
            Step::Restart if self.state.is_some() => {
                self.lancet = open(self.ground, self.state.as_ref());
                self.begin();
                self.model.forget_contents();
            }
            Step::Restart => {}
        }
        self.model.check(self.ground);
    }

    fn read(
        &mut self,
        session: usize,
        file: usize,
        offset: usize,
        limit: Option<usize>,
        force: bool,
    ) {
        let mut arguments =
            json!({ "file_path": self.ground.path(NAMES[file]), "offset": offset, "force": force });
        if let Some(limit) = limit {
            arguments["limit"] = json!(limit);
        }
        let reply = self.call(session, "Read", arguments);
        match self.model.resolve(file) {
            Err(name) => assert_eq!(refused(&reply), name, "{}", reply.text()),
            Ok((key, text)) => {
                assert!(!reply.is_error(), "{}", reply.text());
                self.model.saw(session, key, &text, &reply);
            }
        }
    }

    /// Returns the text that an edit step means, and the revision that the call names.
    fn wording(&self, session: usize, edit: &EditStep) -> (String, String, Option<String>) {
        let key = self.model.resolve(edit.file).ok();
        let current = key
            .as_ref()
            .map(|(_, text)| text.clone())
            .unwrap_or_default();
        let known = key.and_then(|(key, _)| self.model.known[session][key].as_ref());
        let source = match known {
            Some(known) if edit.remembered => known.version.clone(),
            _ => current.clone(),
        };
        let start = usize::from(edit.from) * source.len() / (usize::from(u16::MAX) + 1);
        let end = (start + 1 + usize::from(edit.length)).min(source.len());
        (
            source[start.min(end)..end].to_owned(),
            spell(&edit.new),
            revision(edit.revision, &current),
        )
    }

    fn edits(&mut self, session: usize, edits: &[EditStep], dry: bool, all: bool, tool: &str) {
        let worded: Vec<_> = edits
            .iter()
            .map(|edit| (edit.file, self.wording(session, edit)))
            .collect();
        let mut list: Vec<Value> = Vec::new();
        for (file, (old, new, revision)) in &worded {
            let mut edit = json!({ "file_path": self.ground.path(NAMES[*file]), "old_string": old, "new_string": new });
            if let Some(revision) = revision {
                edit["revision"] = json!(revision);
            }
            list.push(edit);
        }
        let mut arguments = if tool == "Edit" {
            list.remove(0)
        } else {
            json!({ "edits": list })
        };
        arguments["insist"] = json!(true);
        arguments["dry_run"] = json!(dry);
        if all {
            arguments["replace_all"] = json!(true);
        }
        // Applies the edits one after the other to a copy of the model.
        let mut trial = self.model.clone();
        let mut expected = Done;
        let mut failed_at = 0;
        let several = worded.len() > 1;
        // An edit that changes nothing is left out where others change something.
        let is_idle = |old: &str, new: &str| several && old == new && !old.is_empty();
        for (number, (file, (old, new, revision))) in worded.iter().enumerate() {
            let revision = revision.as_deref();
            expected = if is_idle(old, new) {
                trial.idle_edit(session, *file, old, revision, &self.model)
            } else {
                trial.edit(session, *file, old, new, revision, all, &self.model)
            };
            if expected != Done {
                failed_at = number;
                break;
            }
        }
        let reply = self.call(session, tool, arguments.clone());
        if several && refused(&reply) == "conflict" {
            // Which edits cross each other is tested by other laws.
            return;
        }
        if expected == Done && several && trial.files == self.model.files {
            expected = Refused("no_change");
        }
        match expected {
            Done => {
                assert!(!reply.is_error(), "{arguments}: {}", reply.text());
                if !dry {
                    self.model = trial;
                    let changed = worded
                        .iter()
                        .filter(|(_, (old, new, _))| !is_idle(old, new))
                        .map(|(file, _)| *file);
                    self.model.shown_after(session, changed, &reply);
                }
            }
            Refused(name) => {
                assert_eq!(
                    refused(&reply),
                    name,
                    "{arguments}: {}\n{:?}",
                    reply.text(),
                    self.model
                );
                if name == "stale" {
                    let (key, text) = self.model.resolve(worded[failed_at].0).unwrap();
                    self.model.shown_stale(session, key, &text, &reply);
                }
            }
        }
    }

    fn write(
        &mut self,
        session: usize,
        file: usize,
        content: &str,
        mode: &str,
        named: Named,
        dry: bool,
    ) {
        let found = self.model.resolve(file);
        let current = found
            .as_ref()
            .map(|(_, text)| text.clone())
            .unwrap_or_default();
        let revision = revision(named, &current);
        let mut arguments = json!({ "file_path": self.ground.path(NAMES[file]), "content": content, "mode": mode, "insist": true, "dry_run": dry });
        if let Some(revision) = &revision {
            arguments["revision"] = json!(revision);
        }
        let reply = self.call(session, "Write", arguments.clone());
        let mut trial = self.model.clone();
        match trial.write(session, file, content, mode, revision.as_deref()) {
            Done => {
                assert!(
                    !reply.is_error(),
                    "{arguments}: {}\n{:?}",
                    reply.text(),
                    self.model
                );
                if !dry {
                    self.model = trial;
                    if mode == "append" {
                        self.model.shown_after(session, [file], &reply);
                    }
                }
            }
            Refused(name) => {
                assert_eq!(
                    refused(&reply),
                    name,
                    "{arguments}: {}\n{:?}",
                    reply.text(),
                    self.model
                );
                if name == "stale" {
                    let (key, text) = self.model.resolve(file).unwrap();
                    self.model.shown_stale(session, key, &text, &reply);
                }
            }
        }
    }
}

fn revision(named: Named, current: &str) -> Option<String> {
    match named {
        Named::None => None,
        Named::Current => Some(Revision::from_content(current.as_bytes()).short_hex()),
        Named::Other => Some("0123456789abcdef".into()),
    }
}

fn open(ground: &Ground, state: Option<&TestFolder>) -> Lancet {
    let mut builder = Lancet::builder()
        .root(&ground.root)
        .mode(Mode::AcceptEdits)
        .settings(settings("match = \"exact\"\n"))
        .disk(std::sync::Arc::new(
            lancet::testing::FaultyDisk::without_flushes(),
        ));
    if let Some(state) = state {
        builder = builder.state_dir(state.path());
    }
    builder.open().unwrap()
}

impl Model {
    /// Returns the expected result of an edit, applied to this model. `before` has what the sessions knew when the call
    /// began.
    #[allow(clippy::too_many_arguments)]
    fn edit(
        &mut self,
        session: usize,
        file: usize,
        old: &str,
        new: &str,
        revision: Option<&str>,
        all: bool,
        before: &Model,
    ) -> Expected {
        if old.is_empty()
            && revision.is_none()
            && matches!(self.files[file], Node::Missing)
            && !matches!(before.files[file], Node::Missing)
        {
            unreachable!("an edit never removes a file");
        }
        let (key, text) = match self.resolve(file) {
            Ok(found) => found,
            Err("missing")
                if old.is_empty()
                    && revision.is_none()
                    && matches!(self.files[file], Node::Missing) =>
            {
                if new.is_empty() {
                    return Refused("no_change");
                }
                self.files[file] = Node::File(new.to_owned());
                self.known[session][file] = Some(Known::whole(new));
                return Done;
            }
            Err(name) => return Refused(name),
        };
        // Staleness depends on the version on the disk, whatever edits of the same call did before.
        let original = match before.resolve(file) {
            Ok((_, original)) => original,
            Err(_) => text.clone(),
        };
        if old.is_empty() && !text.is_empty() {
            return Refused("exists");
        }
        if old == new {
            return Refused("no_change");
        }
        let created = matches!(before.files[key], Node::Missing);
        // An empty file has no line that could be unseen.
        let fills_unknown = old.is_empty()
            && revision.is_none()
            && original.is_empty()
            && before.known[session][key].is_none();
        if let Some(refusal) = before.standing(session, key, &original, revision)
            && !created
            && !fills_unknown
        {
            return Refused(refusal);
        }
        let mut known = match &self.known[session][key] {
            Some(known) => known.clone(),
            None => Known::whole(&text),
        };
        let found = if old.is_empty() {
            vec![0]
        } else {
            places(&text, old)
        };
        let range = |at: usize| replaced(&text, at, old, new);
        // A deletion may leave a newline of the matched text, but its line must have been seen all the same.
        let unseen = |at: &usize| {
            let replaced = range(*at);
            let touched = replaced.start.min(*at)..replaced.end.max(at + old.len());
            !known.seen[touched].iter().all(|seen| *seen)
        };
        if found.is_empty() {
            return Refused("not_found");
        }
        if !all && found.len() > 1 {
            let plain = |at: &usize| !known.seen[*at..at + old.len()].iter().all(|seen| *seen);
            return Refused(if found.iter().all(plain) {
                "not_read"
            } else {
                "ambiguous"
            });
        }
        let mut taken: Vec<usize> = Vec::new();
        for at in found {
            if taken.last().is_none_or(|last| last + old.len() <= at) {
                taken.push(at);
            }
        }
        if taken.iter().any(unseen) {
            return Refused("not_read");
        }
        for at in taken.into_iter().rev() {
            known.replace(range(at), new);
        }
        self.files[key] = Node::File(known.version.clone());
        self.known[session][key] = Some(known);
        Done
    }

    /// Returns the expected result of an edit whose two texts are the same, in a call that has others.
    fn idle_edit(
        &self,
        session: usize,
        file: usize,
        old: &str,
        revision: Option<&str>,
        before: &Model,
    ) -> Expected {
        let (key, text) = match self.resolve(file) {
            Ok(found) => found,
            Err(name) => return Refused(name),
        };
        let original = match before.resolve(file) {
            Ok((_, original)) => original,
            Err(_) => text.clone(),
        };
        let created = matches!(before.files[key], Node::Missing);
        match before.standing(session, key, &original, revision) {
            Some(refusal) if !created => Refused(refusal),
            _ if places(&text, old).is_empty() => Refused("not_found"),
            _ => Done,
        }
    }

    fn write(
        &mut self,
        session: usize,
        file: usize,
        content: &str,
        mode: &str,
        revision: Option<&str>,
    ) -> Expected {
        let (key, text) = match self.resolve(file) {
            Ok(found) => found,
            Err("missing") if revision.is_none() && matches!(self.files[file], Node::Missing) => {
                self.files[file] = Node::File(content.to_owned());
                self.known[session][file] = Some(Known::whole(content));
                return Done;
            }
            Err(name) => return Refused(name),
        };
        if mode == "create" {
            return Refused("exists");
        }
        if (mode == "append" && content.is_empty()) || (mode != "append" && content == text) {
            return Refused("no_change");
        }
        if let Some(refusal) = self.standing(session, key, &text, revision) {
            return Refused(refusal);
        }
        let mut known = match &self.known[session][key] {
            Some(known) if mode == "append" || revision.is_none() => known.clone(),
            _ => Known::whole(&text),
        };
        let needed = if mode == "append" {
            let body = text.strip_suffix('\n').unwrap_or(&text);
            body.rfind('\n').map_or(0, |at| at + 1)..text.len()
        } else {
            0..text.len()
        };
        if !known.seen[needed].iter().all(|seen| *seen) {
            return Refused("not_read");
        }
        if mode == "append" {
            known.replace(text.len()..text.len(), content);
        } else {
            known = Known::whole(content);
        }
        self.files[key] = Node::File(known.version.clone());
        self.known[session][key] = Some(known);
        Done
    }

    /// Returns why a session may not change the present version; none if it may.
    fn standing(
        &self,
        session: usize,
        key: usize,
        text: &str,
        revision: Option<&str>,
    ) -> Option<&'static str> {
        let current = Revision::from_content(text.as_bytes()).short_hex();
        if revision.is_some_and(|named| named != current) {
            return Some("stale");
        }
        match &self.known[session][key] {
            None => revision.is_none().then_some("not_read"),
            Some(known) => (known.version != text).then_some("stale"),
        }
    }
}

fn converse(cases: u32, keeps: bool) {
    let ground = Ground::new();
    let config = if cases == self::cases() {
        config()
    } else {
        config_of(cases)
    };
    proptest!(config, |(starts in vec(text(), 3), steps in vec(step(), 1..24))| {
        let mut talk = Talk::new(&ground, keeps);
        for (file, start) in starts.iter().enumerate() {
            if file < 2 {
                outside::put(&mut talk.model, &ground, file, &spell(start));
            }
        }
        for step in &steps {
            talk.play(step);
        }
    });
}

#[test]
fn conversations_go_as_the_model_says() {
    converse(cases(), false);
}

#[test]
fn conversations_with_restarts_go_as_the_model_says() {
    converse(cases() / 20, true);
}

/// With `stale = "merge"`, what is carried over depends on the diff. An edit that goes through must preserve the
/// foreign change and touch only text that the session was shown; one that does not must leave everything as it was.
#[test]
fn with_merge_no_foreign_change_is_lost_and_nothing_unseen_is_edited() {
    let ground = Ground::with(|builder| {
        builder.settings(settings("match = \"exact\"\nstale = \"merge\"\n"))
    });
    let round = (
        edit(),
        vec(outside::outside(), 0..3),
        1..8_usize,
        prop::option::of(1..5_usize),
    );
    proptest!(config_of(cases() / 2), |(start in vec(any::<u8>(), 4..20), rounds in vec(round, 1..8))| {
        ground.clear();
        let mut model = Model::default();
        outside::put(&mut model, &ground, 0, &spell(&start));
        let session = ground.session();
        let mut shown = std::collections::BTreeSet::new();
        for (edit, meddlers, offset, limit) in &rounds {
            let mut read = json!({ "file_path": ground.path(NAMES[0]), "offset": if limit.is_some() { *offset } else { 1 }, "force": true });
            if let Some(limit) = limit {
                read["limit"] = json!(limit);
            }
            let reply = ground.call(&session, "Read", read);
            shown.extend(crate::ground::numbered(reply.text()).into_iter().map(|(_, line)| line.to_owned()));
            for outside in meddlers {
                outside.act(&mut model, &ground, 0);
            }
            let Ok((_, text)) = model.resolve(0) else {
                outside::put(&mut model, &ground, 0, &spell(&start));
                continue;
            };
            let from = usize::from(edit.from) * text.len() / (usize::from(u16::MAX) + 1);
            let end = (from + 1 + usize::from(edit.length)).min(text.len());
            let (old, new) = (&text[from.min(end)..end], spell(&edit.new));
            let reply = ground.edit(&session, NAMES[0], old, &new);
            if !reply.is_error() && !old.is_empty() {
                let found = places(&text, old);
                assert_eq!(found.len(), 1, "{text:?} {old:?}");
                let gone = replaced(&text, found[0], old, &new);
                let first = text[..found[0]].rfind('\n').map_or(0, |at| at + 1);
                for line in text[first..gone.end].split_terminator('\n') {
                    let whole = text.split('\n').find(|whole| whole.starts_with(line)).unwrap_or(line);
                    assert!(shown.iter().any(|shown| shown.starts_with(line) || shown == whole), "{line:?} was never shown");
                }
                model.files[0] = Node::File(format!("{}{new}{}", &text[..gone.start], &text[gone.end..]));
            } else if !reply.is_error() {
                model.files[0] = Node::File(new);
            }
            model.check(&ground);
            shown.extend(crate::ground::numbered(reply.text()).into_iter().map(|(_, line)| line.to_owned()));
            let diff = reply.text().lines().filter_map(|line| line.strip_prefix([' ', '+']));
            shown.extend(diff.map(str::to_owned));
        }
    });
}
