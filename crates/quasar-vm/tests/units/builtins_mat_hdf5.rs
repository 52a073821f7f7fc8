use hdf5_pure::{AttrValue, FileBuilder};
use quadra_quasar_vm::builtins::mat_hdf5::*;
use quadra_quasar_vm::value::Value;

fn file() -> Vec<u8> {
    let mut builder = FileBuilder::new();
    let class = |name: &str| AttrValue::AsciiString(name.into());
    let numbers = builder.create_dataset("numbers");
    numbers
        .with_f64_data(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0])
        .with_shape(&[3, 2])
        .set_attr("MATLAB_class", class("double"));
    let text = builder.create_dataset("text");
    text.with_u16_data(&[104, 105]).with_shape(&[2, 1]).set_attr("MATLAB_class", class("char"));
    let flag = builder.create_dataset("flag");
    flag.with_u8_data(&[1]).with_shape(&[1, 1]).set_attr("MATLAB_class", class("logical"));
    builder.finish().expect("a small file can be built")
}

#[test]
fn numbers_text_and_flags_are_read() {
    let found = variables(&file(), true).expect("the file is whole");
    let names: Vec<&str> = found.iter().map(|(n, _)| &**n).collect();
    assert_eq!(names, ["flag", "numbers", "text"]);
    let Value::Array(t) = &found[1].1 else { panic!("an array") };
    assert_eq!(&t.shape[..], [2, 3]);
    assert_eq!(quadra_quasar_vm::arith::to_f64(&t.data.borrow()).to_vec(), [1.0, 3.0, 5.0, 2.0, 4.0, 6.0]);
    assert_eq!(found[2].1.as_text(), Some("hi"));
}

#[test]
fn damaged_files_are_errors() {
    let whole = file();
    for cut in [9, 60, 200, whole.len() / 2, whole.len() - 3] {
        let _ = variables(&whole[..cut], false);
    }
    assert!(variables(&whole[..60], false).is_err());
    for at in (0..whole.len()).step_by(7) {
        let mut bytes = whole.clone();
        bytes[at] ^= 0x5a;
        let _ = variables(&bytes, false);
    }
}
