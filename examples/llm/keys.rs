//! The keys of an architecture: what each says of the model. One that is not known here and may change what the model computes is
//! refused by name.
//!
//! What absent keys mean is what llama.cpp takes them for: a factor of the rotary positions without a type is a linear one,
//! `rope.scaling.factor` comes before the older `rope.scale_linear`, a factor of 0 is none, and with the type `none` it has no effect.

use super::{Parts, Trouble, broken, foreign};
use crate::config::{Biases, Config, Rope};
use crate::files::Shown;
use fulmen::gguf::Value;
use fulmen::{RopeScaling, RopeStyle};

/// The architectures that are this model, with the elements that are a pair of their rotary positions.
const ARCHITECTURES: [(&str, RopeStyle); 2] = [("llama", RopeStyle::Interleaved), ("qwen2", RopeStyle::Neox)];

/// The keys that are read here, without the architecture.
const READ: [&str; 24] = [
    "vocab_size",
    "embedding_length",
    "block_count",
    "attention.head_count",
    "attention.head_count_kv",
    "attention.key_length",
    "attention.value_length",
    "attention.layer_norm_rms_epsilon",
    "attention.sliding_window",
    "feed_forward_length",
    "context_length",
    "rope.dimension_count",
    "rope.freq_base",
    "rope.scale_linear",
    "rope.scaling.type",
    "rope.scaling.factor",
    "rope.scaling.attn_factor",
    "rope.scaling.original_context_length",
    "rope.scaling.yarn_beta_fast",
    "rope.scaling.yarn_beta_slow",
    // They say nothing of what is computed: how the model was trained, how a file was made, and what a sentence's embedding is.
    "rope.scaling.finetuned",
    "tensor_data_layout",
    "pooling_type",
    "train_length",
];

/// Keys of parts that this model does not have, with the value that says so.
const WITHOUT: [(&str, f64); 18] = [
    ("expert_count", 0.0),
    ("expert_used_count", 0.0),
    ("leading_dense_block_count", 0.0),
    ("nextn_predict_layers", 0.0),
    ("attention.causal", 1.0),
    ("use_parallel_residual", 0.0),
    ("attention.scale", 0.0),
    ("attention.max_alibi_bias", 0.0),
    ("attention.clamp_kqv", 0.0),
    ("attn_logit_softcapping", 0.0),
    ("final_logit_softcapping", 0.0),
    ("logit_scale", 1.0),
    ("residual_scale", 1.0),
    ("embedding_scale", 1.0),
    ("rope.scaling.alpha", 0.0),
    ("rope.scaling.yarn_log_multiplier", 0.0),
    ("rope.scaling.yarn_ext_factor", 1.0),
    ("rope.scaling.yarn_attn_factor", 1.0),
];

/// A whole number, a real one, or a truth as 1 and 0.
fn amount(v: Value<'_>) -> Option<f64> {
    match v {
        Value::Bool(x) => Some(x.into()),
        v => v.real().or_else(|| v.number().map(|n| n as f64)),
    }
}

/// The keys of an architecture in a file.
struct Keys<'f, 'a> {
    file: &'f Parts<'a>,
    name: &'static str,
}

