//! Figure 6: a power cut. The image of a file system is copied before each call of a commit: once as it is, and once
//! after the journal of the file system was committed without the data of our files. Each copy is mounted as after a
//! crash, checked and recovered. The same commits without flushes must leave empty files, which proves that the copies
//! show a crash.

#[path = "../it/reading_calls.rs"]
mod reading_calls;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use lancet_testing::TestFolder;
use lancet_workspace::{FaultyDisk, RealDisk};

use crate::commit_kind::{CommitKind, OLD, Site, Tree};
use crate::runner::{Form, Skipped, figure, on_two_threads, skip, system};
use lancet_testing::place::{System, make_image, options, text};
use reading_calls::READING_CALLS;

const KINDS: [System; 4] = [System::Ext4, System::Ext4Strict, System::Xfs, System::Btrfs];
const RUNGS: [&str; 3] = ["exchange+lease", "aside", "in-place-leased"];

/// Whether the disk flushes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Care {
    Flushed,
    Unflushed,
}

/// When a copy was made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Moment {
    Midway,
    /// After the commit had returned success.
    Returned,
}

/// One commit whose image is copied before one of its calls; if it has fewer calls, after its return.
struct Shot<'t> {
    template: &'t Path,
    kind: System,
    commit: &'static CommitKind,
    care: Care,
    call: u64,
}

/// A mount point that is unmounted on drop.
struct Mounted<'a>(&'a Path);

impl<'a> Mounted<'a> {
    fn at(kind: System, image: &Path, at: &'a Path) -> Result<Mounted<'a>, String> {
        system("mount", &["-o", options(kind), text(image), text(at)])?;
        Ok(Mounted(at))
    }
}

impl Drop for Mounted<'_> {
    fn drop(&mut self) {
        if system("umount", &[text(self.0)]).is_err() {
            let _ = system("umount", &["-l", text(self.0)]);
        }
    }
}

fn copy(from: &Path, to: &Path) {
    system("cp", &["--sparse=always", text(from), text(to)]).unwrap();
}

/// Makes the file system commit its journal without flushing the data of our files.
fn commit_the_journal(kind: System, at: &Path) {
    if kind == System::Btrfs {
        // A new subvolume ends the transaction.
        system(
            "btrfs",
            &["subvolume", "create", text(&at.join("bystander"))],
        )
        .unwrap();
        return;
    }
    let bystander = fs::File::create(at.join("bystander")).unwrap();
    bystander.sync_all().unwrap();
}

#[derive(Default)]
struct Tally {
    snapshots: AtomicU64,
    old: AtomicU64,
    new: AtomicU64,
    missing: AtomicU64,
    torn: AtomicU64,
    litter: AtomicU64,
}

pub(crate) fn prove(form: Form) -> Result<(), Skipped> {
    let mut shown = 0;
    for kind in KINDS {
        let folder = TestFolder::in_memory();
        let template = folder.path().join("template");
        let at = folder.path().join("at");
        fs::create_dir(&at).unwrap();
        let usable =
            make_image(kind, &template).and_then(|()| Mounted::at(kind, &template, &at).map(drop));
        if let Err(why) = usable {
            skip(6, kind.name(), &why);
            continue;
        }
        shown += 1;
        let shots = shots(form, kind, &template);
        let tallies = [Tally::default(), Tally::default()];
        let findings = Mutex::new(Vec::new());
        let shoot = |shot: &Shot<'_>| {
            let tally = &tallies[usize::from(shot.care == Care::Unflushed)];
            let found = take(shot, tally);
            findings.lock().unwrap().extend(found);
        };
        match kind {
            // btrfs identifies a file system by its UUID, and all copies have the same.
            System::Btrfs => shots.iter().for_each(shoot),
            _ => on_two_threads(&shots, shoot),
        }
        let (with, without): (Vec<_>, Vec<_>) = findings
            .into_inner()
            .unwrap()
            .into_iter()
            .partition(|(care, _)| *care == Care::Flushed);
        let tally = &tallies[0];
        let count = |of: &AtomicU64| of.load(Ordering::SeqCst);
        figure(
            6,
            &format!(
                "{}: {} snapshots of {} rungs: {} old, {} new, {} without a name and {} torn until recovery, then old or new in all; after return new; {} temps left to the sweep; without flushes {} of {} bad",
                kind.name(),
                count(&tally.snapshots),
                RUNGS.len(),
                count(&tally.old),
                count(&tally.new),
                count(&tally.missing),
                count(&tally.torn),
                count(&tally.litter),
                without.len(),
                count(&tallies[1].snapshots)
            ),
        );
        assert!(with.is_empty(), "{}: {with:#?}", kind.name());
        assert!(!without.is_empty(), "{}: nothing was shown", kind.name());
    }
    match shown {
        0 => Err(Skipped("no image can be mounted here".into())),
        _ => Ok(()),
    }
}

/// Calls that change no more than the handle or the metadata of a file. The short form makes no copy right after them,
/// nor after one of [`READING_CALLS`].
const MINOR: [&str; 7] = [
    "open_at",
    "open_state_folder",
    "reserve",
    "set_owner",
    "set_permissions",
    "set_modified",
    "copy_attributes",
];

