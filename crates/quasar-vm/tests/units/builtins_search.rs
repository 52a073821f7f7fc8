use quadra_quasar_vm::builtins::search::*;

#[test]
fn places_and_counts_agree() {
    let v: Vec<u8> = (0..200_001u32).map(|k| u8::from(k.wrapping_mul(2_654_435_761) >> 30 == 1)).collect();
    let want: Vec<usize> = (0..v.len()).filter(|i| v[*i] != 0).collect();
    assert_eq!((count(&v), places(&v)), (want.len(), want));
}
