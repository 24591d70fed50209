//! Groups the files of a review by the session and prompt that wrote to them last.

use lancet_history::PromptMark;

use super::file::{Contribution, ReviewedFile};

/// The files that one session wrote to last, after one prompt.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ReviewGroup<'f> {
    /// The session.
    pub session: &'f str,
    /// The client program of the session.
    pub client: Option<&'f str>,
    /// The prompt.
    pub prompt: Option<&'f PromptMark>,
    /// The files, newest first. Other sessions and prompts may have contributed to them, too.
    pub files: Vec<&'f ReviewedFile>,
}

/// Groups files by the session and prompt of their newest operation that is not the reviewing person's own.
pub fn group_files(files: &[ReviewedFile]) -> Vec<ReviewGroup<'_>> {
    let mut groups: Vec<ReviewGroup<'_>> = Vec::new();
    for file in files {
        let Some(by) = main_contribution(file) else {
            continue;
        };
        let session = by.operation.session.as_str();
        let prompt = by.prompt.as_ref();
        let number = |mark: Option<&PromptMark>| mark.map(|mark| mark.id);
        let known = groups
            .iter_mut()
            .find(|group| group.session == session && number(group.prompt) == number(prompt));
        match known {
            Some(group) => group.files.push(file),
            None => groups.push(ReviewGroup {
                session,
                client: by.operation.client.as_deref(),
                prompt,
                files: vec![file],
            }),
        }
    }
    groups
}

/// Returns the contribution that a file is listed under.
fn main_contribution(file: &ReviewedFile) -> Option<&Contribution> {
    let mut all = file.contributions.iter();
    all.find(|one| !one.is_a_persons)
        .or(file.contributions.first())
}
