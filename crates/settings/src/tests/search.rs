//! Settings of the resident index: a project may lower the user's limits, never raise them.

use super::*;

/// Returns the settings in force, and the keys of the project's file that were not applied.
fn merge_search_settings(user: &str, project: &str) -> (SearchSettings, Vec<String>) {
    let layers = [
        layer_with_text(Origin::User, user),
        layer_with_text(Origin::Project, project),
    ];
    let settings = Settings::load(&layers).unwrap();
    let ignored = settings.ignored.into_iter();
    (settings.search, ignored.map(|line| line.key).collect())
}

#[test]
fn project_may_disable_index_and_lower_its_memory() {
    let project = "[search]\nindex = \"off\"\nmemory = \"32MiB\"\ncontents = \"off\"\n";
    let (search, ignored) = merge_search_settings("[search]\ncontents = \"on\"\n", project);
    assert_eq!(search.index, IndexUse::Off);
    assert_eq!(search.memory, 32 << 20);
    assert_eq!(search.contents, ContentsUse::Off);
    assert!(ignored.is_empty(), "{ignored:?}");
}

#[test]
fn project_may_not_enable_index_or_raise_its_memory() {
    let user = "[search]\nindex = \"off\"\nmemory = \"64MiB\"\n";
    for contents in ["auto", "on"] {
        let project =
            format!("[search]\nindex = \"auto\"\nmemory = \"65MiB\"\ncontents = \"{contents}\"\n");
        let (search, ignored) = merge_search_settings(user, &project);
        assert_eq!(search.index, IndexUse::Off);
        assert_eq!(search.memory, 64 << 20);
        assert_eq!(search.contents, ContentsUse::Auto);
        assert_eq!(
            ignored,
            ["search.index", "search.memory", "search.contents"]
        );
    }
    let (search, ignored) = merge_search_settings("", "[search]\nmemory = \"257MiB\"\n");
    assert_eq!((search.memory, ignored.len()), (256 << 20, 1));
}

#[test]
fn refuses_invalid_search_values_and_lists_valid_ones() {
    assert!(load_error("search.index = true").contains("\"auto\" or \"off\", not true"));
    assert!(load_error("search.contents = \"none\"").contains("\"auto\" or \"on\" or \"off\""));
    assert!(load_error("search.memory = \"1MiB\"").contains("search.memory must be"));
}
