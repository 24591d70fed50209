//! Settings: every key, layers, and the errors for wrong ones.

mod flaws;
mod programs;
mod search;

use std::path::{Path, PathBuf};

use proptest::prelude::{Strategy, *};

use super::keys::{Form, Project, keys};
use super::values::Strategy as WriteStrategy;
use super::*;

fn layer(origin: Origin, text: &str) -> Layer {
    Layer {
        origin,
        path: PathBuf::from("/etc/lancet.toml"),
        text: text.to_owned(),
    }
}

fn load(text: &str) -> Settings {
    Settings::load(&[layer(Origin::User, text)]).unwrap_or_else(|error| panic!("{error}"))
}

fn label(settings: &Settings, path: &Path) -> Option<&'static str> {
    settings.encoding_for(path).map(lancet_text::Encoding::name)
}

fn error(text: &str) -> String {
    match Settings::load(&[layer(Origin::User, text)]) {
        Err(error) => error.to_string(),
        Ok(_) => panic!("loaded: {text}"),
    }
}

#[test]
fn a_value_of_every_form_reaches_its_field() {
    let settings = load(
        "mode = \"plan\"\nmatch = \"exact\"\nstale = \"merge\"\nlinks = \"break\"\ntools = [\"default\", \"-MultiEdit\"]\n\
         [read]\ngutter = \"aligned\"\nmax_lines = 5\nmax_line_chars = 80\nmax_chars = 9000\ndedupe = false\nclients.\"@x/*\" = 8000\n\
         [write]\nline_endings = \"as-sent\"\nweak = \"refuse\"\ndurability = \"ordered\"\ngit_diff = true\nstrategy.\"*.c\" = \"in_place\"\n[encoding]\n\"*.pas\" = \"windows-1252\"\n[abbreviations]\n\"<x>\" = \"<xylophone>\"\n\
         [history]\nmax_size = 2000000\nmax_age = 7\nrequired = false\n\
         [search]\ntime_budget = 500\nseen_lines = false\nindex = \"off\"\nmemory = \"64MiB\"\ncontents = \"on\"\n",
    );
    assert_eq!(
        settings.search,
        SearchSettings {
            time_budget: 500,
            seen_lines: false,
            index: IndexUse::Off,
            memory: 64 << 20,
            contents: ContentsUse::On,
            excludes: None,
        }
    );
    assert_eq!(
        settings.history,
        HistorySettings {
            max_size: 2_000_000,
            max_age: 7,
            required: false
        }
    );
    assert_eq!(settings.mode, Some(Mode::Plan));
    assert_eq!(settings.matching, Matching::Exact);
    assert_eq!(settings.stale, Stale::Merge);
    assert_eq!(settings.links, Some(Links::Break));
    assert_eq!(
        settings.tools.as_deref(),
        Some(["default".to_owned(), "-MultiEdit".to_owned()].as_slice())
    );
    let read = ReadSettings {
        gutter: Gutter::Aligned,
        max_lines: 5,
        max_line_chars: 80,
        max_chars: Some(9000),
        clients: vec![ClientLimit {
            name: "@x/*".to_owned(),
            most_bytes: 8_000,
        }],
        dedupe: false,
        ..Settings::default().read
    };
    assert_eq!(settings.read, read);
    assert_eq!(settings.write.line_endings, LineEndings::AsSent);
    assert!(settings.write.git_diff);
    assert_eq!(
        label(&settings, Path::new("src/unit.pas")),
        Some("windows-1252")
    );
    assert_eq!(
        settings.abbreviations,
        [("<x>".to_owned(), "<xylophone>".to_owned())]
    );
}

#[test]
fn dotted_keys_inline_tables_and_texts_with_commas_are_the_same() {
    let settings = load(
        "write.line_endings = \"as-sent\"\nencoding.\"*.pas\" = \"windows-1250\"\nread = { gutter = \"tab\" }\ntools = \"Read, Edit\"\n",
    );
    assert_eq!(settings.write.line_endings, LineEndings::AsSent);
    assert_eq!(settings.read.gutter, Gutter::Tab);
    assert_eq!(label(&settings, Path::new("a.pas")), Some("windows-1250"));
    assert_eq!(
        settings.tools.as_deref(),
        Some(["Read".to_owned(), "Edit".to_owned()].as_slice())
    );
}

