//! The generating half of the llm example behind a C interface for a JavaScript host.
//!
//! The host allocates bytes with [`alloc`], writes the model file and the prompt there, calls [`generate`], and reads
//! the answer: a `u32` length in bytes, a byte that is 0 when it is an error's text, then that many bytes.
#![allow(dead_code, unused_imports, reason = "the other half of the example's files")]

#[path = "../../../examples/llm/config.rs"]
mod config;
#[path = "../../../examples/common/files.rs"]
mod files;
#[path = "../../../examples/llm/gguf.rs"]
mod gguf;
#[path = "../../../examples/llm/machine.rs"]
mod machine;
#[path = "../../../examples/llm/memory.rs"]
mod memory;
#[path = "../../../examples/llm/model.rs"]
mod model;
#[path = "../../../examples/llm/tokens.rs"]
mod tokens;
#[path = "../../../examples/llm/vocabulary.rs"]
mod vocabulary;

use fulmen::backend::Cpu;
use gguf::Model;
use machine::{Follower, Weights};

/// `len` zeroed bytes, for the host to fill.
#[unsafe(no_mangle)]
pub extern "C" fn alloc(len: usize) -> *mut u8 {
    Box::into_raw(vec![0u8; len].into_boxed_slice()).cast()
}

/// The likeliest `count` tokens after the prompt, as text.
fn text(file: &[u8], prompt: &[u8], count: usize) -> Result<Vec<u8>, String> {
    let model = Model::read(file).map_err(|why| why.to_string())?;
    let Model { config, vocabulary, weights } = model;
    let weights = Weights::new(&Cpu::native(), weights).map_err(|e| e.to_string())?;
    let mut follow =
        Follower::new(Cpu::native(), config, &weights, config.context).map_err(|e| e.to_string())?;
    let mut ids = vocabulary.encode(prompt);
    let mut out = Vec::new();
    for _ in 0..count {
        let logits = follow.feed(&ids).map_err(|e| e.to_string())?;
        let token = fulmen::argmax(logits).map_err(|e| e.to_string())? as u32;
        vocabulary.decode_into(token, &mut out);
        ids.clear();
        ids.push(token);
    }
    Ok(out)
}

/// The answer as a block of [`alloc`].
///
/// # Safety
/// Both ranges lie in blocks of [`alloc`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn generate(
    file: *const u8,
    file_len: usize,
    prompt: *const u8,
    prompt_len: usize,
    count: usize,
) -> *mut u8 {
    // SAFETY: the caller's promise.
    let (file, prompt) = unsafe {
        (core::slice::from_raw_parts(file, file_len), core::slice::from_raw_parts(prompt, prompt_len))
    };
    let (fine, answer) = match text(file, prompt, count) {
        Ok(text) => (1, text),
        Err(why) => (0, why.into_bytes()),
    };
    let mut block = u32::try_from(answer.len()).unwrap_or(0).to_le_bytes().to_vec();
    block.push(fine);
    block.extend_from_slice(&answer);
    Box::into_raw(block.into_boxed_slice()).cast()
}
