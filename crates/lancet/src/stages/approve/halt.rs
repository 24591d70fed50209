//! The reasons why a plan is not carried out as it was examined.

use crate::refusal::Refusal;
use crate::reply::Reply;

/// The reason why a plan is not carried out as it is.
pub(crate) enum Halt {
    /// The plan is refused.
    Refused(Box<Refusal>),
    /// A person has to be asked, but the plan relies on a cached copy: the question must show bytes that were read now.
    NeedsFreshRead,
    /// A file changed while the question was open: the call examines it again, and asks again if the change still fits.
    Changed,
    /// Another call that waited on the same question has carried the decision out; this is its answer.
    Repeated(Box<Reply>),
    /// A file, or a folder on the way to it, was moved or replaced while a question was open: the call locates it
    /// again.
    Moved,
}

impl From<Refusal> for Halt {
    fn from(refusal: Refusal) -> Self {
        Halt::Refused(Box::new(refusal))
    }
}
