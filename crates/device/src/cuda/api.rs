//! The functions of NVIDIA's driver that are used here, found at run time: nothing links to it. Nothing else of this device is unsafe.
#![allow(unsafe_code)]

use std::ffi::{CStr, c_char, c_int, c_uint, c_void};
use std::ptr::null_mut;
use std::sync::OnceLock;
use std::time::Duration;

/// What the driver calls a handle: of a context, a module, a function, a stream, an event.
type Handle = *mut c_void;
/// An address in the GPU's memory.
pub(super) type Address = u64;

macro_rules! functions {
    ($($name:ident: fn($($arg:ty),*);)*) => {
        #[allow(non_snake_case)]
        struct Functions { $($name: unsafe extern "C" fn($($arg),*) -> c_int,)* }

        impl Functions {
            fn load(library: &libloading::Library) -> Result<Functions, String> {
                // SAFETY: these are the types of NVIDIA's `cuda.h`, where names with an ending are what the others stand for.
                unsafe {
                    Ok(Functions { $($name: *library
                        .get(concat!(stringify!($name), "\0").as_bytes())
                        .map_err(|_| concat!("it has no ", stringify!($name)).to_string())?,)* })
                }
            }
        }
    };
}

functions! {
    cuInit: fn(c_uint);
    cuDriverGetVersion: fn(*mut c_int);
    cuGetErrorString: fn(c_int, *mut *const c_char);
    cuDeviceGetCount: fn(*mut c_int);
    cuDeviceGet: fn(*mut c_int, c_int);
    cuDeviceGetName: fn(*mut c_char, c_int, c_int);
    cuDeviceGetAttribute: fn(*mut c_int, c_int, c_int);
    cuDevicePrimaryCtxRetain: fn(*mut Handle, c_int);
    cuCtxSetCurrent: fn(Handle);
    cuMemAlloc_v2: fn(*mut Address, usize);
    cuMemFree_v2: fn(Address);
    cuMemAllocHost_v2: fn(*mut *mut c_void, usize);
    cuMemcpyHtoDAsync_v2: fn(Address, *const c_void, usize, Handle);
    cuMemcpyDtoHAsync_v2: fn(*mut c_void, Address, usize, Handle);
    cuMemcpyDtoDAsync_v2: fn(Address, Address, usize, Handle);
    cuModuleLoadDataEx: fn(*mut Handle, *const c_void, c_uint, *const c_int, *const *mut c_void);
    cuModuleGetFunction: fn(*mut Handle, Handle, *const c_char);
    cuModuleUnload: fn(Handle);
    cuLaunchKernel: fn(
        Handle, c_uint, c_uint, c_uint, c_uint, c_uint, c_uint, c_uint, Handle, *const *const c_void, *const *const c_void
    );
    cuStreamCreate: fn(*mut Handle, c_uint);
    cuStreamSynchronize: fn(Handle);
    cuEventCreate: fn(*mut Handle, c_uint);
    cuEventRecord: fn(Handle, Handle);
    cuEventElapsedTime: fn(*mut f32, Handle, Handle);
}

/// A stream that does not wait for others.
const NON_BLOCKING: c_uint = 1;
/// Options of `cuModuleLoadDataEx`: where errors go, as text, and how long it may be.
const ERROR_LOG: [c_int; 2] = [5, 6];
const LOG: usize = 4096;

/// What is asked of a GPU.
#[derive(Clone, Copy, Debug)]
pub(super) enum Attribute {
    ThreadsOfBlock = 1,
    SharedOfBlock = 8,
    Major = 75,
    Minor = 76,
}

/// The driver.
pub(super) struct Api(Functions);

/// The file of the driver.
const LIBRARY: &str = if cfg!(windows) { "nvcuda.dll" } else { "libcuda.so.1" };

