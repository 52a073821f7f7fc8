//! Image files as bytes. The codecs are generic: whoever calls them compiles them. So they are called here, and not in the language
//! crate, which changes more often.

use image::ImageReader;
pub use image::{DynamicImage, ImageError, ImageFormat, ImageResult};
use std::io::Cursor;

/// The decoder of a file whose format follows from its first bytes.
fn decoder(bytes: &[u8]) -> ImageResult<ImageReader<Cursor<&[u8]>>> {
    Ok(ImageReader::new(Cursor::new(bytes)).with_guessed_format()?)
}

/// Width and height.
///
/// # Errors
/// It is no image of a format that is known.
pub fn dimensions(bytes: &[u8]) -> ImageResult<(u32, u32)> {
    decoder(bytes)?.into_dimensions()
}

/// The image, however large it is: who calls this has looked at its [`dimensions`].
///
/// # Errors
/// As for [`dimensions`].
pub fn decode(bytes: &[u8]) -> ImageResult<DynamicImage> {
    let mut reader = decoder(bytes)?;
    reader.no_limits();
    reader.decode()
}

/// The bytes of a file.
///
/// # Errors
/// The format does not hold such pixels.
pub fn encode(image: &DynamicImage, format: ImageFormat) -> ImageResult<Vec<u8>> {
    let mut bytes = Cursor::new(Vec::new());
    image.write_to(&mut bytes, format)?;
    Ok(bytes.into_inner())
}
