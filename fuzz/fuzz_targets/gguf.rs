//! Reads the input as a model file, and what is read is written and read again: `make fuzz`.
#![no_main]

use fulmen::gguf::{Error, Gguf, write};

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let Ok(file) = Gguf::read(bytes) else { return };
    let tensors: Vec<_> = file.tensors().collect();
    assert!(tensors.iter().map(|t| t.bytes.len()).sum::<usize>() <= bytes.len());
    for (key, value) in file.values() {
        assert!(value.array().is_none_or(|a| a.iter().count() == a.len()), "{key}");
    }
    let values: Vec<_> = file.values().filter(|(key, _)| *key != "general.alignment").collect();
    let infos: Vec<_> = tensors.iter().map(|t| t.info).collect();
    let mut again = Vec::new();
    let sink = |bytes: &[u8]| {
        again.extend_from_slice(bytes);
        Ok::<(), Error<'_>>(())
    };
    write(&values, &infos, sink, |i, put| put(tensors[i].bytes)).unwrap();
    let again = Gguf::read(&again).unwrap();
    assert!(again.tensors().eq(tensors.iter().copied()));
    assert_eq!(again.values().count(), values.len());
});
