//! A server that is killed at any time: no answer is late, and no answer is wrong.

use std::io::Write as _;
use std::time::{Duration, Instant};

use super::setting::{Project, SESSION, entry};

/// Returns a text with its own undefined name, so that a problem shows which text it belongs to.
fn text(number: usize, is_broken: bool) -> String {
    match is_broken {
        true => format!("a = 1\nprint(name_{number})\n"),
        false => format!("a = {number}\n"),
    }
}

#[test]
fn two_hundred_edits_with_a_server_killed_at_random() {
    let Some(ruff) = entry("ruff") else { return };
    let project = Project::with(vec![ruff], &[("a.py", "a = 1\n")], |options| {
        options.pauses = vec![Duration::from_millis(1); 1000];
    });
    project.read(&["a.py"]);
    let mut seed = 20_261_117_u64;
    let mut random = |below: u64| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (seed >> 33) % below
    };
    let (mut latest, mut told, mut not_ready) = (Duration::ZERO, 0, 0);
    for number in 0..200 {
        let is_broken = random(2) == 0;
        let killer = (random(4) == 0).then(|| {
            let (children, pause) = (project.children.clone(), random(6));
            std::thread::spawn(move || {
                std::thread::sleep(Duration::from_millis(pause));
                children.kill();
            })
        });
        // Some too short for any answer, so that what comes late is seen, too.
        let budget = Duration::from_millis([1, 3, 300][random(3) as usize]);
        let began = Instant::now();
        let found = project.edit_within("a.py", &text(number, is_broken), budget);
        latest = latest.max(began.elapsed().saturating_sub(budget));
        let late = project.language.take_late_problems(SESSION).new;
        for problem in found.new.iter().chain(&late) {
            let now = format!("`name_{number}`");
            assert!(
                is_broken && problem.message.contains(&now),
                "{number}: {problem:?}"
            );
            assert_eq!(problem.revision, Some(project.revision()));
            told += 1;
        }
        not_ready += found.not_ready.len();
        if let Some(killer) = killer {
            killer.join().expect("the killer");
        }
        // Without it, a server that was killed would not be back before the next edit.
        if random(2) == 0 {
            let _ = project
                .language
                .wait_until_processed(Instant::now() + Duration::from_millis(100));
        }
    }
    // Past the runner, which captures what tests print.
    let _ = writeln!(
        std::io::stderr(),
        "figure: 200 edits, {} starts: told {told}, not ready {not_ready}, at most {latest:?} past the budget",
        project.children.started()
    );
    assert!(
        told > 5 && not_ready > 0,
        "told {told}, not ready {not_ready}"
    );
    assert!(project.children.started() > 10);
}
