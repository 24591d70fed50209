//! The law of spellings, on real files and through the engine: however a path is written, the decision about the file
//! that it leads to is the same, neither looser nor stricter. It runs on the file system of the temporary folder and,
//! where one can be mounted, on one that treats upper and lower case as the same.

use std::fs;
use std::os::unix::fs::{MetadataExt as _, symlink};
use std::path::{Path, PathBuf};

use lancet::approval::{Answer, Approver, Question, Wait};
use lancet::{Check, Lancet, RawCall, RefusalKind, Session};
use lancet_testing::place::{MountedPlace, System};
use lancet_testing::project::{SharedProject, read};
use lancet_testing::{TestFolder, laws, settings};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use proptest::test_runner::{Config, TestRunner};
use serde_json::json;
use unicode_normalization::UnicodeNormalization as _;

/// Files of all sorts: plain, protected, secret, with letters that have several forms.
const FILES: [&str; 10] = [
    "src/main.rs",
    "src/lib.rs",
    "docs/notes.md",
    "docs/more/a.md",
    ".git/config",
    ".env",
    "deep/er/key.pem",
    "caf\u{e9}/x.txt",
    "data/\u{fc}ber.txt",
    "deep/.claude/skills/pdf/a.md",
];

/// Links, whose own names no pattern below matches.
const LINKS: [(&str, &str); 6] = [
    ("zz-src", "src"),
    ("zz-docs", "zz-chain"),
    ("zz-chain", "docs"),
    ("zz-up", "deep/er/.."),
    ("zz-file", "src/main.rs"),
    ("zz-git", ".git"),
];

const PATTERNS: [&str; 18] = [
    "src/**",
    "/src/main.rs",
    "*.rs",
    "main.rs",
    "docs/",
    "/docs/*.md",
    "**/a.md",
    "deep/**",
    "*.pem",
    "caf\u{e9}/**",
    "cafe\u{301}/x.txt",
    "\u{fc}ber.txt",
    "SRC/LIB.RS",
    ".env",
    ".git/**",
    "data",
    "[a-d]*/*.txt",
    "?ocs/**",
];

/// An approver that is never called.
struct Nobody;

impl Approver for Nobody {
    fn ask(&self, _: &Question, _: &Wait) -> Answer {
        Answer::No(None)
    }
}

/// Makes a project with the files and links.
fn plain() -> SharedProject {
    furnished(SharedProject::new(&[]))
}

/// Makes the project on a file system that folds case: NTFS by its driver in user space.
fn folding() -> Result<(MountedPlace, SharedProject), String> {
    let mounted = MountedPlace::mount(System::NtfsFolding)?;
    let around = TestFolder::new();
    let project = furnished(SharedProject {
        root: mounted.at.join("root"),
        state: around.join("state"),
        around,
    });
    match project.path("SRC/MAIN.RS").exists() {
        true => Ok((mounted, project)),
        false => Err("what was mounted does not fold case".to_owned()),
    }
}

fn furnished(project: SharedProject) -> SharedProject {
    for name in FILES {
        project.put(name, format!("text of {name}\n"));
    }
    for (link, target) in LINKS {
        symlink(target, project.path(link)).expect("made");
    }
    symlink(project.path("docs"), project.path("zz-absolute")).expect("made");
    symlink(&project.root, alias(&project)).expect("made");
    project
}

/// Returns the path of a link to the root.
fn alias(project: &SharedProject) -> PathBuf {
    project.around.join("zz-alias")
}

/// Returns the revision of each file.
fn revisions(project: &SharedProject) -> Vec<String> {
    let session = open(project, "permissions.allow = [\"Read(**)\"]\n");
    let revision = |name| {
        let reply = read(&session, &project.path(name));
        reply.data()["revision"]
            .as_str()
            .unwrap_or_else(|| panic!("{}", reply.text()))
            .to_owned()
    };
    FILES.into_iter().map(revision).collect()
}

fn open(project: &SharedProject, text: &str) -> Session {
    Lancet::builder()
        .root(&project.root)
        .settings(settings(text))
        .approver(Nobody)
        .open()
        .expect("opened")
        .new_session()
}

