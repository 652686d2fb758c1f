//! Where and when something was measured.

use std::time::{SystemTime, UNIX_EPOCH};

/// The name of the CPU, without commas.
pub fn cpu() -> String {
    let info = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let name = info.lines().find(|l| l.starts_with("model name")).and_then(|l| l.split(": ").nth(1));
    name.unwrap_or(std::env::consts::ARCH).replace(',', "")
}

/// The day, as `2026-11-22`, in UTC.
pub fn today() -> String {
    let seconds = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |t| t.as_secs());
    date(seconds / 86_400)
}

/// The date so many days after 1970-01-01: years begin in March, so that a leap day ends one.
fn date(days: u64) -> String {
    let days = days + 719_468;
    let (era, day) = (days / 146_097, days % 146_097);
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let (day, month) = (day - (153 * month + 2) / 5 + 1, if month < 10 { month + 3 } else { month - 9 });
    format!("{:04}-{month:02}-{day:02}", era * 400 + year + u64::from(month <= 2))
}

#[test]
fn dates() {
    for (days, want) in
        [(0, "1970-01-01"), (59, "1970-03-01"), (11_016, "2000-02-29"), (20_779, "2026-11-22")]
    {
        assert_eq!(date(days), want);
    }
}
