//! Reads the input as a WAV file: `make fuzz`. What is taken has its numbers within the file, each finite or refused by its byte, and
//! the mean of all channels is that of each.
#![no_main]

#[path = "../../examples/spectrum/wav.rs"]
mod wav;

use wav::Wav;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let sound = match Wav::of(bytes) {
        Ok(sound) => sound,
        Err(wrong) => {
            assert!(wrong.at <= bytes.len() && !wrong.to_string().contains('\n'));
            return;
        }
    };
    assert!(sound.rate > 0 && sound.channels > 0 && sound.len() * sound.channels <= bytes.len());
    assert!(sound.notes.iter().all(|note| !note.contains('\n')));
    let channels: Result<Vec<_>, _> = (0..sound.channels).map(|c| sound.samples(Some(c))).collect();
    match (channels, sound.samples(None)) {
        (Ok(channels), Ok(mean)) => {
            for (i, x) in mean.iter().enumerate() {
                let sum: f64 = channels.iter().map(|c| f64::from(c[i])).sum();
                assert_eq!(*x, (sum / sound.channels as f64) as f32);
            }
        }
        (Err(wrong), Err(_)) => assert!(wrong.at < bytes.len()),
        _ => panic!("numbers are taken of some channels and not of all"),
    }
});
