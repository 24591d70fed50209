//! Names a process so that other processes on its machine can determine whether it still runs, and those on other
//! machines that they cannot: a hash of machine, boot and process namespace, the id of the process, and its start time.

use std::fmt;
use std::fs;

/// A process of some machine.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct ProcessIdentity {
    system: String,
    number: u32,
    started: u64,
}

/// The state of a process, as far as its name reveals it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Liveness {
    Running,
    Ended,
    /// It belongs to another machine or container, or the name is not one of ours.
    Unknown,
}

impl ProcessIdentity {
    /// Returns the identity of this process.
    pub(crate) fn of_current_process() -> ProcessIdentity {
        let number = std::process::id();
        ProcessIdentity {
            system: system_hash(),
            number,
            started: start_time(number).unwrap_or(0),
        }
    }

    /// Returns whether the process of this name runs.
    pub(crate) fn liveness_of(name: &str) -> Liveness {
        let mut parts = name.split('-');
        let (Some(system_name), Some(number), Some(start), None) =
            (parts.next(), parts.next(), parts.next(), parts.next())
        else {
            return Liveness::Unknown;
        };
        let (Ok(number), Ok(start)) = (number.parse::<u32>(), start.parse::<u64>()) else {
            return Liveness::Unknown;
        };
        if system_name.is_empty() || system_name != system_hash() || start == 0 {
            return Liveness::Unknown;
        }
        match start_time(number) {
            Some(found) if found == start => Liveness::Running,
            _ => Liveness::Ended,
        }
    }
}

impl fmt::Display for ProcessIdentity {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            formatter,
            "{}-{}-{}",
            self.system, self.number, self.started
        )
    }
}

/// Returns a hash of boot and process namespace; empty if the system does not provide them, so that it is equal to no
/// other.
fn system_hash() -> String {
    let boot = fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default();
    let Ok(namespace) = fs::read_link("/proc/self/ns/pid") else {
        return String::new();
    };
    if boot.is_empty() {
        return String::new();
    }
    let text = format!("{boot} {}", namespace.display());
    blake3::hash(text.as_bytes()).to_hex()[..16].to_owned()
}

/// Returns when a process was started, in ticks since the boot; none if there is no such process.
fn start_time(number: u32) -> Option<u64> {
    let line = fs::read_to_string(format!("/proc/{number}/stat")).ok()?;
    // The name of the program is in brackets and may contain anything.
    let (_, rest) = line.rsplit_once(')')?;
    let fields: Vec<&str> = rest.split_ascii_whitespace().collect();
    // A process that has ended and was not waited for yet does not count.
    if matches!(fields.first(), Some(&("Z" | "X"))) {
        return None;
    }
    fields.get(19)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(target_os = "linux")]
    #[test]
    fn tells_running_from_ended_processes() {
        let own = ProcessIdentity::of_current_process();
        assert_eq!(
            ProcessIdentity::liveness_of(&own.to_string()),
            Liveness::Running
        );
        let earlier = ProcessIdentity {
            started: own.started - 1,
            ..own.clone()
        };
        let name = earlier.to_string();
        assert_eq!(ProcessIdentity::liveness_of(&name), Liveness::Ended);
        let elsewhere = ProcessIdentity {
            system: "0123456789abcdef".to_owned(),
            ..own
        };
        let name = elsewhere.to_string();
        assert_eq!(ProcessIdentity::liveness_of(&name), Liveness::Unknown);
        for name in ["", "a", "a-b-c", "-1-1", "a-1-2-3"] {
            assert_eq!(
                ProcessIdentity::liveness_of(name),
                Liveness::Unknown,
                "{name}"
            );
        }
    }
}