#[test]
fn an_unknown_key_is_named_with_place_and_closest() {
    assert_eq!(
        error("\nmacth = \"exact\"\n"),
        "/etc/lancet.toml:2:1: there is no setting macth; did you mean match?"
    );
    assert_eq!(
        error("[read]\n  guter = \"tab\"\n"),
        "/etc/lancet.toml:2:3: there is no setting read.guter; did you mean read.gutter?"
    );
    assert_eq!(
        error("gutter = \"tab\"\n"),
        "/etc/lancet.toml:1:1: there is no setting gutter; did you mean read.gutter?"
    );
    assert_eq!(
        error("[reed]\ngutter = \"tab\"\n"),
        "/etc/lancet.toml:1:2: there is no setting reed; did you mean read?"
    );
    assert_eq!(
        error("[permission]\ndeny = []\n"),
        "/etc/lancet.toml:1:2: there is no setting permission; did you mean permissions?"
    );
    assert_eq!(
        error("[encodings]\n\"*.x\" = \"gbk\"\n"),
        "/etc/lancet.toml:1:2: there is no setting encodings; did you mean encoding?"
    );
    assert_eq!(
        error("[banana]\nx = 1\n"),
        "/etc/lancet.toml:1:2: there is no setting banana"
    );
    assert_eq!(
        error("banana = 1"),
        "/etc/lancet.toml:1:1: there is no setting banana"
    );
}

#[test]
fn a_wrong_value_is_told_the_right_ones() {
    assert_eq!(
        error("match = \"exakt\""),
        "/etc/lancet.toml:1:9: match must be \"tolerant\" or \"exact\", not \"exakt\"; did you mean \"exact\"?"
    );
    assert_eq!(
        error("read.max_lines = 0"),
        "/etc/lancet.toml:1:18: read.max_lines must be a whole number from 1 to 1000000, not 0"
    );
    assert!(error("read.max_lines = -3").contains("not -3"));
    assert!(error("read.max_lines = \"5\"").contains("not \"5\""));
    assert!(
        error("read.dedupe = \"yes\"").ends_with("read.dedupe must be true or false, not \"yes\"")
    );
    assert!(error("read = 5").contains("read must be a table, [read]"));
    assert!(error("mode = [1]").contains(
        "mode must be \"ask\" or \"accept-edits\" or \"plan\" or \"bypass\", not a list"
    ));
    assert!(error("encoding = \"utf-8\"").contains("encoding must be a table of texts"));
    assert!(error("[encoding]\n\"*.x\" = 3").contains(":2:9: "));
    assert!(
        error("[encoding]\n\"a{\" = \"gbk\"")
            .contains(":2:1: encoding.\"a{\" is not a file pattern")
    );
    assert!(
        error("tools = [\"Read\",\n\"Wirte\"]")
            .ends_with(":2:1: there is no tool \"Wirte\"; did you mean Write?")
    );
    assert!(error("tools = []").contains(":1:9: tools names no tool"));
    assert!(error("tools = \" , \"").contains("tools names no tool"));
    assert!(error("match = \"exact\"\nmatch = \"exact\"").contains("not valid TOML"));
    assert!(
        error("match = ").starts_with("/etc/lancet.toml:1:9: not valid TOML: "),
        "{}",
        error("match = ")
    );
}

#[test]
fn an_encoding_nobody_knows_is_refused() {
    assert!(
        error("encoding.\"*.pas\" = \"gb18003\"")
            .ends_with(":1:20: there is no encoding \"gb18003\"; did you mean gb18030?")
    );
}

#[test]
fn later_layers_win_in_whatever_order_they_come() {
    let layers = [
        layer(
            Origin::CommandLine,
            "read.gutter = \"none\"\nencoding.\"*.pas\" = \"gbk\"",
        ),
        layer(
            Origin::User,
            "read.gutter = \"tab\"\nstale = \"merge\"\nencoding.\"*.pas\" = \"windows-1252\"",
        ),
        layer(Origin::Project, "read.max_lines = 7"),
    ];
    let settings = Settings::load(&layers).unwrap();
    assert_eq!(
        (
            settings.read.gutter,
            settings.read.max_lines,
            settings.stale
        ),
        (Gutter::None, 7, Stale::Merge)
    );
    assert_eq!(label(&settings, Path::new("x.pas")), Some("gbk"));
    assert_eq!(settings.origin("read.gutter"), Origin::CommandLine);
    assert_eq!(settings.origin("read.max_lines"), Origin::Project);
    assert_eq!(settings.origin("read.max_chars"), Origin::BuiltIn);
}

