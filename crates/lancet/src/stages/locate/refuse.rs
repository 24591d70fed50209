//! The refusals for a path that does not lead to a file that may be touched: outside the roots, a symbolic link that leads
//! outside, a missing folder, a path of another system, a denied file, lancet's own state folder.

use std::path::Path;

use lancet_policy::{Decision, DecisionCause, FileNames, LayeredRule, Policy};
use lancet_workspace::LocateError;

use super::given::ForeignPath;
use super::{Intent, Target, find_same_tail, is_hidden, is_in_state_folder, name_kind};
use crate::engine::EngineView;
use crate::message::{DENIED_FILE_ADVICE, Message, message, verbatim};
use crate::refusal::{Refusal, RefusalKind};
use crate::wording::{QuotedPath, join_roots, quote_path};
use crate::write_scope::WriteScope;

/// Returns the refusal for a path that could not be located.
pub(super) fn refuse(
    engine: &EngineView,
    given: &QuotedPath,
    path: &Path,
    error: &LocateError,
) -> Refusal {
    let roots = engine.roots();
    if let LocateError::NotADirectory { at } | LocateError::NoSuchFolder { at } = error
        && is_hidden(engine, at)
    {
        return withheld_refusal(given);
    }
    let refusal = match error {
        LocateError::Outside => {
            let mut text = message!(
                "{} is outside the roots. Use a path below {}.",
                given,
                join_roots(roots)
            );
            if let Some(tail) = find_same_tail(engine, path) {
                text.push(message!(" The same name exists at {}.", quote_path(&tail)));
            }
            Refusal::from_message(RefusalKind::Outside, text)
        }
        LocateError::RootMoved { root } => root_moved_refusal(root),
        LocateError::NotADirectory { at } => Refusal::from_message(
            RefusalKind::Special,
            message!(
                "{} leads through {}, which is a file, not a folder. Name a path whose folders are folders.",
                given,
                quote_path(at)
            ),
        ),
        LocateError::LeadsOutside { link, target } => {
            leads_outside_refusal(engine, (given, path), (link, target))
        }
        LocateError::NoSuchFolder { at } => Refusal::from_message(
            RefusalKind::Invalid,
            message!(
                "{} ends in a slash, so it names a folder, and nothing is there. To make a file of that name send {}.",
                given,
                quote_path(at)
            ),
        ),
        LocateError::TooManyLinks => Refusal::from_message(
            RefusalKind::Special,
            message!(
                "{} is a chain of links without end. Name the file itself.",
                given
            ),
        ),
        LocateError::BadName(why) => Refusal::from_message(
            RefusalKind::Invalid,
            message!(
                "{} is no path of a file: {}. Send a plain absolute path.",
                verbatim(format!("{:?}", given)),
                verbatim(why)
            ),
        ),
        LocateError::Io(error) => Refusal::from_message(
            RefusalKind::Io,
            message!(
                "The system would not open {}: {}. Nothing was changed.",
                given,
                verbatim(error)
            ),
        ),
    };
    refusal.with_field("file_path", given)
}

/// Returns the refusal for everything below a root that was moved or replaced after it was opened.
pub(crate) fn root_moved_refusal(root: &Path) -> Refusal {
    let text = message!(
        "The root {} was moved, or removed and made again, after lancet had opened it: nothing below it is read or written. Ask the user to start lancet again, with the folder's present path as its root.",
        quote_path(root)
    );
    Refusal::from_message(RefusalKind::Outside, text)
}

/// Returns the refusal for a path of another system that would otherwise be taken as a relative path.
pub(super) fn not_relative_refusal(
    engine: &EngineView,
    given: &QuotedPath,
    meant: ForeignPath,
) -> Refusal {
    let roots = join_roots(engine.roots());
    let text = match &meant {
        ForeignPath::Drive => message!(
            "{} is a path of a Windows drive, and there are no drives here. Use an absolute path below {}.",
            given,
            roots
        ),
        ForeignPath::Address(Some(path)) => {
            let path = quote_path(path);
            message!(
                "{} is an address, not a path. Send the path itself: {}.",
                given,
                path
            )
        }
        ForeignPath::Address(None) => message!(
            "{} is an address, not a path. Use the absolute path of a file below {}.",
            given,
            roots
        ),
    };
    let refusal = Refusal::from_message(RefusalKind::Invalid, text).with_field("file_path", given);
    match meant {
        ForeignPath::Address(Some(path)) => refusal.with_field("suggestion", quote_path(&path)),
        _ => refusal,
    }
}

/// Returns the refusal for a symbolic link that leads out of the roots. It says that there is a link, and where it
/// leads, only if both names may be mentioned.
fn leads_outside_refusal(
    engine: &EngineView,
    (given, path): (&QuotedPath, &Path),
    (link, target): (&Path, &Path),
) -> Refusal {
    let below = join_roots(engine.roots());
    let text = if is_hidden(engine, link) {
        message!(
            "{} is outside the roots. Use a path below {}.",
            given,
            below
        )
    } else {
        let lead = if path == link {
            message!("{} is a link", given)
        } else {
            message!("{} leads through {}, a link", given, quote_path(link))
        };
        let target = match is_hidden(engine, target) {
            true => Message::default(),
            false => message!(" to {}", quote_path(target)),
        };
        message!(
            "{} that leads outside the roots{}. Use a path below {}.",
            lead,
            target,
            below
        )
    };
    Refusal::from_message(RefusalKind::Outside, text)
}

