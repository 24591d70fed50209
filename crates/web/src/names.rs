//! The names that requests may use for a server, and the origins whose pages may call it. A page in a browser can
//! send requests to a server on the same machine. It is recognised by its Origin. A Host that is not a name of this
//! server reveals a name whose address was changed for that purpose (DNS rebinding).

use std::net::IpAddr;
use std::str::FromStr;

use http::Uri;
use http::uri::Authority;

/// The name of this machine under which a browser keeps a page's cookies separate from those of other local servers.
pub(crate) const OWN_NAME: &str = "lancet.localhost";

/// A name that was not understood, with the expected form.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct NameError(String);

/// A host that requests may name, with or without its port.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostRule {
    name: String,
    port: Option<u16>,
}

/// An origin whose pages may send requests.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OriginRule {
    scheme: String,
    name: String,
    port: u16,
}

/// The address under which others reach the server, for instance through a proxy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PublicUrl {
    origin: OriginRule,
    text: String,
}

/// Returns the name and port of an authority; none if it is not one, or contains a user's name.
fn host(text: &str) -> Option<(String, Option<u16>)> {
    let authority = Authority::try_from(text).ok()?;
    if authority.as_str().contains('@') {
        return None;
    }
    let name = authority.host().to_ascii_lowercase();
    // The library treats a number that is not a port as no port.
    let port = match &authority.as_str()[authority.host().len()..] {
        "" => None,
        rest => Some(rest.strip_prefix(':')?.parse().ok()?),
    };
    // A name may end in a dot, which does not change its meaning.
    let name = name.strip_suffix('.').unwrap_or(&name).to_owned();
    (!name.is_empty()).then_some((name, port))
}

/// Returns whether a name always means this machine.
fn is_loopback(name: &str) -> bool {
    let bare = name
        .strip_prefix('[')
        .and_then(|name| name.strip_suffix(']'));
    let address: Option<IpAddr> = bare.unwrap_or(name).parse().ok();
    name == "localhost" || name == OWN_NAME || address.is_some_and(|ip| ip.is_loopback())
}

impl HostRule {
    /// Returns the rule for an address that is listened on.
    pub(crate) fn from_address(address: IpAddr) -> Self {
        let name = match address {
            IpAddr::V4(address) => address.to_string(),
            IpAddr::V6(address) => format!("[{address}]"),
        };
        Self { name, port: None }
    }

    /// Returns the host with its own port, or otherwise this one.
    pub(crate) fn with_port(&self, port: u16) -> String {
        format!("{}:{}", self.name, self.port.unwrap_or(port))
    }
}

impl FromStr for HostRule {
    type Err = NameError;

    fn from_str(text: &str) -> Result<Self, NameError> {
        let (name, port) = host(text)
            .filter(|(name, _)| !name.contains('*'))
            .ok_or_else(|| NameError(format!("{text:?} is no host: give a name such as files.example.org, with or without a port")))?;
        Ok(Self { name, port })
    }
}

/// Returns whether a request may name this host.
pub(crate) fn is_host_allowed(given: &str, allowed: &[HostRule]) -> bool {
    host(given).is_some_and(|(name, port)| {
        let matches =
            |rule: &HostRule| rule.name == name && rule.port.is_none_or(|only| Some(only) == port);
        is_loopback(&name) || allowed.iter().any(matches)
    })
}

impl FromStr for OriginRule {
    type Err = NameError;

    fn from_str(text: &str) -> Result<Self, NameError> {
        origin(text).ok_or_else(|| {
            NameError(format!(
                "{text:?} is no origin: give scheme, name and port, such as https://app.example.org"
            ))
        })
    }
}

fn origin(text: &str) -> Option<OriginRule> {
    let (scheme, rest) = text.split_once("://")?;
    let scheme = scheme.to_ascii_lowercase();
    let usual = match scheme.as_str() {
        "http" => 80,
        "https" => 443,
        _ => return None,
    };
    let (name, port) = host(rest).filter(|_| !rest.contains(['/', '*']))?;
    let port = port.unwrap_or(usual);
    Some(OriginRule { scheme, name, port })
}

/// Returns whether pages of this origin may send requests. `null`, which a page without an origin sends, is none.
pub(crate) fn is_origin_allowed(given: &str, allowed: &[OriginRule]) -> bool {
    origin(given).is_some_and(|given| is_loopback(&given.name) || allowed.contains(&given))
}

/// Returns whether pages of an origin come from this host, including the port.
pub(crate) fn is_origin_of_host(given: &str, named: &str) -> bool {
    let given = origin(given);
    given.is_some_and(|given| {
        let usual = match given.scheme.as_str() {
            "http" => 80,
            _ => 443,
        };
        let named = host(named).map(|(name, port)| (name, port.unwrap_or(usual)));
        named == Some((given.name, given.port))
    })
}

