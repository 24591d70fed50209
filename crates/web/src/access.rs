//! Who may come in: a request must name a host of this server, come from no foreign page, and carry a token. Cookies open
//! nothing here.

use http::header::{AUTHORIZATION, HOST, ORIGIN};
use http::{HeaderMap, HeaderName, Uri};
use lancet_serving::tokens::{TokenKind, Tokens};

use crate::names::{
    HostRule, OriginRule, PublicUrl, is_host_allowed, is_origin_allowed, is_same_place,
};
use crate::reached::outward;

/// What decides about requests.
pub struct Access {
    tokens: Tokens,
    hosts: Vec<HostRule>,
    origins: Vec<OriginRule>,
}

/// Why a request was turned away before its token was looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Foreign {
    Host,
    Origin,
}

impl Access {
    /// Lets in who has one of these tokens, under these hosts and from these origins besides those of this machine.
    pub fn new(tokens: Tokens, hosts: Vec<HostRule>, origins: Vec<OriginRule>) -> Self {
        Self {
            tokens,
            hosts,
            origins,
        }
    }

    /// Also takes the address under which others reach the server.
    #[must_use]
    pub fn reached_at(mut self, url: Option<&PublicUrl>) -> Self {
        self.hosts.extend(url.map(PublicUrl::host));
        self.origins.extend(url.map(PublicUrl::origin));
        self
    }

    /// Also takes the address that is listened on, which is no name that could be given another address.
    pub(crate) fn listening_on(&mut self, address: std::net::IpAddr) {
        self.hosts.push(HostRule::of_address(outward(address)));
    }

    /// Checks host and origin; gives the origin of the page that sent the request, if one did.
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
        // Whatever name or address of the server a page of its own was opened by, it was allowed above.
        let is_own = |origin| host.is_some_and(|host| is_same_place(origin, host));
        match origin.is_none_or(|origin| is_origin_allowed(origin, &self.origins) || is_own(origin))
        {
            true => Ok(origin),
            false => Err(Foreign::Origin),
        }
    }

    /// Returns the token of a request; none where it has none that is good.
    pub(crate) fn token(&self, headers: &HeaderMap) -> Option<TokenKind> {
        let given = only(headers, AUTHORIZATION).ok().flatten()?;
        let (scheme, token) = given.split_once(' ')?;
        if !scheme.eq_ignore_ascii_case("Bearer") {
            return None;
        }
        self.tokens.kind(token.trim())
    }
}

/// Returns the one value of a header; an error where there are several, or it is no text.
fn only(headers: &HeaderMap, name: HeaderName) -> Result<Option<&str>, ()> {
    let mut all = headers.get_all(name).iter();
    let first = all.next();
    if all.next().is_some() {
        return Err(());
    }
    first.map(|value| value.to_str().map_err(drop)).transpose()
}
