//! A made-up machine in a folder; and a real network namespace where one can be had.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use super::{Root, State, apply, check, plan, ring, undo};

struct Machine(PathBuf);

impl Machine {
    fn new(name: &str) -> Self {
        let folder = std::env::temp_dir().join(format!("zap-bench-tune-{name}-{}", std::process::id()));
        let machine = Self(folder);
        for (path, value) in [
            ("proc/sys/net/core/somaxconn", "4096"),
            ("proc/sys/net/core/rmem_max", "33554432"),
            ("proc/sys/net/ipv4/tcp_rmem", "4096\t131072\t6291456"),
            ("proc/sys/net/ipv4/ip_local_port_range", "32768\t60999"),
            ("sys/class/net/test0/mtu", "1500"),
            ("sys/class/net/test0/queues/rx-0/rps_cpus", "00000000"),
            ("sys/class/net/test0/queues/rx-0/rps_flow_cnt", "0"),
            ("sys/class/net/test0/queues/tx-0/xps_cpus", "00000000"),
            ("sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "powersave"),
        ] {
            let path = machine.0.join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, format!("{value}\n")).unwrap();
        }
        machine
    }

    fn root(&self) -> Root {
        Root(self.0.clone())
    }

    fn state(&self) -> State {
        State::new(self.0.join("state.json"))
    }
}

impl Drop for Machine {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

#[test]
fn settings_are_checked_applied_once_and_undone() {
    let machine = Machine::new("cycle");
    let (root, state) = (machine.root(), machine.state());
    let before = check(&root, Some("test0"));
    assert!(before.contains("somaxconn\n    now 4096, wanted 65535: would be changed"), "{before}");
    assert!(before.contains("wmem_max\n    now missing"), "{before}");
    let said = apply(&root, "test0", &state).unwrap();
    assert!(said.contains("somaxconn = 65535") && said.contains("scaling_governor = performance"), "{said}");
    assert!(!said.contains("rmem_max"), "more than wanted is left alone");
    assert_eq!(root.read("/proc/sys/net/ipv4/ip_local_port_range").unwrap(), "1024 65535");
    assert_eq!(root.read("/sys/class/net/test0/queues/rx-0/rps_flow_cnt").unwrap(), "32768");
    assert!(!check(&root, Some("test0")).contains("would be changed"));
    assert_eq!(apply(&root, "test0", &state).unwrap(), "everything is as it should be\n");
    undo(&root, &state).unwrap();
    assert_eq!(check(&root, Some("test0")), before);
    assert_eq!(undo(&root, &state).unwrap(), "there is nothing to undo\n");
}

#[test]
fn the_oldest_value_is_the_one_to_go_back_to() {
    let machine = Machine::new("twice");
    let (root, state) = (machine.root(), machine.state());
    apply(&root, "test0", &state).unwrap();
    // Somebody else changes it in between.
    root.write("/proc/sys/net/core/somaxconn", "128").unwrap();
    apply(&root, "test0", &state).unwrap();
    undo(&root, &state).unwrap();
    assert_eq!(root.read("/proc/sys/net/core/somaxconn").unwrap(), "4096");
    assert!(apply(&root, "none0", &state).is_err());
}

#[test]
fn sets_of_cores() {
    assert_eq!(
        [1, 2, 31, 32, 33, 64].map(plan::mask),
        ["1", "3", "7fffffff", "ffffffff", "1,ffffffff", "ffffffff,ffffffff"]
    );
    assert!(plan::is_met("00000003", "3") && plan::is_met("0000,00000003", "3") && !plan::is_met("1", "3"));
    assert!(plan::is_met("performance", "performance") && !plan::is_met("powersave", "performance"));
    assert!(plan::is_met("4096 131072 33554432", "4096 131072 16777216"));
}

#[test]
fn ring_sizes_are_read() {
    let printed = "Ring parameters for eth0:\nPre-set maximums:\nRX:\t\t4096\nRX Mini:\tn/a\nTX:\t\t2048\nCurrent hardware settings:\nRX:\t\t256\nTX:\t\t512\n";
    let (now, most) = ring::read(printed).unwrap();
    assert_eq!((now.to_string(), most.to_string()), ("256 512".to_owned(), "4096 2048".to_owned()));
    assert_eq!(ring::parse("ring:eth0", "256 512"), Some(("eth0", now)));
    assert_eq!(ring::parse("/proc/sys/a", "1 2"), None);
}

/// The real thing, where a network namespace can be made: settings of the namespace change and come back.
#[test]
fn in_a_network_namespace() {
    if std::env::var_os("ZAP_BENCH_TUNE_NAMESPACE").is_none() {
        // This test again, in a namespace, which has a loopback interface of its own.
        let program = std::env::current_exe().unwrap();
        let script = "mount -t sysfs sysfs /sys && exec \"$0\" --exact tune::tests::in_a_network_namespace --nocapture";
        let mut command = Command::new("unshare");
        command.args(["--net", "--mount", "sh", "-c", script]).arg(program).env("ZAP_BENCH_TUNE_NAMESPACE", "1");
        let output = match command.output() {
            Ok(output) => output,
            Err(error) => return println!("!!! SKIPPED: no network namespace here: {error}"),
        };
        let said = format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        if said.contains("Operation not permitted") || said.contains("not supported") {
            return println!("!!! SKIPPED: no network namespace here: {said}");
        }
        assert!(output.status.success() && said.contains("in the namespace"), "{said}");
        return;
    }
    println!("in the namespace");
    let root = Root("/".into());
    let state = State::new(std::env::temp_dir().join(format!("zap-bench-tune-ns-{}.json", std::process::id())));
    let (somaxconn, ports) = ("/proc/sys/net/core/somaxconn", "/proc/sys/net/ipv4/ip_local_port_range");
    let old = [somaxconn, ports].map(|path| root.read(path).unwrap());
    // Only what belongs to the namespace: the rest of the system is not ours to change.
    for setting in plan::settings(&root, Some("lo")) {
        let is_of_the_namespace =
            [somaxconn, ports].contains(&setting.path.as_str()) || setting.path.contains("/net/lo/");
        if is_of_the_namespace && root.read(&setting.path).is_some_and(|now| !plan::is_met(&now, &setting.wanted)) {
            let mut kept = state.read().unwrap();
            kept.insert(setting.path.clone(), root.read(&setting.path).unwrap());
            state.write(&kept).unwrap();
            root.write(&setting.path, &setting.wanted).unwrap();
            assert!(plan::is_met(&root.read(&setting.path).unwrap(), &setting.wanted), "{}", setting.path);
        }
    }
    assert_ne!([somaxconn, ports].map(|path| root.read(path).unwrap()), old);
    undo(&root, &state).unwrap();
    assert_eq!([somaxconn, ports].map(|path| root.read(path).unwrap()), old);
}
