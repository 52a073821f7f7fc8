//! What orders workers that run side by side, and their stores. A target without it refuses kernels that ask for it.

macro_rules! sync_rows {
    ([$next:ident $($rest:ident)*] $($before:tt)*) => {
        $next! { [$($rest)*] $($before)*
Sync {
    Fence "fence" Some(0), Own, Ordered, Both, "earlier writes of this worker reach memory before later ones";
    Flush "flush" Some(0), Own, Ordered, Both, "waits until this worker's stores have reached memory";
    SemaInc "sema.inc" Some(0), Own, Ordered, Both, "increments semaphore imm (0..15), waits while it is 15";
    SemaDec "sema.dec" Some(0), Own, Ordered, Both, "decrements semaphore imm (0..15), waits while it is 0";
    MutexLock "mutex.lock" Some(0), Own, Ordered, Both, "takes the one mutex of the launch";
    MutexUnlock "mutex.unlock" Some(0), Own, Ordered, Both, "gives the mutex back";
    HostIrq "host.irq" Some(0), Own, Ordered, Both, "signals the host";
}
        }
    };
}
pub(crate) use sync_rows;