impl<'a> Keys<'_, 'a> {
    fn value(&self, key: &str) -> Option<Value<'a>> {
        self.file.value(&format!("{}.{key}", self.name))
    }
    /// A whole number; that of all blocks, where each block has its own and they are the same.
    fn number(&self, key: &str) -> Result<Option<usize>, Trouble> {
        let Some(v) = self.value(key) else { return Ok(None) };
        let of = |v: Value<'_>| v.number().and_then(|n| usize::try_from(n).ok());
        let found = match v.array() {
            None => of(v),
            Some(all) => {
                let first = all.iter().next();
                if first.is_some() && all.iter().any(|x| Some(x) != first) {
                    return foreign(format!("its `{}.{key}` is not the same in all blocks", self.name));
                }
                first.and_then(of)
            }
        };
        found
            .map_or_else(|| foreign(format!("its `{}.{key}` is no whole number", self.name)), |n| Ok(Some(n)))
    }
    /// A whole number that there must be.
    fn needed(&self, key: &str) -> Result<usize, Trouble> {
        self.number(key)?.map_or_else(|| foreign(format!("it has no number `{}.{key}`", self.name)), Ok)
    }
    fn real(&self, key: &str) -> Result<Option<f32>, Trouble> {
        let Some(v) = self.value(key) else { return Ok(None) };
        amount(v).map_or_else(
            || foreign(format!("its `{}.{key}` is no number", self.name)),
            |x| Ok(Some(x as f32)),
        )
    }
    /// What the keys say of the rotary positions.
    fn rope(&self, style: RopeStyle, context: usize) -> Result<Rope, Trouble> {
        let attention = self.real("rope.scaling.attn_factor")?.unwrap_or(1.0);
        let older = self.real("rope.scale_linear")?;
        let factor = self.real("rope.scaling.factor")?.or(older).filter(|x| *x != 0.0).unwrap_or(1.0);
        let kind = match self.value("rope.scaling.type") {
            None => "linear",
            Some(v) => v.text().unwrap_or(""),
        };
        let length = self.number("rope.scaling.original_context_length")?.unwrap_or(context);
        let fast = self.real("rope.scaling.yarn_beta_fast")?.unwrap_or(32.0);
        let slow = self.real("rope.scaling.yarn_beta_slow")?.unwrap_or(1.0);
        let positive = |x: f32| x.is_finite() && x > 0.0;
        if !positive(factor)
            || kind == "yarn" && !(positive(slow) && slow <= fast && positive(fast) && length > 0)
        {
            return foreign(format!(
                "its `{}.rope.scaling` keys have no meaning: the factor is {factor}",
                self.name
            ));
        }
        let scaling = match kind {
            "none" => RopeScaling::None,
            "linear" if factor == 1.0 => RopeScaling::None,
            "linear" => RopeScaling::Linear { factor },
            "yarn" => match RopeScaling::yarn(factor, length) {
                RopeScaling::Yarn { attention, .. } => {
                    RopeScaling::Yarn { factor, length, fast, slow, attention }
                }
                other => other,
            },
            _ => return foreign(format!("its `{}.rope.scaling.type` is {}", self.name, Shown(kind))),
        };
        Ok(Rope { style, scaling, length: attention })
    }
    /// Refuses a key that nobody here knows.
    fn known(&self) -> Result<(), Trouble> {
        for (key, value) in self.file.first().values() {
            let Some(key) = key.strip_prefix(self.name).and_then(|key| key.strip_prefix('.')) else {
                continue;
            };
            let without = WITHOUT.iter().find(|(k, _)| *k == key);
            if READ.contains(&key) || without.is_some_and(|(_, is)| amount(value) == Some(*is)) {
                continue;
            }
            let name = format!("{}.{}", self.name, Shown(key));
            return foreign(match (without, amount(value)) {
                (Some((_, is)), Some(x)) => format!("its `{name}` is {x}, where only {is} is known here"),
                _ => format!("its key `{name}` is not known here, and may change what the model computes"),
            });
        }
        Ok(())
    }
}

/// The architecture, and which elements are a pair of its rotary positions.
pub fn architecture(file: &Parts<'_>) -> Result<(&'static str, RopeStyle), Trouble> {
    let architecture = file.value("general.architecture").and_then(Value::text);
    if let Some(found) = ARCHITECTURES.iter().find(|(name, _)| Some(*name) == architecture) {
        return Ok(*found);
    }
    let is = architecture.map_or(String::from("not named"), |name| Shown(name).to_string());
    foreign(format!("its architecture is {is}, not llama or qwen2"))
}

/// The sizes of the model, which has so many tokens.
pub fn config(file: &Parts<'_>, tokens: usize) -> Result<Config, Trouble> {
    let (name, style) = architecture(file)?;
    let keys = Keys { file, name };
    let heads = keys.needed("attention.head_count")?;
    let context = keys.needed("context_length")?;
    let dim = keys.needed("embedding_length")?;
    let tensor =
        |end: &str| file.tensors().any(|t| t.info.name().starts_with("blk.") && t.info.name().ends_with(end));
    let any = |ends: &[&str]| ends.iter().any(|end| tensor(end));
    let config = Config {
        vocab: keys.number("vocab_size")?.unwrap_or(tokens),
        dim,
        layers: keys.needed("block_count")?,
        heads,
        kv_heads: keys.number("attention.head_count_kv")?.unwrap_or(heads),
        hidden: keys.needed("feed_forward_length")?,
        context,
        head: keys
            .number("attention.key_length")?
            .filter(|n| Some(*n) != dim.checked_div(heads))
            .unwrap_or(0),
        rope_base: keys.real("rope.freq_base")?.unwrap_or(Config::default().rope_base),
        rope: keys.rope(style, context)?,
        eps: match keys.real("attention.layer_norm_rms_epsilon")? {
            Some(eps) => eps,
            None => return foreign(format!("it has no number `{name}.attention.layer_norm_rms_epsilon`")),
        },
        tied: file.tensor("output.weight").is_none(),
        biases: Biases {
            qkv: any(&[".attn_q.bias", ".attn_k.bias", ".attn_v.bias"]),
            output: any(&[".attn_output.bias"]),
            ffn: any(&[".ffn_gate.bias", ".ffn_up.bias", ".ffn_down.bias"]),
        },
    };
    keys.known()?;
    let config = config.checked().or_else(|why| broken(why.to_string()))?;
    // What this program computes is all that such a file may ask for.
    let values = keys.number("attention.value_length")?.or(dim.checked_div(heads));
    for (key, there) in
        [("attention.value_length", values), ("rope.dimension_count", keys.number("rope.dimension_count")?)]
    {
        let is = config.head_dim();
        if let Some(there) = there.filter(|n| *n != is) {
            return foreign(format!("its `{name}.{key}` is {there}, where only {is} is known here"));
        }
    }
    // Up to as many tokens as a window has, none slides out of it.
    let window = keys.number("attention.sliding_window")?.filter(|n| *n > 0);
    Ok(Config { context: context.min(window.unwrap_or(context)), ..config })
}