/// Returns the refusal for a path through a file whose name may not be mentioned.
fn withheld_refusal(given: &QuotedPath) -> Refusal {
    let text = message!(
        "{} leads through a file that is not shown. Work without it.",
        given
    );
    Refusal::from_message(RefusalKind::Denied, text).with_field("file_path", given)
}

/// Returns the refusal for a write in a read root.
pub(super) fn only_for_reading_refusal(given: &QuotedPath) -> Refusal {
    let text = message!(
        "{} is in a folder that is only for reading. Nothing is written there; use a path below a root.",
        given
    );
    Refusal::from_message(RefusalKind::Denied, text).with_field("file_path", given)
}

/// Returns the refusal for a write that the client's own sandbox forbids.
pub(super) fn read_only_engine_refusal(given: &QuotedPath, scope: &WriteScope) -> Refusal {
    let text = message!(
        "{} is not written: {}. Say what you would change, or ask the user to allow it there.",
        given,
        verbatim(scope.describe())
    );
    Refusal::from_message(RefusalKind::Denied, text).with_field("file_path", given)
}

/// Returns the refusal where a line of the settings that cannot be used may forbid a file.
pub(super) fn settings_first_refusal(given: &QuotedPath, flaw: &str, intent: Intent) -> Refusal {
    let verb = match intent.shows() {
        None => "read",
        Some(_) => "changed",
    };
    let text = message!(
        "{} is not {} while lancet's settings have a mistake that may hide a rule ({}). Ask the user to correct that line; `lancet doctor` shows it.",
        given,
        verb,
        verbatim(flaw)
    );
    Refusal::from_message(RefusalKind::Denied, text).with_field("file_path", given)
}

/// Returns the refusal for a file that the policy denies. It names the file and the rule only if the caller used that
/// name itself.
pub(super) fn denied_refusal(
    engine: &EngineView,
    policy: &Policy,
    target: &Target,
    decision: &Decision<'_>,
    intent: Intent,
) -> Refusal {
    let given = &target.given;
    let path = target.located.given_path();
    let named = FileNames {
        kind: name_kind(&target.located),
        ..FileNames::single(path)
    };
    let by_name = match intent.shows() {
        None => policy.may_read_names(named),
        Some(shows) => policy.may_write(named, shows),
    };
    let told = by_name == *decision;
    let text = match &decision.cause {
        DecisionCause::Secret { pattern } => {
            let matches = match told {
                true => message!(" (it matches `{}`)", verbatim(pattern)),
                false => Message::default(),
            };
            let name = path.file_name().filter(|_| told);
            let next = engine.audience().secret_file_advice(name);
            message!(
                "{} is a secret file{}: its text is not shown. {}",
                given,
                matches,
                verbatim(next)
            )
        }
        DecisionCause::ReadRoot(_) => return only_for_reading_refusal(given),
        DecisionCause::Rule(LayeredRule {
            stands_for: Some(flaw),
            ..
        }) => return settings_first_refusal(given, flaw, intent),
        DecisionCause::Rule(entry) if told => message!(
            "A rule denies {}: `{} {}` of the {} settings. {}",
            given,
            verbatim(entry.effect.as_str()),
            verbatim(&entry.rule),
            verbatim(entry.layer.name()),
            DENIED_FILE_ADVICE
        ),
        _ => message!("A rule denies {}. {}", given, DENIED_FILE_ADVICE),
    };
    Refusal::from_message(RefusalKind::Denied, text).with_field("file_path", given)
}

/// Refuses lancet's own state folder, and paths such as `/proc` where opening a file has side effects.
pub(super) fn refuse_unshown(
    engine: &EngineView,
    given: &QuotedPath,
    opened: &Path,
) -> Result<(), Refusal> {
    if is_in_state_folder(engine, opened) {
        return Err(refuse_state(given));
    }
    let parts: Vec<_> = opened.iter().filter_map(|part| part.to_str()).collect();
    if matches!(
        parts[..],
        ["/", "dev", _] | ["/", "proc", _, "fd", ..] | ["/", "proc", _, "task", _, "fd", ..]
    ) {
        let text = message!(
            "{} is a device or an open file of a process, not a regular file. Name a regular file.",
            given
        );
        return Err(
            Refusal::from_message(RefusalKind::Special, text).with_field("file_path", given)
        );
    }
    Ok(())
}

/// Returns the refusal for a file of lancet's own state folder.
pub(super) fn refuse_state(given: &QuotedPath) -> Refusal {
    let text = message!(
        "{} is in lancet's own state folder, which no tool shows or changes. Leave it alone.",
        given
    );
    Refusal::from_message(RefusalKind::Denied, text).with_field("file_path", given)
}
