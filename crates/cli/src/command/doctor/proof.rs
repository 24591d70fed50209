//! `lancet doctor --prove`: tests a file system and prints a report that can be shown to others.

use std::cell::RefCell;
use std::fmt::Write as _;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use lancet_workspace::{
    CheckAnswer, CheckResult, FileSystemProof, ProofError, ProofProgress, ProofRequest,
    prove_file_system,
};
use serde_json::{Map, Value, json};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};

use super::file_system::{describe_protection, host_name, in_place_protection};
use crate::arguments::DoctorArguments;
use crate::failure::{Exit, Failure};
use crate::proof_role;
use crate::surroundings::Surroundings;
use crate::terminal::{
    Colour, ProgressLine, Style, columns, escape_for_terminal, print, stdout_is_terminal,
    wrap_lines,
};

/// Runs the test and prints the results.
pub(super) fn run(
    folder: &Path,
    arguments: &DoctorArguments,
    around: &Surroundings,
) -> Result<Exit, Failure> {
    let folder = around.absolute(folder)?;
    let stop = stop_on_signals();
    let line = RefCell::new(ProgressLine::new());
    let proof = prove_file_system(&ProofRequest {
        folder: &folder,
        kills: arguments.kills,
        start: &proof_role::role_command,
        stop: &stop,
        progress: &|progress| line.borrow_mut().show(&describe_progress(progress)),
    });
    drop(line);
    let proof = proof.map_err(|error| match error {
        ProofError::Stopped => Failure::system("stopped before the end; nothing is left behind"),
        error @ ProofError::Folder { .. } => Failure::system(error.to_string()),
    })?;
    let is_terminal = stdout_is_terminal();
    let colour = match arguments.json {
        true => Colour::Off,
        false => around.colour(is_terminal),
    };
    let text = format_report(&proof, colour);
    if arguments.json {
        let mut object = report_json(&proof);
        object["text"] = json!(text);
        print(&format!("{object}\n"))?;
    } else {
        let columns = match is_terminal {
            true => columns(std::io::stdout()),
            false => 0,
        };
        print(&wrap_lines(&text, columns))?;
    }
    Ok(match proof.contradicting_results().next() {
        None => Exit::Done,
        Some(_) => Exit::Refused,
    })
}

/// Returns a flag that the terminating signals set, so that the folder of the test is removed first. A second signal
/// ends the program at once.
fn stop_on_signals() -> Arc<AtomicBool> {
    let stop = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM, SIGHUP] {
        // If the handler cannot be registered, the signal ends the program and leaves the folder.
        let _ = signal_hook::flag::register(signal, Arc::clone(&stop));
    }
    stop
}

fn describe_progress(progress: ProofProgress) -> String {
    let what = progress.check.name();
    match progress.total {
        0 | 1 => format!("trying: {what}"),
        total => format!("trying: {what}, {} of {total}", progress.done),
    }
}

/// Returns the report for people.
fn format_report(proof: &FileSystemProof, colour: Colour) -> String {
    let mut out = String::new();
    let mut line = |words: String| {
        // Writing to a string cannot fail.
        let _ = writeln!(out, "{words}");
    };
    let name = proof.file_system.as_deref().unwrap_or("unknown");
    line(format!(
        "lancet {} on {}",
        env!("CARGO_PKG_VERSION"),
        proof.kernel
    ));
    line(format!(
        "file system {}, kept by {}, tried in {}",
        escape_for_terminal(name),
        describe_host(host_name(proof.promise.host)),
        escape_for_terminal(&proof.folder.display().to_string())
    ));
    line(describe_protection(&proof.promise));
    line(String::new());
    for result in &proof.checks {
        let answer = format_answer(result, colour);
        line(format!("{answer} {}", result.check.confirmed_statement()));
        line(format!("        {}", escape_for_terminal(&result.seen)));
        line(format!("        {}", result.meaning));
    }
    line(String::new());
    let contradictions: Vec<&str> = proof.contradicting_results().collect();
    if contradictions.is_empty() {
        let words = format!(
            "What was seen agrees with the guarantee {}.",
            proof.promise.replaced
        );
        line(colour.paint(Style::Bold, &words));
    } else {
        let words = format!(
            "What was seen contradicts the guarantee {}. Do not rely on lancet in this folder, and report it with this output.",
            proof.promise.replaced
        );
        line(colour.paint(Style::Red, &words));
        for why in contradictions {
            line(format!("  {}", escape_for_terminal(why)));
        }
    }
    out
}

fn format_answer(result: &CheckResult, colour: Colour) -> String {
    let word = format!("{:<7}", result.answer.name());
    match (&result.contradiction, result.answer) {
        (Some(_), _) => colour.paint(Style::Red, &word),
        (None, CheckAnswer::Yes) => word,
        (None, _) => colour.paint(Style::Bold, &word),
    }
}

fn describe_host(host: &str) -> &str {
    match host {
        "kernel" => "this machine's kernel",
        "layers" => "this machine's kernel in layers",
        "program" => "a program on this machine",
        _ => "another machine, or a program that may pass files on to one",
    }
}

/// Returns the report for programs.
fn report_json(proof: &FileSystemProof) -> Value {
    json!({
        "version": env!("CARGO_PKG_VERSION"),
        "kernel": proof.kernel,
        "folder": proof.folder,
        "fileSystem": proof.file_system,
        "keptBy": host_name(proof.promise.host),
        "guarantee": proof.promise.replaced.name(),
        "inPlace": in_place_protection(&proof.promise),
        "agrees": proof.contradicting_results().next().is_none(),
        "contradictions": proof.contradicting_results().collect::<Vec<_>>(),
        "checks": proof.checks.iter().map(check_object).collect::<Vec<_>>(),
    })
}

fn check_object(result: &CheckResult) -> Value {
    let figures = result.figures.iter();
    let figures: Map<String, Value> = figures
        .map(|(name, number)| ((*name).to_owned(), number_value(*number)))
        .collect();
    json!({
        "check": result.check.name(),
        "statement": result.check.confirmed_statement(),
        "answer": result.answer.name(),
        "seen": result.seen,
        "meaning": result.meaning,
        "contradiction": result.contradiction,
        "figures": figures,
    })
}

/// Returns a count without a fraction, and any other number rounded to a thousandth.
fn number_value(number: f64) -> Value {
    match number.fract() == 0.0 {
        true => json!(number as u64),
        false => json!((number * 1e3).round() / 1e3),
    }
}
