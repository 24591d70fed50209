//! The spare resources of the machine: whether memory is scarce, and how many folders this user may watch. Both are
//! read from `/proc`; without it, memory is not scarce and nothing may be watched.

use std::fs;

/// The percentage of time over ten seconds in which every task waited for memory, from which memory is scarce.
const MOST_WAITING: f64 = 5.0;
/// Memory is scarce if less than one part in this many is available.
const LEAST_SHARE: u64 = 16;

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
        (Some(total), Some(available)) => available < total / LEAST_SHARE,
        _ => false,
    };
    low || waiting.is_some_and(|share| share >= MOST_WAITING)
}

/// Returns how many folders this user may watch, by the system's limit and that of the user namespace.
pub fn watch_limit() -> u64 {
    let read = |path| fs::read_to_string(path).ok();
    let of_system = read("/proc/sys/fs/inotify/max_user_watches");
    let of_namespace = read("/proc/sys/user/max_inotify_watches");
    lower(of_system.as_deref(), of_namespace.as_deref())
}

/// Returns the lower one of two limits, as the kernel writes them.
fn lower(first: Option<&str>, second: Option<&str>) -> u64 {
    let number = |text: &str| text.trim().parse::<u64>().ok();
    let known = [first, second].into_iter().flatten().filter_map(number);
    known.min().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    const CALM: &str = "some avg10=40.00 avg60=1.00 avg300=0.00 total=11429143\nfull avg10=0.90 avg60=9.00 avg300=0.00 total=1997697\n";
    const PLENTY: &str =
        "MemTotal:       24682416 kB\nMemFree:          84600 kB\nMemAvailable:   23974748 kB\n";

    #[test]
    fn memory_is_scarce_when_everything_waits_for_it() {
        assert!(!is_scarce(CALM, PLENTY));
        let waiting = CALM.replace("full avg10=0.90", "full avg10=5.00");
        assert!(is_scarce(&waiting, PLENTY));
    }

    #[test]
    fn memory_is_scarce_when_little_is_available_though_much_may_be_cached() {
        let low = PLENTY.replace("23974748", "1542650");
        assert!(is_scarce(CALM, &low));
        assert!(is_scarce("", &low), "a kernel without pressure figures");
        let enough = PLENTY.replace("23974748", "1542651");
        assert!(!is_scarce(CALM, &enough));
    }

    #[test]
    fn what_cannot_be_read_makes_nothing_scarce() {
        for (pressure, memory) in [
            ("", ""),
            ("full avg10=much\n", "MemTotal: 1 kB\n"),
            ("full", "MemAvailable:\nMemTotal: x\n"),
        ] {
            assert!(!is_scarce(pressure, memory), "{pressure:?} {memory:?}");
        }
    }

    #[test]
    fn the_lower_limit_of_watches_counts() {
        assert_eq!(lower(Some("192493\n"), Some("100\n")), 100);
        assert_eq!(lower(Some("8192\n"), Some("2147483647\n")), 8192);
        assert_eq!(lower(Some("8192\n"), None), 8192);
        assert_eq!(lower(None, Some("unlimited")), 0);
    }
}
