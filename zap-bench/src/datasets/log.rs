//! `log`: 10,000 lines of a web server's log, much short text.

use super::generate::{Generate, Random, list, one_of};
use super::{DataSet, ZapData, messages};
use rand::Rng;
use zap_core::DecodeError;

every_codec! {
    pub(crate) struct Logs {
        pub(crate) logs: Vec<Log>,
    }

    pub(crate) struct Log {
        pub(crate) address: Address,
        pub(crate) identity: String,
        pub(crate) userid: String,
        pub(crate) date: String,
        pub(crate) request: String,
        pub(crate) code: u16,
        pub(crate) size: u64,
    }

    pub(crate) struct Address {
        pub(crate) x0: u8,
        pub(crate) x1: u8,
        pub(crate) x2: u8,
        pub(crate) x3: u8,
    }
}

const USERS: [&str; 9] = ["-", "alice", "bob", "carmen", "david", "eric", "frank", "george", "harry"];
const MONTHS: [&str; 12] = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
const METHODS: [&str; 5] = ["GET", "POST", "PUT", "UPDATE", "DELETE"];
const ROUTES: [&str; 7] = [
    "/favicon.ico",
    "/css/index.css",
    "/css/font-awsome.min.css",
    "/img/logo-full.svg",
    "/img/splash.jpg",
    "/api/login",
    "/api/logout",
];
const PROTOCOLS: [&str; 4] = ["HTTP/1.0", "HTTP/1.1", "HTTP/2", "HTTP/3"];

/// The registered status codes, those reserved included.
const CODES: [u16; 63] = [
    100, 101, 102, 103, 200, 201, 202, 203, 204, 205, 206, 207, 208, 226, 300, 301, 302, 303, 304, 305, 306, 307, 308,
    400, 401, 402, 403, 404, 405, 406, 407, 408, 409, 410, 411, 412, 413, 414, 415, 416, 417, 418, 421, 422, 423, 424,
    425, 426, 428, 429, 431, 451, 500, 501, 502, 503, 504, 505, 506, 507, 508, 510, 511,
];

impl Generate for Address {
    fn generate(random: &mut Random) -> Self {
        let [x0, x1, x2, x3] = Generate::generate(random);
        Self { x0, x1, x2, x3 }
    }
}

/// Date and request are drawn before the fields in front of them.
impl Generate for Log {
    fn generate(random: &mut Random) -> Self {
        let date = format!(
            "{}/{}/{}:{}:{}:{} {}",
            random.gen_range(1..29),
            one_of(random, &MONTHS),
            random.gen_range(1970..2022),
            random.gen_range(0..24),
            random.gen_range(0..60),
            random.gen_range(0..60),
            zone(random.gen_range(0..25)),
        );
        let request =
            format!("{} {} {}", one_of(random, &METHODS), one_of(random, &ROUTES), one_of(random, &PROTOCOLS));
        Self {
            address: Address::generate(random),
            identity: "-".to_owned(),
            userid: one_of(random, &USERS).to_owned(),
            date,
            request,
            code: one_of(random, &CODES),
            size: random.gen_range(0..100_000_000),
        }
    }
}

/// The time zones of whole hours, from twelve to the west to twelve to the east.
fn zone(index: i32) -> String {
    let hours = index - 12;
    format!("{}{:02}00", if hours < 0 { '-' } else { '+' }, hours.abs())
}

impl Generate for Logs {
    fn generate(random: &mut Random) -> Self {
        Self { logs: list(random, 10_000..10_001) }
    }
}

impl super::Value for Logs {}

impl DataSet for Logs {
    const NAME: &'static str = "log";
    const ABOUT: &'static str = "10,000 lines of a web server's log; read: address, code and size of each";
    type Message = messages::log::Logs;

    fn read(&self, mut visit: impl FnMut(u64)) {
        for Log { address: Address { x0, x1, x2, x3 }, code, size, .. } in &self.logs {
            visit(u32::from_le_bytes([*x0, *x1, *x2, *x3]).into());
            visit((*code).into());
            visit(*size);
        }
    }

    #[inline(always)]
    fn read_archived(archived: &ArchivedLogs, mut visit: impl FnMut(u64)) {
        for ArchivedLog { address: ArchivedAddress { x0, x1, x2, x3 }, code, size, .. } in archived.logs.iter() {
            visit(u32::from_le_bytes([*x0, *x1, *x2, *x3]).into());
            visit(code.to_native().into());
            visit(size.to_native());
        }
    }
}

impl ZapData for Logs {
    #[inline(always)]
    fn read_view(view: LogsView<'_>, mut visit: impl FnMut(u64)) -> Result<(), DecodeError> {
        for log in view.logs()? {
            let address = log.address();
            visit(u32::from_le_bytes([address.x0(), address.x1(), address.x2(), address.x3()]).into());
            visit(log.code().into());
            visit(log.size());
        }
        Ok(())
    }
}
