//! The policy decides every access to a file, in one fixed order. It is immutable, shared by all threads, and does not
//! touch the disk. Rules are a tree of names (`tree.rs`), walked once. A rule that forbids one of a file's names
//! forbids the file: the name as given, as opened, and its hard links.

use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use crate::decision::{Decision, DecisionCause, LayeredRule, Mode, Outcome, RuleLayer};
use crate::file_names::FileNames;
use crate::fold::{self, FoldStrength};
use crate::name::PreparedPath;
use crate::pattern::Pattern;
use crate::rule::{Access, Rule, RuleEffect};
use crate::scope::{Scope, Scopes};
use crate::sets::{Locations, RuleSets};
use crate::table::{self, SecretFile};
use crate::tree::NameKind;

/// A part of a protected folder that a person may open.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OfferedScope {
    /// The pattern for the setting `[protected] open`.
    pub pattern: String,
    /// The absolute path of the folder that it covers.
    pub folder: PathBuf,
}

/// Whether the answer of a writing tool shows lines of the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ShownContent {
    /// The answer shows lines, as that of Edit does, so a file that may not be read may not be edited.
    Lines,
    /// The answer shows nothing of the old file, as that of Write.
    Nothing,
}

/// The rules, modes and tables that decide about accesses.
#[derive(Debug)]
pub struct Policy {
    ground: Locations,
    mode: Mode,
    entries: Vec<LayeredRule>,
    scopes: Scopes,
    deny_read: RuleSets,
    deny_write: RuleSets,
    ask_write: RuleSets,
    allow_write: RuleSets,
    /// The user's own allow rules, which permit reading secret files.
    lift_secret: RuleSets,
    /// The files that no credential is written into.
    guards: RuleSets,
    /// The settings files in force, folded.
    settings: Vec<String>,
    /// The files that the programs of the settings are started from, folded.
    programs: LazyLock<Vec<String>, Box<dyn FnOnce() -> Vec<String> + Send>>,
}

/// Files that models share: no credential is written into them.
const GUARDED_FILES: &[&str] = &[
    "AGENTS.md",
    "CLAUDE.md",
    "GEMINI.md",
    "MEMORY.md",
    "**/.claude/**/*.md",
];

impl Policy {
    /// Compiles a policy from rules. `resolve` returns a folder with its links resolved as far as it exists, which is
    /// how the paths of opened files are spelled.
    pub fn new(
        ground: Locations,
        mode: Mode,
        entries: Vec<LayeredRule>,
        scopes: Vec<Scope>,
        resolve: &dyn Fn(&Path) -> PathBuf,
    ) -> Policy {
        let mut deny_read = RuleSets::new(FoldStrength::Strict);
        let mut deny_write = RuleSets::new(FoldStrength::Strict);
        let mut ask_write = RuleSets::new(FoldStrength::Strict);
        let mut allow_write = RuleSets::new(FoldStrength::Plain);
        let mut lift_secret = RuleSets::new(FoldStrength::Plain);
        for (number, entry) in entries.iter().enumerate() {
            let set = match (entry.effect, entry.rule.access()) {
                (RuleEffect::Deny, Access::Read) => &mut deny_read,
                (RuleEffect::Deny, Access::Write) => &mut deny_write,
                (RuleEffect::Ask, Access::Write) => &mut ask_write,
                (RuleEffect::Allow, Access::Write) => &mut allow_write,
                (RuleEffect::Allow, Access::Read) if entry.layer.is_users_own() => &mut lift_secret,
                // Reading never asks: what is not denied is allowed.
                (RuleEffect::Allow | RuleEffect::Ask, Access::Read) => continue,
            };
            let pattern = (entry.rule.pattern(), entry.layer);
            set.add(&ground, resolve, pattern, number as u32);
        }
        Policy {
            scopes: Scopes::new(&ground, resolve, scopes),
            ground,
            mode,
            entries,
            deny_read,
            deny_write,
            ask_write,
            allow_write,
            lift_secret,
            guards: RuleSets::new(FoldStrength::Strict),
            settings: Vec::new(),
            programs: LazyLock::new(Box::new(Vec::new)),
        }
        .with_guards(&[], resolve)
    }

    /// Adds files that no credential is written into, as patterns. Invalid patterns are ignored here; they are refused
    /// when the settings are loaded.
    #[must_use]
    pub fn with_guards(mut self, further: &[String], resolve: &dyn Fn(&Path) -> PathBuf) -> Policy {
        let further = further.iter().map(String::as_str);
        for (number, text) in GUARDED_FILES.iter().copied().chain(further).enumerate() {
            if let Ok(pattern) = Pattern::parse(text) {
                let pattern = (&pattern, RuleLayer::User);
                self.guards
                    .add(&self.ground, resolve, pattern, number as u32);
            }
        }
        self
    }

    /// Protects the settings files in force, whatever their names, both as they are spelled and with links resolved: a
    /// model must not change its own permissions.
    #[must_use]
    pub fn with_settings_files(
        mut self,
        files: &[PathBuf],
        resolve: &dyn Fn(&Path) -> PathBuf,
    ) -> Policy {
        let spellings = files.iter().flat_map(|file| [file.clone(), resolve(file)]);
        let folded = spellings.map(|file| {
            fold::fold_path(&file, FoldStrength::Strict)
                .as_str()
                .to_owned()
        });
        self.settings = folded.collect();
        self
    }

