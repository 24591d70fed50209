//! Confines the process with Landlock: once the roots are fixed, the kernel refuses this process every write outside
//! them, the state folder and the user's settings folder. This is a second line of defence; the check that paths stay
//! below their roots does not depend on it. The library never does this, because it binds the whole process and its
//! children permanently.

use std::path::PathBuf;

/// The confinement of this process by the kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Confinement {
    /// Writing outside is refused; the number is the version of the Landlock interface.
    Stands(u32),
    /// This kernel, or its configuration, has no Landlock.
    Absent,
}

impl Confinement {
    /// Returns the confinement as text for people.
    pub fn describe(self) -> String {
        match self {
            Self::Stands(level) => {
                format!("Landlock level {level}: the kernel refuses every write outside")
            }
            Self::Absent => {
                "none: this system has no Landlock (Linux 5.19 or newer, switched on)".to_owned()
            }
        }
    }

    /// Returns the version of the Landlock interface, for programs; none if the process is not confined.
    pub fn landlock_version(self) -> Option<u32> {
        match self {
            Self::Stands(level) => Some(level),
            Self::Absent => None,
        }
    }
}

/// The folders that stay writable after the process is confined.
#[derive(Debug, Default)]
pub struct WritableFolders {
    /// Folders and devices that are used if they exist.
    pub folders: Vec<PathBuf>,
    /// Folders that are created if they are missing, since that is impossible afterwards.
    pub made: Vec<PathBuf>,
}

/// The processes that a confined one may send signals to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SignalScope {
    /// All processes of the same user, as without confinement.
    Anywhere,
    /// Only processes that it started itself, if the kernel supports that.
    OwnProcesses,
}

/// Confines this thread and everything that it starts from now on; returns whether that was possible.
pub fn confine_thread(writable: &WritableFolders) -> Confinement {
    confine(writable, SignalScope::Anywhere)
}

#[cfg(target_os = "linux")]
pub(crate) fn confine(writable: &WritableFolders, signals: SignalScope) -> Confinement {
    use std::os::unix::fs::DirBuilderExt as _;
    confine_and_create(writable, signals, &|folder| {
        // If this fails, the first write reports why, as it does without confinement.
        let _ = std::fs::DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(folder);
    })
    .unwrap_or(Confinement::Absent)
}

#[cfg(target_os = "linux")]
fn confine_and_create(
    writable: &WritableFolders,
    signals: SignalScope,
    make: &dyn Fn(&std::path::Path),
) -> Result<Confinement, landlock::RulesetError> {
    use landlock::{
        ABI, AccessFs, CompatLevel, Compatible as _, LandlockStatus, Ruleset, RulesetAttr as _,
        RulesetCreatedAttr as _, RulesetStatus, Scope, path_beneath_rules,
    };
    let mut writing = AccessFs::from_write(ABI::V5);
    // An ioctl on a terminal is not a write to a file.
    writing.remove(AccessFs::IoctlDev);
    let mut rules = Ruleset::default()
        // A kernel that cannot distinguish moves inside from moves out of a folder would refuse both; then there is no
        // confinement.
        .set_compatibility(CompatLevel::SoftRequirement)
        .handle_access(AccessFs::Refer)?
        .set_compatibility(CompatLevel::BestEffort)
        .handle_access(writing)?;
    if signals == SignalScope::OwnProcesses {
        rules = rules.scope(Scope::Signal | Scope::AbstractUnixSocket)?;
    }
    let rules = rules.create()?;
    for folder in &writable.made {
        make(folder);
    }
    // It is a device, and data written to it is discarded.
    let nowhere = [PathBuf::from("/dev/null")];
    let open = writable
        .folders
        .iter()
        .chain(&writable.made)
        .chain(&nowhere);
    let status = rules
        .add_rules(path_beneath_rules(open, writing))?
        .restrict_self()?;
    Ok(match (status.ruleset, status.landlock) {
        (RulesetStatus::NotEnforced, _) => Confinement::Absent,
        (_, LandlockStatus::Available { effective_abi, .. }) => {
            Confinement::Stands(effective_abi as u32)
        }
        _ => Confinement::Absent,
    })
}

