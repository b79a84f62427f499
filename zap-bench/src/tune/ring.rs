//! Ring sizes of a network interface, which only `ethtool` knows how to set.

use std::fmt;
use std::process::Command;

/// Packets that wait in an interface, received and to be sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Sizes {
    pub(super) receive: u32,
    pub(super) transmit: u32,
}

impl fmt::Display for Sizes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.receive, self.transmit)
    }
}

/// The name under which the old sizes are kept.
pub(super) fn key(nic: &str) -> String {
    format!("ring:{nic}")
}

/// Kept sizes.
pub(super) fn parse<'k>(key: &'k str, value: &str) -> Option<(&'k str, Sizes)> {
    let (receive, transmit) = value.split_once(' ')?;
    let sizes = Sizes { receive: receive.parse().ok()?, transmit: transmit.parse().ok()? };
    Some((key.strip_prefix("ring:")?, sizes))
}

/// The sizes now and the largest, out of what `ethtool -g` prints.
pub(super) fn read(printed: &str) -> Option<(Sizes, Sizes)> {
    let (most, now) = printed.split_once("Current hardware settings:")?;
    let sizes = |text: &str| {
        let of = |name: &str| text.lines().find_map(|line| line.strip_prefix(name)?.trim().parse().ok());
        Some(Sizes { receive: of("RX:")?, transmit: of("TX:")? })
    };
    Some((sizes(now)?, sizes(most)?))
}

fn ethtool(arguments: &[&str]) -> Option<String> {
    let output = Command::new("ethtool").args(arguments).output().ok().filter(|output| output.status.success())?;
    Some(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// The sizes now and what they should be, if that differs.
pub(super) fn wanted(nic: &str) -> Option<(Sizes, Sizes)> {
    read(&ethtool(&["-g", nic])?).filter(|(now, most)| now != most)
}

pub(super) fn check(nic: &str) -> String {
    const WHY: &str = "A burst that does not fit into the ring is lost before any core sees it.";
    match ethtool(&["-g", nic]).and_then(|printed| read(&printed)) {
        None => format!(
            "ring sizes of {nic}\n    missing: no ethtool here, or no rings (virtual interfaces have none)\n    {WHY}\n"
        ),
        Some((now, most)) => {
            let verdict = if now == most { "as it should be" } else { "would be changed" };
            format!(
                "ring sizes of {nic}, received and to be sent\n    now {now}, wanted {most}: {verdict}\n    {WHY}\n"
            )
        }
    }
}

/// Sets them; says so.
pub(super) fn set(nic: &str, sizes: Sizes) -> String {
    let (receive, transmit) = (sizes.receive.to_string(), sizes.transmit.to_string());
    match ethtool(&["-G", nic, "rx", &receive, "tx", &transmit]) {
        Some(_) => format!("ring sizes of {nic} = {sizes}\n"),
        None => format!("!!! NOT SET: ring sizes of {nic}\n"),
    }
}
