//! Converts the parts of a model's response to one request.

use std::mem::take;

use lancet_dialects::{PartAction, ResponsePart};

use crate::message::message;
use crate::refusal::{Refusal, RefusalKind};
use crate::request::{
    DeleteRequest, EditRequest, ExecutableChange, FileRequest, MoveRequest, Request, WriteMode,
    WriteRequest, WrittenNewline,
};

/// A request, and for each of its changes the part, from 0, that it comes from.
pub(super) struct ComposedRequest {
    pub(super) request: Request,
    pub(super) part_of: Vec<usize>,
}

/// Makes one request of the parts, in their order. Every change gets one number in the request. Texts are moved out of
/// the parts: a copy of a whole file may have the size of the response.
pub(super) fn compose_request(parts: &mut [ResponsePart]) -> Result<ComposedRequest, Refusal> {
    let mut files = Vec::new();
    let mut part_of = Vec::new();
    for (number, part) in parts.iter_mut().enumerate() {
        let path = part.path.as_str();
        let file = match &mut part.action {
            PartAction::Edit(hunk) => {
                let hunk = take(hunk);
                FileRequest::edit(path, vec![EditRequest::hunk(&hunk)])
            }
            PartAction::Fill(text) => {
                FileRequest::edit(path, vec![EditRequest::new("", take(text))])
            }
            PartAction::Create { text, .. } => FileRequest::write(
                path,
                WriteRequest {
                    mode: WriteMode::Create,
                    ..WriteRequest::new(take(text))
                },
            ),
            PartAction::Replace(text) => FileRequest::write(
                path,
                WriteRequest {
                    final_newline: WrittenNewline::AsFile,
                    ..WriteRequest::new(take(text))
                },
            ),
            PartAction::Delete { lines } => FileRequest::delete(
                path,
                DeleteRequest {
                    lines: take(lines),
                    ..DeleteRequest::new()
                },
            ),
            PartAction::Move { to } => FileRequest::rename(path, MoveRequest::new(to.as_str())),
            PartAction::SetExecutable(executable) => {
                FileRequest::set_executable(path, executable_permission(*executable))
            }
            _ => return Err(unsupported_refusal(part)),
        };
        files.push(file);
        part_of.push(number);
        if let PartAction::Create {
            executable: true, ..
        } = &part.action
        {
            files.push(FileRequest::set_executable(path, ExecutableChange::Yes));
            part_of.push(number);
        }
    }
    Ok(ComposedRequest {
        request: Request::new(files),
        part_of,
    })
}

fn executable_permission(executable: bool) -> ExecutableChange {
    match executable {
        true => ExecutableChange::Yes,
        false => ExecutableChange::No,
    }
}

/// Returns the refusal for a part whose kind is not supported.
fn unsupported_refusal(part: &ResponsePart) -> Refusal {
    let text = message!(
        "The part at line {} of the reply is of a kind that is not applied. Leave it out and ask the user to do it.",
        part.line
    );
    Refusal::from_message(RefusalKind::Invalid, text)
        .with_field("line", part.line)
        .with_field("column", 1)
}
