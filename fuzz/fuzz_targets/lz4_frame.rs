//! Takes the input as a file of LZ4 frames, and as what becomes one: `make fuzz`. What is read is written and read again; the
//! first byte says whether the checks of a frame's head are made right, since few inputs would pass them.
#![no_main]

#[path = "../../examples/lz4/frame.rs"]
mod frame;

use frame::Failed;
use twox_hash::XxHash32;

/// What the frames stand for, if they are some.
fn read(mut bytes: &[u8]) -> Option<Vec<u8>> {
    let (n, mut out) = (bytes.len() as u64, Vec::new());
    match frame::read(&mut bytes, &mut out) {
        Ok([came, went]) => {
            assert_eq!([came, went], [n, out.len() as u64]);
            Some(out)
        }
        Err(why @ Failed::Wrong { .. }) => {
            assert!(!why.closed() && !why.to_string().contains('\n'));
            None
        }
        // Memory is read and written.
        Err(why) => panic!("{why}"),
    }
}

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let Some((mend, bytes)) = bytes.split_first() else { return };
    let mut bytes = bytes.to_vec();
    if mend & 1 == 1 && bytes.len() > 6 {
        let len = 2 + if bytes[4] & 8 != 0 { 8 } else { 0 } + if bytes[4] & 1 != 0 { 4 } else { 0 };
        if let Some(head) = bytes.get(4..4 + len) {
            let check = (XxHash32::oneshot(0, head) >> 8) as u8;
            if let Some(to) = bytes.get_mut(4 + len) {
                *to = check;
            }
        }
    }
    let all = read(&bytes).unwrap_or(bytes);
    for size in [None, Some(all.len() as u64)] {
        let mut made = Vec::new();
        frame::write(&mut &all[..], size, &mut made).unwrap();
        assert!(read(&made).as_ref() == Some(&all));
    }
});