/// The driver of this process, loaded at the first call.
///
/// # Errors
/// Why there is none, in words.
pub(super) fn api() -> Result<&'static Api, &'static str> {
    static API: OnceLock<Result<Api, String>> = OnceLock::new();
    let load = || {
        // SAFETY: loading runs the initialisers of the driver, which are made for that.
        let library = unsafe { libloading::Library::new(LIBRARY) };
        let library = library.map_err(|_| format!("there is no {LIBRARY}"))?;
        let functions = Functions::load(&library).map_err(|why| format!("{LIBRARY} is too old: {why}"))?;
        // The driver has threads of its own, whose code must stay.
        std::mem::forget(library);
        let api = Api(functions);
        // SAFETY: it has no preconditions.
        api.did(unsafe { (api.0.cuInit)(0) })?;
        Ok(api)
    };
    API.get_or_init(load).as_ref().map_err(String::as_str)
}

/// A connection to a GPU and its stream, in which everything is done in order.
pub(crate) struct Connection {
    api: &'static Api,
    context: Handle,
    stream: Handle,
    /// Memory of the host that the GPU writes without a detour.
    reply: *mut c_void,
}

/// Bytes of a [reply](Connection::reply).
pub(super) const REPLY: usize = 8;

// SAFETY: the driver's handles may be used from any thread in which their context is current; the reply is used by one thread at a
// time, which has the stream.
unsafe impl Send for Connection {}
// SAFETY: as above.
unsafe impl Sync for Connection {}

/// Code in the GPU's memory.
pub(crate) struct Loaded {
    api: &'static Api,
    context: Handle,
    module: Handle,
    function: Handle,
}

// SAFETY: as for connections.
unsafe impl Send for Loaded {}
// SAFETY: as for connections.
unsafe impl Sync for Loaded {}

/// Two points in time of a stream.
pub(crate) struct Times([Handle; 2]);

impl Api {
    /// # Errors
    /// The driver's words for a status that is not 0.
    fn did(&self, status: c_int) -> Result<(), String> {
        if status == 0 {
            return Ok(());
        }
        let mut text = std::ptr::null();
        // SAFETY: it writes an address of a text that is there for good, or nothing.
        unsafe {
            (self.0.cuGetErrorString)(status, &mut text);
            match text.is_null() {
                true => Err(format!("error {status} of the CUDA driver")),
                false => Err(format!("{} (CUDA error {status})", CStr::from_ptr(text).to_string_lossy())),
            }
        }
    }

    /// The version of CUDA that the driver knows, as in 13.0.
    ///
    /// # Errors
    /// What the driver says.
    pub fn version(&self) -> Result<String, String> {
        let mut number = 0;
        // SAFETY: it writes one number.
        self.did(unsafe { (self.0.cuDriverGetVersion)(&mut number) })?;
        Ok(format!("{}.{}", number / 1000, number % 1000 / 10))
    }

    /// The names of the GPUs, in the driver's order.
    ///
    /// # Errors
    /// What the driver says.
    pub fn names(&self) -> Result<Vec<String>, String> {
        let mut count = 0;
        // SAFETY: it writes one number.
        self.did(unsafe { (self.0.cuDeviceGetCount)(&mut count) })?;
        (0..count).map(|n| self.name(n)).collect()
    }

    fn name(&self, device: c_int) -> Result<String, String> {
        let mut name = [0_u8; 256];
        // SAFETY: it writes at most so many bytes, the last of which is 0.
        self.did(unsafe { (self.0.cuDeviceGetName)(name.as_mut_ptr().cast(), name.len() as c_int, device) })?;
        Ok(CStr::from_bytes_until_nul(&name).unwrap_or_default().to_string_lossy().into_owned())
    }

    /// # Errors
    /// What the driver says.
    pub fn attribute(&self, number: usize, what: Attribute) -> Result<u32, String> {
        let (mut device, mut value) = (0, 0);
        // SAFETY: each writes one number.
        unsafe {
            self.did((self.0.cuDeviceGet)(&mut device, number as c_int))?;
            self.did((self.0.cuDeviceGetAttribute)(&mut value, what as c_int, device))?;
        }
        Ok(value.max(0) as u32)
    }
}

