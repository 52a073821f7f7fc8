//! Loads and stores: their forms and their order.

pub mod access;
pub mod defifo;
pub mod forward;
pub mod fifo;
