//! Completion of ids and sessions: additions to the generated scripts, which make them call `lancet complete`.

use clap_complete::Shell;

/// For bash: completes session names and the ids of changes, and passes everything else to the generated function.
const BASH: &str = r#"
_lancet_history() {
    local cur="${COMP_WORDS[COMP_CWORD]}" prev="${COMP_WORDS[COMP_CWORD-1]}" offered=""
    if [[ "$prev" == --session ]]; then
        offered="$(lancet complete sessions 2>/dev/null)"
    elif [[ "$COMP_CWORD" -eq 2 && "$cur" != -* && "$prev" =~ ^(show|undo|redo)$ ]]; then
        offered="$(lancet complete changes 2>/dev/null | cut -f1)"
    fi
    if [[ -n "$offered" ]]; then
        COMPREPLY=($(compgen -W "$offered" -- "$cur"))
        return 0
    fi
    _lancet "$@"
}
complete -F _lancet_history -o bashdefault -o default lancet
"#;

/// For zsh: the functions that complete an argument.
const ZSH: &str = r#"
_lancet_changes() {
    local -a lines ids expl
    lines=(${(f)"$(lancet complete changes 2>/dev/null)"})
    ids=(${lines%%$'\t'*})
    lines=(${lines/$'\t'/  })
    # The newest change comes first, one a line.
    _wanted -V changes expl 'change' compadd -l -d lines -a ids
}

_lancet_sessions() {
    local -a sessions
    sessions=(${(f)"$(lancet complete sessions 2>/dev/null)"})
    _describe 'session' sessions
}
"#;

/// For fish: two more completions, in addition to the generated ones.
const FISH: &str = r#"
complete -c lancet -n "__fish_lancet_using_subcommand show undo redo" -f -k -a "(lancet complete changes 2>/dev/null)"
complete -c lancet -l session -x -a "(lancet complete sessions 2>/dev/null)"
"#;

/// Adds the completion of ids and sessions to a generated script.
pub(super) fn add_history_completion(script: &str, shell: Shell) -> String {
    match shell {
        Shell::Bash => format!("{script}{BASH}"),
        Shell::Fish => format!("{script}{FISH}"),
        Shell::Zsh => add_zsh_completion(script),
        _ => script.to_owned(),
    }
}

/// Adds the completion to the script for zsh. The generated script names the function of each argument at the end of
/// its line. The last lines run it, so further functions are inserted before them.
fn add_zsh_completion(script: &str) -> String {
    let mut out = String::new();
    for line in script.lines() {
        let function = match line {
            line if line.starts_with("'--session=") => Some("_lancet_sessions"),
            line if line.starts_with("'::operation -- ") => Some("_lancet_changes"),
            _ => None,
        };
        if line.starts_with("if [ \"$funcstack[1]\"") {
            out.push_str(ZSH.trim_start());
            out.push('\n');
        }
        match function {
            Some(function) => out.push_str(&line.replace(":_default'", &format!(":{function}'"))),
            None => out.push_str(line),
        }
        out.push('\n');
    }
    out
}
