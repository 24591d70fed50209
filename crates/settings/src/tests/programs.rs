//! Settings that name programs: converters, formatters, hooks and language servers.

use super::*;

#[test]
fn parses_converters() {
    let settings = load("[read.converters]\n\"*.x\" = [\"a\", \" -b \", \"\"]\n");
    let found = settings.converter_for(Path::new("deep/report.x"));
    assert_eq!(found.expect("it matches").command, ["a", " -b ", ""]);
    assert_eq!(settings.converter_for(Path::new("report.y")), None);
    for wrong in ["[]", "[\"\"]", "[\"./a\"]", "[\"~/a\"]", "\"a\"", "[1]"] {
        let text = format!("[read.converters]\n\"*.x\" = {wrong}\n");
        let layer = Layer {
            origin: Origin::User,
            path: "lancet.toml".into(),
            text,
        };
        let error = Settings::load(&[layer]).expect_err(wrong).to_string();
        assert!(error.contains("program"), "{error}");
    }
}

#[test]
fn parses_hooks() {
    let whole = "[[hooks]]\non = \"after\"\nmatch = \"Edit(src/**)\"\nrun = [\"cat\"]\n";
    let settings = load(&format!("{whole}timeout = \"2m\"\n"));
    assert_eq!(settings.hooks()[0].timeout.as_secs(), 120);
    assert_eq!(load(whole).hooks()[0].timeout.as_secs(), 10);
    for (text, words) in [
        ("[[hooks]]\non = \"befor\"\n", "did you mean \"before\"?"),
        (
            "[[hooks]]\nmatch = \"Read(src/**)\"\n",
            "did you mean \"Edit(src/**)\"?",
        ),
        ("[[hooks]]\ntime = 3\n", "[[hooks]] has no key time"),
        ("[[hooks]]\non = \"after\"\n", "[[hooks]] needs match"),
    ] {
        let error = Settings::load(&[layer_with_text(Origin::User, text)]).expect_err(text);
        assert!(error.to_string().contains(words), "{error}");
    }
    let project = Settings::load(&[layer_with_text(Origin::Project, whole)]).expect("loads");
    assert!(project.hooks().is_empty());
}

#[test]
fn parses_formatters() {
    let settings = load(
        "[[format]]\nfiles = [\"*.py\", \"tools/*\"]\nrun = [\"ruff\", \"format\", \"-\"]\n[[format]]\nfiles = \"old.py\"\nrun = [\"cat\"]\n",
    );
    let command = |path: &str| {
        let found = settings.formatter_for(Path::new(path));
        found.map(|formatter| formatter.command.join(" "))
    };
    assert_eq!(command("a/b.py").as_deref(), Some("ruff format -"));
    assert_eq!(command("tools/x").as_deref(), Some("ruff format -"));
    assert_eq!(command("a/old.py").as_deref(), Some("cat"));
    assert_eq!(command("a/b.rs"), None);
    assert_eq!(settings.formatters().len(), 2);
    let wrong = [
        (
            "[format]\nfiles = [\"*.py\"]\n",
            "1:2: format must be tables, each begun by [[format]]",
        ),
        ("format = 1\n", "did you mean [[format]]?"),
        (
            "[[format]]\nfile = [\"*.py\"]\n",
            "2:1: [[format]] has no key file; did you mean files?",
        ),
        (
            "[[format]]\nfiles = [\"*.py\"]\n",
            "1:1: [[format]] needs run",
        ),
        (
            "\n[[format]]\nrun = [\"cat\"]\n",
            "2:1: [[format]] needs files",
        ),
        ("[[format]]\nfiles = []\nrun = [\"cat\"]\n", "needs files"),
        (
            "[[format]]\nfiles = [\"../*\"]\nrun = [\"cat\"]\n",
            "2:10: format.\"../*\" is not a file pattern",
        ),
        (
            "[[format]]\nfiles = [\"*\"]\nrun = [\"./cat\"]\n",
            "3:7: format.run must begin with a program",
        ),
        (
            "[[format]]\nfiles = [\"*\"]\nrun = \"cat\"\n",
            "format.run must be a list of texts",
        ),
        ("[[formats]]\nfiles = [\"*\"]\n", "did you mean format?"),
    ];
    for (text, words) in wrong {
        let error = Settings::load(&[layer_with_text(Origin::User, text)]).expect_err(text);
        assert!(error.to_string().contains(words), "{error}");
    }
    let project = layer_with_text(
        Origin::Project,
        "[[format]]\nfiles = [\"*\"]\nrun = [\"cat\"]\n",
    );
    let settings = Settings::load(std::slice::from_ref(&project)).expect("loads");
    assert!(settings.formatters().is_empty());
    assert_eq!(settings.ignored[0].key, "format");
    let trusted = Layer {
        origin: Origin::TrustedProject,
        ..project
    };
    let settings = Settings::load(&[trusted]).expect("loads");
    assert_eq!(settings.formatters().len(), 1);
}

#[test]
fn parses_language_servers_strongest_layer_first() {
    let text = "[[language.server]]\nname = \"ty\"\nfiles = [\"*.py\"]\nrun = [\"ty\", \"server\"]\nroot = [\"pyproject.toml\"]\nsettings = { mode = \"all\", deep = { list = [1, true] } }\n";
    let own = "[[language.server]]\nname = \"ty\"\nfiles = [\"*.py\"]\nrun = [\"/opt/ty\"]\n";
    let settings = Settings::load(&[
        layer_with_text(Origin::User, text),
        layer_with_text(Origin::CommandLine, own),
    ])
    .expect("it loads");
    let servers = settings.servers();
    assert_eq!(servers[0].run, ["/opt/ty"]);
    assert_eq!(servers[1].root, ["pyproject.toml"]);
    let expected = serde_json::json!({ "mode": "all", "deep": { "list": [1, true] } });
    assert_eq!(servers[1].settings, expected);
    // An untrusted project cannot configure programs.
    let settings = Settings::load(&[layer_with_text(Origin::Project, text)]).expect("it loads");
    assert!(settings.servers().is_empty());
    assert_eq!(settings.ignored.len(), 1);
    for (wrong, told) in [
        ("[[language.server]]\nname = \"a\"\n", "needs files"),
        ("[[language.server]]\nnam = \"a\"\n", "has no key nam"),
        ("[language]\nserver = \"ty\"\n", "must be tables"),
    ] {
        let error = Settings::load(&[layer_with_text(Origin::User, wrong)]).unwrap_err();
        assert!(error.to_string().contains(told), "{error}");
    }
}