    /// Protects the files that the programs of the settings are started from, as far as they are below a root: a model
    /// must not control what these programs do. `list` is called when a write is first decided on, because it searches
    /// the folders of `PATH`, which took a fifth of the start-up time of a server.
    #[must_use]
    pub fn with_program_list(mut self, list: Box<dyn FnOnce() -> Vec<PathBuf> + Send>) -> Policy {
        let roots = self.ground.roots.clone();
        let below = move |file: &PathBuf| roots.iter().any(|root| file.starts_with(root));
        let folded = |file: PathBuf| {
            fold::fold_path(&file, FoldStrength::Strict)
                .as_str()
                .to_owned()
        };
        let programs = move || list().into_iter().filter(below).map(folded).collect();
        self.programs = LazyLock::new(Box::new(programs));
        self
    }

    /// Returns whether a file is one that no credential is written into.
    pub fn is_guarded(&self, names: FileNames<'_>) -> bool {
        let guarded = |name: &PreparedPath<'_>| self.guards.find(name, NameKind::File).is_some();
        self.prepare_names(names).iter().any(guarded)
    }

    /// Returns all rules in force, in the order of their layers.
    pub fn layered_rules(&self) -> &[LayeredRule] {
        &self.entries
    }

    /// Returns the mode in force.
    pub fn mode(&self) -> Mode {
        self.mode
    }

    /// Returns the roots that patterns start from.
    pub fn locations(&self) -> &Locations {
        &self.ground
    }

    /// Returns a text that differs between policies whose rules may deny different reads.
    pub fn describe_denied_reads(&self) -> String {
        format!("{:?} {:?}", self.ground, self.deny_read)
    }

