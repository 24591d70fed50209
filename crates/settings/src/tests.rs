//! Settings: every key, layers, and the errors for wrong ones.

mod flaws;
mod programs;
mod search;

use std::path::{Path, PathBuf};

use proptest::prelude::{Strategy, *};

use super::keys::{ProjectPermission, ValueForm, keys};
use super::values::Strategy as WriteStrategy;
use super::*;

fn layer_with_text(origin: Origin, text: &str) -> Layer {
    Layer {
        origin,
        path: PathBuf::from("/etc/lancet.toml"),
        text: text.to_owned(),
    }
}

fn load(text: &str) -> Settings {
    Settings::load(&[layer_with_text(Origin::User, text)]).unwrap_or_else(|error| panic!("{error}"))
}

fn encoding_label(settings: &Settings, path: &Path) -> Option<&'static str> {
    settings.encoding_for(path).map(lancet_text::Encoding::name)
}

fn load_error(text: &str) -> String {
    match Settings::load(&[layer_with_text(Origin::User, text)]) {
        Err(error) => error.to_string(),
        Ok(_) => panic!("loaded: {text}"),
    }
}

#[test]
fn value_of_every_form_sets_its_field() {
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
        encoding_label(&settings, Path::new("src/unit.pas")),
        Some("windows-1252")
    );
    assert_eq!(
        settings.abbreviations,
        [("<x>".to_owned(), "<xylophone>".to_owned())]
    );
}

#[test]
fn accepts_dotted_keys_inline_tables_and_comma_lists() {
    let settings = load(
        "write.line_endings = \"as-sent\"\nencoding.\"*.pas\" = \"windows-1250\"\nread = { gutter = \"tab\" }\ntools = \"Read, Edit\"\n",
    );
    assert_eq!(settings.write.line_endings, LineEndings::AsSent);
    assert_eq!(settings.read.gutter, Gutter::Tab);
    assert_eq!(
        encoding_label(&settings, Path::new("a.pas")),
        Some("windows-1250")
    );
    assert_eq!(
        settings.tools.as_deref(),
        Some(["Read".to_owned(), "Edit".to_owned()].as_slice())
    );
}

#[test]
fn names_unknown_key_with_position_and_closest_key() {
    assert_eq!(
        load_error("\nmacth = \"exact\"\n"),
        "/etc/lancet.toml:2:1: there is no setting macth; did you mean match?"
    );
    assert_eq!(
        load_error("[read]\n  guter = \"tab\"\n"),
        "/etc/lancet.toml:2:3: there is no setting read.guter; did you mean read.gutter?"
    );
    assert_eq!(
        load_error("gutter = \"tab\"\n"),
        "/etc/lancet.toml:1:1: there is no setting gutter; did you mean read.gutter?"
    );
    assert_eq!(
        load_error("[reed]\ngutter = \"tab\"\n"),
        "/etc/lancet.toml:1:2: there is no setting reed; did you mean read?"
    );
    assert_eq!(
        load_error("[permission]\ndeny = []\n"),
        "/etc/lancet.toml:1:2: there is no setting permission; did you mean permissions?"
    );
    assert_eq!(
        load_error("[encodings]\n\"*.x\" = \"gbk\"\n"),
        "/etc/lancet.toml:1:2: there is no setting encodings; did you mean encoding?"
    );
    assert_eq!(
        load_error("[banana]\nx = 1\n"),
        "/etc/lancet.toml:1:2: there is no setting banana"
    );
    assert_eq!(
        load_error("banana = 1"),
        "/etc/lancet.toml:1:1: there is no setting banana"
    );
}

