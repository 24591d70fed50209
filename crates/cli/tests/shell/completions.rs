//! The completion scripts, run by the shells that they are for.

use lancet_testing::judges;

use crate::stage::{LANCET, Run, Stage, finish};

/// Makes a project with two changes, and returns the short ids of both, the newest first.
fn changed() -> (Stage, Vec<String>) {
    let folder = std::path::Path::new(LANCET).parent().expect("a folder");
    let path = std::env::var("PATH").unwrap_or_default();
    let stage = Stage::new().with("PATH", format!("{}:{path}", folder.display()));
    stage.file("a.txt", "one\n");
    for (old, new) in [("one", "two"), ("two", "three")] {
        let read = stage.run(&["read", "a.txt", "--session", "evening"]);
        assert_eq!(read.code, 0, "{read:?}");
        let edit = [
            "edit",
            "a.txt",
            "--old",
            old,
            "--new",
            new,
            "--yes",
            "--session",
            "evening",
        ];
        let run = stage.run(&edit);
        assert_eq!(run.code, 0, "{run:?}");
    }
    let changes = stage.run(&["complete", "changes"]).out;
    let short = changes.lines().filter_map(|line| line.split_once('\t'));
    let short = short.map(|(short, _)| short.to_owned()).collect();
    (stage, short)
}

/// Runs a script in a shell; none where the shell is not installed.
fn run(stage: &Stage, shell: &str, flags: &[&str], script: &str) -> Option<Run> {
    let is_there = std::env::var_os("PATH").is_some_and(|path| {
        std::env::split_paths(&path).any(|folder| folder.join(shell).is_file())
    });
    if !is_there {
        judges::missing(shell);
        return None;
    }
    let mut command = stage.command("timeout");
    command
        .arg("60")
        .arg(shell)
        .args(flags)
        .args(["-c", script]);
    Some(finish(command, b""))
}

#[test]
fn fish_completes_commands_flags_ids_and_sessions() {
    let (stage, short) = changed();
    let script = "lancet completions fish | source
        for typed in 'lancet undo ' 'lancet log --session ' 'lancet stat' 'lancet undo --keep-g'
            complete -C $typed
        end";
    let Some(run) = run(&stage, "fish", &["--no-config"], script) else {
        return;
    };
    let first: Vec<&str> = run
        .out
        .lines()
        .map(|line| line.split('\t').next().unwrap_or(line))
        .collect();
    assert_eq!(
        first,
        [&*short[0], &*short[1], "evening", "stats", "--keep-going"],
        "{run:?}"
    );
}

#[test]
fn zsh_completes_commands_flags_ids_and_sessions() {
    let (stage, short) = changed();
    let functions = stage.home().join("functions");
    std::fs::create_dir(&functions).expect("a folder");
    let script = stage.run(&["completions", "zsh"]).out;
    std::fs::write(functions.join("_lancet"), script).expect("written");
    // A shell in a pseudo-terminal gets what is typed and a tab, and prints the line as it then is.
    let script = r#"
        zmodload zsh/zpty
        zpty inner zsh -f -i
        typed() { zpty -w inner "$1" }
        until_shown() { local text; zpty -r inner text "*$1*" || exit 9; shown=$text }
        typed "PS1=; unsetopt zle_bracketed_paste 2>/dev/null; fpath=($HOME/functions \$fpath); autoload -U compinit; compinit -u -D; setopt list_packed; LISTMAX=0; COLUMNS=200"
        typed "bindkey -e; zle-line() { print -r -- \"<\$BUFFER>\"; BUFFER=; }; zle -N zle-line; bindkey '^X^X' zle-line"
        typed "_end() { print ended-\$1 }; _end setup"
        until_shown ended-setup
        for word in 'lancet stat' 'lancet undo --keep-g' 'lancet log --session '; do
            zpty -w -n inner "$word"$'\t\x18\x18'
            until_shown '<lancet*>'
            print -r -- "${${shown##*<}%%>*}"
        done
        zpty -w -n inner $'lancet undo \t\t\x18\x18'
        until_shown '<lancet*>'
        print -r -- "$shown"
        zpty -d inner
    "#;
    let Some(run) = run(&stage, "zsh", &["-f"], script) else {
        return;
    };
    let out = &run.out;
    let mut lines = out.lines().map(str::trim_end);
    for line in [
        "lancet stats",
        "lancet undo --keep-going",
        "lancet log --session evening",
    ] {
        assert_eq!(lines.next(), Some(line), "{run:?}");
    }
    // The newest change comes first.
    let place = |short: &str| out.find(&format!("{short}  Edit a.txt"));
    let (newest, older) = (place(&short[0]), place(&short[1]));
    assert!(newest.is_some() && newest < older, "{short:?} {run:?}");
}