#[test]
fn a_project_may_only_tighten() {
    let loose = layer(
        Origin::Project,
        "mode = \"accept-edits\"\nmatch = \"tolerant\"\nstale = \"merge\"\nlinks = \"break\"\ntools = \"all\"\n[abbreviations]\n\"a\" = \"bcd\"\n",
    );
    let user = layer(Origin::User, "mode = \"plan\"\nmatch = \"exact\"\n");
    let settings = Settings::load(&[user, loose]).unwrap();
    assert_eq!(
        (settings.mode, settings.matching, settings.stale),
        (Some(Mode::Plan), Matching::Exact, Stale::Refuse)
    );
    assert_eq!(
        (
            settings.links,
            settings.tools.as_ref(),
            settings.abbreviations.len()
        ),
        (None, None, 0)
    );
    let ignored: Vec<(&str, usize)> = settings
        .ignored
        .iter()
        .map(|line| (line.key.as_str(), line.line))
        .collect();
    assert_eq!(
        ignored,
        [
            ("mode", 1),
            ("match", 2),
            ("stale", 3),
            ("links", 4),
            ("tools", 5),
            ("abbreviations", 7)
        ]
    );

    let tight = layer(
        Origin::Project,
        "match = \"exact\"\nstale = \"refuse\"\nwrite.line_endings = \"as-sent\"\n",
    );
    let settings = Settings::load(&[layer(Origin::User, "stale = \"merge\""), tight]).unwrap();
    assert_eq!(
        (settings.matching, settings.stale),
        (Matching::Exact, Stale::Refuse)
    );
    assert_eq!(settings.write.line_endings, LineEndings::AsSent);
    assert!(settings.ignored.is_empty());
}

#[test]
fn a_project_that_tightens_is_obeyed() {
    let user = |text: &str| layer(Origin::User, text);
    let project = |text: &str| layer(Origin::Project, text);
    for (own, projects, mode, ignored) in [
        ("", "plan", Some(Mode::Plan), 0),
        ("", "ask", Some(Mode::Ask), 0),
        ("", "accept-edits", None, 1),
        ("mode = \"bypass\"", "ask", Some(Mode::Ask), 0),
        ("mode = \"ask\"", "plan", Some(Mode::Plan), 0),
        ("mode = \"plan\"", "ask", Some(Mode::Plan), 1),
        ("mode = \"ask\"", "bypass", Some(Mode::Ask), 1),
    ] {
        let text = format!("mode = \"{projects}\"\n");
        let settings = Settings::load(&[user(own), project(&text)]).unwrap();
        assert_eq!(settings.mode, mode, "{own:?} and {projects}");
        assert_eq!(settings.ignored.len(), ignored, "{own:?} and {projects}");
    }
    let own = "[write]\nweak = \"allow\"\ndurability = \"ordered\"\n[history]\nrequired = false\n[read]\nmax_lines = 100\n";
    let text = "[write]\nweak = \"refuse\"\ndurability = \"full\"\n[history]\nrequired = true\n[read]\nmax_lines = 50\n";
    let settings = Settings::load(&[user(own), project(text)]).unwrap();
    assert_eq!(
        (settings.write.weak, settings.write.durability),
        (Weak::Refuse, Durability::Full)
    );
    assert_eq!(
        (settings.history.required, settings.read.max_lines),
        (true, 50)
    );
    assert!(settings.ignored.is_empty(), "{:?}", settings.ignored);
    let settings = Settings::load(&[user(text), project(own)]).unwrap();
    assert_eq!(
        (settings.write.weak, settings.write.durability),
        (Weak::Refuse, Durability::Full)
    );
    assert_eq!(
        (settings.history.required, settings.read.max_lines),
        (true, 50)
    );
    assert_eq!(settings.ignored.len(), 4, "{:?}", settings.ignored);
    let settings = Settings::load(&[project("[shell]\nconfirm = false\n")]).unwrap();
    assert!(settings.shell.confirm && settings.ignored.len() == 1);
}

#[test]
fn the_way_of_writing_goes_by_pattern_and_is_the_users() {
    let text = "[write]\nweak = \"refuse\"\ndurability = \"ordered\"\n[write.strategy]\n\"*.conf\" = \"in_place\"\n\"gen/**\" = \"in_place\"\n\"gen/new.conf\" = \"auto\"\n";
    let settings = load(text);
    for (path, strategy) in [
        ("a.conf", WriteStrategy::InPlace),
        ("d/e/a.conf", WriteStrategy::InPlace),
        ("gen/x.rs", WriteStrategy::InPlace),
        ("gen/new.conf", WriteStrategy::Auto),
        ("src/a.rs", WriteStrategy::Auto),
    ] {
        assert_eq!(settings.strategy_for(Path::new(path)), strategy, "{path}");
    }
    assert_eq!(
        (settings.write.weak, settings.write.durability),
        (Weak::Refuse, Durability::Ordered)
    );
    assert!(
        error("write.strategy.\"*.a\" = \"in-place\"")
            .ends_with(":1:24: there is no strategy \"in-place\"; did you mean in_place?")
    );
    assert!(error("[write.strategy]\n\"../a\" = \"auto\"").contains("it can never match"));
    let project = Settings::load(&[layer(Origin::Project, text)]).unwrap();
    assert_eq!(project.ignored.len(), 4, "refuse is stricter");
    assert_eq!(
        project.strategy_for(Path::new("a.conf")),
        WriteStrategy::Auto
    );
}

