//! Reuses what hooks said about a plan when the call was sent before: they do not run again for the same plan.

use lancet_history::{ChangeKind, QuestionState};

use super::file_question::{new_text_of, old_text_of};
use crate::approval::FileQuestion;
use crate::approval::encoding::decode_question;
use crate::reason::Reason;
use crate::stages::context::CallContext;
use crate::stages::plan::{FilePlan, Plan};

/// Returns the hooks' reasons from this call's recorded question, if that question was about the same plan. Hooks then
/// need not run again.
pub(crate) fn recorded_hook_reasons(context: &CallContext<'_>, plan: &Plan) -> Option<Vec<Reason>> {
    let call = context.recorded.as_ref()?;
    let store = context.engine().history()?;
    let key = call.key(context.session, &context.caller);
    let found = store.find_question_of_call(&key).ok()??;
    let is_pending = match found.state {
        QuestionState::Open | QuestionState::Approved => true,
        QuestionState::Rejected => !found.delivered,
        QuestionState::Used | QuestionState::Superseded => false,
    };
    let question = decode_question(&found.shown).filter(|_| is_pending)?;
    let is_about = |file: &FilePlan| {
        question
            .files
            .iter()
            .any(|asked| shows_same_change(asked, file))
    };
    let is_same = plan.files.len() == question.files.len() && plan.files.iter().all(is_about);
    let files = question.files.into_iter().filter(|_| is_same);
    let reasons = files.filter_map(|file| Reason::from_hook_words(&file.path, file.reason?));
    is_same.then(|| reasons.collect())
}

/// Returns whether the question about a file is about the same bytes as a plan.
fn shows_same_change(asked: &FileQuestion, file: &FilePlan) -> bool {
    let base = file.expected.revision();
    let base = base.map(|revision| revision.short_hex().to_string());
    asked.path == file.target.path()
        && asked.kind == file.kind()
        && asked.base == base
        && match file.kind() {
            ChangeKind::Delete => true,
            _ => {
                asked.text.is_some()
                    && asked.text == new_text_of(file)
                    && asked.old_text == old_text_of(file)
            }
        }
}
