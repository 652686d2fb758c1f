//! Patterns of sparse matrices.

/// Where rows begin, and columns.
pub type Pattern = (Vec<usize>, Vec<u32>);

/// Points of a square with so many on a side, and their neighbours.
pub fn laplacian(side: usize) -> Pattern {
    let (mut offsets, mut columns) = (vec![0], vec![]);
    for (i, j) in (0..side * side).map(|k| (k / side, k % side)) {
        let at = |i: usize, j: usize| (i * side + j) as u32;
        columns.extend((i > 0).then(|| at(i - 1, j)));
        columns.extend((j > 0).then(|| at(i, j - 1)));
        columns.push(at(i, j));
        columns.extend((j + 1 < side).then(|| at(i, j + 1)));
        columns.extend((i + 1 < side).then(|| at(i + 1, j)));
        offsets.push(columns.len());
    }
    (offsets, columns)
}

/// A graph of `n` nodes whose degrees follow a power law, by numbers from 0 to 1: some forty for each node.
pub fn power_law(n: usize, mut random: impl Iterator<Item = f64>) -> Pattern {
    let (mut offsets, mut columns) = (vec![0], vec![]);
    for _ in 0..n {
        let degree = (2.0 / random.next().unwrap().max(1e-5).sqrt()) as usize;
        // Neighbours with small numbers are the usual ones.
        let mut row: Vec<u32> =
            random.by_ref().take(degree.min(600)).map(|x| (x * x * x * n as f64) as u32).collect();
        row.sort_unstable();
        row.dedup();
        columns.extend(row);
        offsets.push(columns.len());
    }
    (offsets, columns)
}
