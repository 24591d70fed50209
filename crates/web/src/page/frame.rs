//! The frame of every view of the page: title, navigation with its counts, one-time messages, and the tokens of
//! forms.

use lancet::history::EventsSince;

use super::WebPage;
use super::assets;
use super::told::UserMessage;
use super::visitor::Visitor;

/// The parts of the page, as the navigation names them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Section {
    Waiting,
    Review,
    History,
    Sessions,
    Settings,
}

/// The parts that the navigation shows, in its order.
const SECTIONS: [Section; 5] = [
    Section::Waiting,
    Section::Review,
    Section::History,
    Section::Sessions,
    Section::Settings,
];

/// An entry of the navigation.
pub(super) struct NavigationEntry {
    pub(super) name: &'static str,
    pub(super) path: &'static str,
    /// The key that leads there, after `g`.
    pub(super) key: char,
    pub(super) is_current: bool,
    /// The number of waiting items; 0 is not shown.
    pub(super) count: usize,
}

/// The frame of a view; each template gets it as `frame`.
pub(super) struct Frame {
    pub(super) title: String,
    pub(super) entries: Vec<NavigationEntry>,
    pub(super) told: Vec<UserMessage>,
    /// The names of the folders that the server was started for.
    pub(super) project: String,
    pub(super) style: &'static str,
    pub(super) script: &'static str,
    pub(super) forms_script: &'static str,
    /// The number of the newest event when the view was begun. The script asks for the view again if there are later
    /// ones.
    pub(super) seq: i64,
    visitor: Visitor,
}

impl Frame {
    pub(super) fn new(
        page: &WebPage,
        visitor: &Visitor,
        current: Section,
        title: impl Into<String>,
    ) -> Self {
        let seq = page.newest_event();
        let counts = page.count_waiting();
        let entry = |section: Section| {
            let (name, path, key, count) = match section {
                Section::Waiting => ("Waiting", "/", 'w', counts.waiting),
                Section::Review => ("Review", "/review", 'r', counts.to_review),
                Section::History => ("History", "/history", 'h', 0),
                Section::Sessions => ("Sessions", "/sessions", 's', 0),
                Section::Settings => ("Settings", "/settings", 't', 0),
            };
            NavigationEntry {
                name,
                path,
                key,
                is_current: section == current,
                count,
            }
        };
        Self {
            title: title.into(),
            entries: SECTIONS.map(entry).into(),
            told: match visitor.looks_again {
                true => Vec::new(),
                false => page.told.take_messages(visitor),
            },
            project: page.root_names(),
            style: assets::style_address(),
            script: assets::script_address(),
            forms_script: assets::forms_script_address(),
            seq,
            visitor: visitor.clone(),
        }
    }

    /// Returns the token of the form that is sent to this path: each form has a hidden field `token` with it.
    pub(super) fn token(&self, action: &str) -> String {
        self.visitor.token(action)
    }
}

/// The numbers of waiting items.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Counts {
    pub(super) waiting: usize,
    pub(super) to_review: usize,
}

impl WebPage {
    pub(super) fn count_waiting(&self) -> Counts {
        let open = self
            .lancet
            .questions()
            .map(|questions| questions.open_ids());
        Counts {
            waiting: open.and_then(Result::ok).map_or(0, |open| open.len()),
            to_review: self.count_files_to_review(),
        }
    }

    /// Returns the number of the newest event; 0 if it is not known.
    fn newest_event(&self) -> i64 {
        let history = self.lancet.history();
        let reader = history.and_then(|history| history.events(&EventsSince::Now).ok()?);
        reader.map_or(0, |reader| reader.position())
    }

    /// Returns the names of the roots.
    fn root_names(&self) -> String {
        let roots = self.lancet.roots();
        let names = roots.iter().filter_map(|root| root.file_name());
        let names: Vec<_> = names.map(|name| name.to_string_lossy()).collect();
        names.join(", ")
    }
}
