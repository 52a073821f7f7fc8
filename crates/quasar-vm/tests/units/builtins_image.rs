use ::image::DynamicImage;
use ::image::ImageBuffer;
use ::image::Luma;
use quadra_quasar_vm::builtins::image::*;

#[test]
fn pictures_on_a_terminal_take_half_a_character_per_pixel() {
    let image = ImageBuffer::<Luma<u8>, _>::from_raw(2, 3, vec![0, 255, 1, 2, 3, 4]).map(DynamicImage::ImageLuma8);
    let text = terminal_picture(&image.expect("six pixels"), 78);
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 2);
    assert_eq!(lines[1], "\x1b[38;2;3;3;3m▀\x1b[38;2;4;4;4m▀\x1b[0m");
    assert!(lines[0].starts_with("\x1b[38;2;0;0;0m\x1b[48;2;1;1;1m▀"));
    let wide = DynamicImage::new_rgb8(500, 100);
    assert!(terminal_picture(&wide, 78).lines().all(|l| l.matches('▀').count() == 78));
}
