//! The request `roots/list` to a client, and the URIs in its answer.

use rmcp::RoleServer;
use rmcp::model::{ClientResult, ListRootsRequest, ListRootsResult, ServerRequest};
use rmcp::service::{Peer, PeerRequestOptions};

/// Asks a client for its roots; the error says why there is no answer.
pub(super) async fn answer_of(peer: &Peer<RoleServer>) -> Result<Vec<String>, String> {
    let request = ServerRequest::ListRootsRequest(ListRootsRequest::default());
    let options = PeerRequestOptions::no_options();
    let asked = peer.send_cancellable_request(request, options).await;
    let handle = asked.map_err(|error| error.to_string())?;
    match handle.rx.await {
        Ok(Ok(ClientResult::ListRootsResult(result))) => Ok(uris(result)),
        Ok(Ok(_)) => Err("its answer is no list of roots".to_owned()),
        Ok(Err(error)) => Err(error.to_string()),
        Err(_) => Err("it left".to_owned()),
    }
}

pub(super) fn uris(result: ListRootsResult) -> Vec<String> {
    result.roots.into_iter().map(|root| root.uri).collect()
}
