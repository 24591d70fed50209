//! While nothing happens, no thread of the crate wakes up. The test is a separate program, because the threads of other
//! tests would be counted.

#[path = "servers/setting.rs"]
mod setting;

use std::time::Duration;

use setting::{Project, assert_told, entry};

/// Returns how often the threads of the crate have been scheduled.
fn wake_ups() -> u64 {
    let tasks = std::fs::read_dir("/proc/self/task").expect("the threads");
    let mut sum = 0;
    let mut threads = 0;
    for task in tasks {
        let folder = task.expect("a thread").path();
        let text = |name: &str| std::fs::read_to_string(folder.join(name)).unwrap_or_default();
        if !text("comm").starts_with("lsp-") {
            continue;
        }
        threads += 1;
        let status = text("status");
        let switches = status
            .lines()
            .filter(|line| line.contains("voluntary_ctxt_switches"));
        sum += switches
            .filter_map(|line| line.split_whitespace().last()?.parse::<u64>().ok())
            .sum::<u64>();
    }
    assert!(
        threads >= 5,
        "two for each of two servers, and one: {threads}"
    );
    sum
}

#[test]
fn nothing_wakes_up_while_nothing_happens() {
    let (Some(ruff), Some(clangd)) = (entry("ruff"), entry("clangd")) else {
        return;
    };
    let files = [
        ("a.py", "a = 1\n"),
        ("a.c", "int a;\n"),
        ("compile_flags.txt", "\n"),
    ];
    let project = Project::new(vec![ruff, clangd], &files);
    project.read(&["a.py", "a.c"]);
    assert_told(&project.edit("a.py", "a = b\n"), &[("a.py:1:5", "b")]);
    // Servers may say something more just after the answer; then the threads have slept for a while.
    let quiet = (0..10).any(|_| {
        let before = wake_ups();
        std::thread::sleep(Duration::from_secs(2));
        wake_ups() == before
    });
    assert!(
        quiet,
        "there was no moment of two seconds without a wake-up"
    );
}
