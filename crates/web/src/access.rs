//! Access control: a request must name a host of this server, must not come from a foreign page, and must carry a
//! token. Cookies give no access here.

use http::header::{AUTHORIZATION, HOST, ORIGIN};
use http::{HeaderMap, HeaderName, Uri};
use lancet_serving::tokens::{TokenKind, Tokens};

use crate::names::{
    HostRule, OriginRule, PublicUrl, is_host_allowed, is_origin_allowed, is_origin_of_host,
};
use crate::reached::reachable_address;

/// Decides whether requests are accepted.
pub struct Access {
    tokens: Tokens,
    hosts: Vec<HostRule>,
    origins: Vec<OriginRule>,
}

/// The reason why a request was rejected before its token was checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ForeignRequest {
    Host,
    Origin,
}

impl Access {
    /// Accepts requests with one of these tokens, to these hosts and from these origins, in addition to those of this
    /// machine.
    pub fn new(tokens: Tokens, hosts: Vec<HostRule>, origins: Vec<OriginRule>) -> Self {
        Self {
            tokens,
            hosts,
            origins,
        }
    }

    /// Also accepts the address under which others reach the server.
    #[must_use]
    pub fn allow_public_url(mut self, url: Option<&PublicUrl>) -> Self {
        self.hosts.extend(url.map(PublicUrl::host));
        self.origins.extend(url.map(PublicUrl::origin));
        self
    }

    /// Also accepts the address that is listened on. It is an IP address, so it cannot be resolved to another one
    /// like a name.
    pub(crate) fn allow_address(&mut self, address: std::net::IpAddr) {
        self.hosts
            .push(HostRule::from_address(reachable_address(address)));
    }

    /// Checks host and origin; returns the origin of the page that sent the request, if there is one.
    pub(crate) fn check_host_and_origin<'h>(
        &self,
        uri: &Uri,
        headers: &'h HeaderMap,
    ) -> Result<Option<&'h str>, ForeignRequest> {
        let host = single_header(headers, HOST).map_err(|()| ForeignRequest::Host)?;
        let named = uri.authority().map(|authority| authority.as_str());
        let is_named = host.is_some() || named.is_some();
        let all = host.into_iter().chain(named);
        let mut foreign = all.filter(|name| !is_host_allowed(name, &self.hosts));
        if !is_named || foreign.next().is_some() {
            return Err(ForeignRequest::Host);
        }
        let origin = single_header(headers, ORIGIN).map_err(|()| ForeignRequest::Origin)?;
        // The name or address by which a page of this server was opened has been allowed above.
        let is_own = |origin| host.is_some_and(|host| is_origin_of_host(origin, host));
        match origin.is_none_or(|origin| is_origin_allowed(origin, &self.origins) || is_own(origin))
        {
            true => Ok(origin),
            false => Err(ForeignRequest::Origin),
        }
    }

    /// Returns the kind of a request's token; none if it has no valid one.
    pub(crate) fn token_kind(&self, headers: &HeaderMap) -> Option<TokenKind> {
        let given = single_header(headers, AUTHORIZATION).ok().flatten()?;
        let (scheme, token) = given.split_once(' ')?;
        if !scheme.eq_ignore_ascii_case("Bearer") {
            return None;
        }
        self.tokens.token_kind(token.trim())
    }
}

/// Returns the only value of a header; an error if there are several, or if it is not text.
fn single_header(headers: &HeaderMap, name: HeaderName) -> Result<Option<&str>, ()> {
    let mut all = headers.get_all(name).iter();
    let first = all.next();
    if all.next().is_some() {
        return Err(());
    }
    first.map(|value| value.to_str().map_err(drop)).transpose()
}
