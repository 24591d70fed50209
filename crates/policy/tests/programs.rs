//! The files that programs are started from are searched for when a write is first decided on, and protected from then
//! on.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use lancet_policy::{
    DecisionCause, FileNames, Locations, Mode, NameKind, Outcome, Policy, ShownContent,
};

#[test]
fn programs_are_listed_once_and_only_for_writes() {
    let looks = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&looks);
    let ground = Locations {
        roots: vec![PathBuf::from("/p")],
        read_roots: Vec::new(),
        home: None,
    };
    let policy = Policy::new(
        ground,
        Mode::Bypass,
        Vec::new(),
        Vec::new(),
        &Path::to_path_buf,
    )
    .with_program_list(Box::new(move || {
        counted.fetch_add(1, Ordering::Relaxed);
        vec!["/p/tools/fmt.sh".into(), "/bin/sh".into()]
    }));
    let read = policy.may_read(Path::new("/p/tools/fmt.sh"), NameKind::File);
    assert_eq!(read.outcome, Outcome::Allow);
    assert_eq!(looks.load(Ordering::Relaxed), 0);
    for _ in 0..2 {
        let program = policy.may_write(
            FileNames::single(Path::new("/p/tools/fmt.sh")),
            ShownContent::Lines,
        );
        assert_eq!(program.outcome, Outcome::Ask);
        assert!(matches!(program.cause, DecisionCause::Protected { .. }));
        let other = policy.may_write(
            FileNames::single(Path::new("/p/src/a.rs")),
            ShownContent::Lines,
        );
        assert_eq!(other.outcome, Outcome::Allow);
    }
    assert_eq!(looks.load(Ordering::Relaxed), 1);
}
