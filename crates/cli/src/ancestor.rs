//! Finds the process of the agent that started this one: the parent, or the one above it where a shell or a package
//! runner (npx, uvx) is in between. Hooks and servers of one agent find the same process.

use std::fs;

/// How many ancestors of this process are examined.
const MAX_ANCESTORS: usize = 8;
/// Programs that only start other programs.
const LAUNCHER_PROGRAMS: [&str; 9] = [
    "sh", "bash", "dash", "zsh", "fish", "ksh", "ash", "uv", "uvx",
];
/// The prefix of the name of the process in which npm runs lancet's package. node and a shell are below it.
const NPX: &str = "npm exec lancet";

/// One process.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Process {
    number: u32,
    /// The name of the program, at most 15 bytes of it.
    program: String,
    parent: u32,
    /// The start time, since process numbers are reused.
    began: String,
}

/// Returns the process of the agent, by its number and start time; none where the system has no `/proc`.
pub(crate) fn agent_process() -> Option<String> {
    let mut above = Vec::new();
    let mut next = read_process(std::process::id())?.parent;
    while let Some(found) = read_process(next).filter(|_| next > 1 && above.len() < MAX_ANCESTORS) {
        next = found.parent;
        above.push(found);
    }
    let agent = find_agent(&above)?;
    Some(format!("{}:{}", agent.number, agent.began))
}

/// Returns the agent among the ancestors of this process, which are listed nearest first.
fn find_agent(above: &[Process]) -> Option<&Process> {
    let npx = above
        .iter()
        .position(|process| process.program.starts_with(NPX));
    let above = above.get(npx.map_or(0, |at| at + 1)..)?;
    above
        .iter()
        .find(|process| !LAUNCHER_PROGRAMS.contains(&process.program.as_str()))
}

fn read_process(number: u32) -> Option<Process> {
    parse_stat_line(
        number,
        &fs::read_to_string(format!("/proc/{number}/stat")).ok()?,
    )
}

/// Reads a line of `/proc/PID/stat`: the number, the program in parentheses, which may contain parentheses itself, and
/// fields. The parent is the second field and the start time the twentieth.
fn parse_stat_line(number: u32, line: &str) -> Option<Process> {
    let (head, rest) = line.rsplit_once(')')?;
    let (_, program) = head.split_once('(')?;
    let mut fields = rest.split_ascii_whitespace();
    Some(Process {
        number,
        program: program.to_owned(),
        parent: fields.nth(1)?.parse().ok()?,
        began: fields.nth(17)?.to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn processes_named(names: &[&str]) -> Vec<Process> {
        let process = |(at, name): (usize, &&str)| Process {
            number: at as u32,
            program: (*name).to_owned(),
            parent: 0,
            began: String::new(),
        };
        names.iter().enumerate().map(process).collect()
    }

    #[test]
    fn skips_shells_and_package_runners() {
        for (names, wanted) in [
            (&["claude", "bash"][..], Some(0)),
            (&["sh", "claude"], Some(1)),
            (&["uv", "uvx", "sh", "node"], Some(3)),
            (&["node", "sh", "npm exec lancet", "claude"], Some(3)),
            (&["node", "npm exec @anthr", "bash"], Some(0)),
            (&["bash"], None),
        ] {
            let above = processes_named(names);
            let found = find_agent(&above).map(|process| process.number);
            assert_eq!(found, wanted, "{names:?}");
        }
    }

    #[test]
    fn parses_stat_line_with_parentheses_in_program_name() {
        let line = "7 (a) (b) S 3 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 99 0";
        let found = parse_stat_line(7, line).expect("read");
        assert_eq!((found.parent, found.program.as_str()), (3, "a) (b"));
        assert_eq!(found.began, "99");
        assert_eq!(parse_stat_line(7, "nonsense"), None);
    }
}
