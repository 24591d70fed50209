//! Plays the pages in `scenarios/`: each `##` section is a conversation with lancet on a fresh folder, and every answer
//! must be exactly the one on the page. `LANCET_BLESS=1` writes the actual answers into the pages. The form of a page
//! is described in `scenarios/README.md`.

#[path = "scenarios/content.rs"]
mod content;
#[path = "scenarios/page.rs"]
mod page;
#[path = "scenarios/play.rs"]
mod play;
#[path = "scenarios/values.rs"]
mod values;

use std::path::{Path, PathBuf};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenarios")
}

fn play(name: &str) {
    let path = folder().join(format!("{name}.md"));
    let text = std::fs::read_to_string(&path).expect("the page is there");
    let page = page::Page::parse(&text).unwrap_or_else(|wrong| panic!("{name}.md:{wrong}"));
    let played = play::all(&page);
    if std::env::var_os("LANCET_BLESS").is_some() {
        let blessed = page.with_answers(&played.answers);
        if blessed != text {
            std::fs::write(&path, blessed).expect("the page can be written");
        }
    } else {
        assert!(
            played.wrong.is_empty(),
            "{name}.md\n{}\n(LANCET_BLESS=1 takes the answers over; read the difference before you keep it)",
            played.wrong.join("\n")
        );
    }
}

macro_rules! pages {
    ($($test:ident => $page:literal),* $(,)?) => {
        $(#[test]
        fn $test() {
            play($page);
        })*

        #[test]
        fn every_page_is_played() {
            let mut listed: Vec<String> = vec![$($page.to_owned()),*];
            let mut there: Vec<String> = std::fs::read_dir(folder())
                .expect("the folder is there")
                .filter_map(|entry| {
                    let name = entry.ok()?.file_name().into_string().ok()?;
                    name.strip_suffix(".md").map(str::to_owned)
                })
                .filter(|name| name != "README")
                .collect();
            listed.sort();
            there.sort();
            assert_eq!(listed, there);
        }
    };
}

pages! {
    notebooks => "notebooks",
    reading => "reading",
    editing => "editing",
    the_ladder => "ladder",
    the_ledger => "ledger",
    writing => "writing",
    several_files => "several-files",
    moving_and_removing => "moving-and-removing",
    renaming => "renaming",
    searching => "searching",
    taking_changes_back => "undo",
    patches => "patches",
    whole_lines => "lines",
    the_text_editor => "text-editor",
    source_code => "syntax",
    the_difference_to_head => "git-diff",
    line_endings_and_encodings => "line-endings-and-encodings",
    permissions => "permissions",
    refusals => "refusals",
}
