//! The answer "always" in several processes at once: every rule is saved, and everything else in the file is preserved.

use std::fs;
use std::io::Write as _;
use std::sync::Barrier;

use crate::agent::Agent;
use crate::live::user_settings;
use crate::stage::Stage;

/// The number of servers, and of questions to each.
const SERVERS: usize = 3;
const QUESTIONS: usize = 6;
/// How many lines another program adds to the file.
const LINES: usize = 60;

#[test]
fn processes_that_keep_rules_at_the_same_time_lose_none() {
    let stage = Stage::new();
    let settings = user_settings(&stage);
    let before = "# mine\nmode = \"ask\" # asks\n\n[permissions]\n# first\nallow = [\n  \"Edit(docs/**)\", # docs\n]\ndeny = [\"Edit(shut/**)\"]\n";
    fs::write(&settings, before).expect("written");
    let together = Barrier::new(SERVERS);
    std::thread::scope(|scope| {
        // Another process adds lines meanwhile.
        scope.spawn(|| {
            for number in 0..LINES {
                let mut file = fs::OpenOptions::new()
                    .append(true)
                    .open(&settings)
                    .expect("opened");
                writeln!(file, "# line {number}.").expect("written");
                drop(file);
                std::thread::sleep(std::time::Duration::from_millis(7));
            }
        });
        for server in 0..SERVERS {
            let (stage, together) = (&stage, &together);
            scope.spawn(move || {
                let mut agent = Agent::new(stage, &["--ask", "elicit"]);
                for question in 0..QUESTIONS {
                    let path = stage.project().join(format!("{server}-{question}.txt"));
                    together.wait();
                    let (error, text) = agent.write(&path);
                    assert_eq!(error, "", "{text}");
                }
            });
        }
    });
    let after = fs::read_to_string(&settings).expect("there");
    for server in 0..SERVERS {
        for question in 0..QUESTIONS {
            let path = stage.project().join(format!("{server}-{question}.txt"));
            let rule = format!("\"Edit(/{})\"", path.display());
            assert_eq!(after.matches(&rule).count(), 1, "{rule} in\n{after}");
        }
    }
    let lost: Vec<String> = (0..LINES)
        .map(|number| format!("# line {number}.\n"))
        .filter(|line| !after.contains(line))
        .collect();
    assert!(lost.is_empty(), "{lost:?} are gone from\n{after}");
    for line in before.lines().filter(|line| *line != "]") {
        assert!(after.contains(line), "{line} is gone from\n{after}");
    }
    // Each server has the rules of the others, so no question is repeated.
    let mut agent = Agent::new(&stage, &[]);
    let known = stage.project().join("0-0.txt");
    assert_eq!(agent.read(&known), "");
    assert_eq!(agent.write(&known).0, "");
    assert_eq!(agent.write(&stage.project().join("new.txt")).0, "declined");
    assert_eq!(agent.write(&stage.project().join("shut/a")).0, "denied");
}