impl Connection {
    /// Connects to the GPU of this number.
    ///
    /// # Errors
    /// What the driver says.
    pub fn new(api: &'static Api, number: usize) -> Result<Connection, String> {
        let (mut device, mut made) = (0, [null_mut(); 3]);
        let [context, stream, reply] = &mut made;
        // SAFETY: each writes one number or handle; the context is current for those behind it.
        unsafe {
            api.did((api.0.cuDeviceGet)(&mut device, number as c_int))?;
            api.did((api.0.cuDevicePrimaryCtxRetain)(context, device))?;
            api.did((api.0.cuCtxSetCurrent)(*context))?;
            api.did((api.0.cuStreamCreate)(stream, NON_BLOCKING))?;
            api.did((api.0.cuMemAllocHost_v2)(reply, REPLY))?;
        }
        let [context, stream, reply] = made;
        Ok(Connection { api, context, stream, reply })
    }

    /// Makes the context current in this thread, and does something there.
    fn within(&self, work: impl FnOnce(&Functions) -> c_int) -> Result<(), String> {
        // SAFETY: the context is there as long as the process.
        self.api.did(unsafe { (self.api.0.cuCtxSetCurrent)(self.context) })?;
        self.api.did(work(&self.api.0))
    }

    /// Memory of so many bytes, which hold anything.
    ///
    /// # Errors
    /// What the driver says.
    pub fn allocate(&self, bytes: usize) -> Result<Address, String> {
        let mut address = 0;
        // SAFETY: it writes one address.
        self.within(|f| unsafe { (f.cuMemAlloc_v2)(&mut address, bytes) })?;
        Ok(address)
    }

    /// Gives memory back, when everything that uses it is done.
    pub fn free(&self, address: Address) {
        // SAFETY: the driver knows its own addresses, and waits.
        let _ = self.within(|f| unsafe { (f.cuMemFree_v2)(address) });
    }

    /// Bytes to the GPU, in order; they have been read when this returns.
    ///
    /// # Errors
    /// What the driver says.
    pub fn write(&self, to: Address, bytes: &[u8]) -> Result<(), String> {
        // SAFETY: so many bytes are there; memory that is not pinned has been read when the call returns. The driver tests addresses.
        self.within(|f| unsafe { (f.cuMemcpyHtoDAsync_v2)(to, bytes.as_ptr().cast(), bytes.len(), self.stream) })
    }

    /// Bytes from the GPU, when everything is done.
    ///
    /// # Errors
    /// What the driver says.
    pub fn read(&self, from: Address, into: &mut [u8]) -> Result<(), String> {
        // SAFETY: so many bytes are there, and stay until the stream has come to its end.
        self.within(|f| unsafe {
            match (f.cuMemcpyDtoHAsync_v2)(into.as_mut_ptr().cast(), from, into.len(), self.stream) {
                0 => (f.cuStreamSynchronize)(self.stream),
                status => status,
            }
        })
    }

    /// The first bytes of a memory, when everything is done: quicker than [`read`](Connection::read) for so few. One thread at a time may
    /// ask.
    ///
    /// # Errors
    /// What the driver says.
    pub fn reply(&self, from: Address) -> Result<[u8; REPLY], String> {
        // SAFETY: so many bytes are there; nobody else reads or writes them.
        self.within(|f| unsafe {
            match (f.cuMemcpyDtoHAsync_v2)(self.reply, from, REPLY, self.stream) {
                0 => (f.cuStreamSynchronize)(self.stream),
                status => status,
            }
        })?;
        // SAFETY: the driver has written them, and is done.
        Ok(unsafe { self.reply.cast::<[u8; REPLY]>().read() })
    }

    /// So many bytes from one memory of the GPU to another one, in order.
    ///
    /// # Errors
    /// What the driver says.
    pub fn copy(&self, from: Address, to: Address, bytes: usize) -> Result<(), String> {
        // SAFETY: the driver tests addresses.
        self.within(|f| unsafe { (f.cuMemcpyDtoDAsync_v2)(to, from, bytes, self.stream) })
    }

