//! Proof harnesses for the maps between threads and elements of a tile: Kani proves each for any arguments within its
//! bound (`cargo kani`); the tests try every argument of a smaller bound.

use super::tiling::Tile;

/// An element has one owner, and the owner's result is that element.
fn owner_is_the_inverse(tile: &Tile, row: u32, col: u32) {
    let inside = row < tile.m && col < tile.n;
    match tile.owner([row, col]) {
        Some([thread, i]) => {
            assert!(inside);
            assert!(tile.element(thread, i) == Some([row, col]));
        }
        None => assert!(!inside),
    }
}

/// A result of a thread lies inside the tile, and its owner is that thread.
fn element_is_the_inverse(tile: &Tile, thread: u32, i: u32) {
    let [rows, cols] = tile.per_thread;
    let exists = thread < tile.m / rows * (tile.n / cols) && i < rows * cols;
    match tile.element(thread, i) {
        Some([row, col]) => {
            assert!(exists && row < tile.m && col < tile.n);
            assert!(tile.owner([row, col]) == Some([thread, i]));
        }
        None => assert!(!exists),
    }
}

fn tile([down, across]: [u32; 2], per_thread: [u32; 2]) -> Tile {
    let [rows, cols] = per_thread;
    Tile { m: down * rows, n: across * cols, k: 1, per_thread, stages: 1 }
}

#[cfg(test)]
mod exhaustive {
    /// Every tile of up to 5 x 5 threads of up to 4 x 4 results, one step past every edge.
    #[test]
    fn maps_are_inverse() {
        for down in 1..=5 {
            for across in 1..=5 {
                for rows in 1..=4 {
                    for cols in 1..=4 {
                        let tile = super::tile([down, across], [rows, cols]);
                        for row in 0..=tile.m {
                            for col in 0..=tile.n {
                                super::owner_is_the_inverse(&tile, row, col);
                            }
                        }
                        for thread in 0..=down * across {
                            for i in 0..=rows * cols {
                                super::element_is_the_inverse(&tile, thread, i);
                            }
                        }
                    }
                }
            }
        }
    }
}

#[cfg(kani)]
mod harness {
    fn any_tile() -> super::Tile {
        let [down, across, rows, cols]: [u32; 4] = kani::any();
        let small = |x: u32, most| kani::assume(0 < x && x <= most);
        small(down, 32);
        small(across, 32);
        small(rows, 8);
        small(cols, 8);
        super::tile([down, across], [rows, cols])
    }

    #[kani::proof]
    fn owner_is_the_inverse() {
        super::owner_is_the_inverse(&any_tile(), kani::any(), kani::any());
    }

    #[kani::proof]
    fn element_is_the_inverse() {
        super::element_is_the_inverse(&any_tile(), kani::any(), kani::any());
    }
}
