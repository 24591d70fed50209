//! The address under which browsers reach a server that listens.

use std::net::{IpAddr, Ipv4Addr, SocketAddr, UdpSocket};

use crate::names::{HostRule, OWN_NAME};

/// Addresses reserved for documentation, which no machine has.
const UNUSED_ADDRESSES: [(&str, &str); 2] =
    [("0.0.0.0:0", "192.0.2.1:9"), ("[::]:0", "[2001:db8::1]:9")];

/// Returns the address by which others reach one that is listened on: the same address or, if all addresses of the
/// machine are listened on, the one that it would send from.
pub(crate) fn reachable_address(address: IpAddr) -> IpAddr {
    if !address.is_unspecified() {
        return address;
    }
    let from = |(own, far): (&str, &str)| {
        // This sends nothing.
        let socket = UdpSocket::bind(own).ok()?;
        socket.connect(far).ok()?;
        Some(socket.local_addr().ok()?.ip())
    };
    let found = UNUSED_ADDRESSES.into_iter().find_map(from);
    found.unwrap_or(IpAddr::V4(Ipv4Addr::LOCALHOST))
}

/// Returns the address of the page on a server without a proxy. On this machine it has a dedicated name, under which
/// a browser keeps its cookie separate from those of other local servers; elsewhere it is reached by an allowed name,
/// if there is one.
pub(crate) fn page_url(address: SocketAddr, is_encrypted: bool, names: &[HostRule]) -> String {
    let (ip, port) = (address.ip(), address.port());
    let is_usual = [IpAddr::V4(Ipv4Addr::LOCALHOST), "::1".parse().unwrap_or(ip)].contains(&ip);
    let host = match (is_usual && !is_encrypted, names.first()) {
        (true, _) => format!("{OWN_NAME}:{port}"),
        (false, Some(name)) => name.with_port(port),
        (false, None) => HostRule::from_address(reachable_address(ip)).with_port(port),
    };
    match is_encrypted {
        true => format!("https://{host}"),
        false => format!("http://{host}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn page_url_is_local_name_or_server_name() {
        let names = ["files.example.org".parse().expect("a name")];
        let at = |address: &str, is_encrypted, names: &[HostRule]| {
            page_url(address.parse().expect("an address"), is_encrypted, names)
        };
        assert_eq!(
            at("127.0.0.1:4747", false, &names),
            "http://lancet.localhost:4747"
        );
        assert_eq!(at("[::1]:80", false, &[]), "http://lancet.localhost:80");
        assert_eq!(at("127.0.0.9:4747", false, &[]), "http://127.0.0.9:4747");
        assert_eq!(at("127.0.0.1:4747", true, &[]), "https://127.0.0.1:4747");
        assert_eq!(at("192.168.0.7:1", true, &[]), "https://192.168.0.7:1");
        assert_eq!(at("[fe80::1]:1", false, &[]), "http://[fe80::1]:1");
        assert_eq!(
            at("192.168.0.7:1", true, &names),
            "https://files.example.org:1"
        );
        assert!(!at("0.0.0.0:1", false, &[]).contains("0.0.0.0"));
    }
}