    /// Returns whether a file's text and name may be shown. For walks over many files: the path is absolute with links
    /// resolved, and is below a root or read root. Takes no lock and, for a plain ASCII path, allocates nothing.
    pub fn may_read(&self, path: &Path, kind: NameKind) -> Decision<'_> {
        self.may_read_name(&PreparedPath::new(&self.ground, path), kind)
    }

    fn may_read_name(&self, name: &PreparedPath<'_>, kind: NameKind) -> Decision<'_> {
        if let Some(number) = self.deny_read.find(name, kind) {
            return Decision::new(Outcome::Deny, self.rule_cause(number));
        }
        if kind == NameKind::File
            && let Some(secret) = find_secret(name)
            && self.lift_secret.find(name, kind).is_none()
        {
            let pattern = secret.display_pattern();
            return Decision::new(Outcome::Deny, DecisionCause::Secret { pattern });
        }
        Decision::new(Outcome::Allow, DecisionCause::Nothing)
    }

    /// Returns whether a file may be read under any of its names.
    pub fn may_read_names(&self, names: FileNames<'_>) -> Decision<'_> {
        self.may_read_all(&self.prepare_names(names), names.kind)
    }

    fn may_read_all(&self, names: &[PreparedPath<'_>], kind: NameKind) -> Decision<'_> {
        // If the user allows the opened secret file by name, its other names do not deny it.
        let lifted = || {
            names.first().is_some_and(|opened| {
                find_secret(opened).is_some() && self.lift_secret.find(opened, kind).is_some()
            })
        };
        let counts = |decision: &Decision<'_>| {
            decision.is_denied()
                && !(matches!(decision.cause, DecisionCause::Secret { .. }) && lifted())
        };
        let mut decisions = names.iter().map(|name| self.may_read_name(name, kind));
        decisions
            .find(counts)
            .unwrap_or(Decision::new(Outcome::Allow, DecisionCause::Nothing))
    }

    fn prepare_names<'a>(&self, names: FileNames<'a>) -> Vec<PreparedPath<'a>> {
        names
            .all_names()
            .map(|path| PreparedPath::new(&self.ground, path))
            .collect()
    }

    /// Returns whether a file may be changed.
    pub fn may_write(&self, names: FileNames<'_>, shows: ShownContent) -> Decision<'_> {
        let (opened, kind) = (names.opened, names.kind);
        let names = &self.prepare_names(names);
        let rule_of = |sets: &RuleSets| {
            let mut found = names
                .iter()
                .filter_map(|name| sets.find(name, NameKind::File));
            found.next().map(|number| self.rule_cause(number))
        };
        if let Some(cause) = rule_of(&self.deny_write) {
            return Decision::new(Outcome::Deny, cause);
        }
        if shows == ShownContent::Lines {
            let reading = self.may_read_all(names, kind);
            if reading.is_denied() {
                return reading;
            }
        }
        if let Some(root) = self.ground.read_root(opened) {
            return Decision::new(Outcome::Deny, DecisionCause::ReadRoot(root));
        }
        if self.mode == Mode::Plan {
            return Decision::new(Outcome::Deny, DecisionCause::Mode(Mode::Plan));
        }
        if let Some(name) = names.iter().find_map(|name| self.protected_name(name)) {
            return Decision::new(Outcome::Ask, DecisionCause::Protected { name });
        }
        if let Some(secret) = names.iter().find_map(find_secret) {
            let pattern = secret.display_pattern();
            return Decision::new(Outcome::Ask, DecisionCause::Secret { pattern });
        }
        if self.mode != Mode::Bypass
            && let Some(cause) = rule_of(&self.ask_write)
        {
            return Decision::new(Outcome::Ask, cause);
        }
        let allowed = names
            .first()
            .map(|opened| self.allow_write.find(opened, NameKind::File));
        if let Some(number) = allowed.flatten() {
            return Decision::new(Outcome::Allow, self.rule_cause(number));
        }
        let outcome = match self.mode {
            Mode::Ask => Outcome::Ask,
            Mode::AcceptEdits | Mode::Bypass => Outcome::Allow,
            Mode::Plan => Outcome::Deny,
        };
        Decision::new(outcome, DecisionCause::Mode(self.mode))
    }

    /// Returns whether a rule that is not part of the policy covers a file, in every spelling that forbidding rules are
    /// compared with.
    pub fn covers_file(&self, rule: &Rule, layer: RuleLayer, names: FileNames<'_>) -> bool {
        let mut alone = RuleSets::new(FoldStrength::Strict);
        let resolve = |path: &Path| path.to_path_buf();
        alone.add(&self.ground, &resolve, (rule.pattern(), layer), 0);
        let names = self.prepare_names(names);
        names
            .iter()
            .any(|name| alone.find(name, NameKind::File).is_some())
    }

    /// Returns all rules that cover a file for an access, whether or not they decide, strongest effect first.
    pub fn rules_covering(&self, names: FileNames<'_>, access: Access) -> Vec<&LayeredRule> {
        let names = self.prepare_names(names);
        let resolve = |path: &Path| path.to_path_buf();
        let covers = |entry: &&LayeredRule| {
            let strength = match entry.effect {
                RuleEffect::Allow => FoldStrength::Plain,
                RuleEffect::Deny | RuleEffect::Ask => FoldStrength::Strict,
            };
            let mut alone = RuleSets::new(strength);
            alone.add(
                &self.ground,
                &resolve,
                (entry.rule.pattern(), entry.layer),
                0,
            );
            let mut names = names.iter().take(match entry.effect {
                RuleEffect::Allow => 1,
                RuleEffect::Deny | RuleEffect::Ask => usize::MAX,
            });
            names.any(|name| alone.find(name, NameKind::File).is_some())
        };
        let mut entries: Vec<&LayeredRule> = self
            .entries
            .iter()
            .filter(|entry| entry.rule.access() == access)
            .filter(covers)
            .collect();
        entries.sort_by_key(|entry| entry.effect);
        entries
    }

    /// Returns the scope that a person may open for a protected file, if there is one narrower than the whole folder: a
    /// folder that is a self-contained unit, such as one skill.
    pub fn offered_scope(&self, path: &Path) -> Option<OfferedScope> {
        let below = PreparedPath::new(&self.ground, path).below;
        let (pattern, folder) = Scope::scope_to_offer(&below.to_string_lossy())?;
        let root = path.ancestors().nth(below.iter().count())?;
        Some(OfferedScope {
            pattern,
            folder: root.join(folder),
        })
    }

    /// Returns whether a path is in a read root.
    pub fn is_in_read_root(&self, path: &Path) -> bool {
        self.ground.read_root(path).is_some()
    }

    /// Returns the rules that deny reading.
    pub(crate) fn read_deny_rules(&self) -> &RuleSets {
        &self.deny_read
    }

    /// Returns whether a root or read root is below a folder: its entries have two roots around them.
    pub(crate) fn has_root_below(&self, folder: &Path) -> bool {
        let mut roots = self.ground.roots.iter().chain(&self.ground.read_roots);
        roots.any(|root| root.parent() == Some(folder))
    }

    pub(crate) fn rule_cause(&self, number: u32) -> DecisionCause<'_> {
        DecisionCause::Rule(&self.entries[number as usize])
    }

    /// Returns the protected name in a path, unless a scope opens the path.
    fn protected_name(&self, name: &PreparedPath<'_>) -> Option<&'static str> {
        for (files, known) in [
            (&self.settings, "a settings file of lancet"),
            (&*self.programs, "a program that lancet's settings start"),
        ] {
            let is_named =
                |file: &String| file == name.absolute_form(FoldStrength::Strict).as_str();
            if files.iter().any(is_named) {
                return Some(known);
            }
        }
        let root = name.root_name();
        name.strongly_folded_forms().find_map(|folded| {
            let found =
                table::find_protected(folded).or_else(|| table::find_inside_root(&root, folded));
            let (known, opens, rest) = found?;
            let opened = self.scopes.scope_opening(name, opens, rest);
            opened.is_none().then_some(known)
        })
    }
}

/// Returns the entry of the table of secret files that a name matches.
fn find_secret(name: &PreparedPath<'_>) -> Option<&'static SecretFile> {
    name.strongly_folded_forms().find_map(table::find_secret)
}
