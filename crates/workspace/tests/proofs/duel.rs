//! Figure 4: duels. Another process writes the file in one of six ways while we commit, at random moments of the
//! commit. Both run in parallel, so that races inside the kernel occur, which the explorer cannot show. The files are
//! checked as in the explorer. Check-then-write and check-then-rename, the methods of other tools, must lose bytes in
//! the same duels; otherwise the critical moments did not occur.

#[path = "duel/barrier.rs"]
mod barrier;
#[path = "duel/opponent.rs"]
mod opponent;

use std::collections::BTreeMap;
use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::Child;
use std::sync::Arc;
use std::time::{Duration, Instant};

use lancet_workspace::{
    CommitError, DisplacedFile, FaultyDisk, LateWriteCheck, NewBytes, Seal, Workspace,
    WriteOptions, WriteWarning,
};
use rustix::io::Errno;

use crate::commit_kind::{IN_PLACE, Seen, Site, files};
use lancet_testing::TestFolder;
use lancet_testing::place::{MountedPlace, System, text};

use crate::runner::{Form, Skipped, figure, role, skip};

use barrier::{Barrier, pin, unpin};
pub(crate) use opponent::play;
use opponent::{KINDS, OLD, OURS, THEIRS, mixtures, wait};

/// The nanoseconds between the check and the write of a tool that checks first. Such a tool computes its new text in
/// between, which takes longer.
const COMPUTING: u64 = 20_000;

/// The method of the write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    /// The best method that the file system allows.
    Ours,
    WithoutLease,
    Aside,
    InPlace,
    CheckThenWrite,
    CheckThenRename,
}

impl Way {
    fn name(self) -> &'static str {
        match self {
            Way::Ours => "as it comes",
            Way::WithoutLease => "exchange",
            Way::Aside => "aside",
            Way::InPlace => "in-place-leased",
            Way::CheckThenWrite => "check, write",
            Way::CheckThenRename => "check, rename",
        }
    }

    fn promises(self) -> bool {
        !matches!(self, Way::CheckThenWrite | Way::CheckThenRename)
    }

    fn disk(self) -> Arc<FaultyDisk> {
        let disk = Arc::new(FaultyDisk::new());
        match self {
            Way::WithoutLease => disk.fail_method("take_lease", Errno::ACCESS.raw_os_error()),
            Way::Aside => disk.fail_method("exchange_at", Errno::INVAL.raw_os_error()),
            _ => {}
        }
        disk
    }
}

pub(crate) fn prove(form: Form) -> Result<(), Skipped> {
    let all = [
        (System::Tmpfs, Way::CheckThenWrite, 10_000, 10_000),
        (System::Tmpfs, Way::CheckThenRename, 10_000, 10_000),
        (System::Tmpfs, Way::Ours, 600, 100_000),
        (System::Tmpfs, Way::WithoutLease, 200, 10_000),
        (System::Tmpfs, Way::Aside, 200, 10_000),
        (System::Tmpfs, Way::InPlace, 200, 10_000),
        (System::Ext4, Way::Ours, 100, 10_000),
        (System::Xfs, Way::Ours, 60, 10_000),
        (System::Btrfs, Way::Ours, 60, 10_000),
        (System::Overlay, Way::Ours, 100, 10_000),
        (System::Fuse, Way::Ours, 60, 10_000),
    ];
    let limit = form.pick(Duration::from_millis(400), Duration::from_secs(40));
    // `LANCET_DUELS=btrfs,fuse` chooses some of the file systems.
    let only = std::env::var("LANCET_DUELS").ok();
    let is_wanted = |kind: &System| {
        let mut names = only.iter().flat_map(|names| names.split(','));
        only.is_none() || names.any(|name| name == kind.name())
    };
    let mut fought = 0;
    for (kind, way, short, long) in all.into_iter().filter(|(kind, ..)| is_wanted(kind)) {
        match MountedPlace::mount(kind) {
            Ok(place) => {
                pin(0);
                fight(kind, &place.at, way, form.pick(short, long), limit);
                unpin();
                fought += 1;
            }
            Err(why) => skip(4, kind.name(), &why),
        }
    }
    match fought {
        0 => Err(Skipped("no file system can be mounted here".into())),
        _ => Ok(()),
    }
}

/// The other process, as seen from this one.
struct Opponent {
    child: Child,
    barrier: Barrier,
    round: u64,
    _folder: TestFolder,
}

impl Opponent {
    fn start(kind: &str, file: &Path) -> Opponent {
        let folder = TestFolder::in_memory();
        let meeting = folder.path().join("barrier");
        let barrier = Barrier::make(&meeting);
        let words = ["opponent", kind, text(file), text(&meeting)];
        Opponent {
            child: role(&words).spawn().unwrap(),
            barrier,
            round: 0,
            _folder: folder,
        }
    }

    /// Waits until the other process is running, and lets it write `delay` nanoseconds from now.
    fn go(&mut self, delay: u64) {
        self.round += 1;
        self.barrier.begin(self.round, delay, &mut self.child);
    }

    fn wait(&mut self) {
        self.barrier.wait_for_end(self.round, &mut self.child);
    }

