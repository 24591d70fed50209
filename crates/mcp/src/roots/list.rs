//! The request `roots/list` to a client, and the URIs in its answer.

use rmcp::RoleServer;
use rmcp::model::{
    ClientResult, GetExtensions as _, ListRootsRequest, ListRootsResult, RequestId, ServerRequest,
};
use rmcp::service::{OriginatingRequestId, Peer, PeerRequestOptions};

/// Requests the roots of a client. The error says why there is no answer. The request is sent in the same stream as the
/// answer to `call`, if there is one.
pub(super) async fn request_roots(
    peer: &Peer<RoleServer>,
    call: Option<RequestId>,
) -> Result<Vec<String>, String> {
    let mut request = ServerRequest::ListRootsRequest(ListRootsRequest::default());
    if let Some(call) = call {
        request.extensions_mut().insert(OriginatingRequestId(call));
    }
    let options = PeerRequestOptions::no_options();
    let asked = peer.send_cancellable_request(request, options).await;
    let handle = asked.map_err(|error| error.to_string())?;
    match handle.rx.await {
        Ok(Ok(ClientResult::ListRootsResult(result))) => Ok(root_uris(result)),
        Ok(Ok(_)) => Err("its answer is no list of roots".to_owned()),
        Ok(Err(error)) => Err(error.to_string()),
        Err(_) => Err("it left".to_owned()),
    }
}

pub(super) fn root_uris(result: ListRootsResult) -> Vec<String> {
    result.roots.into_iter().map(|root| root.uri).collect()
}