/// Returns the numbers of the calls before which the image is copied: the first one, and in the short form those after
/// a call that changes a name or content or flushes.
fn calls(form: Form, commit: &CommitKind) -> Vec<u64> {
    let folder = TestFolder::in_memory();
    let site = commit.prepare(folder.path());
    let disk = commit.disk();
    let workspace = site.open(disk.clone());
    let methods = Arc::new(Mutex::new(Vec::new()));
    let made = Arc::clone(&methods);
    disk.set_hook(move |call| made.lock().unwrap().push(call.method));
    commit.act(&workspace, &site.root).unwrap();
    disk.clear_hook();
    let methods = methods.lock().unwrap();
    let later = (2..).zip(methods.iter());
    let is_minor = |call: &&str| MINOR.contains(call) || READING_CALLS.contains(call);
    let chosen = later.filter(|(_, before)| form == Form::Long || !is_minor(before));
    std::iter::once(1)
        .chain(chosen.map(|(number, _)| number))
        .filter(|&number| number <= methods.len() as u64)
        .collect()
}

fn shots(form: Form, kind: System, template: &Path) -> Vec<Shot<'_>> {
    let mut shots = Vec::new();
    let stride = form.pick(if kind == System::Ext4 { 1 } else { 3 }, 1);
    for name in RUNGS {
        let commit = CommitKind::named(name);
        let calls = calls(form, commit);
        let chosen = calls.into_iter().rev().step_by(stride).chain([u64::MAX]);
        shots.extend(chosen.map(|call| Shot {
            template,
            kind,
            commit,
            care: Care::Flushed,
            call,
        }));
    }
    let commit = CommitKind::named("exchange+lease");
    shots.push(Shot {
        template,
        kind,
        commit,
        care: Care::Unflushed,
        call: u64::MAX,
    });
    shots
}

fn take(shot: &Shot<'_>, tally: &Tally) -> Vec<(Care, String)> {
    let folder = TestFolder::in_memory();
    let around = folder.path().to_owned();
    let (at, image) = (around.join("at"), around.join("image"));
    let copies = [around.join("at once"), around.join("after the journal")];
    fs::create_dir(&at).unwrap();
    copy(shot.template, &image);
    let (before, after, moment) = {
        let _mounted = Mounted::at(shot.kind, &image, &at).unwrap();
        play(shot, &at, &image, &copies)
    };
    let mut findings = Vec::new();
    for path in &copies {
        tally.snapshots.fetch_add(1, Ordering::SeqCst);
        let mounted = Mounted::at(shot.kind, path, &at);
        let judged =
            mounted.and_then(|_mounted| judge(shot, &at, (&before, &after), moment, tally));
        if let Err(why) = judged {
            let when = path.file_name().unwrap().display();
            let name = shot.commit.name;
            let call = shot.call;
            findings.push((
                shot.care,
                format!("{name} before call {call}, {when}: {why}"),
            ));
        }
    }
    findings
}

/// Runs the commit and makes the two copies during it.
fn play(shot: &Shot<'_>, at: &Path, image: &Path, copies: &[PathBuf; 2]) -> (Tree, Tree, Moment) {
    let site = shot.commit.prepare(at);
    let before = site.tree();
    system("sync", &["--file-system", text(at)]).unwrap();
    let disk = match shot.care {
        Care::Flushed => shot.commit.disk(),
        Care::Unflushed => Arc::new(FaultyDisk::without_flushes()),
    };
    let workspace = site.open(disk.clone());
    let begun = disk.call_count();
    let photograph = {
        let (kind, at, image) = (shot.kind, at.to_owned(), image.to_owned());
        let copies = copies.clone();
        move || {
            copy(&image, &copies[0]);
            commit_the_journal(kind, &at);
            copy(&image, &copies[1]);
        }
    };
    let (wanted, shoot) = (shot.call, photograph.clone());
    disk.set_hook(move |call| {
        if call.number - begun == wanted {
            shoot();
        }
    });
    shot.commit.act(&workspace, &site.root).unwrap();
    disk.clear_hook();
    let moment = match copies[1].exists() {
        true => Moment::Midway,
        false => {
            photograph();
            Moment::Returned
        }
    };
    (before, site.tree(), moment)
}

fn judge(
    shot: &Shot<'_>,
    at: &Path,
    (before, after): (&Tree, &Tree),
    moment: Moment,
    tally: &Tally,
) -> Result<(), String> {
    let site = Site::in_folder(at);
    let found = site.tree();
    let file = found.get("a");
    let (is_old, is_new) = (file == before.get("a"), file == after.get("a"));
    let counter = match file {
        _ if is_old => &tally.old,
        _ if is_new => &tally.new,
        None => &tally.missing,
        Some(_) => &tally.torn,
    };
    counter.fetch_add(1, Ordering::SeqCst);
    let whole = is_old || is_new;
    let fine = match shot.commit.name {
        "exchange+lease" => whole,
        "aside" => whole || file.is_none(),
        _ => file.is_some(),
    };
    if !fine {
        return Err(format!("{file:?}"));
    }
    if moment == Moment::Returned && !is_new {
        return Err("it had said that it is written".into());
    }
    let is_kept = |tree: &Tree| tree.values().any(|bytes| bytes == OLD.as_bytes());
    if !is_old && !is_kept(&found) && !is_kept(&site.displaced_files()) {
        return Err("the old bytes are nowhere".into());
    }
    let healed = site
        .open(Arc::new(RealDisk))
        .recover_commits()
        .map_err(|error| format!("recovery: {error}"))?;
    let mut healthy = site.tree();
    // A journal entry that was not flushed may be lost in a power cut; its temporary file is then left to the sweep.
    let temps = |name: &String| name.starts_with(".lancet-");
    let litter = healthy.keys().filter(|name| temps(name)).count() as u64;
    tally.litter.fetch_add(litter, Ordering::SeqCst);
    healthy.retain(|name, _| !temps(name));
    match healthy == *before || healthy == *after {
        true => Ok(()),
        false => Err(format!("after recovery {healed:?}: {healthy:?}")),
    }
}
