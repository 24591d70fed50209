//! Identifies processes across restarts, so that the operations of an ended process can be recognised.

use std::fs;

/// The name of this process: its id and start time, since ids are reused.
pub(super) fn own() -> String {
    let number = std::process::id();
    format!("{number}:{}", began(number).unwrap_or_default())
}

/// Whether the process of that name is running. Without `/proc` it is assumed to be.
pub(super) fn is_alive(name: &str) -> bool {
    let Some((number, at)) = name.split_once(':') else {
        return false;
    };
    let Ok(number) = number.parse::<u32>() else {
        return false;
    };
    if at.is_empty() {
        return true;
    }
    began(number).is_some_and(|began| began == at)
}

/// The start time of a process, field 22 of `/proc/PID/stat`. Field 2 is the program name in parentheses, which may contain
/// spaces and parentheses itself.
fn began(number: u32) -> Option<String> {
    let line = fs::read_to_string(format!("/proc/{number}/stat")).ok()?;
    let (_, rest) = line.rsplit_once(')')?;
    rest.split_ascii_whitespace().nth(19).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_process_is_there_and_one_that_ended_is_not() {
        assert!(is_alive(&own()));
        let mut child = std::process::Command::new("true").spawn().expect("starts");
        let name = format!("{}:{}", child.id(), began(child.id()).unwrap_or_default());
        let _ = child.wait();
        assert!(!is_alive(&name) || began(std::process::id()).is_none());
        assert!(!is_alive("nonsense"));
    }
}