#[test]
fn error_for_wrong_value_lists_valid_ones() {
    assert_eq!(
        load_error("match = \"exakt\""),
        "/etc/lancet.toml:1:9: match must be \"tolerant\" or \"exact\", not \"exakt\"; did you mean \"exact\"?"
    );
    assert_eq!(
        load_error("read.max_lines = 0"),
        "/etc/lancet.toml:1:18: read.max_lines must be a whole number from 1 to 1000000, not 0"
    );
    assert!(load_error("read.max_lines = -3").contains("not -3"));
    assert!(load_error("read.max_lines = \"5\"").contains("not \"5\""));
    assert!(
        load_error("read.dedupe = \"yes\"")
            .ends_with("read.dedupe must be true or false, not \"yes\"")
    );
    assert!(load_error("read = 5").contains("read must be a table, [read]"));
    assert!(load_error("mode = [1]").contains(
        "mode must be \"ask\" or \"accept-edits\" or \"plan\" or \"bypass\", not a list"
    ));
    assert!(load_error("encoding = \"utf-8\"").contains("encoding must be a table of texts"));
    assert!(load_error("[encoding]\n\"*.x\" = 3").contains(":2:9: "));
    assert!(
        load_error("[encoding]\n\"a{\" = \"gbk\"")
            .contains(":2:1: encoding.\"a{\" is not a file pattern")
    );
    assert!(
        load_error("tools = [\"Read\",\n\"Wirte\"]")
            .ends_with(":2:1: there is no tool \"Wirte\"; did you mean Write?")
    );
    assert!(load_error("tools = []").contains(":1:9: tools names no tool"));
    assert!(load_error("tools = \" , \"").contains("tools names no tool"));
    assert!(load_error("match = \"exact\"\nmatch = \"exact\"").contains("not valid TOML"));
    assert!(
        load_error("match = ").starts_with("/etc/lancet.toml:1:9: not valid TOML: "),
        "{}",
        load_error("match = ")
    );
}

#[test]
fn refuses_unknown_encoding() {
    assert!(
        load_error("encoding.\"*.pas\" = \"gb18003\"")
            .ends_with(":1:20: there is no encoding \"gb18003\"; did you mean gb18030?")
    );
}

#[test]
fn later_layers_win_in_any_order_of_loading() {
    let layers = [
        layer_with_text(
            Origin::CommandLine,
            "read.gutter = \"none\"\nencoding.\"*.pas\" = \"gbk\"",
        ),
        layer_with_text(
            Origin::User,
            "read.gutter = \"tab\"\nstale = \"merge\"\nencoding.\"*.pas\" = \"windows-1252\"",
        ),
        layer_with_text(Origin::Project, "read.max_lines = 7"),
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
    assert_eq!(encoding_label(&settings, Path::new("x.pas")), Some("gbk"));
    assert_eq!(settings.origin("read.gutter"), Origin::CommandLine);
    assert_eq!(settings.origin("read.max_lines"), Origin::Project);
    assert_eq!(settings.origin("read.max_chars"), Origin::BuiltIn);
}

#[test]
fn project_cannot_loosen_settings() {
    let loose = layer_with_text(
        Origin::Project,
        "mode = \"accept-edits\"\nmatch = \"tolerant\"\nstale = \"merge\"\nlinks = \"break\"\ntools = \"all\"\n[abbreviations]\n\"a\" = \"bcd\"\n",
    );
    let user = layer_with_text(Origin::User, "mode = \"plan\"\nmatch = \"exact\"\n");
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

    let tight = layer_with_text(
        Origin::Project,
        "match = \"exact\"\nstale = \"refuse\"\nwrite.line_endings = \"as-sent\"\n",
    );
    let settings =
        Settings::load(&[layer_with_text(Origin::User, "stale = \"merge\""), tight]).unwrap();
    assert_eq!(
        (settings.matching, settings.stale),
        (Matching::Exact, Stale::Refuse)
    );
    assert_eq!(settings.write.line_endings, LineEndings::AsSent);
    assert!(settings.ignored.is_empty());
}

#[test]
fn project_can_tighten_settings() {
    let user = |text: &str| layer_with_text(Origin::User, text);
    let project = |text: &str| layer_with_text(Origin::Project, text);
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
fn write_strategy_follows_patterns_of_user_only() {
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
        load_error("write.strategy.\"*.a\" = \"in-place\"")
            .ends_with(":1:24: there is no strategy \"in-place\"; did you mean in_place?")
    );
    assert!(load_error("[write.strategy]\n\"../a\" = \"auto\"").contains("it can never match"));
    let project = Settings::load(&[layer_with_text(Origin::Project, text)]).unwrap();
    assert_eq!(project.ignored.len(), 4, "refuse is stricter");
    assert_eq!(
        project.strategy_for(Path::new("a.conf")),
        WriteStrategy::Auto
    );
}

#[test]
fn wrong_value_is_a_flaw_even_if_key_is_ignored() {
    for text in ["links = \"maybe\"", "tools = \"Wirte\""] {
        let settings = Settings::load(&[layer_with_text(Origin::Project, text)]).expect("it loads");
        assert_eq!(settings.flaws.len(), 1, "{text}");
        assert!(settings.ignored.is_empty(), "{text}");
    }
}

#[test]
fn encoding_patterns_match_names_or_paths() {
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
        assert_eq!(
            self::encoding_label(&settings, Path::new(path)),
            label,
            "{path}"
        );
    }
}

