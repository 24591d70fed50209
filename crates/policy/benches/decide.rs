//! The cost of one decision with many rules: `cargo bench -p lancet-policy --bench decide`. The time is printed and
//! never asserted.

#![allow(clippy::print_stdout, reason = "the figures are what this is for")]

use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::time::Instant;

use lancet_policy::{
    FileNames, LayeredRule, Locations, Mode, NameKind, Policy, Rule, RuleEffect, RuleLayer,
    ShownContent,
};

/// Makes rules as people write them: folders, names, endings, absolute paths and wildcards in the middle, in turn.
fn rules(number: usize) -> Vec<LayeredRule> {
    let rule = |at: usize| {
        let (effect, text) = match at % 8 {
            0 => (RuleEffect::Deny, format!("Read(private-{at}/**)")),
            1 => (RuleEffect::Deny, format!("Read(*.kind{at})")),
            2 => (RuleEffect::Deny, format!("Edit(generated/{at}/**)")),
            3 => (RuleEffect::Ask, format!("Edit(src/module{at}/**/*.sql)")),
            4 => (RuleEffect::Allow, format!("Edit(/src/area{at}/*.rs)")),
            5 => (RuleEffect::Deny, format!("Read(//srv/data/{at}/secret)")),
            6 => (RuleEffect::Deny, format!("Read(**/vault{at}/*.txt)")),
            _ => (RuleEffect::Deny, format!("Read(report-{at}-*.txt)")),
        };
        LayeredRule {
            effect,
            rule: Rule::parse(&text).expect("a rule"),
            layer: RuleLayer::User,
            source: "bench".to_owned(),
            stands_for: None,
        }
    };
    (0..number).map(rule).collect()
}

fn measure(name: &str, paths: &[PathBuf], mut decide: impl FnMut(&Path) -> bool) {
    let mut best = f64::MAX;
    for _ in 0..7 {
        let began = Instant::now();
        for path in paths {
            black_box(decide(black_box(path)));
        }
        best = best.min(began.elapsed().as_secs_f64() * 1e6 / paths.len() as f64);
    }
    println!("{name}: {best:.2} µs a decision");
}

fn main() {
    let paths: Vec<PathBuf> = (0..5_000)
        .map(|at| {
            PathBuf::from(format!(
                "/home/me/work/project/src/Module{}/part{}/File{at}.rs",
                at % 40,
                at % 7
            ))
        })
        .collect();
    for number in [0, 100, 500] {
        let ground = Locations {
            roots: vec!["/home/me/work/project".into()],
            ..Locations::default()
        };
        let policy = Policy::new(
            ground,
            Mode::Ask,
            rules(number),
            Vec::new(),
            &Path::to_path_buf,
        );
        measure(&format!("{number} rules, may_read"), &paths, |path| {
            policy.may_read(path, NameKind::File).is_allowed()
        });
        measure(&format!("{number} rules, an Edit"), &paths, |path| {
            policy
                .may_write(FileNames::single(path), ShownContent::Lines)
                .is_allowed()
        });
    }
}
