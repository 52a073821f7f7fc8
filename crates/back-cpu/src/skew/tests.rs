use super::*;

/// A step over rows of ten elements that reads rows around of one array and writes its own of another.
fn step(from: usize, to: usize, around: (i64, i64), turn: u32) -> Kind {
    let area = |memory, write, (low, high): (i64, i64)| Area {
        memory,
        write,
        groups: (0, 50),
        elements: (low * 10, high * 10 + 9),
        stride: 10,
    };
    Kind {
        areas: vec![area(from, false, around), area(to, true, (0, 0))],
        groups: 50,
        start: 0,
        stride: 10,
        row: 10,
        turn,
        turns_from: 0,
        fold: None,
    }
}

#[test]
fn a_step_stays_behind_by_what_it_reads_ahead_and_by_what_it_overwrites() {
    let (there, back) = (step(1, 2, (-1, 3), 1), step(2, 1, (-1, 3), 1));
    assert_eq!(distance(&there, &back), Some(3), "it reads three rows ahead");
    let behind = (step(1, 2, (-4, 0), 1), step(2, 1, (-4, 0), 1));
    assert_eq!(distance(&behind.0, &behind.1), Some(4), "the row that it overwrites is still read four rows on");
    assert_eq!(distance(&there, &there), Some(0), "it overwrites what it has written");
    assert_eq!(distance(&there, &step(3, 4, (0, 0), 1)), None, "they have nothing to do with each other");
    assert_eq!(distance(&step(1, 2, (0, 0), 1), &step(1, 3, (0, 0), 1)), None, "both only read it");
}

#[test]
fn rows_at_the_border_that_reach_far_count() {
    let mut circular = step(2, 1, (-1, 1), 1);
    circular.areas.push(Area { memory: 2, write: false, groups: (0, 1), elements: (490, 499), stride: 0 });
    assert_eq!(distance(&step(1, 2, (-1, 1), 1), &circular), Some(49), "row 0 reads row 49");
    let mut mirrored = step(2, 1, (-1, 1), 1);
    mirrored.areas.push(Area { memory: 2, write: false, groups: (0, 1), elements: (20, 29), stride: 0 });
    assert_eq!(distance(&step(1, 2, (-1, 1), 1), &mirrored), Some(2));
}

#[test]
fn every_row_is_computed_once_and_behind_all_that_it_needs() {
    for (around, turn, length, size) in [((-1, 1), 1, 2, 1), ((-1, 1), 4, 7, 4), ((-2, 3), 2, 5, 8), ((0, 0), 1, 9, 3)]
    {
        let kinds = vec![step(1, 2, around, turn), step(2, 1, around, turn)];
        let hazards = Hazards::of(kinds);
        let steps: Vec<usize> = (0..length).map(|n| n % 2).collect();
        let block = hazards.block(&steps, size);
        // When each row of each step is computed.
        let tile_of = |step: usize, row: i64| {
            let cuts = &block.cuts[step];
            (0..cuts.len() - 1)
                .filter(|t| (i64::from(cuts[*t])..i64::from(cuts[t + 1])).contains(&row))
                .collect::<Vec<_>>()
        };
        for (n, row) in (0..length).flat_map(|n| (0..50).map(move |row| (n, row))) {
            let own = tile_of(n, row);
            assert_eq!(own.len(), 1, "step {n}, row {row}");
            for needed in (row + around.0).max(0)..=(row + around.1).min(49) {
                if n > 0 {
                    assert!(tile_of(n - 1, needed)[0] <= own[0], "step {n}, row {row} reads row {needed}");
                }
                if n + 1 < length {
                    assert!(
                        tile_of(n + 1, needed)[0] >= own[0],
                        "row {needed} is overwritten behind step {n}, row {row}"
                    );
                }
                // The first step of the next block, the last of the one before.
                let before = tile_of(length - 1, needed)[0];
                assert!(before <= tile_of(0, row)[0] + block.lag, "the block before is far enough ahead");
            }
        }
    }
}

#[test]
fn rows_of_other_lengths_and_parts_of_rows_have_their_places() {
    let mut border = step(1, 2, (0, 0), 1);
    // A loop along row 49: five groups of two elements.
    border.areas = vec![Area { memory: 2, write: true, groups: (0, 5), elements: (490, 491), stride: 2 }];
    (border.groups, border.start, border.stride) = (5, 490, 2);
    assert_eq!((border.place(0), border.place(4)), (49, 49));
    assert_eq!(distance(&step(1, 2, (-1, 1), 1), &border), Some(0));
    assert_eq!(distance(&border, &step(2, 1, (-1, 1), 1)), Some(1), "row 48 reads it");
    let hazards = Hazards::of(vec![border, step(2, 1, (-1, 1), 1)]);
    assert_eq!(hazards.rows(), 50);
    let block = hazards.block(&[0, 1], 5);
    assert_eq!(block.shifts, [0, 1]);
    assert_eq!(block.cuts[0], [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 5, 5], "all of it in the last tile of its row");
}

#[test]
fn the_ends_of_a_periodic_axis_lie_side_by_side_when_rows_are_folded() {
    let circular = |from, to, turn| {
        let mut kind = step(from, to, (-1, 1), turn);
        kind.areas.push(Area { memory: from, write: false, groups: (0, 1), elements: (490, 499), stride: 0 });
        kind.areas.push(Area { memory: from, write: false, groups: (49, 50), elements: (0, 9), stride: 0 });
        kind
    };
    for (turn, length, size) in [(1, 2, 1), (4, 6, 4), (3, 5, 7)] {
        let flat = Hazards::of(vec![circular(1, 2, turn), circular(2, 1, turn)]);
        let steps: Vec<usize> = (0..length).map(|n| n % 2).collect();
        assert!(flat.shifts(&steps)[1] >= 49, "as long as rows are not folded");
        let folded = flat.folded();
        assert!(folded.rows() <= 29 && folded.shifts(&steps)[1] <= 8, "{:?}", folded.shifts(&steps));
        let block = folded.block(&steps, size);
        let tile_of = |step: usize, row: u32| {
            let (cuts, back) = (&block.cuts[step], &block.back[step]);
            let own = |t: &usize| (cuts[*t]..cuts[t + 1]).contains(&row) || (back[t + 1]..back[*t]).contains(&row);
            (0..cuts.len() - 1).filter(own).collect::<Vec<_>>()
        };
        for (n, row) in (0..length).flat_map(|n| (0..50).map(move |row| (n, row))) {
            let own = tile_of(n, row);
            assert_eq!(own.len(), 1, "step {n}, row {row}");
            for needed in [(row + 49) % 50, row, (row + 1) % 50] {
                assert!(n == 0 || tile_of(n - 1, needed)[0] <= own[0], "step {n}, row {row} reads row {needed}");
                assert!(
                    n + 1 == length || tile_of(n + 1, needed)[0] >= own[0],
                    "row {needed} behind step {n}, row {row}"
                );
                assert!(tile_of(length - 1, needed)[0] <= tile_of(0, row)[0] + block.lag);
            }
        }
    }
}
