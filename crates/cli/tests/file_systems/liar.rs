//! A file system that does not do what it reports: the proof detects it, and says where that contradicts the guarantee.

use lancet_testing::lying_disk::{Lie, LyingDisk, LyingMount};
use lancet_testing::{TestFolder, judges};

use crate::run::{Report, names, prove};

/// Mounts a file system with these lies, and runs the proof on it.
fn proved(lying: &LyingDisk) -> Option<Report> {
    let folder = TestFolder::in_memory();
    let at = folder.join("at");
    let mounted: LyingMount = match lying.mount(&at) {
        Ok(mounted) => mounted,
        Err(why) => {
            judges::skipped(&format!("a file system in user space: {why}"));
            return None;
        }
    };
    let report = prove(&at, 5);
    assert_eq!(names(&at), Vec::<String>::new(), "nothing is left");
    drop(mounted);
    Some(report)
}

#[test]
fn a_mount_that_ignores_flags_is_seen_and_lancet_does_not_rely_on_it() {
    for lying in [
        LyingDisk::new(&[Lie::IgnoresFlags]),
        LyingDisk::new(&[Lie::IgnoresFlags]).on_this_machine(),
        LyingDisk::new(&[Lie::ExchangesNothing]).on_this_machine(),
    ] {
        let Some(report) = proved(&lying) else { return };
        let data = &report.data;
        assert_eq!(report.code, Some(0), "{data}");
        assert_eq!(report.answer("exchange"), "no", "{data}");
        let seen = report.check("exchange")["seen"].as_str().expect("words");
        assert!(seen.starts_with("it reports success"), "{seen}");
        assert_eq!(data["guarantee"], "aside", "{data}");
        assert_eq!(data["contradictions"], serde_json::json!([]));
        assert_eq!(report.answer("kills"), "yes", "{data}");
    }
}

#[test]
fn an_exchange_that_works_is_relied_on_where_the_program_is_known() {
    let Some(report) = proved(&LyingDisk::new(&[]).on_this_machine()) else {
        return;
    };
    assert_eq!(report.code, Some(0), "{}", report.data);
    assert_eq!(report.answer("exchange"), "yes", "{}", report.data);
    assert_eq!(report.data["guarantee"], "exchange", "{}", report.data);
    assert_eq!(report.data["keptBy"], "program", "{}", report.data);
}

/// The kernel itself keeps the locks of folders, which are those that lancet takes.
#[test]
fn locks_of_files_that_are_granted_to_everybody_are_told() {
    let lying = LyingDisk::new(&[Lie::LocksNobodyOut]).on_this_machine();
    let Some(report) = proved(&lying) else { return };
    let data = &report.data;
    assert_eq!(report.code, Some(0), "{data}");
    assert_eq!(report.answer("locks"), "no", "{data}");
    let seen = report.check("locks")["seen"].as_str().expect("words");
    assert!(seen.contains("folder lock keeps out"), "{seen}");
    assert!(seen.contains("file lock is granted to both"), "{seen}");
}

/// It exchanges names while it is tested, and then no more.
#[test]
fn what_contradicts_the_guarantee_is_said_and_is_the_exit_code() {
    let lying = LyingDisk::new(&[Lie::ExchangesOnce]).on_this_machine();
    let Some(report) = proved(&lying) else { return };
    let data = &report.data;
    assert_eq!(report.code, Some(1), "{data}");
    assert_eq!(data["agrees"], false, "{data}");
    assert_eq!(data["guarantee"], "exchange", "{data}");
    assert_eq!(report.answer("exchange"), "no", "{data}");
    let why = data["contradictions"][0].as_str().expect("a sentence");
    assert!(why.contains("a file could vanish"), "{data}");
    let text = data["text"].as_str().expect("a text");
    assert!(
        text.contains("contradicts the guarantee exchange"),
        "{text}"
    );
}

#[test]
fn coarse_times_folded_case_and_missing_links_are_told() {
    let lies = [Lie::WholeSeconds, Lie::FoldsCase, Lie::LacksLinks];
    let Some(report) = proved(&LyingDisk::new(&lies)) else {
        return;
    };
    assert_eq!(report.code, Some(0), "{}", report.data);
    for check in ["times", "case", "hard-links", "link-no-replace"] {
        assert_eq!(report.answer(check), "no", "{}", report.data);
    }
    let unit = report.figure("times", "resolutionNanoseconds");
    assert_eq!(unit, 1_000_000_000);
    assert_eq!(report.data["guarantee"], "weak", "{}", report.data);
}
