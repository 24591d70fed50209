//! Finds the operations of a file's chain that wrote, or removed, the lines of one hunk.

use lancet_history::{HistoryError, OperationStore};

use super::chain::{Chain, ChainStep, revision};
use super::lines::{Block, Lines, trace_to_old_lines};

/// Returns the steps of a chain that touched the new lines of these blocks or lines adjacent to them. Where a content
/// in between is no longer stored, all steps before it count.
pub(crate) fn contributing_steps<'c>(
    store: &dyn OperationStore,
    chain: &'c Chain,
    blocks: &[Block],
) -> Result<Vec<&'c ChainStep>, HistoryError> {
    let (Some(first), Some(last)) = (blocks.first(), blocks.last()) else {
        return Ok(Vec::new());
    };
    let mut lines = first.1.start..last.1.end;
    let mut touching = Vec::new();
    let mut later: Option<Vec<u8>> = None;
    for (at, step) in chain.steps.iter().enumerate().rev() {
        let change = step.change();
        let content = |state| match revision(state) {
            None => Ok(Some(Vec::new())),
            Some(revision) => store.content(&revision),
        };
        let (Some(before), Some(after)) = (content(&change.before)?, content(&change.after)?)
        else {
            touching.extend(chain.steps[..=at].iter().rev());
            break;
        };
        let (Some(old), Some(new)) = (Lines::from_bytes(&before), Lines::from_bytes(&after)) else {
            touching.extend(chain.steps[..=at].iter().rev());
            break;
        };
        // Another program may have written between two operations.
        if let Some(later) = later.as_deref().filter(|later| *later != after)
            && let Some(later) = Lines::from_bytes(later)
        {
            lines = trace_to_old_lines(&new, &later, &lines).0;
        }
        let (earlier, touched) = trace_to_old_lines(&old, &new, &lines);
        if touched {
            touching.push(step);
        }
        lines = earlier;
        later = Some(before);
    }
    Ok(touching)
}