impl PublicUrl {
    /// Returns whether connections to it are encrypted.
    pub fn is_encrypted(&self) -> bool {
        self.origin.scheme == "https"
    }

    /// Returns the rule for its host.
    pub(crate) fn host(&self) -> HostRule {
        let name = self.origin.name.clone();
        HostRule { name, port: None }
    }

    /// Returns whether an origin is that of its pages.
    pub(crate) fn is_origin(&self, given: &str) -> bool {
        origin(given).is_some_and(|given| given == self.origin)
    }

    /// Returns the rule for its own pages.
    pub(crate) fn origin(&self) -> OriginRule {
        self.origin.clone()
    }

    /// Returns the address, without a slash at its end.
    pub fn text(&self) -> &str {
        &self.text
    }
}

impl FromStr for PublicUrl {
    type Err = NameError;

    fn from_str(text: &str) -> Result<Self, NameError> {
        let wrong = || {
            NameError(format!(
                "{text:?} is no address: give it as https://files.example.org"
            ))
        };
        let url: Uri = text.parse().map_err(|_| wrong())?;
        let (Some(scheme), Some(authority)) = (url.scheme_str(), url.authority()) else {
            return Err(wrong());
        };
        if url.query().is_some() {
            return Err(wrong());
        }
        let origin = origin(&format!("{scheme}://{authority}")).ok_or_else(wrong)?;
        let text = text.trim_end_matches('/').to_owned();
        Ok(Self { origin, text })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn allows_loopback_hosts_on_any_port_and_others_by_rule() {
        let rules: Vec<HostRule> = ["files.example.org", "other.example.org:8443"]
            .map(|rule| rule.parse().expect("a rule"))
            .to_vec();
        for given in [
            "localhost",
            "localhost:1",
            "LOCALHOST:4747",
            "localhost.:4747",
            "127.0.0.1:4747",
            "127.1.2.3",
            "[::1]:4747",
            "[::1]",
            "lancet.localhost:4747",
            "files.example.org",
            "Files.Example.Org:99",
            "other.example.org:8443",
        ] {
            assert!(is_host_allowed(given, &rules), "{given}");
        }
        for given in [
            "",
            "evil.example",
            "localhost.evil.example",
            "127.0.0.1.evil.example:4747",
            "evil.localhost",
            "other.example.org",
            "other.example.org:80",
            "user@localhost",
            "localhost:99999",
            "localhost/x",
            "10.0.0.1",
            "0.0.0.0:4747",
            "[::]:4747",
            "2130706433",
            "files.example.org.evil.example",
            "localhost, evil.example",
        ] {
            assert!(!is_host_allowed(given, &rules), "{given}");
        }
        assert!("*.example.org".parse::<HostRule>().is_err());
        assert!("https://a".parse::<HostRule>().is_err());
    }

    #[test]
    fn compares_origins_by_scheme_name_and_port() {
        let rules: Vec<OriginRule> = ["https://app.example.org", "http://app.example.org:8080"]
            .map(|rule| rule.parse().expect("a rule"))
            .to_vec();
        for given in [
            "http://localhost:3000",
            "https://127.0.0.1",
            "http://[::1]:9",
            "http://lancet.localhost:4747",
            "https://app.example.org",
            "https://app.example.org:443",
            "HTTPS://APP.example.org",
            "http://app.example.org:8080",
        ] {
            assert!(is_origin_allowed(given, &rules), "{given}");
        }
        for given in [
            "null",
            "",
            "https://evil.example",
            "http://app.example.org",
            "https://app.example.org:8443",
            "https://app.example.org.evil.example",
            "https://localhost.evil.example",
            "file://localhost",
            "chrome-extension://localhost",
            "https://app.example.org/x",
            "localhost",
        ] {
            assert!(!is_origin_allowed(given, &rules), "{given}");
        }
        for wrong in [
            "app.example.org",
            "https://app.example.org/x",
            "ftp://a",
            "https://*.example.org",
            "*",
        ] {
            assert!(wrong.parse::<OriginRule>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn public_url_needs_scheme_and_host() {
        let url: PublicUrl = "https://files.example.org/lancet/"
            .parse()
            .expect("an address");
        assert!(url.is_encrypted());
        assert_eq!(url.text(), "https://files.example.org/lancet");
        assert!(is_host_allowed("files.example.org", &[url.host()]));
        assert!(
            !"http://a"
                .parse::<PublicUrl>()
                .expect("an address")
                .is_encrypted()
        );
        for wrong in ["files.example.org", "https://", "/x", "https://a?b"] {
            assert!(wrong.parse::<PublicUrl>().is_err(), "{wrong}");
        }
    }
}
