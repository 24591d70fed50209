//! The spare resources of the machine: whether memory is scarce, and how many folders this user may watch. Both are
//! read from `/proc`; without it, memory is not scarce and nothing may be watched.

use std::fs;

/// The percentage of time over ten seconds in which every task waited for memory, from which memory is scarce.
const MAX_WAITING_PERCENT: f64 = 5.0;
/// Memory is scarce if less than one part in this many is available.
const MIN_AVAILABLE_SHARE: u64 = 16;

/// Returns whether the machine is short of memory, so that caches that can be rebuilt should be dropped. Reads two
/// small files of the kernel.
pub fn is_memory_scarce() -> bool {
    let pressure = fs::read_to_string("/proc/pressure/memory").unwrap_or_default();
    let memory = fs::read_to_string("/proc/meminfo").unwrap_or_default();
    is_scarce(&pressure, &memory)
}

/// Gives the calling thread the lowest priority, for background work. If the system does not allow it, nothing changes.
#[cfg(target_os = "linux")]
pub fn lower_priority() {
    // For Linux this is the priority of the thread; elsewhere it would be that of the whole process.
    let _ = rustix::process::setpriority_process(None, 19);
}

/// There are no priorities of threads on this system.
#[cfg(not(target_os = "linux"))]
pub fn lower_priority() {}

/// Closes every handle that the starter of this process left open, besides the standard streams. A process that outlives
/// its starter calls this first, before it opens anything.
#[cfg(target_os = "linux")]
pub fn close_inherited_handles() {
    let Ok(list) = std::fs::read_dir("/proc/self/fd") else {
        return;
    };
    let number = |name: std::ffi::OsString| name.to_str()?.parse::<i32>().ok();
    let numbers: Vec<i32> = list
        .flatten()
        .filter_map(|entry| number(entry.file_name()))
        .filter(|number| *number > 2)
        .collect();
    for number in numbers {
        // The handle of the list itself is closed already.
        let _ = nix::unistd::close(number);
    }
}

/// Without a list of the open handles nothing is closed.
#[cfg(not(target_os = "linux"))]
pub fn close_inherited_handles() {}

/// Returns whether memory is scarce by the texts of `/proc/pressure/memory` and `/proc/meminfo`; values that are
/// missing are ignored.
fn is_scarce(pressure: &str, memory: &str) -> bool {
    let waiting = pressure
        .lines()
        .find_map(|line| line.strip_prefix("full "))
        .and_then(|line| line.split(' ').find_map(|part| part.strip_prefix("avg10=")))
        .and_then(|share| share.parse::<f64>().ok());
    let kibibytes = |name: &str| -> Option<u64> {
        let mut lines = memory.lines();
        let rest = lines.find_map(|line| line.strip_prefix(name)?.strip_prefix(':'))?;
        rest.split_ascii_whitespace().next()?.parse().ok()
    };
    let low = match (kibibytes("MemTotal"), kibibytes("MemAvailable")) {
        (Some(total), Some(available)) => available < total / MIN_AVAILABLE_SHARE,
        _ => false,
    };
    low || waiting.is_some_and(|share| share >= MAX_WAITING_PERCENT)
}

/// Returns how many folders this user may watch, by the system's limit and that of the user namespace.
pub fn watch_limit() -> u64 {
    let read = |path| fs::read_to_string(path).ok();
    let of_system = read("/proc/sys/fs/inotify/max_user_watches");
    let of_namespace = read("/proc/sys/user/max_inotify_watches");
    lower_limit(of_system.as_deref(), of_namespace.as_deref())
}

/// Returns the lower one of two limits, as the kernel writes them.
fn lower_limit(first: Option<&str>, second: Option<&str>) -> u64 {
    let number = |text: &str| text.trim().parse::<u64>().ok();
    let known = [first, second].into_iter().flatten().filter_map(number);
    known.min().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    const CALM_PRESSURE: &str = "some avg10=40.00 avg60=1.00 avg300=0.00 total=11429143\nfull avg10=0.90 avg60=9.00 avg300=0.00 total=1997697\n";
    const PLENTY_OF_MEMORY: &str =
        "MemTotal:       24682416 kB\nMemFree:          84600 kB\nMemAvailable:   23974748 kB\n";

    #[test]
    fn memory_is_scarce_under_full_pressure() {
        assert!(!is_scarce(CALM_PRESSURE, PLENTY_OF_MEMORY));
        let waiting = CALM_PRESSURE.replace("full avg10=0.90", "full avg10=5.00");
        assert!(is_scarce(&waiting, PLENTY_OF_MEMORY));
    }

    #[test]
    fn memory_is_scarce_when_little_is_available() {
        let low = PLENTY_OF_MEMORY.replace("23974748", "1542650");
        assert!(is_scarce(CALM_PRESSURE, &low));
        assert!(is_scarce("", &low), "a kernel without pressure figures");
        let enough = PLENTY_OF_MEMORY.replace("23974748", "1542651");
        assert!(!is_scarce(CALM_PRESSURE, &enough));
    }

    #[test]
    fn unreadable_figures_never_mean_scarcity() {
        for (pressure, memory) in [
            ("", ""),
            ("full avg10=much\n", "MemTotal: 1 kB\n"),
            ("full", "MemAvailable:\nMemTotal: x\n"),
        ] {
            assert!(!is_scarce(pressure, memory), "{pressure:?} {memory:?}");
        }
    }

    #[test]
    fn lower_watch_limit_applies() {
        assert_eq!(lower_limit(Some("192493\n"), Some("100\n")), 100);
        assert_eq!(lower_limit(Some("8192\n"), Some("2147483647\n")), 8192);
        assert_eq!(lower_limit(Some("8192\n"), None), 8192);
        assert_eq!(lower_limit(None, Some("unlimited")), 0);
    }
}
