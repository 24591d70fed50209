//! Which process announced an operation, so that one that has ended can be told from one that is at work.

use std::fs;

/// The number of a process and when it began: the number alone is given to others later.
pub(super) fn own() -> String {
    let number = std::process::id();
    format!("{number}:{}", began(number).unwrap_or_default())
}

/// Whether the process of that name is still there. Where the system does not say, it is taken to be.
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

/// The 22nd field of the process's line; the second may hold anything but ends with the last parenthesis.
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
