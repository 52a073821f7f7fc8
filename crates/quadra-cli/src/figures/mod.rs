//! The pictures of `quadra run`: in a directory with a page (`--figures`), or in a page that a browser shows while the program runs
//! (`--show`).

mod serve;

use quadra_base::Diagnostic;
use quadra_quasar::figure::canvas::escaped;
use quadra_quasar::figure::{Control, Event, Gallery};
use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

pub use serve::Server;

/// A picture that the program has shown.
#[derive(Clone)]
struct Picture {
    name: String,
    caption: String,
    bytes: Arc<[u8]>,
}

/// All pictures so far, and how often they have changed.
#[derive(Default)]
struct Shown {
    pictures: Vec<Picture>,
    version: u64,
    /// The program has ended.
    ended: bool,
    /// A page has the pictures of this version.
    seen: u64,
    form: Form,
}

/// How long a form waits for a page that does not ask any more.
const ABSENCE: Duration = Duration::from_secs(15);

/// The controls of a program, where a page shows them.
#[derive(Default)]
struct Form {
    controls: Vec<Control>,
    events: VecDeque<(usize, String)>,
    closed: bool,
    /// When a page asked last, or was served first; none without a page.
    asked: Option<Instant>,
    /// Pages that wait for news.
    waiting: usize,
}

impl Form {
    /// Whether nobody can use the controls any more.
    fn is_over(&self) -> bool {
        self.closed || self.waiting == 0 && self.asked.is_none_or(|at| at.elapsed() > ABSENCE)
    }
}

/// Pictures that several threads see.
#[derive(Clone, Default)]
struct Wall(Arc<(Mutex<Shown>, Condvar)>);

impl Wall {
    fn with<T>(&self, work: impl FnOnce(&mut Shown) -> T) -> T {
        let result = work(&mut self.0.0.lock().unwrap_or_else(PoisonError::into_inner));
        self.0.1.notify_all();
        result
    }

    fn put(&self, picture: Picture) {
        self.with(|shown| {
            // A picture with axes takes the place of the bare one.
            let stem = |name: &str| Path::new(name).with_extension("");
            match shown.pictures.iter_mut().find(|p| stem(&p.name) == stem(&picture.name)) {
                Some(old) => *old = picture,
                None => shown.pictures.push(picture),
            }
            shown.version += 1;
        });
    }
}

/// Pictures of a run in a directory.
pub struct Directory {
    place: PathBuf,
    /// Held as long as the pictures are wanted, if the place is only for this run.
    _temporary: Option<tempfile::TempDir>,
    wall: Wall,
    /// Whether the directory gets a page.
    page: bool,
}

impl Directory {
    /// A directory that is there or is made.
    ///
    /// # Errors
    /// It cannot be made.
    pub fn named(place: &Path) -> Result<Directory, Diagnostic> {
        std::fs::create_dir_all(place).map_err(|e| {
            Diagnostic::error("", format!("cannot make the directory '{}': {e}", place.display()))
                .help("name a directory in a place you own")
        })?;
        Ok(Directory { place: place.to_path_buf(), _temporary: None, wall: Wall::default(), page: true })
    }

    /// A directory that goes with the run.
    ///
    /// # Errors
    /// There is no place for temporary files.
    pub fn temporary() -> Result<Directory, Diagnostic> {
        let directory = tempfile::tempdir()
            .map_err(|e| Diagnostic::error("", format!("cannot make a directory for pictures: {e}")))?;
        let place = directory.path().to_path_buf();
        Ok(Directory { place, _temporary: Some(directory), wall: Wall::default(), page: false })
    }
}

impl Gallery for Directory {
    fn take(&mut self, name: &str, caption: &str, bytes: &[u8]) -> std::io::Result<String> {
        let file = Path::new(name).file_name().unwrap_or(name.as_ref());
        let path = self.place.join(file);
        quadra_base::file::write(&path, bytes)?;
        let name = file.to_string_lossy().into_owned();
        self.wall.put(Picture { name, caption: caption.to_string(), bytes: bytes.into() });
        if self.page {
            let page = self.wall.with(|shown| page(&shown.pictures));
            quadra_base::file::write(self.place.join("index.html"), page)?;
        }
        Ok(path.to_string_lossy().into_owned())
    }

    fn is_watched(&self) -> bool {
        self.wall.with(|shown| shown.form.asked.is_some())
    }

    fn control(&mut self, number: Option<usize>, control: &Control) -> Option<usize> {
        self.wall.with(|shown| {
            shown.form.asked?;
            let controls = &mut shown.form.controls;
            let number = number.filter(|n| *n < controls.len()).unwrap_or(controls.len());
            match controls.get_mut(number) {
                Some(old) if old == control => return Some(number),
                Some(old) => *old = control.clone(),
                None => controls.push(control.clone()),
            }
            shown.version += 1;
            Some(number)
        })
    }

    fn event(&mut self, patience: Duration) -> Option<Event> {
        let (lock, news) = &*self.wall.0;
        let end = Instant::now() + patience;
        let mut shown = lock.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            if let Some((number, value)) = shown.form.events.pop_front() {
                return Some(Event::Set(number, value));
            }
            if shown.form.is_over() {
                return None;
            }
            let Some(left) = end.checked_duration_since(Instant::now()) else { return Some(Event::Nothing) };
            shown = news.wait_timeout(shown, left).unwrap_or_else(PoisonError::into_inner).0;
        }
    }
}

/// Common to all pages.
const STYLE: &str = "body{font-family:sans-serif;margin:2em;background:#fafafa}\
figure{display:inline-block;margin:1em;padding:1em;background:#fff;border:1px solid #ddd}\
img{max-width:90vw;max-height:80vh;min-width:8em;image-rendering:pixelated}figcaption{margin-top:.5em}";

/// A page with pictures that lie beside it.
fn page(pictures: &[Picture]) -> String {
    let mut out =
        format!("<!doctype html>\n<meta charset=\"utf-8\">\n<title>Figures</title>\n<style>{STYLE}</style>\n");
    for p in pictures {
        let (name, caption) = (escaped(&p.name), escaped(&p.caption));
        let text = if caption.is_empty() { name.clone() } else { format!("{name}: {caption}") };
        out += &format!("<figure><img src=\"{name}\" alt=\"{text}\"><figcaption>{text}</figcaption></figure>\n");
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_directory_holds_pictures_and_a_page() {
        let place = tempfile::tempdir().expect("a directory");
        let mut gallery = Directory::named(&place.path().join("new")).expect("a directory");
        let path = gallery.take("plot_001.svg", "", b"<svg/>").expect("it can be written");
        assert_eq!(std::fs::read(path).expect("it is there"), b"<svg/>");
        gallery.take("../a&b.png", "<first>", b"1").expect("it can be written");
        gallery.take("plot_001.svg", "again", b"2").expect("it can be written");
        let page = std::fs::read_to_string(place.path().join("new/index.html")).expect("there is a page");
        assert_eq!(page.matches("<figure>").count(), 2);
        assert!(page.contains("src=\"a&amp;b.png\"") && page.contains("a&amp;b.png: &lt;first&gt;"), "{page}");
        assert!(place.path().join("new/a&b.png").exists(), "pictures stay in the directory");
        gallery.take("imshow_002.png", "", b"3").expect("it can be written");
        gallery.take("imshow_002.svg", "with axes", b"4").expect("it can be written");
        let page = std::fs::read_to_string(place.path().join("new/index.html")).expect("there is a page");
        assert!(page.contains("imshow_002.svg: with axes") && !page.contains("imshow_002.png"), "{page}");
    }
}
