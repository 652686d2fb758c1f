//! Blocks of 64 KiB, and of 4: the sources of the library as text, this program as code, noise, text and noise in turn, and files that are
//! named. All decode our blocks.
//! Work is the bytes that blocks stand for.

use fulmen::{lz4_bound, lz4_compress, lz4_decompress};
use fulmen_harness::race::{Case, Contender, Race};
use std::ffi::c_int;

const BLOCK: usize = 1 << 16;
type Call = unsafe extern "C" fn(*const u8, *mut u8, c_int, c_int) -> c_int;

fn text() -> Vec<u8> {
    let (mut open, mut all) =
        (vec![std::path::PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../src"))], vec![]);
    while let Some(path) = open.pop() {
        if path.is_dir() {
            let mut inside: Vec<_> = path.read_dir().unwrap().map(|e| e.unwrap().path()).collect();
            inside.sort();
            open.extend(inside);
        } else {
            all.extend(std::fs::read(path).unwrap());
        }
    }
    all
}

fn noise(n: usize) -> Vec<u8> {
    let mut s = 1u64;
    let mut next = || {
        s = s.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (s >> 56) as u8
    };
    (0..n).map(|_| next()).collect()
}

fn race(race: &mut Race, what: &str, block: usize, mut data: Vec<u8>, lz4: Option<(Call, Call)>) {
    data.truncate(4 << 20);
    let (blocks, each) = (data.len().div_ceil(block), lz4_bound(block));
    let (mut out, mut sizes) = (vec![0; blocks * each], vec![0; blocks]);
    lz4_compress(&data, block, &mut out, &mut sizes).unwrap();
    let (ours, ours_sizes) = (out.clone(), sizes.clone());
    let room = lz4_flex::block::get_maximum_output_size(block).max(each);
    // Each keeps all of its blocks, so that all write as much memory.
    let (mut flex, mut flex_size) = (vec![0; blocks * room], 0);
    let (mut c, mut c_size) = (vec![0; blocks * each], 0);
    let pieces = || data.chunks(block);
    let mut list = vec![
        Contender::ours(|| lz4_compress(&data, block, &mut out, &mut sizes).unwrap()),
        Contender::peer("lz4_flex", || {
            let slots = flex.chunks_mut(room);
            flex_size =
                pieces().zip(slots).map(|(x, to)| lz4_flex::block::compress_into(x, to).unwrap()).sum();
        }),
    ];
    if let Some((compress, _)) = &lz4 {
        list.push(Contender::peer("lz4", || {
            // SAFETY: both have as many bytes as is said.
            let one = |(x, to): (&[u8], &mut [u8])| unsafe {
                compress(x.as_ptr(), to.as_mut_ptr(), x.len() as c_int, to.len() as c_int)
            };
            c_size = pieces().zip(c.chunks_mut(each)).map(|x| one(x) as usize).sum();
        }));
    }
    let work = data.len() as f64;
    let case = |op| Case { op, ty: "u8", size: what.into(), work, unit: "GB/s" };
    race.case(&case("lz4_compress"), list);
    let size: u32 = ours_sizes.iter().sum();
    println!(
        "  ratio: fulmen {:.3}, lz4_flex {:.3}, lz4 {:.3}",
        work / f64::from(size),
        work / flex_size as f64,
        work / c_size as f64
    );
    let compressed = || ours.chunks(each).zip(&ours_sizes).map(|(x, n)| &x[..*n as usize]);
    let (mut a, mut b, mut d) = (vec![0; data.len()], vec![0; data.len()], vec![0; data.len()]);
    let mut list = vec![
        Contender::ours(|| lz4_decompress(&ours, &ours_sizes, block, &mut a).unwrap()),
        Contender::peer("lz4_flex", || {
            for (x, to) in compressed().zip(b.chunks_mut(block)) {
                lz4_flex::block::decompress_into(x, to).unwrap();
            }
        }),
    ];
    if let Some((_, decompress)) = &lz4 {
        list.push(Contender::peer("lz4", || {
            for (x, to) in compressed().zip(d.chunks_mut(block)) {
                // SAFETY: both have as many bytes as is said.
                let n =
                    unsafe { decompress(x.as_ptr(), to.as_mut_ptr(), x.len() as c_int, to.len() as c_int) };
                assert_eq!(n as usize, to.len());
            }
        }));
    }
    race.case(&case("lz4_decompress"), list);
    assert!(a == data && b == data && (lz4.is_none() || d == data));
}

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    println!("lanes {:?}", fulmen::NATIVE);
    let path = std::env::var("FULMEN_LZ4").unwrap_or("liblz4.so.1".into());
    // SAFETY: LZ4 does nothing when it is loaded, and these are its functions; it stays loaded.
    let lz4 = unsafe {
        libloading::Library::new(path).ok().map(|library| {
            let library = Box::leak(Box::new(library));
            let get = |name: &str| *library.get::<Call>(name.as_bytes()).unwrap();
            (get("LZ4_compress_default"), get("LZ4_decompress_safe"))
        })
    };
    let mut all = Race::new(&args);
    let code = std::fs::read(std::env::current_exe().unwrap()).unwrap();
    let mixed =
        text().chunks(9000).zip(noise(1 << 20).chunks(7000)).flat_map(|(a, b)| [a, b].concat()).collect();
    race(&mut all, "text", BLOCK, text(), lz4);
    race(&mut all, "code", BLOCK, code.clone(), lz4);
    race(&mut all, "noise", BLOCK, noise(1 << 20), lz4);
    race(&mut all, "mixed", BLOCK, mixed, lz4);
    race(&mut all, "text 4096", 1 << 12, text(), lz4);
    race(&mut all, "code 4096", 1 << 12, code, lz4);
    race(&mut all, "noise 4096", 1 << 12, noise(1 << 20), lz4);
    for path in args.iter().filter(|a| !a.starts_with("--")) {
        race(&mut all, path, BLOCK, std::fs::read(path).unwrap(), lz4);
    }
    if let Some(path) = args.iter().find_map(|a| a.strip_prefix("--csv=")) {
        all.finish(
            path.as_ref(),
            "LZ4 blocks of fulmen over the fastest of lz4_flex and lz4 (right of 1 is faster)",
        )
        .unwrap();
    }
}
