//! Real file systems: the results of the proof match the known facts of each, it agrees with the guarantee, and nothing
//! is left.

use lancet_testing::judges;
use lancet_testing::place::{MountedPlace, System};

use crate::run::{Report, names, prove};

/// Returns how many writers are killed on each.
fn kills() -> u32 {
    if judges::is_torture_run() { 500 } else { 10 }
}

/// The known facts of a file system.
struct Known {
    kind: System,
    /// The type in the mount table. Which one bindfs gets depends on its version.
    names: &'static [&'static str],
    guarantee: &'static str,
    kept_by: &'static str,
    /// The checks whose statement does not hold there.
    lacks: &'static [&'static str],
}

const NOTHING: &[&str] = &[];

/// A rename in a program's file system may have a gap for readers, which not every run meets.
const MAY_LACK: [&str; 2] = ["rename-readers", "edit-readers"];

fn prove_one(known: &Known) {
    let place = match MountedPlace::mount(known.kind) {
        Ok(place) => place,
        Err(why) => return judges::skipped(&format!("{}: {why}", known.kind.name())),
    };
    let report = prove(&place.at, kills());
    let Report { code, data } = &report;
    assert_eq!(*code, Some(0), "{data}");
    assert_eq!(data["agrees"], true, "{data}");
    assert_eq!(data["guarantee"], known.guarantee, "{data}");
    assert_eq!(data["keptBy"], known.kept_by, "{data}");
    let name = data["fileSystem"].as_str().expect("a name");
    assert!(known.names.contains(&name), "{data}");
    for check in data["checks"].as_array().expect("a list") {
        let name = check["check"].as_str().expect("a name");
        let is_program = known.kept_by == "program" || known.kept_by == "network";
        if is_program && MAY_LACK.contains(&name) {
            assert_eq!(report.figure(name, "torn"), 0, "{check}");
            continue;
        }
        let expected = if known.lacks.contains(&name) {
            "no"
        } else {
            "yes"
        };
        assert_eq!(check["answer"], expected, "{}: {check}", known.kind.name());
    }
    assert_eq!(
        report.figure("kills", "kills"),
        u64::from(kills()),
        "{data}"
    );
    assert_eq!(report.figure("kills", "lost"), 0, "{data}");
    assert_eq!(names(&place.at), Vec::<String>::new());
    judges::tried(&format!(
        "{}: guarantee {}, {} ms an edit",
        known.kind.name(),
        known.guarantee,
        report.check("speed")["figures"]["editMilliseconds"]
    ));
}

/// Checks a file system of the kernel, on which every check passes.
fn kernels_own(kind: System, names: &'static [&'static str]) {
    prove_one(&Known {
        kind,
        names,
        guarantee: "exchange+lease",
        kept_by: "kernel",
        lacks: NOTHING,
    });
}

#[test]
fn on_ext4_everything_holds() {
    kernels_own(System::Ext4, &["ext4"]);
}

#[test]
fn on_xfs_everything_holds() {
    kernels_own(System::Xfs, &["xfs"]);
}

#[test]
fn on_btrfs_everything_holds() {
    kernels_own(System::Btrfs, &["btrfs"]);
}

#[test]
fn on_tmpfs_everything_holds() {
    kernels_own(System::Tmpfs, &["tmpfs"]);
}

#[test]
fn in_layers_names_are_exchanged_and_leases_do_not_count() {
    prove_one(&Known {
        kind: System::Overlay,
        names: &["overlay"],
        guarantee: "exchange",
        kept_by: "layers",
        lacks: NOTHING,
    });
}

/// A program whose file system has no specific type in the mount table may pass files on to another machine.
#[test]
fn a_program_that_refuses_flags_gets_files_moved_aside() {
    prove_one(&Known {
        kind: System::Fuse,
        names: &["fuse", "fuse.bindfs"],
        guarantee: "aside",
        kept_by: "network",
        lacks: &["exchange", "rename-no-replace"],
    });
}

#[test]
fn on_ntfs_served_by_a_program_modes_are_the_mounts() {
    prove_one(&Known {
        kind: System::Ntfs,
        names: &["fuseblk"],
        guarantee: "aside",
        kept_by: "program",
        lacks: &["exchange", "rename-no-replace", "permissions"],
    });
}

#[test]
fn on_exfat_served_by_a_program_the_guarantee_is_weak() {
    prove_one(&Known {
        kind: System::Exfat,
        names: &["fuseblk"],
        guarantee: "weak",
        kept_by: "program",
        lacks: &[
            "exchange",
            "rename-no-replace",
            "link-no-replace",
            "case",
            "permissions",
            "symbolic-links",
            "hard-links",
            "attributes",
            "times",
        ],
    });
}
