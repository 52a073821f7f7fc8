//! Texture lookups, one mode at a time.

use super::super::memory::Region;
use super::*;

const BASE: u32 = 0x4000;

fn params(kind: u32, width: u32, height: u32, nearest: bool, wrap_s: u32, wrap_t: u32) -> Vec<u32> {
    let first = BASE | (kind & 15) << 4;
    let second = (kind >> 4) << 31 | height << 20 | width << 8 | u32::from(nearest) << 7 | wrap_t << 2 | wrap_s;
    vec![first, second]
}

fn memory(words: &[u32]) -> Memory {
    let mut memory = Memory::default();
    memory.add(Region::of_words("image", BASE, words)).expect("free");
    memory
}

fn at(params: &[u32], s: f32, t: f32, border: u32, memory: &mut Memory) -> u32 {
    let request =
        Request { params: params.to_vec(), t: Some(Lanes::splat(t.to_bits())), r: Some(Lanes::splat(border)), b: None };
    request.run(&Lanes::splat(s.to_bits()), memory).expect("inside").words.0[3]
}

#[test]
fn coordinates_outside_follow_the_wrap_mode() {
    let mut memory = memory(&(0..16).collect::<Vec<u32>>());
    let column =
        |wrap: u32, x: f32, memory: &mut Memory| at(&params(16, 4, 4, true, wrap, 1), x / 4.0, 0.1, 99, memory);
    let expect = [
        (0, [2, 3, 0, 1, 2, 3, 0]),
        (1, [0, 0, 0, 1, 2, 3, 3]),
        (2, [1, 0, 0, 1, 2, 3, 3]),
        (3, [99, 99, 0, 1, 2, 3, 99]),
    ];
    for (wrap, row) in expect {
        let got: Vec<u32> = (-2..5).map(|x| column(wrap, x as f32 + 0.5, &mut memory)).collect();
        assert_eq!(got, row, "wrap {wrap}");
    }
    assert_eq!(at(&params(16, 4, 4, true, 1, 2), 0.3, 1.2, 0, &mut memory), 13, "mirrored below the last row");
}

#[test]
fn tiles_hold_every_texel_once() {
    // For each texel size: an image of 4 KiB tiles, and a small one.
    for (kind, bytes, w, h) in [
        (0, 4, 96, 64),
        (0, 4, 16, 64),
        (9, 2, 128, 64),
        (5, 1, 128, 128),
        (5, 1, 32, 24),
        (15, 8, 32, 64),
        (15, 8, 8, 8),
    ] {
        let words = params(kind, w, h, true, 0, 0);
        let texture = Texture::from_params(&words).expect("emulated");
        let mut seen = vec![false; (w * h) as usize];
        for y in 0..h {
            for x in 0..w {
                let n = (texture.address(&texture.level(0, 0), x, y) - BASE) / bytes;
                assert!(!std::mem::replace(&mut seen[n as usize], true), "{kind} {x} {y}");
            }
        }
    }
}

#[test]
fn the_order_of_tiles_is_the_documented_one() {
    let words = params(0, 64, 64, true, 0, 0);
    let texture = Texture::from_params(&words).expect("emulated");
    let at = |x, y| texture.address(&texture.level(0, 0), x, y) - BASE;
    assert_eq!((at(1, 0), at(0, 1), at(4, 0), at(0, 4)), (4, 16, 64, 256));
    // Parts of the first tile: down, then right and up.
    assert_eq!((at(0, 16), at(16, 16), at(16, 0)), (1024, 2048, 3072));
    // Second row of tiles: from the right, its parts the other way round.
    assert_eq!((at(32, 0), at(63 - 15, 32), at(32, 32)), (4096, 8192 + 1024, 8192 + 2048));
}

#[test]
fn filtering_weighs_four_texels() {
    let mut memory = memory(&[0, 0x0000_00ff, 0x0000_ff00, 0x0000_ffff]);
    let linear = params(16, 2, 2, false, 1, 1);
    assert_eq!(at(&linear, 0.25, 0.25, 0, &mut memory), 0, "at the centre of a texel its value");
    assert_eq!(at(&linear, 0.5, 0.25, 0, &mut memory), 0x0000_0080);
    assert_eq!(at(&linear, 0.5, 0.5, 0, &mut memory), 0x0000_8080);
    assert_eq!(at(&linear, 0.0, 1.0, 0, &mut memory), 0x0000_ff00, "clamped");
}

#[test]
fn formats_are_widened_to_bytes() {
    let texel = |kind: u32, word: u32| at(&params(kind, 1, 1, true, 0, 0), 0.5, 0.5, 0, &mut memory(&[word; 16]));
    assert_eq!(texel(0, 0x8421_1234), 0x8421_1234);
    assert_eq!(texel(1, 0x0021_1234), 0xff21_1234);
    assert_eq!(texel(2, 0x1234_1234), 0x4433_2211);
    assert_eq!(texel(4, 0xffe0_ffe0), 0xff00_ffff);
    assert_eq!(texel(3, 0xf801_f801), 0xff00_00ff);
    assert_eq!(texel(5, 0x7777_7777), 0xff77_7777);
    assert_eq!(texel(6, 0x7777_7777), 0x7700_0000);
    assert_eq!(texel(9, 0x3c00_3c00), 0x3c00);
    assert_eq!(texel(11, 0x8001_8001), 0x8001);
}

