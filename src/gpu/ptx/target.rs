//! Compute capabilities (`sm_75`), and the versions of the PTX language.

use core::fmt;

/// A GPU that PTX is made for: `sm_90`, or `sm_90a` with what only that architecture has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Target {
    /// The compute capability, `major · 10 + minor`.
    pub sm: u16,
    /// Whether this is the architecture-specific form.
    pub specific: bool,
}

/// A version of the PTX language, `major · 10 + minor`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Isa(pub u16);

impl Target {
    /// Targets that tests assemble for.
    pub const ALL: [Self; 11] = [
        Self::sm(61),
        Self::sm(70),
        Self::sm(75),
        Self::sm(80),
        Self::sm(86),
        Self::sm(89),
        Self::sm(90),
        Self::SM_90A,
        Self::sm(100),
        Self::sm(120),
        Self::sm(121),
    ];
    /// Hopper with `wgmma` and `setmaxnreg`.
    pub const SM_90A: Self = Self { sm: 90, specific: true };

    /// The target of a compute capability, `major · 10 + minor`.
    #[must_use]
    pub const fn sm(sm: u16) -> Self {
        Self { sm, specific: false }
    }

    /// The target of this name, such as `sm_90a`.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|t| {
            let digits = name.strip_prefix("sm_");
            let digits = if t.specific { digits.and_then(|d| d.strip_suffix('a')) } else { digits };
            digits.and_then(|d| d.parse().ok()) == Some(t.sm)
        })
    }

    /// The first version of the language that knows the target.
    #[must_use]
    pub const fn isa(self) -> Isa {
        Isa(match (self.sm, self.specific) {
            (..=61, _) => 50,
            (62..=70, _) => 60,
            (71..=75, _) => 63,
            (76..=80, _) => 70,
            (81..=86, _) => 71,
            (87..=90, false) => 78,
            (87..=90, true) => 80,
            (91..=100, _) => 86,
            (101..=120, _) => 87,
            _ => 88,
        })
    }

    /// Shared memory that a block can declare without asking for more.
    #[must_use]
    pub const fn shared_memory(self) -> u32 {
        48 * 1024
    }

    /// Shared memory that a block can have when its launch asks for it.
    #[must_use]
    pub const fn shared_memory_opt_in(self) -> u32 {
        1024 * match self.sm {
            ..=69 => 48,
            70..=74 => 96,
            75..=79 => 64,
            80 | 87 => 163,
            81..=89 | 120.. => 99,
            90..=119 => 227,
        }
    }

    /// Whether its kernels say when the next may start, and wait for those before: a launch may then come early
    /// (programmatic dependent launch).
    #[must_use]
    pub const fn starts_early(self) -> bool {
        self.sm >= 90
    }

    /// Whether code for `needs` runs here.
    #[must_use]
    pub const fn has(self, needs: Self) -> bool {
        if needs.specific { self.specific && self.sm == needs.sm } else { self.sm >= needs.sm }
    }
}

/// The digits of `n`: formatting by `core::fmt` would be most of a short kernel's time.
pub(super) fn number(mut n: u32, out: &mut impl fmt::Write) -> fmt::Result {
    let mut digits = [0u8; 10];
    let mut at = digits.len();
    for slot in digits.iter_mut().rev() {
        *slot = b'0' + (n % 10) as u8;
        n /= 10;
        at -= 1;
        if n == 0 {
            break;
        }
    }
    let text = digits.get(at..).and_then(|d| core::str::from_utf8(d).ok());
    out.write_str(text.unwrap_or_default())
}

impl Target {
    pub(super) fn write(self, out: &mut impl fmt::Write) -> fmt::Result {
        out.write_str("sm_")?;
        number(u32::from(self.sm), out)?;
        out.write_str(if self.specific { "a" } else { "" })
    }
}

impl Isa {
    pub(super) fn write(self, out: &mut impl fmt::Write) -> fmt::Result {
        number(u32::from(self.0 / 10), out)?;
        out.write_str(".")?;
        number(u32::from(self.0 % 10), out)
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write(f)
    }
}

impl fmt::Display for Isa {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write(f)
    }
}
