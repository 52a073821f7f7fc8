use quadra_quasar_hir::op2::Op2;
use quadra_quasar_vm::arith::Mode;
use quadra_quasar_vm::exact::*;
use quadra_quasar_vm::scalar_ops;
use quadra_quasar_vm::tensor::Data;

#[test]
fn integers_are_what_single_ones_are() {
    let a: Vec<i32> = (0..1003).map(|k| (k * 7919) % 20_011 - 10_000).collect();
    let b: Vec<i32> = (0..1003).map(|k| (k * 104_729) % 301 - 150).map(|x| if x == 0 { 7 } else { x }).collect();
    let (da, db) = (Data::Int(a.clone()), Data::Int(b.clone()));
    for op in [Op2::Add, Op2::Sub, Op2::Mul, Op2::Max, Op2::Min, Op2::And, Op2::Or, Op2::Xor, Op2::Mod, Op2::Rem] {
        let pair = Pair { a: &da, b: &db, a_one: false, b_one: false };
        let Some(Data::Int(out)) = integers(op, &pair) else { panic!("{op:?} fits") };
        for ((x, y), z) in a.iter().zip(&b).zip(&out) {
            let want = scalar_ops::integer(op, (*x).into(), (*y).into(), false, false, Mode::default());
            assert_eq!(want.ok(), Some(i64::from(*z)), "{op:?} {x} {y}");
        }
    }
    let most = Data::Int(vec![i32::MAX, 1]);
    let pair = |op| integers(op, &Pair { a: &most, b: &most, a_one: false, b_one: false });
    assert!(pair(Op2::Add).is_none() && pair(Op2::Mul).is_none() && pair(Op2::Sub).is_some());
    let zero = Data::Int(vec![0]);
    assert!(integers(Op2::Mod, &Pair { a: &most, b: &zero, a_one: false, b_one: true }).is_none());
}

#[test]
fn only_floats_that_fit_become_integers() {
    let int = Data::Int(Vec::new());
    let some = converted(&Data::F32(vec![1.9, -1.9, 2_147_483_520.0, -2_147_483_648.0]), &int);
    assert!(matches!(some, Some(Data::Int(v)) if v == [1, -1, 2_147_483_520, i32::MIN]));
    for bad in [2_147_483_648.0, f32::NAN, f32::INFINITY, -3e9] {
        assert!(converted(&Data::F32(vec![0.0, bad]), &int).is_none());
    }
}
