//! LZ4 blocks by their description, one byte after the other; data of many kinds, and blocks with every length.

/// Words of a seed.
pub fn words(seed: u64) -> impl FnMut() -> usize {
    let mut s = seed;
    move || {
        s = s.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (s >> 33) as usize
    }
}

/// How many kinds of [`data`] there are.
pub const KINDS: usize = 6;

/// `n` bytes: noise, equal ones, words, a period, runs, what was there before between noise. `tests/golden/lz4.py` makes the words.
pub fn data(kind: usize, n: usize) -> Vec<u8> {
    let mut next = words((n * KINDS + kind) as u64);
    let mut x = Vec::new();
    while x.len() < n {
        match kind {
            0 => x.push(next() as u8),
            1 => x.push(7),
            2 => {
                let w = next() % 64;
                x.extend((0..1 + w % 9).map(|k| b'a' + ((w * 7 + k * 3) % 26) as u8));
                x.push(b' ');
            }
            3 => x.push((x.len() % (1 + n % 37) * 31) as u8),
            4 => {
                let (byte, many) = (next() as u8, next() % 400);
                x.extend(std::iter::repeat_n(byte, many));
            }
            _ if x.len() > 8 && next() % 4 > 1 => {
                let (from, many) = (next() % (x.len() - 7), next() % 40);
                for i in from..(from + many).min(x.len()) {
                    x.push(x[i]);
                }
            }
            _ => x.extend((0..next() % 30).map(|_| next() as u8)),
        }
    }
    x.truncate(n);
    x
}

/// A length of 15 goes on in bytes until one is not 255.
fn length(token: u8, x: &mut std::slice::Iter<'_, u8>) -> Option<usize> {
    let mut n = usize::from(token);
    let mut more = if token == 15 { 255 } else { 0 };
    while more == 255 {
        more = *x.next()?;
        n += usize::from(more);
    }
    Some(n)
}

/// The bytes of a block of `n`, or nothing where it is none.
pub fn decode(x: &[u8], n: usize) -> Option<Vec<u8>> {
    walk(x, n).map(|(out, _)| out)
}

/// The same, and where the last match begins and ends, if there is one.
pub fn walk(x: &[u8], n: usize) -> Option<(Vec<u8>, Option<[usize; 2]>)> {
    let (mut x, mut out, mut last) = (x.iter(), vec![], None);
    loop {
        let token = *x.next()?;
        for _ in 0..length(token >> 4, &mut x)? {
            out.push(*x.next()?);
        }
        if x.len() == 0 {
            return (out.len() == n).then_some((out, last));
        }
        let offset = usize::from(*x.next()?) + 256 * usize::from(*x.next()?);
        if offset == 0 || offset > out.len() {
            return None;
        }
        let start = out.len();
        for _ in 0..length(token & 15, &mut x)? + 4 {
            out.push(out[out.len() - offset]);
        }
        last = Some([start, out.len()]);
        if out.len() > n {
            return None;
        }
    }
}

/// One sequence: literals, and an offset and a match's length unless it is the last.
pub fn sequence(to: &mut Vec<u8>, literals: &[u8], copy: Option<(usize, usize)>) {
    let lengths = [literals.len(), copy.map_or(0, |(_, n)| n - 4)];
    let more = |to: &mut Vec<u8>, n: usize| {
        if n >= 15 {
            to.extend(std::iter::repeat_n(255, (n - 15) / 255));
            to.push(((n - 15) % 255) as u8);
        }
    };
    to.push((lengths[0].min(15) * 16 + lengths[1].min(15)) as u8);
    more(to, lengths[0]);
    to.extend(literals);
    if let Some((offset, _)) = copy {
        to.extend((offset as u16).to_le_bytes());
        more(to, lengths[1]);
    }
}

/// The block that the contract's formula makes.
pub fn encode(x: &[u8]) -> Vec<u8> {
    let four = |at: usize| u32::from_le_bytes(x[at..at + 4].try_into().unwrap());
    let hash = |at: usize| (four(at).wrapping_mul(2654435761) >> 19) as usize;
    let mut table = vec![0; 8192];
    let (mut to, mut anchor, mut at, mut tries) = (vec![], 0, 1, 0);
    while at + 12 <= x.len() {
        let mut from = std::mem::replace(&mut table[hash(at)], at);
        if four(from) != four(at) {
            at += 1 + tries / 64;
            tries += 1;
            continue;
        }
        while at > anchor && from > 0 && x[at - 1] == x[from - 1] {
            (at, from) = (at - 1, from - 1);
        }
        let n = (0..x.len() - 5 - at).take_while(|i| x[at + i] == x[from + i]).count();
        sequence(&mut to, &x[anchor..at], Some((at - from, n)));
        at += n;
        (anchor, tries) = (at, 0);
        table[hash(at - 2)] = at - 2;
    }
    sequence(&mut to, &x[anchor..], None);
    to
}

/// A block of sequences of all lengths and offsets, as `next` draws them, and the bytes that it stands for.
pub fn drawn(many: usize, next: &mut impl FnMut() -> usize) -> (Vec<u8>, Vec<u8>) {
    let (mut x, mut out) = (vec![], vec![]);
    let mut length =
        || [next() % 20, next() % 20, 14 + next() % 3, 268 + next() % 5, next() % 800][next() % 5];
    for _ in 0..many {
        let literals: Vec<u8> = (0..length()).map(|i| (i * 83 + out.len()) as u8).collect();
        out.extend(&literals);
        let n = length() + 4;
        let most = out.len().min(65535);
        let copy =
            (most > 0).then(|| (1 + [length() % most.min(40), length() * length() % most][length() % 2], n));
        sequence(&mut x, &literals, copy);
        if let Some((offset, n)) = copy {
            for _ in 0..n {
                out.push(out[out.len() - offset]);
            }
        } else {
            x.clear();
            out.clear();
        }
    }
    let literals: Vec<u8> = (0..length()).map(|i| i as u8).collect();
    out.extend(&literals);
    sequence(&mut x, &literals, None);
    (x, out)
}
