//! Invariants of every policy: adding a deny rule never allows more, and no other spelling of a name gets more access
//! than the name.

use std::path::{Path, PathBuf};

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

use crate::laws::config;
use crate::{
    FileNames, LayeredRule, Locations, Mode, NameKind, Outcome, Policy, Rule, RuleEffect,
    RuleLayer, Scope, ShownContent,
};

fn generated_name() -> impl Strategy<Value = &'static str> {
    select(vec![
        "a",
        "b",
        "src",
        "docs",
        ".git",
        ".env",
        "key.pem",
        "x.rs",
        "lancet.toml",
        ".claude",
        "skills",
        "pdf",
        "Übung",
        "é",
        "sharp-ß",
        "deep",
    ])
}

fn generated_pattern() -> impl Strategy<Value = String> {
    let part = prop_oneof![
        4 => generated_name().prop_map(str::to_owned),
        1 => Just("*".to_owned()),
        1 => Just("**".to_owned()),
        1 => Just("*.rs".to_owned()),
        1 => Just("?".to_owned()),
        1 => Just("[a-s]*".to_owned()),
    ];
    let lead = select(vec!["", "/", "//w/", "~/", "**/"]);
    let tail = select(vec!["", "/", "/**"]);
    (lead, vec(part, 1..4), tail)
        .prop_map(|(lead, parts, tail)| format!("{lead}{}{tail}", parts.join("/")))
}

fn generated_rule() -> impl Strategy<Value = LayeredRule> {
    let effect = select(vec![RuleEffect::Deny, RuleEffect::Ask, RuleEffect::Allow]);
    let tool = select(vec!["Read", "Edit", "Write", "Grep"]);
    let layer = select(vec![
        RuleLayer::User,
        RuleLayer::Project,
        RuleLayer::CommandLine,
        RuleLayer::Host,
    ]);
    (effect, tool, layer, generated_pattern()).prop_filter_map(
        "no rule",
        |(effect, tool, layer, pattern)| {
            Some(LayeredRule {
                effect,
                rule: Rule::parse(&format!("{tool}({pattern})")).ok()?,
                layer,
                source: String::new(),
                stands_for: None,
            })
        },
    )
}

fn generated_path() -> impl Strategy<Value = PathBuf> {
    (
        select(vec!["/w", "/v", "/lib"]),
        vec(generated_name(), 1..5),
    )
        .prop_map(|(root, names)| Path::new(root).join(names.join("/")))
}

fn generated_mode() -> impl Strategy<Value = Mode> {
    select(vec![Mode::Ask, Mode::AcceptEdits, Mode::Plan, Mode::Bypass])
}

fn new_policy(mode: Mode, entries: Vec<LayeredRule>) -> Policy {
    let ground = Locations {
        roots: vec!["/w".into(), "/v".into()],
        read_roots: vec!["/lib".into()],
        home: Some("/w/home".into()),
    };
    let scope = Scope::parse(".claude/skills/pdf/**").expect("a scope");
    Policy::new(ground, mode, entries, vec![scope], &Path::to_path_buf)
}

/// Returns the outcomes of the three possible checks.
fn all_outcomes(policy: &Policy, names: FileNames<'_>) -> [Outcome; 3] {
    [
        policy.may_read_names(names).outcome,
        policy.may_write(names, ShownContent::Lines).outcome,
        policy.may_write(names, ShownContent::Nothing).outcome,
    ]
}