#[test]
fn a_wrong_value_is_a_flaw_even_where_it_would_be_ignored() {
    for text in ["links = \"maybe\"", "tools = \"Wirte\""] {
        let settings = Settings::load(&[layer(Origin::Project, text)]).expect("it loads");
        assert_eq!(settings.flaws.len(), 1, "{text}");
        assert!(settings.ignored.is_empty(), "{text}");
    }
}

#[test]
fn encoding_patterns_reach_by_name_or_by_path() {
    let settings = load(
        "[encoding]\n\"*.txt\" = \"gbk\"\n\"old/*.txt\" = \"big5\"\n\"/top.txt\" = \"koi8-r\"\n\"**/deep/**\" = \"euc-jp\"\n\"{a,b}.log\" = \"shift_jis\"",
    );
    for (path, label) in [
        ("x.txt", Some("gbk")),
        ("d/e/x.txt", Some("gbk")),
        ("old/x.txt", Some("big5")),
        ("old/d/x.txt", Some("gbk")),
        ("top.txt", Some("koi8-r")),
        ("d/top.txt", Some("gbk")),
        ("d/deep/e/x.rs", Some("euc-jp")),
        ("d/b.log", Some("shift_jis")),
        ("x.TXT", None),
    ] {
        assert_eq!(self::label(&settings, Path::new(path)), label, "{path}");
    }
}

#[test]
fn checkpoint_patterns_cover_folders_and_reach_into_ignored_ones() {
    let settings = load(
        "[checkpoint]\ninclude = [\"build/keep.txt\", \"*.sqlite\", \"out/*/log\"]\nexclude = \"gen\"\nmax_file = \"1MiB\"\nmax_size = \"2GiB\"\n",
    );
    let checkpoint = &settings.checkpoint;
    assert_eq!(
        (checkpoint.max_file, checkpoint.max_size),
        (1 << 20, 2 << 30)
    );
    for (path, included, excluded) in [
        ("build/keep.txt", true, false),
        ("a/b.sqlite", true, false),
        ("out/x/log/a/b", true, false),
        ("out/log", false, false),
        ("gen/a.txt", false, true),
        ("a/gen/b/c.txt", false, true),
        ("general.txt", false, false),
    ] {
        let found = (
            checkpoint.include.matches(Path::new(path)),
            checkpoint.exclude.matches(Path::new(path)),
        );
        assert_eq!(found, (included, excluded), "{path}");
    }
    for (folder, reaches) in [
        ("build", true),
        ("out", true),
        ("out/x", true),
        ("out/x/y", true),
        ("node_modules", false),
    ] {
        let found = checkpoint.include.may_match_below(Path::new(folder));
        assert_eq!(found, reaches, "{folder}");
    }
    assert!(
        error("[checkpoint]\nexclude = [\"a\", \"../b\"]").ends_with(
            ":2:17: checkpoint.exclude: \"../b\" is not a file pattern: it can never match"
        )
    );
}

#[test]
fn host_tools_may_be_chosen() {
    let layers = [layer(Origin::User, "tools = [\"default\", \"Deploy\"]")];
    assert!(Settings::load(&layers).is_err());
    assert!(Settings::load_with_tools(&layers, &["Deploy"]).is_ok());
}

#[test]
fn the_help_names_every_key_with_its_default() {
    let help = help();
    for key in keys() {
        assert!(
            help.contains(key.name.rsplit('.').next().unwrap()),
            "{}",
            key.name
        );
        assert!(
            help.split_whitespace()
                .collect::<Vec<_>>()
                .join(" ")
                .contains(&format!("Default: {}.", key.default)),
            "{}",
            key.name
        );
    }
    assert!(help.lines().all(|line| line.chars().count() <= 110));
}

