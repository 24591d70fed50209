//! Files as resources: one template, `file:///{path}`, and no list, since a project has too many files for one. A
//! resource that a user picks in their agent is read whole. It does not count as seen by the model.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use lancet::Lancet;
use lancet::resource::{Resource, ResourceContent, ResourceError};
use rmcp::ErrorData;
use rmcp::model::{
    ArgumentInfo, CompleteResult, CompletionInfo, ListResourceTemplatesResult, ReadResourceResult,
    Reference, ResourceContents, ResourceTemplate,
};

use crate::roots::folder_of_uri;

/// The template of all resources.
const URI_TEMPLATE: &str = "file:///{path}";
/// The name of the template's argument.
const PATH_ARGUMENT: &str = "path";

/// Returns the one template.
pub(crate) fn list_templates() -> ListResourceTemplatesResult {
    let mut template = ResourceTemplate::new(URI_TEMPLATE, "file");
    template.title = Some("File".to_owned());
    template.description =
        Some("A file of the project, whole. Reading it does not count as Read.".to_owned());
    ListResourceTemplatesResult::with_all_items(vec![template])
}

/// Reads a resource.
pub(crate) fn read_resource(lancet: &Lancet, given: &str) -> Result<ReadResourceResult, ErrorData> {
    let path = folder_of_uri(given).ok_or_else(not_found_error)?;
    let resource = lancet.resource(&path).map_err(|why| match why {
        ResourceError::TooLong(most) => ErrorData::invalid_params(
            format!("the file is longer than {most} characters; the tool Read reads it in parts"),
            None,
        ),
        ResourceError::NotFound => not_found_error(),
        _ => ErrorData::internal_error("the file could not be read", None),
    })?;
    let contents = into_contents(given, resource)
        .ok_or_else(|| ErrorData::internal_error("the file has no form that can be sent", None))?;
    Ok(ReadResourceResult::new(vec![contents]))
}

fn into_contents(uri: &str, resource: Resource) -> Option<ResourceContents> {
    let (uri, meta) = (uri.to_owned(), None);
    Some(match resource.content {
        ResourceContent::Text(text) => ResourceContents::TextResourceContents {
            uri,
            mime_type: Some("text/plain".to_owned()),
            text,
            meta,
        },
        ResourceContent::Bytes(bytes) => ResourceContents::BlobResourceContents {
            uri,
            mime_type: Some(media_type(&bytes).to_owned()),
            blob: STANDARD.encode(bytes),
            meta,
        },
        _ => return None,
    })
}

/// Returns the media type of bytes that are not text, by how they begin.
fn media_type(bytes: &[u8]) -> &'static str {
    match bytes {
        [0x89, b'P', b'N', b'G', ..] => "image/png",
        [0xff, 0xd8, 0xff, ..] => "image/jpeg",
        [b'G', b'I', b'F', b'8', ..] => "image/gif",
        [
            b'R',
            b'I',
            b'F',
            b'F',
            _,
            _,
            _,
            _,
            b'W',
            b'E',
            b'B',
            b'P',
            ..,
        ] => "image/webp",
        [b'%', b'P', b'D', b'F', ..] => "application/pdf",
        _ => "application/octet-stream",
    }
}

/// Returns the error for a file. A missing file and an unreadable one get the same error, and neither is named.
pub(crate) fn not_found_error() -> ErrorData {
    ErrorData::resource_not_found("there is no such file here", None)
}

/// Completes the path of the template.
pub(crate) fn complete_path(
    lancet: &Lancet,
    reference: &Reference,
    argument: &ArgumentInfo,
) -> CompleteResult {
    let is_ours =
        matches!(reference, Reference::Resource(resource) if resource.uri == URI_TEMPLATE);
    if !is_ours || argument.name != PATH_ARGUMENT {
        return CompleteResult::default();
    }
    // The value follows `file:///`, so it has no slash at its beginning. One that is typed all the same is preserved.
    let typed = argument.value.as_str();
    let slash = if typed.starts_with('/') { "" } else { "/" };
    let found = lancet.complete_path(&format!("{slash}{typed}"));
    let values = found.into_iter();
    let values = values.map(|path| path.strip_prefix(slash).unwrap_or(&path).to_owned());
    let values: Vec<String> = values.take(CompletionInfo::MAX_VALUES).collect();
    CompletionInfo::new(values).map_or_else(|_| CompleteResult::default(), CompleteResult::new)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn detects_media_type_by_first_bytes() {
        assert_eq!(media_type(b"\x89PNG\r\n\x1a\n"), "image/png");
        assert_eq!(media_type(b"%PDF-1.7"), "application/pdf");
        assert_eq!(media_type(b"RIFF\0\0\0\0WEBPVP8 "), "image/webp");
        assert_eq!(media_type(b"RIFF\0\0\0\0WAVE"), "application/octet-stream");
        assert_eq!(media_type(b""), "application/octet-stream");
    }
}