#[test]
fn checkpoint_patterns_match_folders_and_ignored_files() {
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
        load_error("[checkpoint]\nexclude = [\"a\", \"../b\"]").ends_with(
            ":2:17: checkpoint.exclude: \"../b\" is not a file pattern: it can never match"
        )
    );
}

#[test]
fn accepts_host_tools_in_tool_selection() {
    let layers = [layer_with_text(
        Origin::User,
        "tools = [\"default\", \"Deploy\"]",
    )];
    assert!(Settings::load(&layers).is_err());
    assert!(Settings::load_with_tools(&layers, &["Deploy"]).is_ok());
}

#[test]
fn help_lists_every_key_with_default() {
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
fn defaults_in_key_table_match_default_settings() {
    let settings = Settings::default();
    for line in settings.in_force() {
        let key = keys().find(|key| key.name == line.key).unwrap();
        assert_eq!(line.value, key.default, "{}", key.name);
        assert_eq!(line.origin, Origin::BuiltIn);
    }
}

#[test]
fn sizes_and_times_in_force_have_units() {
    let settings =
        load("[history]\nmax_size = 3145728\nmax_age = 14\n[search]\ntime_budget = 2500\n");
    let amount = |name: &str| {
        let mut lines = settings.in_force().into_iter();
        lines
            .find(|line| line.key == name)
            .and_then(|line| line.amount)
    };
    for (name, wanted) in [
        ("history.max_size", Some("\"3MiB\"")),
        ("history.max_age", Some("\"2w\"")),
        ("search.time_budget", Some("\"2500ms\"")),
        ("checkpoint.max_size", Some("\"1GiB\"")),
        ("read.max_lines", None),
    ] {
        assert_eq!(amount(name).as_deref(), wanted, "{name}");
    }
}

#[test]
fn parses_sizes_and_times_with_units() {
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
fn every_key_in_table_sets_a_field() {
    for key in keys() {
        let value = match key.form {
            ValueForm::Choice(words) => format!("\"{}\"", words.last().unwrap()),
            ValueForm::Number { least, .. } | ValueForm::Measured { least, .. } => {
                least.to_string()
            }
            ValueForm::Program => "[\"cat\", \"-\"]".to_owned(),
            ValueForm::Askers => "[\"page\"]".to_owned(),
            ValueForm::Switch => (key.default == "false").to_string(),
            ValueForm::Tools => "\"Read\"".to_owned(),
            ValueForm::Encodings => "{ \"*.a\" = \"gbk\" }".to_owned(),
            ValueForm::Strategies => "{ \"*.a\" = \"in_place\" }".to_owned(),
            ValueForm::Converters => "{ \"*.a\" = [\"cat\", \"-\"] }".to_owned(),
            ValueForm::Servers => {
                "[{ name = \"a\", files = [\"*.a\"], run = [\"cat\"] }]".to_owned()
            }
            ValueForm::Formatters => "[{ files = [\"*.a\"], run = [\"cat\"] }]".to_owned(),
            ValueForm::Hooks => {
                "[{ on = \"after\", match = \"Edit(a)\", run = [\"cat\"] }]".to_owned()
            }
            ValueForm::Abbreviations => "{ \"a\" = \"bc\" }".to_owned(),
            ValueForm::Clients { least, .. } => format!("{{ \"a\" = {least} }}"),
            ValueForm::Rules => "[\"Edit(a)\"]".to_owned(),
            ValueForm::Scopes => "[\".claude/skills/a/**\"]".to_owned(),
            ValueForm::Guards | ValueForm::Patterns => "[\"a.md\"]".to_owned(),
            ValueForm::Folders => "[\"/a\"]".to_owned(),
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
        if let ProjectPermission::SetsOnly(word) = key.project {
            let takes = match key.form {
                ValueForm::Choice(words) => words.contains(&word),
                ValueForm::Switch => word == "true",
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
    fn settings_text_never_panics(text in settings_text(), project in any::<bool>()) {
        let origin = if project { Origin::Project } else { Origin::User };
        for flaw in Settings::load_usable(&[layer_with_text(origin, &text)], &[]).flaws {
            prop_assert!(flaw.error.line >= 1 && flaw.error.column >= 1);
            prop_assert!(flaw.error.line <= text.lines().count() + 1);
        }
    }
}
