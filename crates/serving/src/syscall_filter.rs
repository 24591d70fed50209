//! Refuses a confined program the system calls by which it could change files of the user without writing to them:
//! their permissions, owner, times and extended attributes. Landlock has no right for these, so a seccomp filter is
//! used, which a program and its children cannot remove. A refused call fails with "operation not permitted".

/// The filter that was put in place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SyscallFilter {
    /// The calls are refused.
    Installed,
    /// This kernel, or this processor, has no such filters.
    Absent,
}

/// Refuses these calls for this thread and everything that it starts from now on.
#[cfg(target_os = "linux")]
pub(crate) fn install() -> SyscallFilter {
    let installed = compile_filter().and_then(|filter| seccompiler::apply_filter(&filter));
    match installed {
        Ok(()) => SyscallFilter::Installed,
        Err(_) => SyscallFilter::Absent,
    }
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn install() -> SyscallFilter {
    SyscallFilter::Absent
}

/// Returns the calls that change a file's metadata by path or by a handle that need not be writable, and `io_uring`,
/// through which some of them bypass a filter.
#[cfg(target_os = "linux")]
fn refused_syscalls() -> Vec<libc::c_long> {
    let mut refused = vec![
        libc::SYS_fchmod,
        libc::SYS_fchmodat,
        libc::SYS_fchmodat2,
        libc::SYS_fchown,
        libc::SYS_fchownat,
        libc::SYS_utimensat,
        libc::SYS_setxattr,
        libc::SYS_lsetxattr,
        libc::SYS_fsetxattr,
        libc::SYS_removexattr,
        libc::SYS_lremovexattr,
        libc::SYS_fremovexattr,
        SETXATTRAT,
        REMOVEXATTRAT,
        FILE_SETATTR,
        libc::SYS_io_uring_setup,
    ];
    #[cfg(target_arch = "x86_64")]
    refused.extend([
        libc::SYS_chmod,
        libc::SYS_chown,
        libc::SYS_lchown,
        libc::SYS_utime,
        libc::SYS_utimes,
        libc::SYS_futimesat,
    ]);
    refused
}

/// Calls of newer kernels, which have the same number on every processor.
#[cfg(target_os = "linux")]
const SETXATTRAT: libc::c_long = 463;
#[cfg(target_os = "linux")]
const REMOVEXATTRAT: libc::c_long = 466;
#[cfg(target_os = "linux")]
const FILE_SETATTR: libc::c_long = 469;

/// The bit of a call's number by which a program on x86-64 uses the tables for 32-bit pointers.
#[cfg(target_os = "linux")]
const X32_SYSCALL_BIT: libc::c_long = 0x4000_0000;

#[cfg(target_os = "linux")]
fn compile_filter() -> Result<seccompiler::BpfProgram, seccompiler::Error> {
    use seccompiler::{
        SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter,
        SeccompRule, TargetArch,
    };
    let mut rules = std::collections::BTreeMap::new();
    for call in refused_syscalls() {
        for call in [call, call | X32_SYSCALL_BIT] {
            rules.insert(call, Vec::new());
        }
    }
    // A process may limit only itself: a limit on processor time would end lancet.
    let of_other = SeccompCondition::new(0, SeccompCmpArgLen::Dword, SeccompCmpOp::Ne, 0)?;
    rules.insert(libc::SYS_prlimit64, vec![SeccompRule::new(vec![of_other])?]);
    let architecture = TargetArch::try_from(std::env::consts::ARCH)?;
    let filter = SeccompFilter::new(
        rules,
        SeccompAction::Allow,
        SeccompAction::Errno(libc::EPERM.cast_unsigned()),
        architecture,
    )?;
    Ok(filter.try_into()?)
}
