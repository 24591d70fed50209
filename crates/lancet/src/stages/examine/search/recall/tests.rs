//! Pages of a search that stopped counting when its first page was full.

use std::cell::RefCell;

use lancet_search::{ListedFile, Listing, ResultOrder, Tally};
use lancet_testing::TestFolder;

use super::super::words;
use super::*;
use crate::arguments::GlobArguments;
use crate::call::Cancel;
use crate::{Caller, Lancet};

/// Simulates a search over these files; one for a page reports one entry more than requested.
fn search_summary(names: &[&str], extent: SearchExtent) -> SearchSummary {
    let entries: Vec<ListedFile> = names
        .iter()
        .map(|name| ListedFile {
            start: 0,
            relative: std::path::Path::new(name).into(),
            modified: (0, 0),
            matches: 1,
        })
        .collect();
    let known = match extent {
        SearchExtent::Whole => entries.len(),
        SearchExtent::FirstEntries(number) => entries.len().min(number as usize + 1),
    };
    SearchSummary {
        total: known as u64,
        matches: known as u64,
        totals: match known == entries.len() {
            true => SearchTotals::Exact,
            false => SearchTotals::AtLeast,
        },
        files: Listing::from_entries(ResultOrder::Path, entries[..known].to_vec(), None),
        tally: Tally::default(),
        stopped_at: None,
        held: None,
    }
}

#[test]
fn page_beyond_known_entries_completes_search_and_keeps_first_pages() {
    let folder = TestFolder::new();
    let lancet = Lancet::builder().root(folder.path()).open().expect("opens");
    let session = lancet.new_session();
    let context = CallContext::new(
        &session,
        "Glob".to_owned(),
        Caller::default(),
        Cancel::new(),
    );
    let arguments = GlobArguments::new("*");
    let scope = Scope::for_glob(&context, &arguments).unwrap_or_else(|_| panic!("a scope"));
    let names = RefCell::new(vec!["j", "b", "c", "d", "e", "f", "g", "h", "i"]);
    let asked = RefCell::new(Vec::new());
    let page = |offset: u64, limit: u64| {
        let wanted = WantedPage {
            offset,
            limit,
            paged_by: PagedBy::Files,
            totals: SearchTotals::AtLeast,
        };
        let found = recall_or_search(&context, "key", wanted, &scope, |_, extent| {
            asked.borrow_mut().push(extent);
            search_summary(&names.borrow(), extent)
        });
        let page = PageRequest {
            context: &context,
            kept: &found.kept,
            offset,
            limit,
            fresh: true,
            room: 1_000,
        }
        .cut_list(|_| String::new());
        let truncated = page.end < found.kept.total || found.kept.totals == SearchTotals::AtLeast;
        let words = words::glob_summary(&found.kept, &page, offset, truncated);
        (page.files.concat(), words)
    };

    let (files, words) = page(0, 3);
    assert_eq!(files, "jbc");
    assert!(words.starts_with("files 1-3 of at least 4"), "{words}");
    assert_eq!(*asked.borrow(), [SearchExtent::FirstEntries(3)]);
    // Entries that are already known are not searched for again.
    assert_eq!(page(2, 2).0, "cd");
    assert_eq!(asked.borrow().len(), 1);

    // In the meantime a file was added that sorts first.
    names.borrow_mut().insert(0, "a");
    names.borrow_mut().sort_unstable();
    let (files, words) = page(3, 4);
    assert_eq!(files, "daef");
    assert!(words.starts_with("files 4-7 of 10"), "{words}");
    assert_eq!(asked.borrow()[1], SearchExtent::Whole);
    assert_eq!(page(7, 4).0, "ghi");
    assert_eq!(asked.borrow().len(), 2);
}
