//! Sorting of unsigned numbers in vectors of 512 bits: quicksort that packs the lanes of each part by one instruction, and bitonic
//! networks for parts of up to eight vectors (Batcher, "Sorting networks and their applications", 1968).

/// A module that sorts numbers of one type. The lists are the distances of the lanes that a network exchanges within a vector:
/// to bring it in order, and to end a merge.
macro_rules! sorter {
    ($name:ident, $t:ident, $signed:ident, $lanes:literal, $less:ident, $greater:ident, $min:ident, $max:ident, $compress:ident, $permute:ident, $blend:ident, $splat:ident, [$($first:literal)*], [$($last:literal)*]) => {
        pub mod $name {
            use pulp::{NullaryFnOnce, cast, x86::V4};

            const LANES: usize = $lanes;
            /// Vectors that a network sorts.
            const MOST: usize = 8;
            type Vector = [$t; LANES];

            #[inline(always)]
            fn load(v: &[$t]) -> Vector {
                v.first_chunk().copied().unwrap_or([$t::MAX; LANES])
            }

            const fn places(bits: usize) -> Vector {
                let mut places = [0; LANES];
                let mut i = 0;
                while i < LANES {
                    places[i] = (i ^ bits) as $t;
                    i += 1;
                }
                places
            }

            const fn upper(bits: usize) -> u16 {
                let top = bits.next_power_of_two() >> (!bits.is_power_of_two()) as u32;
                let (mut mask, mut i) = (0, 0);
                while i < LANES {
                    mask |= ((i & top != 0) as u16) << i;
                    i += 1;
                }
                mask
            }

            /// Exchanges lanes whose numbers differ by `BITS`, so that each pair is in order.
            #[inline(always)]
            fn exchanged<const BITS: usize>(simd: V4, x: Vector) -> Vector {
                let y = simd.avx512f.$permute(cast(const { places(BITS) }), cast(x));
                let (low, high) = (simd.avx512f.$min(cast(x), y), simd.avx512f.$max(cast(x), y));
                cast(simd.avx512f.$blend(const { upper(BITS) } as _, low, high))
            }

            #[inline(always)]
            fn reversed(simd: V4, x: Vector) -> Vector {
                cast(simd.avx512f.$permute(cast(const { places(LANES - 1) }), cast(x)))
            }

            /// A vector in order.
            #[inline(always)]
            fn one(simd: V4, x: Vector) -> Vector {
                $(let x = exchanged::<$first>(simd, x);)*
                x
            }

            /// The last steps of a merge, within vectors.
            #[inline(always)]
            fn merged(simd: V4, x: Vector) -> Vector {
                $(let x = exchanged::<$last>(simd, x);)*
                x
            }

            #[inline(always)]
            fn ordered(simd: V4, x: Vector, y: Vector) -> [Vector; 2] {
                [cast(simd.avx512f.$min(cast(x), cast(y))), cast(simd.avx512f.$max(cast(x), cast(y)))]
            }

            /// Sorts up to `N` vectors.
            #[inline(always)]
            fn network<const N: usize>(simd: V4, v: &mut [$t]) {
                let mut x = [[$t::MAX; LANES]; N];
                let n = v.len();
                x.as_flattened_mut()[..n].copy_from_slice(v);
                for x in &mut x { *x = one(simd, *x); }
                let mut size = 2;
                while size <= N {
                    let mut i = 0;
                    while i < N {
                        for k in 0..size / 2 {
                            let (a, b) = (i + k, i + size - 1 - k);
                            [x[a], x[b]] = ordered(simd, x[a], reversed(simd, x[b]));
                        }
                        i += size;
                    }
                    let mut step = size / 4;
                    while step > 0 {
                        for i in 0..N {
                            if i & step == 0 {
                                [x[i], x[i + step]] = ordered(simd, x[i], x[i + step]);
                            }
                        }
                        step /= 2;
                    }
                    for x in &mut x { *x = merged(simd, *x); }
                    size *= 2;
                }
                v.copy_from_slice(&x.as_flattened()[..n]);
            }

            #[inline(always)]
            fn short(simd: V4, v: &mut [$t]) {
                match v.len().div_ceil(LANES) {
                    0..2 => network::<1>(simd, v),
                    2 => network::<2>(simd, v),
                    3..5 => network::<4>(simd, v),
                    _ => network::<8>(simd, v),
                }
            }

            /// Puts what is less than `pivot` (or not greater, if `equal`) first; gives its number. `room` has one vector more.
            #[inline(always)]
            fn part(simd: V4, v: &mut [$t], room: &mut [$t], pivot: $t, equal: bool) -> usize {
                let splat = simd.avx512f.$splat(pivot as $signed);
                let (mut left, mut right) = (0, 0);
                let whole = v.len() / LANES * LANES;
                let mut i = 0;
                while i < whole {
                    let x = cast(load(&v[i..i + LANES]));
                    let mask = if equal { !simd.avx512f.$greater(x, splat) } else { simd.avx512f.$less(x, splat) };
                    let low: Vector = cast(simd.avx512f.$compress(mask, x));
                    let high: Vector = cast(simd.avx512f.$compress(!mask, x));
                    v[left..left + LANES].copy_from_slice(&low);
                    room[right..right + LANES].copy_from_slice(&high);
                    let n = mask.count_ones() as usize;
                    left += n;
                    right += LANES - n;
                    i += LANES;
                }
                for i in whole..v.len() {
                    let x = v[i];
                    let low = if equal { x <= pivot } else { x < pivot };
                    v[left] = x;
                    room[right] = x;
                    left += usize::from(low);
                    right += usize::from(!low);
                }
                v[left..].copy_from_slice(&room[..right]);
                left
            }

            /// The median of nine.
            fn middle(v: &[$t]) -> $t {
                let mut some: [$t; 9] = std::array::from_fn(|k| v[(2 * k + 1) * v.len() / 18]);
                some.sort_unstable();
                some[4]
            }

            /// The numbers, and room for as many and a vector more.
            struct Sort<'a>(V4, &'a mut [$t], &'a mut [$t]);

            impl NullaryFnOnce for Sort<'_> {
                type Output = ();

                #[inline(always)]
                fn call(self) {
                    let Sort(simd, v, room) = self;
                    let mut parts = vec![(0, v.len(), 2 * v.len().max(1).ilog2())];
                    while let Some((from, to, depth)) = parts.pop() {
                        let v = &mut v[from..to];
                        if v.len() <= MOST * LANES {
                            short(simd, v);
                            continue;
                        }
                        // Whoever chose the numbers knew the pivots.
                        if depth == 0 {
                            v.sort_unstable();
                            continue;
                        }
                        let pivot = middle(v);
                        let n = part(simd, v, room, pivot, false);
                        // The pivot is the least: all that equal it are done.
                        if n == 0 {
                            let n = part(simd, v, room, pivot, true);
                            parts.push((from + n, to, depth - 1));
                            continue;
                        }
                        parts.push((from + n, to, depth - 1));
                        parts.push((from, from + n, depth - 1));
                    }
                }
            }

            /// One part of a sort: see [`part`].
            struct Part<'a>(V4, &'a mut [$t], &'a mut [$t], $t);

            impl NullaryFnOnce for Part<'_> {
                type Output = usize;

                #[inline(always)]
                fn call(self) -> usize {
                    part(self.0, self.1, self.2, self.3, false)
                }
            }

            fn grow(room: &mut Vec<$t>, n: usize) {
                if room.len() < n + LANES {
                    room.resize(n + LANES, 0);
                }
            }

            /// Puts about the lesser half of many numbers first, if the processor has such vectors; where the greater ones begin.
            pub fn halve(v: &mut [$t], room: &mut Vec<$t>) -> Option<usize> {
                let simd = V4::try_new()?;
                grow(room, v.len());
                let mut some: [$t; 65] = std::array::from_fn(|k| v[(2 * k + 1) * v.len() / 130]);
                some.sort_unstable();
                Some(simd.vectorize(Part(simd, v, room, some[32])))
            }

            /// Sorts the numbers if the processor has such vectors; whether it has.
            pub fn sort(v: &mut [$t], room: &mut Vec<$t>) -> bool {
                let Some(simd) = V4::try_new() else { return false };
                grow(room, v.len());
                simd.vectorize(Sort(simd, v, room));
                true
            }
        }
    };
}

sorter!(singles, u32, i32, 16, _mm512_cmplt_epu32_mask, _mm512_cmpgt_epu32_mask, _mm512_min_epu32, _mm512_max_epu32, _mm512_maskz_compress_epi32, _mm512_permutexvar_epi32, _mm512_mask_blend_epi32, _mm512_set1_epi32, [1 3 1 7 2 1 15 4 2 1], [8 4 2 1]);
sorter!(doubles, u64, i64, 8, _mm512_cmplt_epu64_mask, _mm512_cmpgt_epu64_mask, _mm512_min_epu64, _mm512_max_epu64, _mm512_maskz_compress_epi64, _mm512_permutexvar_epi64, _mm512_mask_blend_epi64, _mm512_set1_epi64, [1 3 1 7 2 1], [4 2 1]);