/// The result of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Outcome {
    Passes,
    Asks,
    Refused(RefusalKind),
}

const TOOLS: [&str; 4] = ["Read", "Edit", "Write", "Grep"];

fn decide(session: &Session, tool: &str, path: &str, revision: &str, at: usize) -> Outcome {
    let arguments = match tool {
        "Read" => json!({ "file_path": path, "force": true }),
        "Edit" => {
            json!({ "file_path": path, "old_string": "text of", "new_string": "other", "revision": revision })
        }
        "Write" => {
            json!({ "file_path": path, "content": format!("new {at}\n"), "revision": revision })
        }
        _ => json!({ "pattern": "text of", "path": path }),
    };
    match session.check(RawCall::new(tool, arguments)) {
        Check::Passes => Outcome::Passes,
        Check::Asks { .. } => Outcome::Asks,
        Check::Refused(refusal) => Outcome::Refused(refusal.kind()),
        other => panic!("{other:?}"),
    }
}

/// The relation of a spelling to the file that it was made from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sort {
    /// The same path with detours.
    Detour,
    /// The same, with names that some file systems, or a tolerant search, treat as the same.
    Disguise,
    /// A disguise of a link. Where it is not the same file, nothing follows about the link.
    Elsewhere,
    /// No file can have such a name.
    Refused,
}

