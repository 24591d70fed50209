//! The system packages of the tests: a tracer, two shells, a terminal, and programs that create and mount file systems.

use std::path::Path;

use super::live::Live;
use crate::run::{command, each_line_of_both};

/// Whether missing packages are installed.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum SystemPackages {
    /// They are installed with `apt-get`, which needs root on Debian; elsewhere the tests that need them fail.
    Install,
    /// The tests that need them are left out.
    LeaveOut,
}

/// The browser for the tests of the page; if it is missing, their step is left out.
pub(crate) const CHROMIUM: &str = "chromium";

/// The editor for the tests of its plugin; if it is missing, their step is left out.
pub(crate) const NEOVIM: &str = "nvim";

struct Package {
    name: &'static str,
    programs: &'static [&'static str],
    /// The tests that need it.
    tests: &'static str,
}

const PACKAGES: [Package; 14] = [
    Package {
        name: "strace",
        programs: &["strace"],
        tests: "a process that is killed at a system call of a commit or of its record",
    },
    Package {
        name: "e2fsprogs",
        programs: &["mkfs.ext4", "chattr"],
        tests: "the write and a power cut on ext4, a file that is immutable",
    },
    Package {
        name: "xfsprogs",
        programs: &["mkfs.xfs"],
        tests: "the write and a power cut on XFS",
    },
    Package {
        name: "btrfs-progs",
        programs: &["mkfs.btrfs"],
        tests: "the write and a power cut on Btrfs",
    },
    Package {
        name: "bindfs",
        programs: &["bindfs"],
        tests: "the write on a file system in user space (FUSE)",
    },
    Package {
        name: "ntfs-3g",
        programs: &["lowntfs-3g", "ntfs-3g", "mkntfs"],
        tests: "the write and the rules of paths on a file system that ignores case (NTFS)",
    },
    Package {
        name: "exfat-fuse",
        programs: &["mount.exfat-fuse"],
        tests: "the write on a memory card (exFAT)",
    },
    Package {
        name: "exfatprogs",
        programs: &["mkfs.exfat"],
        tests: "the write on a memory card (exFAT)",
    },
    Package {
        name: "zsh",
        programs: &["zsh"],
        tests: "the completion script for zsh",
    },
    Package {
        name: "fish",
        programs: &["fish"],
        tests: "the completion script for fish",
    },
    Package {
        name: "poppler-utils",
        programs: &["pdftotext", "pdftoppm"],
        tests: "words and pictures of PDFs, as poppler reads them",
    },
    Package {
        name: "tmux",
        programs: &["tmux"],
        tests: "questions in the dialogs of agents at a terminal",
    },
    Package {
        name: CHROMIUM,
        programs: &[CHROMIUM],
        tests: "the page in a browser",
    },
    Package {
        name: "neovim",
        programs: &[NEOVIM],
        tests: "the plugin for Neovim",
    },
];

/// The tests that are left out, because their program is not installed and may not be.
#[derive(Default)]
pub(crate) struct LeftOut {
    /// The programs, for `LANCET_LEFT_OUT`: a test that needs one is skipped and does not fail.
    pub(crate) programs: Vec<&'static str>,
    /// A line about each package.
    pub(crate) lines: Vec<String>,
}

/// Installs the missing packages, or returns what is left out.
pub(crate) fn set_up(packages: SystemPackages, live: &Live) -> LeftOut {
    let missing = missing(is_installed);
    if missing.is_empty() {
        return LeftOut::default();
    }
    match packages {
        SystemPackages::Install => {
            install(&missing, live);
            LeftOut::default()
        }
        SystemPackages::LeaveOut => left_out(&missing),
    }
}

fn missing(is_installed: impl Fn(&str) -> bool) -> Vec<&'static Package> {
    let lacks = |package: &&Package| !package.programs.iter().all(|one| is_installed(one));
    PACKAGES.iter().filter(lacks).collect()
}

fn is_installed(program: &str) -> bool {
    ["/usr/sbin", "/usr/bin", "/sbin", "/bin"]
        .iter()
        .any(|folder| Path::new(folder).join(program).exists())
}

fn left_out(missing: &[&'static Package]) -> LeftOut {
    LeftOut {
        programs: missing
            .iter()
            .flat_map(|package| package.programs)
            .copied()
            .collect(),
        lines: missing
            .iter()
            .map(|package| format!("{} ({} is not installed)", package.tests, package.name))
            .collect(),
    }
}

fn install(wanted: &[&Package], live: &Live) {
    let names: Vec<&str> = wanted.iter().map(|package| package.name).collect();
    live.print(&format!(
        "installing system packages: {} (--no-system-packages leaves them out)",
        names.join(", ")
    ));
    let apt = |arguments: &[&str], names: &[&str]| {
        let mut printed = String::new();
        let done = each_line_of_both(
            command("apt-get", arguments)
                .args(names)
                .env("DEBIAN_FRONTEND", "noninteractive"),
            |line| {
                printed.push_str(line);
                printed.push('\n');
            },
        );
        done.map_err(|error| format!("{error:#}"))
            .and_then(|succeeded| succeeded.then_some(()).ok_or(printed))
    };
    let install = || {
        let arguments = ["install", "--yes", "--quiet", "--no-install-recommends"];
        apt(&arguments, &names)
    };
    // The first install fails on a machine that never fetched package lists.
    let done = install().or_else(|_| apt(&["update", "--quiet"], &[]).and_then(|()| install()));
    let missing: Vec<&str> = missing(is_installed)
        .iter()
        .map(|package| package.name)
        .collect();
    if !missing.is_empty() {
        live.print(&format!(
            "{}not installed, the tests that need them will fail: {}",
            done.err().unwrap_or_default(),
            missing.join(", ")
        ));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_missing_is_left_out_by_its_programs_and_told() {
        let missing = missing(|program| !matches!(program, "chattr" | "bindfs"));
        let names: Vec<&str> = missing.iter().map(|package| package.name).collect();
        assert_eq!(names, ["e2fsprogs", "bindfs"]);
        let left_out = left_out(&missing);
        assert_eq!(left_out.programs, ["mkfs.ext4", "chattr", "bindfs"]);
        assert_eq!(
            left_out.lines[1],
            "the write on a file system in user space (FUSE) (bindfs is not installed)"
        );
    }
}
