//! A rule in a project's settings that is misspelt never opens the file that it was to hide.

use std::path::Path;

use lancet::settings::{Layer, Origin, Settings};
use lancet::{Lancet, RawCall, RefusalKind};
use lancet_testing::TestFolder;
use proptest::prelude::*;
use serde_json::json;

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
