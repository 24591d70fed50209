//! The confinement of programs that the settings name. The limits have to be set between a program's start and its
//! first instruction. This program is therefore started once more, limits itself, and becomes the other program.

use std::ffi::OsString;
use std::io;
use std::os::unix::process::CommandExt as _;
use std::path::PathBuf;
use std::process::Command;

use rustix::process::{Resource, Rlimit, setrlimit};

use crate::syscall_filter;
use crate::wall::{self, SignalScope, WritableFolders};

/// The argument that makes this program confine itself and become another one; the folder that the other one may write
/// in, the program and its arguments follow.
pub const CONFINED_ARGUMENT: &str = "--confined";

/// The argument that makes this program limit its memory and become another one; the limit in bytes, the program and
/// its arguments follow.
pub const LIMITED_ARGUMENT: &str = "--limited";

/// The most memory that a program may write to, in bytes. The address space is not limited: some language runtimes
/// reserve far more of it than they use.
const MAX_MEMORY: u64 = 2 << 30;

/// The most processor time, in seconds. A program may use several processors for its whole time.
const MAX_CPU_SECONDS: u64 = 120;

/// The largest file that a program may write, in bytes.
const LARGEST_FILE: u64 = 1 << 30;

/// Confines this process permanently and becomes the program in `arguments`, which follow [`CONFINED_ARGUMENT`]. Returns only
/// if that fails.
pub fn exec_confined(arguments: &[OsString]) -> io::Error {
    let [folder, program, arguments @ ..] = arguments else {
        return io::ErrorKind::InvalidInput.into();
    };
    match confine(folder.into()) {
        Ok(()) => Command::new(program).args(arguments).exec(),
        Err(error) => error,
    }
}

/// Limits the memory of this process and becomes the program in `arguments`, which follow [`LIMITED_ARGUMENT`]. Returns only
/// if that fails.
pub fn exec_limited(arguments: &[OsString]) -> io::Error {
    let [memory, program, arguments @ ..] = arguments else {
        return io::ErrorKind::InvalidInput.into();
    };
    let Some(memory) = memory.to_str().and_then(|memory| memory.parse().ok()) else {
        return io::ErrorKind::InvalidInput.into();
    };
    let limited = end_with_parent()
        .and_then(|()| lower_limit(Resource::Data, memory))
        .and_then(|()| lower_limit(Resource::Core, 0));
    match limited {
        Ok(()) => Command::new(program).args(arguments).exec(),
        Err(error) => error,
    }
}

fn confine(folder: PathBuf) -> io::Result<()> {
    end_with_parent()?;
    for (resource, most) in [
        (Resource::Data, MAX_MEMORY),
        (Resource::Cpu, MAX_CPU_SECONDS),
        (Resource::Fsize, LARGEST_FILE),
        (Resource::Core, 0),
    ] {
        lower_limit(resource, most)?;
    }
    // If the kernel has no Landlock, or no system call filters, the other limits still apply.
    let writable = WritableFolders {
        folders: vec![folder],
        made: Vec::new(),
    };
    wall::confine(&writable, SignalScope::OwnProcesses);
    syscall_filter::install();
    Ok(())
}

/// Lowers a limit. A stricter limit already in force stays.
fn lower_limit(resource: Resource, most: u64) -> io::Result<()> {
    let in_force = rustix::process::getrlimit(resource).maximum;
    let most = in_force.map_or(most, |in_force| in_force.min(most));
    let limits = Rlimit {
        current: Some(most),
        maximum: Some(most),
    };
    Ok(setrlimit(resource, limits)?)
}

/// Makes the kernel end this process when the launcher ends, however it ends.
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