/// Returns that confinement is absent: no other system has Landlock.
#[cfg(not(target_os = "linux"))]
pub(crate) fn confine(_: &WritableFolders, _: SignalScope) -> Confinement {
    Confinement::Absent
}

#[cfg(all(test, target_os = "linux"))]
#[allow(clippy::print_stdout, reason = "a skipped test says why")]
mod tests {
    use std::fs;
    use std::io::ErrorKind;
    use std::path::Path;
    use std::process::Command;

    use super::*;

    const TEST_FOLDER: &str = "LANCET_TEST_BEHIND_THE_WALL";

    /// The confinement is permanent, so the test runs in a separate process: this program started again.
    #[test]
    fn confined_process_cannot_write_outside() {
        let place = tempfile::tempdir().expect("a folder");
        for folder in ["root", "root/sub", "outside"] {
            fs::create_dir(place.path().join(folder)).expect("made");
        }
        for file in ["root/a", "root/sub/b", "outside/o"] {
            fs::write(place.path().join(file), file).expect("written");
        }
        let output = Command::new(std::env::current_exe().expect("this program"))
            .args(["--exact", "wall::tests::behind_the_wall", "--nocapture"])
            .env(TEST_FOLDER, place.path())
            .output()
            .expect("started");
        let words = String::from_utf8_lossy(&output.stdout).into_owned()
            + &String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{words}");
        assert!(words.contains("1 passed"), "{words}");
        if words.contains("skipped: ") {
            println!("skipped: this kernel has no Landlock");
        }
    }

    #[test]
    fn behind_the_wall() {
        let Some(place) = std::env::var_os(TEST_FOLDER).map(PathBuf::from) else {
            return;
        };
        // A separate thread is confined, so that the test runner's threads can still write anywhere.
        let walled = std::thread::spawn(move || check_allowed_and_refused_writes(&place));
        walled.join().expect("as it should be");
    }

    fn check_allowed_and_refused_writes(place: &Path) {
        let (root, outside) = (place.join("root"), place.join("outside"));
        let (a, o) = (root.join("a"), outside.join("o"));
        let made = place.join("state/deep");
        let mut before = fs::File::create(outside.join("opened-before")).expect("made");
        let writable = WritableFolders {
            folders: vec![root.clone(), place.join("not there")],
            made: vec![made.clone()],
        };
        let Confinement::Stands(level) = confine_thread(&writable) else {
            println!("skipped: no Landlock here");
            return;
        };
        assert!(level >= 2);
        // Inside the roots every operation succeeds, across folders and in the state folder, too.
        fs::write(root.join("new"), "x").expect("inside");
        fs::rename(root.join("new"), root.join("sub/new")).expect("inside");
        let exchange = rustix::fs::RenameFlags::EXCHANGE;
        let here = rustix::fs::CWD;
        rustix::fs::renameat_with(here, &a, here, root.join("sub/b"), exchange).expect("inside");
        fs::rename(root.join("sub/b"), made.join("b")).expect("to the state folder");
        fs::write("/dev/null", "x").expect("no file");
        // Outside them every operation fails, by whatever means.
        std::os::unix::fs::symlink(&o, root.join("link")).expect("a link is no write outside");
        let refused = |result: std::io::Result<()>| {
            let error = result.expect_err("outside");
            let kinds = [ErrorKind::PermissionDenied, ErrorKind::CrossesDevices];
            assert!(kinds.contains(&error.kind()), "{error}");
        };
        refused(fs::write(&o, "x"));
        refused(fs::write(root.join("link"), "x"));
        refused(fs::write(outside.join("new"), "x"));
        refused(fs::create_dir(outside.join("folder")));
        refused(fs::remove_file(&o));
        refused(fs::rename(&a, outside.join("a")));
        refused(fs::rename(&o, root.join("o")));
        refused(fs::hard_link(&o, root.join("o")));
        assert_eq!(
            fs::read_to_string(&o).expect("reading is free"),
            "outside/o"
        );
        // Children are confined, too. Files that were open before stay open.
        let status = Command::new("sh")
            .args(["-c", "echo x > \"$0\""])
            .arg(&o)
            .stderr(std::process::Stdio::null())
            .status()
            .expect("started");
        assert!(!status.success());
        std::io::Write::write_all(&mut before, b"x").expect("opened before");
    }
}
