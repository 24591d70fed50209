//! The sandbox that the worker enters before it reads an untrusted file.

use std::io;

use rustix::process::{Resource, Rlimit, setrlimit};

/// The limit of the worker's address space, in bytes.
const MAX_MEMORY: u64 = 512 << 20;

/// The limit of the worker's processor time, in seconds.
const MAX_CPU_SECONDS: u64 = 4;

/// Limits memory, time and files of this process, permanently.
pub(super) fn sandbox_process() -> io::Result<()> {
    end_with_parent()?;
    let limit = |resource, most| {
        setrlimit(
            resource,
            Rlimit {
                current: Some(most),
                maximum: Some(most),
            },
        )
    };
    limit(Resource::As, MAX_MEMORY)?;
    limit(Resource::Core, 0)?;
    limit(Resource::Fsize, 0)?;
    // The signal at the first limit shows that time was the reason; the second one cannot be handled.
    setrlimit(
        Resource::Cpu,
        Rlimit {
            current: Some(MAX_CPU_SECONDS),
            maximum: Some(MAX_CPU_SECONDS + 1),
        },
    )?;
    close_files();
    Ok(())
}

/// Makes the kernel end this process when the one that started it ends, for whatever reason. If that one has ended
/// already, there is no reader of the output, and the limit of processor time applies.
#[cfg(target_os = "linux")]
fn end_with_parent() -> io::Result<()> {
    use rustix::process::{Signal, set_parent_process_death_signal};
    set_parent_process_death_signal(Some(Signal::KILL))?;
    Ok(())
}

#[cfg(not(target_os = "linux"))]
fn end_with_parent() -> io::Result<()> {
    Ok(())
}

/// Makes the kernel refuse this process every file and every connection that is not open yet. If the kernel does not
/// have Landlock, the other limits apply.
#[cfg(target_os = "linux")]
fn close_files() {
    let _ = apply_landlock();
}

#[cfg(target_os = "linux")]
fn apply_landlock() -> Result<landlock::RestrictionStatus, landlock::RulesetError> {
    use landlock::{
        ABI, Access as _, AccessFs, AccessNet, CompatLevel, Compatible as _, Ruleset,
        RulesetAttr as _,
    };
    Ruleset::default()
        .set_compatibility(CompatLevel::BestEffort)
        .handle_access(AccessFs::from_all(ABI::V5))?
        .handle_access(AccessNet::from_all(ABI::V5))?
        .create()?
        .restrict_self()
}

#[cfg(not(target_os = "linux"))]
fn close_files() {}

#[cfg(all(test, target_os = "linux"))]
#[allow(clippy::print_stdout, reason = "a skipped test says why")]
mod tests {
    use std::fs::File;
    use std::io::ErrorKind;
    use std::net::TcpListener;
    use std::process::Command;

    use super::*;

    const CONFINED_TEST_VARIABLE: &str = "LANCET_TEST_CONFINED";

    /// The sandbox is permanent, so the test runs in a separate process of this program.
    #[test]
    fn sandbox_prevents_opening_files_and_limits_memory() {
        let output = Command::new(std::env::current_exe().expect("this program"))
            .args([
                "--exact",
                "worker::confinement::tests::confined",
                "--nocapture",
            ])
            .env(CONFINED_TEST_VARIABLE, "1")
            .output()
            .expect("started");
        let words = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success(), "{words}");
        assert!(words.contains("1 passed"), "{words}");
    }

    #[test]
    fn confined() {
        if std::env::var_os(CONFINED_TEST_VARIABLE).is_none() {
            return;
        }
        let place = std::env::temp_dir().join(format!("lancet-confined-{}", std::process::id()));
        let has_landlock = std::thread::spawn(apply_landlock)
            .join()
            .is_ok_and(|restricted| {
                restricted
                    .is_ok_and(|status| status.ruleset != landlock::RulesetStatus::NotEnforced)
            });
        sandbox_process().expect("confined");
        let mut large: Vec<u8> = Vec::new();
        let room = usize::try_from(MAX_MEMORY).expect("it fits");
        assert!(large.try_reserve_exact(room).is_err(), "memory is limited");
        if !has_landlock {
            println!("skipped: no Landlock here");
            return;
        }
        let refused = |kind: ErrorKind| assert_eq!(kind, ErrorKind::PermissionDenied);
        refused(File::create(&place).expect_err("no new file").kind());
        refused(File::open("/etc/passwd").expect_err("no file").kind());
        if let Err(error) = TcpListener::bind("127.0.0.1:0") {
            refused(error.kind());
        }
    }
}
