//! The llm and the search example for a page: what a worker of the page calls. Everything that takes long tells the page
//! how far it is, and ends when the page no longer wants it.
#![allow(dead_code, reason = "the other half of the examples' files")]

#[path = "../../llm/config.rs"]
mod config;
#[path = "../../common/files.rs"]
mod files;
#[path = "../../llm/gguf.rs"]
mod gguf;
#[path = "../../llm/machine.rs"]
mod machine;
#[path = "../../llm/memory.rs"]
mod memory;
#[path = "../../llm/model.rs"]
mod model;
mod search;
#[path = "../../llm/tokens.rs"]
mod tokens;
#[path = "../../llm/train.rs"]
mod train;
#[path = "../../llm/vocabulary.rs"]
mod vocabulary;

use config::Config;
use gguf::Stored;
use js_sys::{Function, Promise};
use machine::{Follower, Machine, Training, Weights};
use memory::zeros;
use std::cell::RefCell;
use std::rc::Rc;
use train::{Rank, Recipe, Trainer, first_parameters, uniform};
use vocabulary::Vocabulary;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;

/// What this module runs on.
#[cfg(not(feature = "wgpu"))]
type On = fulmen::backend::Cpu<fulmen::lanes::Native>;
#[cfg(feature = "wgpu")]
type On = fulmen::gpu::backend::Gpu<fulmen::gpu::wgpu::Wgpu>;

#[cfg(not(feature = "wgpu"))]
async fn on() -> Result<On, JsError> {
    Ok(On::native())
}
#[cfg(feature = "wgpu")]
async fn on() -> Result<On, JsError> {
    Ok(On::new(fulmen::gpu::wgpu::Wgpu::open_async("").await?))
}

fn said(why: impl ToString) -> JsError {
    JsError::new(&why.to_string())
}

/// What training leaves.
struct Trained {
    config: Config,
    vocabulary: Vocabulary,
    parameters: Vec<f32>,
}

/// A machine, and the model that was trained on it last.
#[wasm_bindgen]
pub struct Lab {
    machine: On,
    trained: RefCell<Option<Rc<Trained>>>,
}

/// Tells the page; whether it wants more. It answers when it has looked at what it was sent meanwhile.
async fn more(told: &Function, what: &[JsValue; 2]) -> Result<bool, JsError> {
    let failed = |_| said("the page did not answer");
    let answer = told.call2(&JsValue::NULL, &what[0], &what[1]).map_err(failed)?;
    Ok(JsFuture::from(Promise::from(answer)).await.map_err(failed)?.is_truthy())
}

#[wasm_bindgen]
impl Lab {
    /// On this module's machine.
    pub async fn open() -> Result<Lab, JsError> {
        Ok(Self { machine: on().await?, trained: RefCell::default() })
    }

    /// The lanes of the CPU, or the adapter, if it has a name.
    pub fn name(&self) -> String {
        self.machine.name()
    }

    /// Trains a model on a text, and tells of each step its loss in nats per byte and the tokens that it learnt from.
    /// The model is kept, also when the page ends the training.
    pub async fn train(
        &self,
        text: &[u8],
        steps: usize,
        dim: usize,
        layers: usize,
        told: Function,
    ) -> Result<(), JsError> {
        let sizes = Config { dim, layers, hidden: 3 * dim, context: 128, vocab: 384, ..Config::default() };
        let recipe = Recipe { steps, batch: 8, length: 32, ..Recipe::default() };
        if steps == 0 {
            return Err(said("the number of steps is at least 1"));
        }
        let vocabulary = Vocabulary::learn(text, sizes.vocab).map_err(said)?;
        let config = Config { vocab: vocabulary.len(), ..sizes }.checked().map_err(said)?;
        let tokens = vocabulary.encode(text);
        if tokens.len() <= recipe.length {
            let why =
                format!("the text has {} tokens, training needs more than {}", tokens.len(), recipe.length);
            return Err(said(why));
        }
        let bytes = text.len() as f32 / tokens.len() as f32;
        let parameters = first_parameters(&config, recipe.seed).map_err(said)?;
        let trainer =
            Trainer::new(self.machine.clone(), config, recipe, parameters, Rank::ALONE).map_err(said)?;
        // Ten times the loss of one who knows nothing.
        let most = 10.0 * (config.vocab as f32).ln();
        for step in 0..steps {
            let loss = trainer.one(None, step, &tokens).await.map_err(said)?;
            if loss.is_nan() || loss > most {
                return Err(said(format!("the training went astray at step {}", step + 1)));
            }
            let learnt = (recipe.batch * recipe.length) as u32;
            if !more(&told, &[(loss / bytes).into(), learnt.into()]).await? {
                break;
            }
        }
        let parameters = trainer.weights().await.map_err(said)?;
        *self.trained.borrow_mut() = Some(Rc::new(Trained { config, vocabulary, parameters }));
        Ok(())
    }

    /// Writes on from a prompt with the model that was trained last, and tells the bytes of each token. At a temperature
    /// of 0 each is the likeliest.
    pub async fn write(
        &self,
        prompt: &[u8],
        count: usize,
        temperature: f32,
        told: Function,
    ) -> Result<(), JsError> {
        let trained =
            self.trained.borrow().clone().ok_or_else(|| said("there is no model yet: train one"))?;
        let Trained { config, vocabulary, parameters } = &*trained;
        let ids = vocabulary.encode(prompt);
        if ids.is_empty() || ids.len() > config.context {
            let why = format!("the prompt has {} tokens; it may have 1 to {}", ids.len(), config.context);
            return Err(said(why));
        }
        let with = fulmen::Sampling { temperature, top_k: 40, top_p: 1.0 };
        let choices = fulmen::sample_workspace(config.vocab, with.top_k);
        let (mut values, mut indices) = (zeros(choices).map_err(said)?, zeros(choices).map_err(said)?);
        let stored = Stored::of(config, parameters.clone());
        let weights = Weights::new(&self.machine, stored).map_err(said)?;
        let mut follower = Follower::new(self.machine.clone(), *config, &weights, ids.len()).map_err(said)?;
        let mut logits = follower.feed_async(&ids).await.map_err(said)?;
        let count = count.min(config.context + 1 - ids.len());
        for i in 0..count {
            // Rounded to `f32`, a number below 1 may be 1.
            let draw = (uniform(1, i as u64) as f32).min(1.0 - f32::EPSILON / 2.0);
            let token = fulmen::sample(logits, with, draw, &mut values, &mut indices)? as u32;
            let mut bytes = Vec::new();
            vocabulary.decode_into(token, &mut bytes);
            let bytes = js_sys::Uint8Array::from(&bytes[..]);
            if !more(&told, &[bytes.into(), (count as u32).into()]).await? || i + 1 == count {
                break;
            }
            logits = follower.feed_async(&[token]).await.map_err(said)?;
        }
        Ok(())
    }

    /// The lines of a text that are most like a query, as JSON.
    pub async fn search(&self, text: &[u8], query: &str, top: usize) -> Result<String, JsError> {
        search::search(&self.machine, text, query, top).await.map_err(said)
    }
}
