//! Access control: a request must name a host of this server, must not come from a foreign page, and must carry a
//! token. Cookies give no access here.

use http::header::{AUTHORIZATION, HOST, ORIGIN};
use http::{HeaderMap, HeaderName, Uri};
use lancet_serving::tokens::{TokenKind, Tokens};

use crate::names::{
    HostRule, OriginRule, PublicUrl, is_host_allowed, is_origin_allowed, is_same_place,
};
use crate::reached::outward;

/// Decides whether requests are accepted.
pub struct Access {
    tokens: Tokens,
    hosts: Vec<HostRule>,
    origins: Vec<OriginRule>,
}

/// The reason why a request was rejected before its token was checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Foreign {
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
    pub fn reached_at(mut self, url: Option<&PublicUrl>) -> Self {
        self.hosts.extend(url.map(PublicUrl::host));
        self.origins.extend(url.map(PublicUrl::origin));
        self
    }

    /// Also accepts the address that is listened on. It is an IP address, so it cannot be resolved to another one
    /// like a name.
    pub(crate) fn listening_on(&mut self, address: std::net::IpAddr) {
        self.hosts.push(HostRule::of_address(outward(address)));
    }

    /// Checks host and origin; returns the origin of the page that sent the request, if there is one.
    pub(crate) fn place<'h>(
        &self,
        uri: &Uri,
        headers: &'h HeaderMap,
    ) -> Result<Option<&'h str>, Foreign> {
        let host = only(headers, HOST).map_err(|()| Foreign::Host)?;
        let named = uri.authority().map(|authority| authority.as_str());
        let is_named = host.is_some() || named.is_some();
        let all = host.into_iter().chain(named);
        let mut foreign = all.filter(|name| !is_host_allowed(name, &self.hosts));
        if !is_named || foreign.next().is_some() {
            return Err(Foreign::Host);
        }
        let origin = only(headers, ORIGIN).map_err(|()| Foreign::Origin)?;
        // The name or address by which a page of this server was opened has been allowed above.
        let is_own = |origin| host.is_some_and(|host| is_same_place(origin, host));
        match origin.is_none_or(|origin| is_origin_allowed(origin, &self.origins) || is_own(origin))
        {
            true => Ok(origin),
            false => Err(Foreign::Origin),
        }
    }

    /// Returns the kind of a request's token; none if it has no valid one.
    pub(crate) fn token(&self, headers: &HeaderMap) -> Option<TokenKind> {
        let given = only(headers, AUTHORIZATION).ok().flatten()?;
        let (scheme, token) = given.split_once(' ')?;
        if !scheme.eq_ignore_ascii_case("Bearer") {
            return None;
        }
        self.tokens.kind(token.trim())
    }
}

/// Returns the only value of a header; an error if there are several, or if it is not text.
fn only(headers: &HeaderMap, name: HeaderName) -> Result<Option<&str>, ()> {
    let mut all = headers.get_all(name).iter();
    let first = all.next();
    if all.next().is_some() {
        return Err(());
    }
    first.map(|value| value.to_str().map_err(drop)).transpose()
}
