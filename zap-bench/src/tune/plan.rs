//! The settings, and why.

use std::fs;

use super::Root;

/// One file, and what should be in it.
pub(super) struct Setting {
    pub(super) path: String,
    pub(super) wanted: String,
    pub(super) why: &'static str,
}

/// Settings of the system: path below `/proc/sys`, value, reason. Numbers are lower bounds.
const SYSTEM: [(&str, &str, &str); 9] = [
    ("net/core/somaxconn", "65535", "Connections that wait to be accepted; beyond it a burst of new ones is refused."),
    ("net/ipv4/tcp_max_syn_backlog", "65535", "Connections that are being made; beyond it handshakes are dropped."),
    (
        "net/core/netdev_max_backlog",
        "16384",
        "Packets that wait for a core; beyond it they are dropped, which steering makes likelier.",
    ),
    (
        "net/core/rps_sock_flow_entries",
        "32768",
        "Flow steering: connections whose core is remembered, so that packets are handled where they are read.",
    ),
    ("net/core/rmem_max", "16777216", "The largest receive buffer that a program may ask for."),
    ("net/core/wmem_max", "16777216", "The largest send buffer that a program may ask for."),
    (
        "net/ipv4/tcp_rmem",
        "4096 131072 16777216",
        "Receive buffers of TCP: least, first, most. A fast link with latency needs more than the default's most.",
    ),
    ("net/ipv4/tcp_wmem", "4096 65536 16777216", "Send buffers of TCP, likewise."),
    (
        "net/ipv4/ip_local_port_range",
        "1024 65535",
        "Ports of connections that are made from here: each one to the same server needs its own.",
    ),
];

/// Flows that each receive queue remembers.
const FLOWS: u32 = 32_768;

/// All settings; those of queues only of a named interface.
pub(super) fn settings(root: &Root, nic: Option<&str>) -> Vec<Setting> {
    let mut settings: Vec<Setting> = SYSTEM
        .iter()
        .map(|&(path, wanted, why)| Setting { path: format!("/proc/sys/{path}"), wanted: wanted.to_owned(), why })
        .collect();
    settings.extend(governors(root));
    if let Some(nic) = nic {
        settings.extend(queues(root, nic));
    }
    settings
}

fn governors(root: &Root) -> Vec<Setting> {
    let cores = names(root, "/sys/devices/system/cpu", "cpu");
    let path = |core: &String| format!("/sys/devices/system/cpu/{core}/cpufreq/scaling_governor");
    let setting = |path| Setting {
        path,
        wanted: "performance".to_owned(),
        why: "The core's clock: one that is raised only under load makes the first requests slow, and figures vary.",
    };
    cores.iter().map(path).filter(|path| root.read(path).is_some()).map(setting).collect()
}

fn queues(root: &Root, nic: &str) -> Vec<Setting> {
    let folder = format!("/sys/class/net/{nic}/queues");
    let mask = mask(std::thread::available_parallelism().map_or(1, usize::from));
    let receive = names(root, &folder, "rx-");
    let flows = FLOWS / (receive.len().max(1) as u32);
    let mut settings = Vec::new();
    for queue in receive {
        settings.push(Setting {
            path: format!("{folder}/{queue}/rps_cpus"),
            wanted: mask.clone(),
            why: "Receive packet steering: with fewer queues than cores, the others would never handle a packet.",
        });
        settings.push(Setting {
            path: format!("{folder}/{queue}/rps_flow_cnt"),
            wanted: flows.to_string(),
            why: "Flow steering of this queue: its part of the connections that are remembered.",
        });
    }
    for queue in names(root, &folder, "tx-") {
        settings.push(Setting {
            path: format!("{folder}/{queue}/xps_cpus"),
            wanted: mask.clone(),
            why: "Transmit steering: every core may use this queue, so that a sender need not wait for another's.",
        });
    }
    settings
}

/// Entries of a folder that begin so and end with a number, in order.
fn names(root: &Root, folder: &str, prefix: &str) -> Vec<String> {
    let entries = fs::read_dir(root.path(folder)).into_iter().flatten().flatten();
    let mut names: Vec<(u32, String)> = entries
        .filter_map(|entry| entry.file_name().into_string().ok())
        .filter_map(|name| Some((name.strip_prefix(prefix)?.parse().ok()?, name)))
        .collect();
    names.sort_unstable();
    names.into_iter().map(|(_, name)| name).collect()
}

/// So many cores as the kernel writes sets: hexadecimal, a comma after every eight digits from the right.
pub(super) fn mask(cores: usize) -> String {
    let word = |bits: usize| if bits == 32 { u32::MAX } else { (1 << bits) - 1 };
    let (whole, rest) = (cores / 32, cores % 32);
    let first = (rest > 0 || whole == 0).then(|| format!("{:x}", word(rest.max(1))));
    let words = first.into_iter().chain((0..whole).map(|_| format!("{:08x}", word(32))));
    words.collect::<Vec<_>>().join(",")
}

/// Whether a value will do: numbers are lower bounds, except the first port; sets and names must be equal.
pub(super) fn is_met(now: &str, wanted: &str) -> bool {
    let numbers = |text: &str| text.split(' ').map(|part| part.parse().ok()).collect::<Option<Vec<u64>>>();
    if wanted.starts_with("1024 ") {
        return now == wanted;
    }
    match (numbers(now), numbers(wanted)) {
        // A set of cores may look like a number; those are compared below.
        (Some(now), Some(wanted)) if wanted.iter().any(|value| *value > 4000) => {
            now.len() == wanted.len() && now.iter().zip(&wanted).all(|(now, wanted)| now >= wanted)
        }
        _ => now.trim_start_matches(['0', ',']) == wanted.trim_start_matches(['0', ',']),
    }
}