#[test]
fn wild_coordinates_read_some_texel() {
    let mut memory = memory(&[7; 16]);
    for s in [f32::INFINITY, f32::NEG_INFINITY, f32::NAN, f32::MAX, -0.0] {
        for wrap in 0..3 {
            for nearest in [true, false] {
                let got = at(&params(16, 4, 4, nearest, wrap, wrap), s, s, 0, &mut memory);
                assert!(got == 7 || s.is_nan(), "{s} {wrap} {nearest}: {got}");
            }
        }
    }
}

#[test]
fn what_is_not_emulated_is_refused() {
    let nearest = 1 << 7;
    let cases: [&[u32]; 10] = [
        &[8 << 4, 0],
        &[12 << 4, nearest],
        &[13 << 4, nearest],
        &[14 << 4, nearest],
        &[1 << 4, 1 << 31 | nearest],
        &[1 << 9, nearest],
        &[3, 2 << 4],
        &[11 << 4, 0],
        &[15 << 4, 0],
        &[0, nearest, 2 << 30],
    ];
    for params in cases {
        assert!(matches!(Texture::from_params(params), Err(FaultKind::Texture(_))), "{params:x?}");
    }
    assert!(matches!(Texture::from_params(&[0]), Err(FaultKind::Texture(_))));
}

/// Looks up with all coordinates, nearest.
fn full(params: Vec<u32>, [s, t, r, b]: [f32; 4], memory: &mut Memory) -> Results {
    let lanes = |v: f32| Lanes::splat(v.to_bits());
    let request = Request { params, t: Some(lanes(t)), r: Some(lanes(r)), b: Some(lanes(b)) };
    request.run(&lanes(s), memory).expect("inside")
}

#[test]
fn texels_of_64_bits_come_in_two_words() {
    let mut memory = memory(&(0..64).collect::<Vec<u32>>());
    let found = full(params(15, 2, 4, true, 0, 0), [0.75, 0.3, 0.0, 0.0], &mut memory);
    // Second column, second row of a microtile of 2 x 4.
    assert_eq!((found.words.0[0], found.more.expect("64 bits").0[9]), (6, 7));
}

#[test]
fn levels_lie_in_front_of_the_image() {
    // An image of 8 x 8 words, levels of 4 x 4, 2 x 2 and 1 x 1 in a microtile each, in front of it.
    let words: Vec<u32> = [[3; 16], [2; 16], [1; 16]].concat().into_iter().chain([0; 64]).collect();
    let mut memory = Memory::default();
    memory.add(Region::of_words("image", BASE - 3 * 64, &words)).expect("free");
    let level = |minify: u32, bias: f32, memory: &mut Memory| {
        let mut params = params(0, 8, 8, true, 1, 1);
        params[0] |= 3;
        params[1] |= minify << 4;
        params.push(1 << 30 | 1);
        full(params, [0.6, 0.6, 0.0, bias], memory).words.0[5]
    };
    for (bias, expected) in [(-2.0, 0), (0.0, 0), (0.4, 0), (0.6, 1), (1.0, 1), (2.2, 2), (3.0, 3), (9.0, 3)] {
        assert_eq!((level(2, bias, &mut memory), level(4, bias, &mut memory)), (expected, expected), "{bias}");
        assert_eq!(level(1, bias, &mut memory), 0, "without levels");
    }
    // Between levels: the mean, rounded.
    assert_eq!((level(3, 1.5, &mut memory), level(5, 2.25, &mut memory), level(3, f32::NAN, &mut memory)), (2, 2, 0));
}

#[test]
fn large_levels_keep_their_tiles() {
    let texture = Texture::from_params(&[BASE | 2, 64 << 20 | 64 << 8 | 1 << 7 | 1 << 4]).expect("emulated");
    // 32 x 32 words make one tile of 4 KiB; 16 x 16 and smaller are microtiles row by row.
    assert_eq!((texture.level(1, 0).base, texture.level(2, 0).base), (BASE - 4096, BASE - 4096 - 1024));
}

#[test]
fn directions_find_the_face_of_a_cube() {
    let faces: Vec<u32> = (0..6).flat_map(|face| (0..1024).map(move |texel| 100 * face + texel)).collect();
    let mut memory = memory(&faces);
    let mut at = |s: f32, t: f32, r: f32| {
        let mut params = params(0, 2, 2, true, 1, 1);
        params[0] |= 1 << 9;
        params.push(1 << 30 | 4096);
        full(params, [s, t, r, 0.0], &mut memory).words.0[0]
    };
    // The middle of a face reads its last texel, which lies in the second row of a microtile four words wide.
    assert_eq!([at(1.0, 0.0, 0.0), at(-1.0, 0.0, 0.0), at(0.0, 2.0, 0.0)], [5, 105, 205]);
    assert_eq!([at(0.0, -2.0, 0.0), at(0.0, 0.0, 3.0), at(0.0, 0.0, -3.0)], [305, 405, 505]);
    // Seen from inside, +x has +z on its left and +y at its top.
    assert_eq!([at(1.0, 0.5, 0.5), at(1.0, 0.5, -0.5), at(1.0, -0.5, 0.5)], [0, 1, 4]);
    assert_eq!([at(0.1, 0.5, -1.0), at(-0.1, 0.5, -1.0)], [500, 501]);
}

#[test]
fn a_stray_texel_names_lane_and_address() {
    let mut s = Lanes::splat(0.1f32.to_bits());
    s.0[5] = 0.9f32.to_bits();
    let request = Request { params: params(16, 64, 64, true, 1, 1), t: None, r: None, b: None };
    let Err((kind, lane, address)) = request.run(&s, &mut memory(&[0; 16])) else { panic!("outside") };
    assert_eq!((kind, lane, address), (FaultKind::Outside(Access::Tmu), 5, BASE + 57 * 4));
}