    fn end(mut self) {
        self.barrier.close();
        assert!(self.child.wait().unwrap().success());
    }
}

/// The result of the write.
#[derive(Debug)]
enum Said {
    Written(Option<DisplacedFile>, Vec<WriteWarning>),
    Refused,
    Conflict,
}

#[derive(Debug, Default)]
struct Tally {
    written: u64,
    refused: u64,
    conflicts: u64,
    late: u64,
    faults: BTreeMap<&'static str, (u64, String)>,
}

/// Pseudo-random numbers (xorshift), the same in every run.
struct Dice(u64);

impl Dice {
    fn below(&mut self, end: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % end.max(1)
    }
}

/// Fights this many duels with each opponent, or as many as the time limit allows.
fn fight(kind: System, at: &Path, way: Way, rounds: u64, limit: Duration) {
    let site = Site::in_folder(at);
    fs::create_dir(&site.root).unwrap();
    let mut sum = Tally::default();
    let mut unbeaten = Vec::new();
    let (began, mut made) = (Instant::now(), 0);
    let mut guarantees = std::collections::BTreeSet::new();
    for opponent in KINDS {
        let workspace = site.open(way.disk());
        let mut other = Opponent::start(opponent, &site.root.join("a"));
        let mut dice = Dice(0x9e37_79b9_7f4a_7c15);
        let mut usual = time_of_one(way, &workspace, &site);
        let mut tally = Tally::default();
        let begun_with = Instant::now();
        for round in 0..rounds {
            clear(&site);
            fs::write(site.root.join("a"), OLD).unwrap();
            other.go(dice.below(usual));
            let begun = Instant::now();
            let said = write(way, &workspace, &site, &mut guarantees);
            // The estimate moves towards the median of all times, in larger steps at first: a round in which the system
            // was busy counts no more than another.
            let step = usual / if round < 32 { 8 } else { 32 };
            match begun.elapsed().as_nanos() as u64 > usual {
                true => usual += step,
                false => usual -= step,
            }
            other.wait();
            judge(opponent, &workspace, &site, said, &mut tally);
            made += 1;
            // If the last check comes late in a write (FUSE), one in a hundred writes is in time. Duels in which no
            // side won, or no side lost, show nothing.
            let has_met = sum.written + tally.written > 0 && sum.refused + tally.refused > 0;
            let limit = if has_met { limit } else { limit * 20 };
            if way.promises() && begun_with.elapsed() > limit {
                break;
            }
            // One loss proves that the critical moment occurred.
            if !way.promises() && tally.faults.contains_key("lost") {
                break;
            }
        }
        other.end();
        if !tally.faults.contains_key("lost") {
            unbeaten.push(opponent);
        }
        sum.written += tally.written;
        sum.refused += tally.refused;
        sum.conflicts += tally.conflicts;
        sum.late += tally.late;
        for (fault, (count, what)) in tally.faults {
            let entry = sum.faults.entry(fault).or_default();
            entry.0 += count;
            entry.1 = what;
        }
    }
    let name = match way {
        Way::Ours => guarantees.into_iter().collect::<Vec<_>>().join(" or "),
        way => way.name().to_owned(),
    };
    let count = |fault: &str| sum.faults.get(fault).map_or(0, |(count, _)| *count);
    let what = format!(
        "{}, {name}: {made} duels with {} opponents: lost {}, torn {}, phantom {}, unreported {}; {} written ({} late writers told), {} refused, {} conflicts ({:.0} s)",
        kind.name(),
        KINDS.len(),
        count("lost"),
        count("torn"),
        count("phantom"),
        count("unreported"),
        sum.written,
        sum.late,
        sum.refused,
        sum.conflicts,
        began.elapsed().as_secs_f64()
    );
    figure(4, &what);
    if way.promises() {
        assert!(
            sum.faults.is_empty(),
            "{}, {name}: {:#?}",
            kind.name(),
            sum.faults
        );
        assert!(sum.written > 0 && sum.refused > 0, "they never met: {what}");
    } else {
        assert!(unbeaten.is_empty(), "{name} lost nothing to {unbeaten:?}");
    }
}

/// Measures one undisturbed write, in nanoseconds: the median of three after a first one, which also sets up the state
/// folder. The opponents write at random moments of this span.
fn time_of_one(way: Way, workspace: &Workspace, site: &Site) -> u64 {
    let mut times = [0; 4].map(|_: u64| {
        clear(site);
        fs::write(site.root.join("a"), OLD).unwrap();
        let begun = Instant::now();
        write(way, workspace, site, &mut Default::default());
        begun.elapsed().as_nanos() as u64
    });
    times[1..].sort_unstable();
    times[2].max(1)
}

fn clear(site: &Site) {
    for folder in [&site.root, &site.state.join("displaced")] {
        let Ok(entries) = fs::read_dir(folder) else {
            continue;
        };
        for entry in entries {
            fs::remove_file(entry.unwrap().path()).unwrap();
        }
    }
}