/// One change in how a path is written.
#[derive(Clone, Copy, Debug)]
enum Step {
    Dot,
    Slashes,
    Climb,
    /// Into another folder and out again.
    Detour(&'static str),
    Link,
    Alias,
    Upper,
    Title,
    Composed,
    Decomposed,
    TrailingDot,
    TrailingSpace,
    Invisible,
    Wide,
    Slash,
    Network,
    Tail,
}

fn step() -> impl Strategy<Value = Step> {
    use Step::*;
    select(vec![
        Dot,
        Dot,
        Slashes,
        Slashes,
        Climb,
        Detour("docs"),
        Detour("src"),
        Detour("deep/er"),
        Detour("zz-src"),
        Link,
        Link,
        Alias,
        Upper,
        Title,
        Composed,
        Decomposed,
        TrailingDot,
        TrailingSpace,
        Invisible,
        Wide,
        Slash,
        Network,
        Tail,
    ])
}

/// Returns the path in another spelling, and the relation of that to the file.
fn spell(project: &SharedProject, file: &str, steps: &[(Step, usize)]) -> (String, Sort) {
    let mut start = project.root.to_str().expect("UTF-8").to_owned();
    let mut names: Vec<String> = file.split('/').map(str::to_owned).collect();
    let (mut sort, mut front, mut end) = (Sort::Detour, "", "");
    let mut linked = false;
    for &(step, at) in steps {
        let at = at % names.len();
        let name = names[at].clone();
        match step {
            Step::Dot => names.insert(at, ".".into()),
            Step::Slashes => names.insert(at, String::new()),
            Step::Climb => {
                let last = start.rsplit('/').next().unwrap_or_default().to_owned();
                start.push_str(&format!("/../{last}"));
            }
            Step::Detour(folder) => {
                let back = vec![".."; folder.split('/').count()].join("/");
                let back = if folder == "zz-src" {
                    "..".into()
                } else {
                    back
                };
                start.push_str(&format!("/{folder}/{back}"));
            }
            Step::Link => {
                linked = true;
                if sort == Sort::Disguise {
                    sort = Sort::Elsewhere;
                }
                // Replaces the name that it leads to, where the whole path begins with that.
                let joined = names.join("/");
                let links = [
                    ("src/", "zz-src/"),
                    ("docs/", "zz-docs/"),
                    ("docs/", "zz-absolute/"),
                    ("deep/", "zz-up/"),
                    (".git/", "zz-git/"),
                ];
                let fit: Vec<_> = links
                    .iter()
                    .filter(|(from, _)| joined.starts_with(from))
                    .collect();
                if joined == "src/main.rs" && at == 0 {
                    names = vec!["zz-file".into()];
                } else if let Some((from, to)) = fit.get(at % fit.len().max(1)) {
                    let linked = joined.replacen(from, to, 1);
                    names = linked.split('/').map(str::to_owned).collect();
                }
            }
            Step::Alias => {
                start = start.replacen(
                    project.root.to_str().expect("UTF-8"),
                    alias(project).to_str().expect("UTF-8"),
                    1,
                )
            }
            Step::Slash => (end, sort) = ("/", Sort::Refused),
            Step::Tail => (end, sort) = ("/.", Sort::Refused),
            Step::Network => (front, sort) = ("/", Sort::Refused),
            _ if name.is_empty() || name.starts_with("..") || name == "." => {}
            _ => {
                names[at] = disguised(&name, step);
                if names[at] != name && sort == Sort::Detour {
                    sort = if linked {
                        Sort::Elsewhere
                    } else {
                        Sort::Disguise
                    };
                }
            }
        }
    }
    // A name in the middle may be empty, one at the end would name a folder.
    while names.len() > 1
        && names
            .last()
            .is_some_and(|name| name.is_empty() || name == ".")
    {
        names.pop();
    }
    (format!("{front}{start}/{}{end}", names.join("/")), sort)
}

/// Returns a name that some file systems, or a tolerant search, treat as the same.
fn disguised(name: &str, step: Step) -> String {
    match step {
        Step::Upper => name.to_uppercase(),
        Step::Title => {
            let mut letters = name.chars();
            let first = letters.next().map(|first| first.to_uppercase().to_string());
            first.unwrap_or_default() + letters.as_str()
        }
        Step::Composed => name.nfc().collect(),
        Step::Decomposed => name.nfd().collect(),
        Step::TrailingDot => format!("{name}."),
        Step::TrailingSpace => format!("{name} "),
        Step::Invisible => name.replacen('e', "e\u{200b}", 1),
        Step::Wide => name.replacen('s', "\u{ff53}", 1),
        _ => name.to_owned(),
    }
}

/// Returns whether two spellings differ in nothing but the Unicode form of their letters.
fn same_letters(spelled: &str, file: &Path) -> bool {
    spelled.nfc().eq(file.to_str().expect("UTF-8").nfc())
}

fn rules() -> impl Strategy<Value = String> {
    let effect = select(vec!["deny", "ask", "allow"]);
    let tool = select(vec!["Read", "Edit", "Write"]);
    let mode = select(vec!["ask", "accept-edits", "bypass"]);
    (mode, vec((effect, tool, select(PATTERNS.to_vec())), 0..5)).prop_map(|(mode, rules)| {
        let mut text = format!("mode = \"{mode}\"\n[permissions]\n");
        for wanted in ["deny", "ask", "allow"] {
            let list: Vec<String> = rules
                .iter()
                .filter(|(effect, ..)| *effect == wanted)
                .map(|(_, tool, pattern)| format!("\"{tool}({pattern})\""))
                .collect();
            text.push_str(&format!("{wanted} = [{}]\n", list.join(", ")));
        }
        text
    })
}

/// Tries the law on a fixture. Returns how often two spellings led to the same file.
fn hold_law(project: &SharedProject, cases: u32) -> u64 {
    let config = Config {
        cases,
        failure_persistence: None,
        ..Config::default()
    };
    let revisions = revisions(project);
    let same = std::cell::Cell::new(0);
    let steps = vec((step(), 0usize..6), 1..5);
    let mut runner = TestRunner::new(config);
    let law = runner.run(
        &(rules(), 0..FILES.len(), vec(steps, 4)),
        |(rules, at, spellings)| {
            let session = open(project, &rules);
            let file = project.path(FILES[at]);
            let target = fs::metadata(&file).expect("there");
            let revision = &revisions[at];
            let plainly = file.to_str().expect("UTF-8");
            for steps in &spellings {
                let (spelled, sort) = spell(project, FILES[at], steps);
                let found = fs::metadata(&spelled).ok();
                let is_same = found.is_some_and(|found| {
                    (found.dev(), found.ino()) == (target.dev(), target.ino())
                });
                for tool in TOOLS {
                    let wanted = decide(&session, tool, plainly, revision, at);
                    let got = decide(&session, tool, &spelled, revision, at);
                    let told = format!(
                        "{tool} {spelled} is {got:?}, {plainly} is {wanted:?}, under\n{rules}"
                    );
                    if sort == Sort::Refused {
                        prop_assert!(matches!(got, Outcome::Refused(_)), "{told}");
                    } else if is_same || (tool != "Write" && same_letters(&spelled, &file)) {
                        prop_assert!(got == wanted, "{told}");
                        same.set(same.get() + 1);
                    } else {
                        // Another file, or none: what is denied or protected stays so.
                        let forbidden = match wanted {
                            Outcome::Refused(RefusalKind::Denied) => {
                                matches!(got, Outcome::Refused(_))
                            }
                            Outcome::Asks if protected(FILES[at]) => got != Outcome::Passes,
                            _ => true,
                        };
                        prop_assert!(forbidden, "{told}");
                    }
                }
            }
            Ok(())
        },
    );
    if let Err(broken) = law {
        panic!("{broken}");
    }
    same.get()
}

fn protected(file: &str) -> bool {
    file.contains(".git")
        || file.contains(".claude")
        || file.contains(".env")
        || file.contains(".pem")
}

#[test]
fn no_spelling_of_a_path_changes_the_decision_about_its_file() {
    let same = hold_law(&plain(), laws::cases() / 2);
    assert!(
        same > u64::from(laws::cases() / 2),
        "only {same} spellings led to their file"
    );
}

#[test]
#[allow(clippy::print_stdout, reason = "a skipped test says why")]
fn nor_does_one_in_other_letters_where_the_file_system_folds_case() {
    match folding() {
        Ok((_mounted, project)) => {
            let same = hold_law(&project, laws::cases() / 8);
            assert!(
                same > u64::from(laws::cases() / 8),
                "only {same} spellings led to their file"
            );
        }
        Err(why) => println!("skipped: no file system that folds case: {why}"),
    }
}

/// Files with a second hard link.
const TWINS: [(&str, &str); 5] = [
    ("src/main.rs", "docs/twin.txt"),
    (".git/config", "plain.txt"),
    (".env", "data/notes.txt"),
    ("deep/er/key.pem", "docs/open.txt"),
    ("docs/notes.md", "src/notes.rs"),
];

#[test]
fn what_forbids_a_file_forbids_it_under_each_of_its_hard_links() {
    let project = plain();
    let all = revisions(&project);
    for (first, second) in TWINS {
        fs::hard_link(project.path(first), project.path(second)).expect("made");
    }
    let revisions: Vec<String> = TWINS
        .iter()
        .map(|(first, _)| {
            let at = FILES.iter().position(|file| file == first).expect("known");
            all[at].clone()
        })
        .collect();
    let config = Config {
        cases: laws::cases() / 8,
        failure_persistence: None,
        ..Config::default()
    };
    let law = TestRunner::new(config).run(&(rules(), 0..TWINS.len()), |(rules, at)| {
        let session = open(&project, &rules);
        let allows = !rules.contains("allow = []");
        for tool in TOOLS {
            let of = |name: &str| {
                let path = project.path(name);
                decide(
                    &session,
                    tool,
                    path.to_str().expect("UTF-8"),
                    &revisions[at],
                    at,
                )
            };
            let (first, second) = (of(TWINS[at].0), of(TWINS[at].1));
            // An allow rule must cover the name that was opened; every other rule counts for all names. A file that is
            // allowed but may not be read is not replaced without a prompt.
            let by_allowing = allows && [&first, &second].contains(&&Outcome::Asks);
            prop_assert!(
                first == second || by_allowing,
                "{tool} {:?}: {first:?} and {second:?} under\n{rules}",
                TWINS[at]
            );
        }
        Ok(())
    });
    if let Err(broken) = law {
        panic!("{broken}");
    }
}

/// Returns a session without rules, in the mode that allows everything that can be allowed.
fn free(builder: lancet::Builder) -> Session {
    let lancet = builder.mode(lancet::Mode::AcceptEdits).open();
    lancet.expect("opened").new_session()
}

fn write(session: &Session, path: &Path) -> Option<RefusalKind> {
    let arguments = json!({ "file_path": path, "content": "new\n", "mode": "create" });
    session.call(RawCall::new("Write", arguments)).refusal()
}

#[test]
#[allow(clippy::print_stdout, reason = "a skipped test says why")]
fn folders_that_are_set_apart_are_so_in_every_spelling() {
    let projects = match folding() {
        Ok((mounted, folding)) => vec![(None, plain()), (Some(mounted), folding)],
        Err(why) => {
            println!("skipped in part: no file system that folds case: {why}");
            vec![(None, plain())]
        }
    };
    for (mounted, project) in &projects {
        let root = &project.root;
        for folder in ["state", "vendor/lib", "other"] {
            fs::create_dir_all(root.join(folder)).expect("made");
            fs::write(root.join(folder).join("a.txt"), "kept\n").expect("written");
        }
        let builder = Lancet::builder()
            .root(root)
            .state_dir(root.join("state"))
            .read_root(root.join("vendor"));
        let session = free(builder);
        let spellings = |name: &str| {
            [
                name.to_owned(),
                name.to_uppercase(),
                format!("./other/../{name}"),
            ]
        };
        for name in spellings("state/a.txt") {
            let path = root.join(&name);
            let reply = read(&session, &path);
            let text = reply.text();
            assert!(
                reply.is_error() && !text.contains("kept"),
                "{}: {text}",
                path.display()
            );
        }
        for name in spellings("state/new.txt") {
            let path = root.join(&name);
            if root.join("STATE").exists() || name.contains("state") {
                assert_eq!(
                    write(&session, &path),
                    Some(RefusalKind::Denied),
                    "{}",
                    path.display()
                );
            }
        }
        let found = session.call(RawCall::new("Grep", json!({ "pattern": "kept" })));
        assert_eq!(
            found.data()["numFiles"],
            2,
            "not the state folder: {}",
            found.text()
        );
        // A read root inside a root is still a read root.
        for name in spellings("vendor/lib/new.txt") {
            let path = root.join(&name);
            if root.join("VENDOR").exists() || name.contains("vendor") {
                assert_eq!(
                    write(&session, &path),
                    Some(RefusalKind::Denied),
                    "{}",
                    path.display()
                );
            }
        }
        assert_eq!(write(&session, &root.join("other/new.txt")), None);
        // Names under which a Windows drive would find other files are not files of this file system.
        let wanted = mounted.as_ref().map(|_| RefusalKind::Invalid);
        for name in [
            "other/git~1",
            "other/new.txt:stream",
            "other/dot.",
            "other/aux.c",
        ] {
            assert_eq!(write(&session, &root.join(name)), wanted, "{name}");
        }
    }
}

#[test]
fn a_hard_link_into_another_root_or_a_read_root_counts() {
    let folder = TestFolder::new();
    let top = folder.path().to_owned();
    for name in [
        "one/x",
        "two/.git/config",
        "reading/notes.txt",
        "two/plain.txt",
    ] {
        fs::create_dir_all(top.join(name).parent().expect("a folder")).expect("made");
        fs::write(top.join(name), "old\n").expect("written");
    }
    for (target, link) in [
        ("two/.git/config", "one/protected.txt"),
        ("reading/notes.txt", "one/reading.txt"),
        ("two/plain.txt", "one/plain.txt"),
    ] {
        fs::hard_link(top.join(target), top.join(link)).expect("made");
    }
    let builder = Lancet::builder()
        .root(top.join("one"))
        .root(top.join("two"))
        .read_root(top.join("reading"));
    let session = free(builder);
    let edit = |name: &str| {
        let path = top.join(name);
        read(&session, &path);
        let arguments = json!({ "file_path": path, "old_string": "old", "new_string": "new" });
        session.call(RawCall::new("Edit", arguments)).refusal()
    };
    assert_eq!(edit("one/protected.txt"), Some(RefusalKind::Declined));
    assert_eq!(edit("one/reading.txt"), Some(RefusalKind::Denied));
    assert_eq!(edit("one/plain.txt"), None);
    let kept = fs::read_to_string(top.join("reading/notes.txt")).expect("there");
    assert_eq!(kept, "old\n");
}
