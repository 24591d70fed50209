//! Instruction counts by callgrind, each with a hard limit 10 % above the measured value. `cargo xtask bench` runs it;
//! `benches/RESULTS.md` records the figures, `benches/README.md` explains how to change a limit.

// The macros of the bench framework export private items.
#![allow(missing_docs, unreachable_pub)]

use std::hint::black_box;

use gungraun::prelude::*;
use gungraun::{Callgrind, EventKind};
use lancet::Reply;
use lancet_benches::{LINE, LINE_AFTER, MEGABYTE, Question, Scene, encoded, question, source};
use lancet_text::{
    Correction, Document, LeakPolicy, LineEnd, LineStarts, Occurrences, Query, Rung, TextKind,
    Tolerance, Verdict, find, find_correction,
};

/// Sets the limit of a benchmark to this many instructions.
fn at_most(instructions: u64) -> LibraryBenchmarkConfig {
    LibraryBenchmarkConfig::default()
        .tool(Callgrind::default().hard_limits([(EventKind::Ir, instructions)]))
        .clone()
}

fn ask(question: &Question) -> Verdict {
    find(&Query {
        view: &question.view,
        damaged: &[],
        old: &question.old,
        new: &question.new,
        occurrences: Occurrences::One,
        tolerance: Tolerance::Tolerant,
        abbreviations: &[],
        leaks: LeakPolicy::Refuse,
        text_kind: TextKind::Prose,
        bounds: None,
    })
}

fn hit_in_a_megabyte() -> Question {
    Question {
        rung: Rung::Exact,
        view: source(MEGABYTE),
        old: LINE.to_owned(),
        new: LINE_AFTER.to_owned(),
    }
}

fn miss_in_a_megabyte() -> Question {
    Question {
        old: "    // the line that was edited says\n    let value_7000 = compute(input[7001]);"
            .to_owned(),
        ..hit_in_a_megabyte()
    }
}

#[library_benchmark]
#[bench::megabyte(args = (), setup = hit_in_a_megabyte, config = at_most(326_000))]
fn ladder_hit(question: Question) -> Verdict {
    black_box(ask(black_box(&question)))
}

#[library_benchmark]
#[bench::megabyte(args = (), setup = miss_in_a_megabyte, config = at_most(78_700_000))]
fn ladder_miss_and_correction(question: Question) -> (Verdict, Correction) {
    let verdict = ask(black_box(&question));
    let lines = LineStarts::new(&question.view);
    let Question { view, old, new, .. } = &question;
    black_box((verdict, find_correction(view, &lines, old, new)))
}

#[library_benchmark]
#[bench::final_newline(args = (Rung::FinalNewline), setup = question, config = at_most(119_000))]
#[bench::gutter(args = (Rung::Gutter), setup = question, config = at_most(346_000))]
#[bench::look_alike(args = (Rung::LookAlike), setup = question, config = at_most(16_800_000))]
#[bench::abbreviation(args = (Rung::Abbreviation), setup = question, config = at_most(737_000))]
#[bench::trailing(args = (Rung::Trailing), setup = question, config = at_most(6_000_000))]
#[bench::indent(args = (Rung::Indent), setup = question, config = at_most(3_670_000))]
#[bench::tabs(args = (Rung::Tabs), setup = question, config = at_most(4_390_000))]
#[bench::blank_edge(args = (Rung::BlankEdge), setup = question, config = at_most(7_720_000))]
#[bench::escaped(args = (Rung::Escaped), setup = question, config = at_most(467_000))]
fn rung(question: Question) -> Verdict {
    black_box(ask(black_box(&question)))
}

#[library_benchmark]
#[bench::lf(args = ("utf-8", LineEnd::Lf), setup = encoded, config = at_most(707_000))]
#[bench::crlf(args = ("utf-8", LineEnd::Crlf), setup = encoded, config = at_most(3_670_000))]
#[bench::utf16(args = ("utf-16le", LineEnd::Lf), setup = encoded, config = at_most(29_800_000))]
fn decode_a_megabyte(bytes: Vec<u8>) -> usize {
    black_box(Document::decode(black_box(&bytes), None)).map_or(0, |document| document.line_count())
}

#[library_benchmark]
#[bench::megabyte(args = (MEGABYTE), setup = Scene::read, config = at_most(5_260_000))]
fn read_first_page(scene: Scene) -> (Reply, Scene) {
    let reply = scene.session.call(black_box(scene.call.clone()));
    (reply, scene)
}

#[library_benchmark]
#[bench::ten_kilobytes(args = (10_000), setup = Scene::edit, config = at_most(338_000))]
#[bench::megabyte(args = (MEGABYTE), setup = Scene::edit, config = at_most(1_300_000))]
fn edit_call(scene: Scene) -> (Reply, Scene) {
    let reply = scene.session.call(black_box(scene.call.clone()));
    (reply, scene)
}

library_benchmark_group!(
    name = text,
    benchmarks = [
        ladder_hit,
        ladder_miss_and_correction,
        rung,
        decode_a_megabyte
    ]
);
library_benchmark_group!(name = calls, benchmarks = [read_first_page, edit_call]);

main!(library_benchmark_groups = [text, calls]);
