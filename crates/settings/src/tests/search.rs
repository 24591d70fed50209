//! Settings of the resident index: a project may lower the user's limits, never raise them.

use super::*;

/// Returns the settings in force, and the keys of the project's file that were not applied.
fn together(user: &str, project: &str) -> (SearchSettings, Vec<String>) {
    let layers = [layer(Origin::User, user), layer(Origin::Project, project)];
    let settings = Settings::load(&layers).unwrap();
    let ignored = settings.ignored.into_iter();
    (settings.search, ignored.map(|line| line.key).collect())
}

#[test]
fn a_project_may_turn_the_index_off_and_lower_its_memory() {
    let project = "[search]\nindex = \"off\"\nmemory = \"32MiB\"\ncontents = \"off\"\n";
    let (search, ignored) = together("[search]\ncontents = \"on\"\n", project);
    assert_eq!(search.index, IndexUse::Off);
    assert_eq!(search.memory, 32 << 20);
    assert_eq!(search.contents, ContentsUse::Off);
    assert!(ignored.is_empty(), "{ignored:?}");
}

#[test]
fn a_project_may_not_turn_the_index_on_or_raise_its_memory() {
    let user = "[search]\nindex = \"off\"\nmemory = \"64MiB\"\n";
    for contents in ["auto", "on"] {
        let project =
            format!("[search]\nindex = \"auto\"\nmemory = \"65MiB\"\ncontents = \"{contents}\"\n");
        let (search, ignored) = together(user, &project);
        assert_eq!(search.index, IndexUse::Off);
        assert_eq!(search.memory, 64 << 20);
        assert_eq!(search.contents, ContentsUse::Auto);
        assert_eq!(
            ignored,
            ["search.index", "search.memory", "search.contents"]
        );
    }
    let (search, ignored) = together("", "[search]\nmemory = \"257MiB\"\n");
    assert_eq!((search.memory, ignored.len()), (256 << 20, 1));
}

#[test]
fn what_an_index_cannot_be_is_refused_with_the_words_it_can() {
    assert!(error("search.index = true").contains("\"auto\" or \"off\", not true"));
    assert!(error("search.contents = \"none\"").contains("\"auto\" or \"on\" or \"off\""));
    assert!(error("search.memory = \"1MiB\"").contains("search.memory must be"));
}