/// Spells a path differently, in a form that some file system takes for the same path.
fn respell_path(path: &Path, seed: u64) -> PathBuf {
    use unicode_normalization::UnicodeNormalization;
    let mut bits = seed;
    let mut next = move |n: u64| {
        bits = bits
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        (bits >> 33) % n
    };
    let mut out = String::new();
    for (at, name) in path.iter().skip(1).enumerate() {
        let name = name.to_string_lossy();
        // The root itself is compared literally: it was resolved when it was opened.
        let name = match next(if at == 0 { 1 } else { 9 }) {
            1 => name.to_uppercase(),
            2 => name.nfd().collect(),
            3 => name.nfc().collect(),
            4 => format!("{name}."),
            5 => format!("{name} ."),
            6 => name.replacen('e', "e\u{200B}", 1),
            7 => format!("{name}:$DATA"),
            8 => name
                .chars()
                .rev()
                .collect::<String>()
                .chars()
                .rev()
                .collect(),
            _ => name.into_owned(),
        };
        out.push_str(match next(4) {
            0 => "/./",
            1 => "//",
            _ => "/",
        });
        if at > 0 && next(5) == 0 {
            out.push_str("somewhere/../");
        }
        out.push_str(&name);
    }
    // Two slashes at the start are a network path, which does not match further.
    PathBuf::from(format!("/{}", out.trim_start_matches(['/', '.'])))
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn additional_deny_rule_never_allows_more(
        mode in generated_mode(),
        entries in vec(generated_rule(), 0..8),
        mut added in generated_rule(),
        at in any::<prop::sample::Index>(),
        path in generated_path(),
        other in generated_path(),
    ) {
        added.effect = RuleEffect::Deny;
        let mut more = entries.clone();
        more.insert(at.index(entries.len() + 1), added);
        let (before, after) = (new_policy(mode, entries), new_policy(mode, more));
        let others = [other.as_path()];
        let names = FileNames { opened: &path, others: &others, kind: NameKind::File };
        for (before, after) in all_outcomes(&before, names).into_iter().zip(all_outcomes(&after, names)) {
            prop_assert!(after >= before, "{before:?} became {after:?}");
        }
    }

    #[test]
    fn prepared_folder_decides_like_full_path(
        mode in generated_mode(),
        entries in vec(generated_rule(), 0..12),
        path in generated_path(),
        seed in any::<u64>(),
    ) {
        let policy = new_policy(mode, entries);
        for path in [path.clone(), respell_path(&path, seed), path.join("x.rs"), PathBuf::from("/w/File.RS"), PathBuf::from("/v")] {
            let folder = policy.prepare_folder(path.parent().unwrap_or(Path::new("/")));
            let elsewhere = policy.prepare_folder(Path::new("/w/src"));
            let mut stepwise = policy.prepare_folder(Path::new("/w"));
            let mut way: Vec<&Path> = path.ancestors().skip(1).take_while(|at| *at != Path::new("/w") && *at != Path::new("/")).collect();
            way.reverse();
            for at in way {
                stepwise = policy.prepare_subfolder(&stepwise, at);
            }
            for kind in [NameKind::File, NameKind::Folder] {
                let wanted = policy.may_read(&path, kind);
                prop_assert_eq!(&policy.may_read_entry(&folder, &path, kind), &wanted, "{:?}", path);
                prop_assert_eq!(&policy.may_read_entry(&stepwise, &path, kind), &wanted, "{:?}", path);
                prop_assert_eq!(&policy.may_read_entry(&elsewhere, &path, kind), &wanted, "{:?}", path);
            }
        }
    }

    #[test]
    fn decision_is_independent_of_rule_order(
        mode in generated_mode(),
        entries in vec(generated_rule(), 0..8),
        path in generated_path(),
    ) {
        let reversed: Vec<LayeredRule> = entries.iter().rev().cloned().collect();
        let names = FileNames::single(&path);
        prop_assert_eq!(all_outcomes(&new_policy(mode, entries), names), all_outcomes(&new_policy(mode, reversed), names));
    }

    #[test]
    fn other_spelling_never_allows_more(
        mode in generated_mode(),
        entries in vec(generated_rule(), 0..8),
        path in generated_path(),
        seed in any::<u64>(),
    ) {
        let policy = new_policy(mode, entries);
        let plain = all_outcomes(&policy, FileNames::single(&path));
        let dressed = respell_path(&path, seed);
        // As on a file system that takes both for one file and keeps the spelling of the call.
        let alone = all_outcomes(&policy, FileNames::single(&dressed));
        // As on a file system that returns the file's real name.
        let others = [dressed.as_path()];
        let known = all_outcomes(&policy, FileNames { opened: &path, others: &others, kind: NameKind::File });
        for at in 0..3 {
            prop_assert!(known[at] >= plain[at], "{dressed:?}: {:?} for {:?}", known[at], plain[at]);
            if dressed.iter().all(|name| name != "..") {
                prop_assert!(alone[at] >= plain[at], "{dressed:?}: {:?} for {:?}", alone[at], plain[at]);
            }
        }
    }

    #[test]
    fn another_name_of_the_same_file_never_allows_more(
        mode in generated_mode(),
        entries in vec(generated_rule(), 0..8),
        path in generated_path(),
        other in generated_path(),
    ) {
        let policy = new_policy(mode, entries);
        let others = [other.as_path()];
        let both = all_outcomes(&policy, FileNames { opened: &path, others: &others, kind: NameKind::File });
        for (both, one) in both.into_iter().zip(all_outcomes(&policy, FileNames::single(&path))) {
            prop_assert!(both >= one);
        }
    }

    #[test]
    fn deciding_rule_is_among_covering_rules(entries in vec(generated_rule(), 0..8), path in generated_path()) {
        let policy = new_policy(Mode::AcceptEdits, entries);
        let names = FileNames::single(&path);
        let decision = policy.may_write(names, ShownContent::Nothing);
        if let crate::DecisionCause::Rule(entry) = decision.cause {
            let covering = policy.rules_covering(names, entry.rule.access());
            prop_assert!(covering.contains(&entry), "{entry} is not among {covering:?}");
        }
    }

    #[test]
    fn arbitrary_rules_never_panic(rule in any::<String>(), path in any::<String>()) {
        let _ = Scope::parse(&rule);
        let _ = Rule::parse(&rule);
        if let Ok(rule) = Rule::parse(&format!("Edit({rule})")) {
            let entry = LayeredRule { effect: RuleEffect::Deny, rule, layer: RuleLayer::User, source: String::new(), stands_for: None };
            let path = Path::new("/w").join(path);
            all_outcomes(&new_policy(Mode::Ask, vec![entry]), FileNames::single(&path));
        }
    }
}
