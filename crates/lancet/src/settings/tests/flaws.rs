//! Parts of settings files that cannot be used, and what they leave in force.

use lancet_testing::TestFolder;
use serde_json::json;

use super::*;
use crate::settings::FlawEffect;
use crate::{Lancet, RawCall, RefusalKind};

fn flaws(origin: Origin, text: &str) -> Vec<(usize, FlawEffect)> {
    let settings = Settings::load_usable(&[layer(origin, text)], &[]);
    let flaws = settings.flaws.iter();
    flaws.map(|flaw| (flaw.error.line, flaw.effect)).collect()
}

#[test]
fn the_rest_of_a_projects_file_counts() {
    let text = "newkey = 1\nmode = \"plan\"\n[read]\ngutter = \"pipes\"\nmax_lines = 7\n\
                [permissions]\ndeny = [\"Read(a)\", \"Raed(b)\", \"Edit(c)\"]\n";
    let settings = Settings::load(&[layer(Origin::Project, text)]).expect("it loads");
    assert_eq!(settings.mode, Some(Mode::Plan));
    assert_eq!(settings.read.max_lines, 7);
    let rules: Vec<&str> = settings.rules.iter().map(|rule| rule.rule.text()).collect();
    assert_eq!(rules, ["Read(a)", "Edit(c)"]);
    let told: Vec<String> = settings.flaws.iter().map(ToString::to_string).collect();
    assert_eq!(told.len(), 3, "{told:?}");
    assert!(
        told[0].contains("lancet.toml:1:1: there is no setting newkey"),
        "{told:?}"
    );
    assert!(told[2].ends_with("did you mean \"Read(b)\"?"), "{told:?}");
}

#[test]
fn a_line_that_may_be_a_rule_tightens_what_is_in_force() {
    use FlawEffect::{LeftOut, ReadingDenied, WritesAsk};
    for (text, effect) in [
        ("newkey = 1", LeftOut),
        ("mode = \"plam\"", LeftOut),
        ("[read]\nguter = \"arrow\"", LeftOut),
        ("[[hooks]]\non = \"never\"", LeftOut),
        ("[protected]\nopne = [\".claude/skills/x/**\"]", WritesAsk),
        ("[secrets]\nguards = [\"x\"]", WritesAsk),
        ("permissions.ask = [\"Edit(../x)\"]", WritesAsk),
        ("permissions.allow = [\"Edit(../x)\"]", WritesAsk),
        ("[[hook]]\nmatch = \"Edit(src/**)\"", WritesAsk),
        ("permissions.deny = [\"Edit(../x)\"]", ReadingDenied),
        ("permissions.deny = 3", ReadingDenied),
        ("permissions.denny = [\"Read(x)\"]", ReadingDenied),
        ("permissions.forbidden = true", ReadingDenied),
        ("permissions = [\"Read(x)\"]", ReadingDenied),
        ("[permision]\ndeny = [\"Read(x)\"]", ReadingDenied),
        ("[rules]\ndeny = [\"Read(x)\"]", ReadingDenied),
        ("deny = [\"Read(x)\"]", ReadingDenied),
        ("hidden = [\"Read(x)\"]", ReadingDenied),
        ("[permissions\ndeny = [\"Read(x)\"]", ReadingDenied),
    ] {
        let found = flaws(Origin::Project, text);
        assert_eq!(found.len(), 1, "{text}");
        assert_eq!(found[0].1, effect, "{text}");
        assert_eq!(flaws(Origin::TrustedProject, text), found, "{text}");
        assert!(
            Settings::load(&[layer(Origin::User, text)]).is_err(),
            "{text}"
        );
    }
}

const RULES: &str = "[permissions]\ndeny = [\"Read(hidden/**)\"]\n";

/// Slips of a person who types [`RULES`], outside the rule's own text: up to three characters are replaced, removed or
/// added. A `#` is left out, because a comment is no slip.
fn slips() -> impl Strategy<Value = String> {
    let rule = RULES.find('"').expect("a rule");
    let places = (0..rule).chain(RULES.len() - 2..RULES.len());
    let slip = (
        prop::sample::select(places.collect::<Vec<_>>()),
        prop::sample::select("abdenypqxyz_-.[]=\" \n1".chars().collect::<Vec<_>>()),
        0..3_u8,
    );
    prop::collection::vec(slip, 1..4).prop_map(|mut slips| {
        slips.sort_by_key(|slip| std::cmp::Reverse(slip.0));
        let mut text = RULES.to_owned();
        for (at, letter, kind) in slips {
            match kind {
                0 => text.insert(at, letter),
                1 if at < text.len() => drop(text.remove(at)),
                _ if at < text.len() => {
                    text.replace_range(at..=at, letter.encode_utf8(&mut [0; 4]))
                }
                _ => {}
            }
        }
        text
    })
}

proptest! {
    #![proptest_config(lancet_testing::laws::config_of(lancet_testing::laws::limited(lancet_testing::laws::cases(), 400)))]

    #[test]
    fn a_misspelt_rule_never_opens_a_file(text in slips()) {
        let folder = TestFolder::new();
        let hidden = folder.put("hidden/a.txt", "hidden\n");
        let settings = Settings::load(&[Layer {
            origin: Origin::Project,
            path: folder.join("lancet.toml"),
            text: text.clone(),
        }]);
        let builder = Lancet::builder().root(folder.path()).settings(settings.expect("it loads"));
        let lancet = builder.open().expect("opened");
        let read = |path: &Path| {
            let call = RawCall::new("Read", json!({ "file_path": path }));
            lancet.new_session().call(call).refusal()
        };
        prop_assert_eq!(read(&hidden), Some(RefusalKind::Denied), "{}", text);
    }
}
