//! The rules that replace lines of the settings that cannot be used. What such a line was meant to forbid is unknown,
//! so it counts as forbidding all that it could.

use lancet_policy::{Access, LayeredRule, Rule, RuleEffect, RuleLayer};

use super::Readers;
use crate::settings::{FlawEffect, Origin, SettingsFlaw};

/// Returns the rules for all flaws. A person's own command may read whatever a project's file may have forbidden to
/// models. The program itself refuses a person's write where the user's own settings are wrong, because undo must still
/// work.
pub(super) fn rules(flaws: &[SettingsFlaw], readers: Readers) -> Vec<LayeredRule> {
    let of_flaw = |flaw: &SettingsFlaw| {
        let denies_reading = flaw.effect == FlawEffect::ReadingDenied;
        let reading = (readers == Readers::Models && denies_reading)
            .then(|| rule(flaw, RuleEffect::Deny, Access::Read));
        let writing = match (flaw.is_in_user_file(), readers) {
            (true, Readers::Models) => Some(RuleEffect::Deny),
            (true, Readers::Person) => None,
            (false, _) if flaw.effect == FlawEffect::LeftOut => None,
            (false, _) => Some(RuleEffect::Ask),
        };
        let writing = writing.map(|effect| rule(flaw, effect, Access::Write));
        [reading, writing].into_iter().flatten().flatten()
    };
    flaws.iter().flat_map(of_flaw).collect()
}

/// Returns a rule for all files that the settings file applies to: those of the project, or all of them.
#[warn(clippy::wildcard_enum_match_arm, reason = "names every known variant")]
fn rule(flaw: &SettingsFlaw, effect: RuleEffect, access: Access) -> Option<LayeredRule> {
    let error = &flaw.error;
    let folder = error.path.parent().and_then(|folder| folder.to_str());
    let text = match (flaw.is_in_user_file(), folder) {
        (false, Some(folder)) => Rule::for_file(access, folder),
        _ => access.tool_name().to_owned(),
    };
    Some(LayeredRule {
        effect,
        rule: Rule::parse(&text).ok()?,
        layer: match flaw.origin {
            Origin::Project | Origin::TrustedProject => RuleLayer::Project,
            Origin::CommandLine => RuleLayer::CommandLine,
            Origin::BuiltIn | Origin::User => RuleLayer::User,
            _ => RuleLayer::User,
        },
        source: format!("{}:{}", error.path.display(), error.line),
        stands_for: Some(flaw.to_string()),
    })
}
