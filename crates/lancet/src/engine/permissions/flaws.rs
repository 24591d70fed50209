//! The rules that stand for lines of the settings which cannot be used: nobody can tell what such a line forbids, so it
//! counts as forbidding all that it could.

use lancet_policy::{Access, Effect, Layer, LayeredRule, Rule};

use super::Readers;
use crate::settings::{FlawEffect, Origin, SettingsFlaw};

/// The rules for all flaws. A person's own command may read whatever a project's file may have forbidden to models, and
/// the program refuses a person's write itself where the user's own settings are wrong, because undo must go on.
pub(super) fn rules(flaws: &[SettingsFlaw], readers: Readers) -> Vec<LayeredRule> {
    let of_flaw = |flaw: &SettingsFlaw| {
        let denies_reading = flaw.effect == FlawEffect::ReadingDenied;
        let reading = (readers == Readers::Models && denies_reading)
            .then(|| rule(flaw, Effect::Deny, Access::Read));
        let writing = match (flaw.is_users_own(), readers) {
            (true, Readers::Models) => Some(Effect::Deny),
            (true, Readers::Person) => None,
            (false, _) if flaw.effect == FlawEffect::LeftOut => None,
            (false, _) => Some(Effect::Ask),
        };
        let writing = writing.map(|effect| rule(flaw, effect, Access::Write));
        [reading, writing].into_iter().flatten().flatten()
    };
    flaws.iter().flat_map(of_flaw).collect()
}

/// A rule for all files that the settings file is about: those of the project, or all of them.
#[warn(clippy::wildcard_enum_match_arm, reason = "names every known variant")]
fn rule(flaw: &SettingsFlaw, effect: Effect, access: Access) -> Option<LayeredRule> {
    let error = &flaw.error;
    let folder = error.path.parent().and_then(|folder| folder.to_str());
    let text = match (flaw.is_users_own(), folder) {
        (false, Some(folder)) => Rule::for_file(access, folder),
        _ => access.tool().to_owned(),
    };
    Some(LayeredRule {
        effect,
        rule: Rule::parse(&text).ok()?,
        layer: match flaw.origin {
            Origin::Project | Origin::TrustedProject => Layer::Project,
            Origin::CommandLine => Layer::CommandLine,
            Origin::BuiltIn | Origin::User => Layer::User,
            _ => Layer::User,
        },
        source: format!("{}:{}", error.path.display(), error.line),
        stands_for: Some(flaw.to_string()),
    })
}
