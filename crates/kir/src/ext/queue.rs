//! A queue of requests for elements of memory: a worker asks, goes on computing, and receives in the order in which it asked. A
//! target without one loads where the request stands (the pass `defifo`).

macro_rules! queue_rows {
    ([$next:ident $($rest:ident)*] $($before:tt)*) => {
        $next! { [$($rest)*] $($before)*
Queue {
    TmuRequest "tmu.request" None, Own, Ordered, Both, "asks for the element at the indices; at most 4 requests may wait";
    TmuReceive "tmu.receive" Some(0), Own, Ordered, Both, "the element of the oldest waiting request";
}
        }
    };
}
pub(crate) use queue_rows;