#[test]
fn defaults_of_the_table_are_the_defaults_in_force() {
    let settings = Settings::default();
    for line in settings.in_force() {
        let key = keys().find(|key| key.name == line.key).unwrap();
        assert_eq!(line.value, key.default, "{}", key.name);
        assert_eq!(line.origin, Origin::BuiltIn);
    }
}

#[test]
fn sizes_and_times_may_carry_units() {
    let settings = load(
        "[history]\nmax_size = \"2GiB\"\nmax_age = \"2w\"\n[search]\ntime_budget = \"5 s\"\n[ask]\npatience = \"2m\"\n",
    );
    assert_eq!(settings.history.max_size, 2 << 30);
    assert_eq!(settings.history.max_age, 14);
    assert_eq!(settings.search.time_budget, 5_000);
    assert_eq!(settings.ask.patience, 120);
    for wrong in ["\"2 parsecs\"", "\"\"", "\"s\"", "\"9h\"", "\"-1s\""] {
        let text = format!("[ask]\npatience = {wrong}\n");
        let layer = Layer {
            origin: Origin::User,
            path: "lancet.toml".into(),
            text,
        };
        let error = Settings::load(&[layer]).expect_err("refused");
        assert!(error.to_string().contains("(s, m, h)"), "{error}");
    }
}

/// Every key of the table reaches a field: set to something other than its default, it appears among the values in
/// force.
#[test]
fn every_key_of_the_table_has_an_effect() {
    for key in keys() {
        let value = match key.form {
            Form::Choice(words) => format!("\"{}\"", words.last().unwrap()),
            Form::Number { least, .. } | Form::Measured { least, .. } => least.to_string(),
            Form::Program => "[\"cat\", \"-\"]".to_owned(),
            Form::Askers => "[\"page\"]".to_owned(),
            Form::Switch => (key.default == "false").to_string(),
            Form::Tools => "\"Read\"".to_owned(),
            Form::Encodings => "{ \"*.a\" = \"gbk\" }".to_owned(),
            Form::Strategies => "{ \"*.a\" = \"in_place\" }".to_owned(),
            Form::Converters => "{ \"*.a\" = [\"cat\", \"-\"] }".to_owned(),
            Form::Servers => "[{ name = \"a\", files = [\"*.a\"], run = [\"cat\"] }]".to_owned(),
            Form::Formatters => "[{ files = [\"*.a\"], run = [\"cat\"] }]".to_owned(),
            Form::Hooks => "[{ on = \"after\", match = \"Edit(a)\", run = [\"cat\"] }]".to_owned(),
            Form::Abbreviations => "{ \"a\" = \"bc\" }".to_owned(),
            Form::Clients { least, .. } => format!("{{ \"a\" = {least} }}"),
            Form::Rules => "[\"Edit(a)\"]".to_owned(),
            Form::Scopes => "[\".claude/skills/a/**\"]".to_owned(),
            Form::Guards | Form::Patterns => "[\"a.md\"]".to_owned(),
            Form::Folders => "[\"/a\"]".to_owned(),
        };
        let values = |settings: &Settings| -> Vec<(String, String)> {
            let lines = settings.in_force().into_iter();
            lines.map(|line| (line.key, line.value)).collect()
        };
        let settings = load(&format!("{} = {value}\n", key.name));
        assert_ne!(
            values(&Settings::default()),
            values(&settings),
            "{}",
            key.name
        );
        assert_eq!(settings.origin(key.name), Origin::User);
        if let Project::SetsOnly(word) = key.project {
            let takes = match key.form {
                Form::Choice(words) => words.contains(&word),
                Form::Switch => word == "true",
                _ => false,
            };
            assert!(takes, "{}", key.name);
        }
    }
}

fn settings_text() -> impl Strategy<Value = String> {
    let words = [
        "mode",
        "match",
        "read",
        "write",
        "encoding",
        "[",
        "]",
        "=",
        "\"",
        ".",
        "*",
        ",",
        "{",
        "}",
        "1",
        "true",
        "tools",
        "\n",
        " ",
        "é",
        "\u{FEFF}",
        "abbreviations",
        "exact",
        "plan",
        "gutter",
        "max_lines",
    ];
    prop::collection::vec(prop::sample::select(words.to_vec()), 0..24)
        .prop_map(|words| words.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(10_000))]

    #[test]
    fn no_text_panics(text in settings_text(), project in any::<bool>()) {
        let origin = if project { Origin::Project } else { Origin::User };
        for flaw in Settings::load_usable(&[layer(origin, &text)], &[]).flaws {
            prop_assert!(flaw.error.line >= 1 && flaw.error.column >= 1);
            prop_assert!(flaw.error.line <= text.lines().count() + 1);
        }
    }
}
