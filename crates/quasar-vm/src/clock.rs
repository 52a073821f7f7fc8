//! The time that programs see.

use std::time::{Duration, Instant, SystemTime};

/// Where the time comes from.
#[derive(Clone, Debug)]
pub enum Clock {
    /// The machine.
    Real,
    /// The time only passes when it is asked for, each time by so much: what a program prints does not depend on how fast it is.
    Steps { step: Duration, now: Duration },
}

/// A moment of a clock.
#[derive(Clone, Copy, Debug)]
pub enum Moment {
    Real(Instant),
    Stepped(Duration),
}

impl Clock {
    /// A clock that goes on by `step` each time it is asked.
    pub fn steps(step: Duration) -> Clock {
        Clock::Steps { step, now: Duration::ZERO }
    }

    /// This moment.
    pub fn now(&mut self) -> Moment {
        match self {
            Clock::Real => Moment::Real(Instant::now()),
            Clock::Steps { step, now } => {
                *now += *step;
                Moment::Stepped(*now)
            }
        }
    }

    /// Seconds since a moment of this clock.
    pub fn since(&mut self, moment: Moment) -> f64 {
        match (self.now(), moment) {
            (Moment::Real(now), Moment::Real(then)) => (now - then).as_secs_f64(),
            (Moment::Stepped(now), Moment::Stepped(then)) => (now - then).as_secs_f64(),
            _ => 0.0,
        }
    }

    /// Seconds since the beginning of 1970.
    pub fn date(&mut self) -> f64 {
        match self.now() {
            Moment::Real(_) => {
                SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).map_or(0.0, |d| d.as_secs_f64())
            }
            Moment::Stepped(now) => now.as_secs_f64(),
        }
    }
}
