//! The requirements of a binary: the processor, the glibc and the other libraries, read from the file itself.

use anyhow::{Context, bail};
use object::elf;
use object::read::elf::{ElfFile64, FileHeader as _};

/// The processors that packages are made for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Processor {
    X64,
    Arm64,
}

impl Processor {
    /// All of them.
    pub(super) const ALL: [Processor; 2] = [Processor::X64, Processor::Arm64];

    /// Returns the processor of this machine.
    pub(super) fn here() -> anyhow::Result<Processor> {
        let here = std::env::consts::ARCH;
        let found = Self::ALL.into_iter().find(|known| known.machine() == here);
        found.with_context(|| format!("packages are not made on the processor {here}"))
    }

    /// Returns the processor of a Rust target that packages are built for.
    pub(super) fn of_target(name: &str) -> anyhow::Result<Processor> {
        let found = Self::ALL.into_iter().find(|known| known.target() == name);
        let names = Self::ALL.map(Processor::target).join(" and ");
        found.with_context(|| format!("packages are made for {names}, and not for {name}"))
    }

    /// Returns the Rust target that packages are built for.
    pub(super) fn target(self) -> String {
        format!("{}-unknown-linux-gnu", self.machine())
    }

    /// Returns the name in tags of wheels and targets of Rust.
    pub(super) fn machine(self) -> &'static str {
        match self {
            Processor::X64 => "x86_64",
            Processor::Arm64 => "aarch64",
        }
    }

    /// Returns the name in Node.
    pub(super) fn node(self) -> &'static str {
        match self {
            Processor::X64 => "x64",
            Processor::Arm64 => "arm64",
        }
    }

    /// Returns the name in Debian.
    pub(super) fn debian(self) -> &'static str {
        match self {
            Processor::X64 => "amd64",
            Processor::Arm64 => "arm64",
        }
    }
}

/// A version of glibc.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Glibc {
    pub(super) major: u32,
    pub(super) minor: u32,
}

/// The requirements of a binary.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Needs {
    pub(super) processor: Processor,
    /// The oldest glibc that has every symbol; none if the binary is linked statically.
    pub(super) glibc: Option<Glibc>,
    /// The shared libraries, sorted.
    pub(super) libraries: Vec<String>,
}

impl Needs {
    /// Reads the requirements of a binary.
    pub(super) fn parse(bytes: &[u8]) -> anyhow::Result<Needs> {
        let file: ElfFile64 = ElfFile64::parse(bytes).context("no 64-bit ELF program")?;
        let (header, endian) = (file.elf_header(), file.endian());
        let processor = match header.e_machine(endian) {
            elf::EM_X86_64 => Processor::X64,
            elf::EM_AARCH64 => Processor::Arm64,
            other => bail!("packages are not made for the processor {other:?}"),
        };
        let sections = file.elf_section_table();
        let mut glibc = None;
        if let Some((needed, strings)) = sections.gnu_verneed(endian, bytes)? {
            let strings = sections.strings(endian, bytes, strings)?;
            for library in needed {
                for version in library?.1 {
                    let name = version?.name(endian, strings)?;
                    glibc = glibc.max(glibc_named(name));
                }
            }
        }
        let mut libraries = Vec::new();
        if let Some((entries, strings)) = sections.dynamic(endian, bytes)? {
            let strings = sections.strings(endian, bytes, strings)?;
            for entry in entries {
                use object::read::elf::Dyn as _;
                if entry.d_tag(endian) == elf::DT_NEEDED {
                    let name = entry.string(endian, strings)?;
                    libraries.push(String::from_utf8_lossy(name).into_owned());
                }
            }
        }
        libraries.sort();
        Ok(Needs {
            processor,
            glibc,
            libraries,
        })
    }

    /// Returns the Rust target that the binary is for.
    pub(super) fn target(&self) -> String {
        let libc = if self.glibc.is_some() { "gnu" } else { "musl" };
        format!("{}-unknown-linux-{libc}", self.processor.machine())
    }
}

/// Parses the version in the name of a symbol's version, such as `GLIBC_2.28`.
fn glibc_named(name: &[u8]) -> Option<Glibc> {
    let version = std::str::from_utf8(name).ok()?.strip_prefix("GLIBC_")?;
    let mut parts = version.split('.').map(str::parse);
    Some(Glibc {
        major: parts.next()?.ok()?,
        minor: parts.next()?.ok()?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_is_read_from_its_name_and_compared_by_number() {
        let of = |name: &str| glibc_named(name.as_bytes());
        let old = Glibc { major: 2, minor: 9 };
        assert_eq!(of("GLIBC_2.9"), Some(old));
        assert!(of("GLIBC_2.28") > Some(old));
        assert_eq!(of("GLIBC_2.2.5"), Some(Glibc { major: 2, minor: 2 }));
        assert_eq!(of("GLIBC_PRIVATE"), None);
        assert_eq!(of("GCC_3.0"), None);
    }

    #[test]
    fn a_target_names_its_processor_and_others_are_refused() {
        for processor in Processor::ALL {
            let found = Processor::of_target(&processor.target());
            assert_eq!(found.ok(), Some(processor));
        }
        let refused = Processor::of_target("aarch64-apple-darwin").expect_err("no package");
        assert!(
            refused.to_string().contains("aarch64-unknown-linux-gnu"),
            "{refused}"
        );
    }

    #[test]
    fn this_test_program_is_read() {
        let program = std::env::current_exe().expect("this program");
        let needs = Needs::parse(&std::fs::read(program).expect("readable")).expect("an ELF file");
        assert_eq!(needs.processor.machine(), std::env::consts::ARCH);
        let is_static = cfg!(target_feature = "crt-static");
        assert_eq!(needs.glibc.is_none(), is_static);
        assert!(Needs::parse(b"#!/bin/sh\n").is_err());
    }
}
