//! How many packets Bruck's all-to-all sends on a torus, and through how many routers: counted from the algorithm.

/// Largest packet of table 3, in bytes.
const MTU: u64 = 256;

/// What a run on the packet engine must count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Counts {
    pub(super) packets: u64,
    /// One hop is one router and its output link, that to the node included.
    pub(super) packet_hops: u64,
}

/// Counts for as many ranks as the torus has nodes, a power of two, linearly mapped, with blocks of so many bytes.
///
/// In step k every rank sends the blocks with bit k set in their number, half of all, to the rank 2^k further. Dimension
/// order takes the shorter way around each ring.
pub(super) fn counts(shape: [u64; 3], block: u64) -> Counts {
    let nodes: u64 = shape.iter().product();
    assert!(nodes.is_power_of_two(), "only then half of the blocks have each bit");
    let per_message = (nodes / 2 * block).div_ceil(MTU);
    let steps = nodes.ilog2();
    let routers: u64 = (0..steps)
        .map(|k| (0..nodes).map(|rank| 1 + distance(shape, rank, (rank + (1 << k)) % nodes)).sum::<u64>())
        .sum();
    Counts { packets: u64::from(steps) * nodes * per_message, packet_hops: routers * per_message }
}

/// Links between the routers of two nodes; node = x + X (y + Y z).
fn distance(shape: [u64; 3], mut from: u64, mut to: u64) -> u64 {
    let mut links = 0;
    for size in shape {
        let apart = (from % size).abs_diff(to % size);
        links += apart.min(size - apart);
        (from, to) = (from / size, to / size);
    }
    links
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A second, independent count: shape, then packets and links between routers for 4 B and for 1024 B.
    const SECOND_COUNT: [([u64; 3], [u64; 2], [u64; 2]); 14] = [
        ([2, 2, 2], [24, 34], [384, 544]),
        ([4, 2, 2], [64, 106], [2048, 3392]),
        ([4, 4, 2], [160, 278], [10_240, 17_792]),
        ([4, 4, 4], [384, 684], [49_152, 87_552]),
        ([8, 4, 4], [896, 1900], [229_376, 486_400]),
        ([8, 8, 4], [4096, 9656], [1_048_576, 2_471_936]),
        ([8, 8, 8], [18_432, 46_816], [4_718_592, 11_984_896]),
        ([16, 8, 8], [81_920, 253_376], [20_971_520, 64_864_256]),
        ([16, 16, 8], [360_448, 1_275_776], [92_274_688, 326_598_656]),
        ([16, 16, 16], [1_572_864, 6_151_680], [402_653_184, 1_574_830_080]),
        ([32, 16, 16], [6_815_744, 33_012_736], [1_744_830_464, 8_451_260_416]),
        ([32, 32, 16], [29_360_128, 165_607_424], [7_516_192_768, 42_395_500_544]),
        ([32, 32, 32], [125_829_120, 796_647_424], [32_212_254_720, 203_941_740_544]),
        ([64, 32, 32], [536_870_912, 4_260_872_192], [137_438_953_472, 1_090_783_281_152]),
    ];

    #[test]
    fn counts_agree_with_a_second_count() {
        for (shape, short, long) in SECOND_COUNT {
            for (block, [packets, links]) in [(4, short), (1024, long)] {
                let expected = Counts { packets, packet_hops: links + packets };
                assert_eq!(counts(shape, block), expected, "{shape:?} {block}");
            }
        }
    }

    /// On a ring of eight: five to the left are three to the right.
    #[test]
    fn the_shorter_way_round() {
        assert_eq!(distance([8, 1, 1], 6, 1), 3);
        assert_eq!(distance([4, 4, 4], 0, 63), 3);
        assert_eq!(distance([4, 4, 4], 5, 5), 0);
    }
}