    /// Makes code of PTX that ends with a zero, and looks for its entry point.
    ///
    /// # Errors
    /// What the driver says, with what its assembler says.
    pub fn load(&self, ptx: &[u8], entry: &CStr) -> Result<Loaded, String> {
        assert_eq!(ptx.last(), Some(&0), "the driver looks for the end");
        let (mut module, mut function, mut log) = (null_mut(), null_mut(), vec![0_u8; LOG]);
        let values = [log.as_mut_ptr().cast(), LOG as *mut c_void];
        // SAFETY: the text is terminated, and so is what the assembler says, in so many bytes.
        let loaded = self.within(|f| unsafe {
            let (count, options) = (ERROR_LOG.len() as c_uint, ERROR_LOG.as_ptr());
            (f.cuModuleLoadDataEx)(&mut module, ptx.as_ptr().cast(), count, options, values.as_ptr())
        });
        let log = CStr::from_bytes_until_nul(&log).unwrap_or_default().to_string_lossy();
        loaded.map_err(|why| format!("{why} {}", log.trim()).trim_end().to_string())?;
        let mut loaded = Loaded { api: self.api, context: self.context, module, function };
        // SAFETY: the module was just loaded; the name is terminated.
        self.within(|f| unsafe { (f.cuModuleGetFunction)(&mut function, module, entry.as_ptr()) })?;
        loaded.function = function;
        Ok(loaded)
    }

    /// Launches so many blocks of threads along two axes on these parameters, in order.
    ///
    /// # Errors
    /// What the driver says.
    pub fn launch(&self, code: &Loaded, blocks: [u32; 2], threads: u32, parameters: &[Address]) -> Result<(), String> {
        let pointers: Vec<*const c_void> = parameters.iter().map(|p| std::ptr::from_ref(p).cast()).collect();
        // SAFETY: the code takes so many addresses, and reads them before the call returns. It touches only what they lead to, because
        // every index is proved or tested against the length that the header gives.
        self.within(|f| unsafe {
            let (parameters, none) = (pointers.as_ptr(), std::ptr::null());
            (f.cuLaunchKernel)(code.function, blocks[0], blocks[1], 1, threads, 1, 1, 0, self.stream, parameters, none)
        })
    }

    /// Waits until everything is done.
    ///
    /// # Errors
    /// What the driver says, of what was done, too.
    pub fn finish(&self) -> Result<(), String> {
        // SAFETY: the stream is there as long as the process.
        self.within(|f| unsafe { (f.cuStreamSynchronize)(self.stream) })
    }

    /// What times are measured with.
    ///
    /// # Errors
    /// What the driver says.
    pub fn times(&self) -> Result<Times, String> {
        let mut events = [null_mut(); 2];
        for event in &mut events {
            // SAFETY: it writes one handle.
            self.within(|f| unsafe { (f.cuEventCreate)(event, 0) })?;
        }
        Ok(Times(events))
    }

    /// What is done next comes behind this point in time.
    ///
    /// # Errors
    /// What the driver says.
    pub fn mark(&self, times: &Times, which: usize) -> Result<(), String> {
        // SAFETY: events are there as long as the process.
        self.within(|f| unsafe { (f.cuEventRecord)(times.0[which], self.stream) })
    }

    /// How long it was between both points, when everything is done.
    ///
    /// # Errors
    /// What the driver says.
    pub fn between(&self, times: &Times) -> Result<Duration, String> {
        let mut milliseconds = 0.0_f32;
        self.finish()?;
        // SAFETY: it writes one number.
        self.within(|f| unsafe { (f.cuEventElapsedTime)(&mut milliseconds, times.0[0], times.0[1]) })?;
        Ok(Duration::from_secs_f32((milliseconds * 1e-3).max(0.0)))
    }
}

impl Drop for Loaded {
    fn drop(&mut self) {
        // SAFETY: nobody launches it any more; the driver waits for what has been launched.
        unsafe {
            (self.api.0.cuCtxSetCurrent)(self.context);
            (self.api.0.cuModuleUnload)(self.module);
        }
    }
}