fn write(
    way: Way,
    workspace: &Workspace,
    site: &Site,
    guarantees: &mut std::collections::BTreeSet<&'static str>,
) -> Said {
    let path = site.root.join("a");
    match way {
        Way::CheckThenWrite => {
            if fs::read(&path).ok().as_deref() != Some(OLD.as_bytes()) {
                return Said::Refused;
            }
            wait(COMPUTING);
            // The file is never empty: an opponent that has it mapped would be killed by a signal.
            let Ok(mut file) = fs::OpenOptions::new().write(true).open(&path) else {
                return Said::Refused;
            };
            file.write_all(OURS.as_bytes()).unwrap();
            file.set_len(OURS.len() as u64).unwrap();
            Said::Written(None, Vec::new())
        }
        Way::CheckThenRename => {
            let new = site.root.join("new");
            fs::write(&new, OURS).unwrap();
            if fs::read(&path).ok().as_deref() != Some(OLD.as_bytes()) {
                fs::remove_file(&new).unwrap();
                return Said::Refused;
            }
            wait(COMPUTING);
            fs::rename(&new, &path).unwrap();
            Said::Written(None, Vec::new())
        }
        way => {
            let Ok(seen) = Seen::at(workspace, &path) else {
                return Said::Refused;
            };
            if *seen.snapshot.bytes != OLD.as_bytes() {
                return Said::Refused;
            }
            let options = if way == Way::InPlace {
                IN_PLACE
            } else {
                WriteOptions::default()
            };
            let new = NewBytes::Whole(OURS.as_bytes());
            match workspace.commit(vec![seen.becomes(new, options)]) {
                Ok(mut written) => {
                    let written = written.remove(0);
                    guarantees.insert(written.guarantee.name());
                    Said::Written(written.displaced, written.warnings)
                }
                Err(CommitError::Conflict { kept, .. }) => {
                    assert!(kept.iter().all(|path| path.exists()), "{kept:?}");
                    Said::Conflict
                }
                Err(CommitError::Changed { .. } | CommitError::Busy { .. }) => Said::Refused,
                Err(error) => panic!("{error:?}"),
            }
        }
    }
}

fn judge(opponent: &str, workspace: &Workspace, site: &Site, said: Said, tally: &mut Tally) {
    let read = |folder: &Path| -> BTreeMap<String, String> {
        refresh_sizes(folder);
        files(folder)
            .into_iter()
            .map(|(name, bytes)| (name, String::from_utf8_lossy(&bytes).into_owned()))
            .collect()
    };
    let mut root = read(&site.root);
    let stands = root.remove("a");
    let kept = read(&site.state.join("displaced"));
    let is_theirs = |text: &String| text.contains(THEIRS);
    let at_name = stands.as_ref().is_some_and(is_theirs);
    let is_kept = kept.values().any(is_theirs);
    let mut faults = Vec::new();
    if !at_name && !is_kept && !root.values().any(is_theirs) {
        faults.push("lost");
    }
    let whole = |text: &String| mixtures(opponent).contains(text);
    if !stands.as_ref().is_some_and(whole) || !kept.values().all(whole) {
        faults.push("torn");
    }
    let ours_stand = stands.as_ref().is_some_and(|text| text.contains("OURS"));
    match &said {
        Said::Written(displaced, warnings) => {
            tally.written += 1;
            if !ours_stand && !at_name {
                faults.push("phantom");
            }
            let told = warnings.contains(&WriteWarning::LateWriter);
            tally.late += u64::from(told);
            if !at_name && is_kept && !told && !found_late(workspace, displaced.as_ref()) {
                faults.push("unreported");
            }
        }
        Said::Refused => {
            tally.refused += 1;
            if ours_stand {
                faults.push("phantom");
            }
        }
        Said::Conflict => tally.conflicts += 1,
    }
    if !root.is_empty() {
        faults.push("litter");
    }
    for fault in faults {
        let entry = tally.faults.entry(fault).or_default();
        entry.0 += 1;
        entry.1 =
            format!("{opponent}: {said:?}; stands {stands:?}, kept {kept:?}, beside {root:?}");
    }
}

/// Makes the kernel request the size of every file in a folder from the file system. On FUSE the kernel takes two hard
/// links for two files and caches the size of each for a second: bytes that were appended through a handle of the old
/// name are stored, and a reader of the new name would not see them yet.
fn refresh_sizes(folder: &Path) {
    use rustix::fs::{AtFlags, CWD, StatxFlags, statx};
    for entry in fs::read_dir(folder).into_iter().flatten() {
        let flags = AtFlags::STATX_FORCE_SYNC | AtFlags::SYMLINK_NOFOLLOW;
        let path = entry.unwrap().path();
        let _ = statx(CWD, &path, flags, StatxFlags::BASIC_STATS);
    }
}

/// Returns whether the later check of the displaced file finds the late bytes, as the history does before it seals a
/// file.
fn found_late(workspace: &Workspace, displaced: Option<&DisplacedFile>) -> bool {
    displaced.is_some_and(|displaced| {
        displaced.seal != Seal::Sealed
            && matches!(
                workspace.check_late_writes(displaced),
                Ok(LateWriteCheck::Late { .. })
            )
    })
}
