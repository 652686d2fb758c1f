//! `fulmen ptx`: the text of an op's kernels.

use clap::{Args, ValueEnum};
use fulmen::gpu::{F32, F64, Target, template};

#[derive(Args)]
pub struct Ptx {
    /// The op, such as `exp`, `dot`, `softmax` or `gemm`
    kernel: String,
    /// The GPU, such as `sm_90`
    #[arg(long, default_value = "sm_80")]
    target: String,
    /// The element type
    #[arg(long = "type", value_enum, default_value_t = Element::F32)]
    element: Element,
}

#[derive(Clone, Copy, ValueEnum)]
enum Element {
    F32,
    F64,
}

impl Ptx {
    pub fn text(self) -> Result<String, String> {
        let target = Target::parse(&self.target).ok_or_else(|| {
            let known: Vec<String> = Target::ALL.iter().map(ToString::to_string).collect();
            format!("no target `{}`; there are {}", self.target, known.join(", "))
        })?;
        let module = match self.element {
            Element::F32 => template::named::<F32>(&self.kernel),
            Element::F64 => template::named::<F64>(&self.kernel),
        };
        let module = module.ok_or_else(|| format!("no template makes a kernel of `{}`", self.kernel))?;
        let mut text = String::new();
        module.and_then(|m| m.emit(target, &mut text)).map_err(|e| e.to_string())?;
        Ok(text)
    }
}
