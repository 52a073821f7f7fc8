/* libquadra: programs of the array language Quasar, called from C. Written by cbindgen from crates/capi.
 *
 * A session belongs to the thread that opened it. Functions with a status give QUADRA_SUCCESS or say by quadra_error() what is wrong;
 * arrays are then as the program left them, and the session goes on. Texts are UTF-8 and end with a zero. What a function gives a
 * pointer to stays until the next call for the same session, or on the same thread if none is named. */

#ifndef QUADRA_H
#define QUADRA_H

#include <stddef.h>
#include <stdint.h>

/*
 What became of a call.
 */
typedef enum quadra_status_code {
  QUADRA_SUCCESS = 0,
  /*
   The program is wrong or failed; quadra_error() has its diagnostics.
   */
  QUADRA_PROGRAM_ERROR = 1,
  /*
   The arguments of the call are wrong: a null pointer, a size, a session of another thread.
   */
  QUADRA_WRONG_CALL = 2,
  /*
   A mistake of Quadra.
   */
  QUADRA_BUG = 3,
} quadra_status_code;

/*
 Elements of an array.
 */
typedef enum quadra_element {
  QUADRA_F32 = 0,
  QUADRA_F64 = 1,
  QUADRA_I8 = 2,
  QUADRA_I16 = 3,
  QUADRA_I32 = 4,
  QUADRA_I64 = 5,
  QUADRA_U8 = 6,
  QUADRA_U16 = 7,
  QUADRA_U32 = 8,
  QUADRA_U64 = 9,
  /*
   Pairs of float: real and imaginary part.
   */
  QUADRA_C32 = 10,
  /*
   Pairs of double.
   */
  QUADRA_C64 = 11,
} quadra_element;

/*
 What a value is.
 */
typedef enum quadra_kind {
  /*
   No value: nullptr.
   */
  QUADRA_NOTHING = 0,
  /*
   `number`.
   */
  QUADRA_NUMBER = 1,
  /*
   `integer`.
   */
  QUADRA_INTEGER = 2,
  /*
   `number` and `imaginary`.
   */
  QUADRA_COMPLEX = 3,
  /*
   `text`.
   */
  QUADRA_TEXT = 4,
  /*
   `array`.
   */
  QUADRA_ARRAY = 5,
} quadra_kind;

/*
 What quadra_session_open() gives.
 */
typedef struct quadra_session quadra_session;

/*
 How programs of a session run. Fields that are 0 are as if nobody had said anything.
 */
typedef struct quadra_options {
  /*
   Where kernels and parallel loops run: auto (also for a null pointer), host, cpu, gpu, qpu, emu, vc4, interp.
   */
  const char *device;
  /*
   Not 0: `scalar` is double precision.
   */
  uint32_t double_precision;
  /*
   QPUs of the emulated Pi, 1 to 12; 0 for all.
   */
  uint32_t qpus;
  /*
   Bytes that arrays of programs may take; 0 for 8 GiB.
   */
  size_t max_memory;
  /*
   Seconds after which a call ends with an error; 0 for no limit.
   */
  double time_limit;
} quadra_options;

/*
 An array: its elements lie one behind the other, the last index the fastest.
 */
typedef struct quadra_array {
  /*
   A quadra_element.
   */
  uint32_t element;
  /*
   Dimensions, 1 to 8.
   */
  uint32_t rank;
  /*
   The lengths of the dimensions.
   */
  const size_t *shape;
  /*
   The elements. A function of a program reads and writes them in place.
   */
  void *data;
} quadra_array;

/*
 An argument or a result.
 */
typedef struct quadra_value {
  /*
   A quadra_kind, which says which of the fields below count.
   */
  uint32_t kind;
  double number;
  double imaginary;
  int64_t integer;
  const char *text;
  struct quadra_array array;
} quadra_value;

/*
 A loop of a program, and whether it is parallel.
 */
typedef struct quadra_loop {
  uint32_t line;
  /*
   Loops of the nest that run in parallel, this one the outermost; 0 for a serial one.
   */
  uint32_t depth;
  /*
   "parallel over (i, j)", or "serial: " and why.
   */
  const char *verdict;
} quadra_loop;

/*
 A device that kernels may run on.
 */
typedef struct quadra_device {
  const char *name;
  const char *about;
  /*
   Why it cannot be used here; a null pointer if it can.
   */
  const char *unavailable;
} quadra_device;

#define quadra_element_ALL { quadra_element_QuadraF32, quadra_element_QuadraF64, quadra_element_QuadraI8, quadra_element_QuadraI16, quadra_element_QuadraI32, quadra_element_QuadraI64, quadra_element_QuadraU8, quadra_element_QuadraU16, quadra_element_QuadraU32, quadra_element_QuadraU64, quadra_element_QuadraC32, quadra_element_QuadraC64, }

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/*
 Gives the version of the library, as 0.1.0.
 */
const char *quadra_version(void);

/*
 Gives what was wrong with the last call on this thread; an empty text if nothing was.
 */
const char *quadra_error(void);

/*
 Opens a session. The options may be a null pointer. Gives a null pointer if something is wrong with them.

 # Safety
 The options and the texts in them are there.
 */
struct quadra_session *quadra_session_open(const struct quadra_options *options);

/*
 Closes a session. A null pointer is closed already.

 # Safety
 What the session gave pointers to is not used any more.
 */
enum quadra_status_code quadra_session_close(struct quadra_session *session);

/*
 Compiles a program and runs its statements; its functions can be called from then on. `name` is what messages call it.

 # Safety
 The texts are there.
 */
enum quadra_status_code quadra_compile(struct quadra_session *session,
                                       const char *name,
                                       const char *program);

/*
 Compiles the program in a file, which may import others, as quadra_compile() does.

 # Safety
 The path is there.
 */
enum quadra_status_code quadra_load(struct quadra_session *session, const char *path);

/*
 Calls a function of a program with `count` arguments and fills `wanted` results. Arrays among the arguments are read and written in
 place; arrays among the results belong to the session, or are those of the arguments if the function gives these back. If the
 call fails, the results are nothing.

 # Safety
 There are so many arguments and results; arrays and texts among the arguments are there, and nobody else uses the elements meanwhile.
 */
enum quadra_status_code quadra_call(struct quadra_session *session,
                                    const char *function,
                                    const struct quadra_value *arguments,
                                    size_t count,
                                    struct quadra_value *results,
                                    size_t wanted);

/*
 Gives what programs printed since this was asked last; a null pointer if this is no session.

 # Safety
 None beyond that of the handle.
 */
const char *quadra_output(struct quadra_session *session);

/*
 Gives warnings and notes of the last program or call; a null pointer if this is no session.

 # Safety
 None beyond that of the handle.
 */
const char *quadra_warnings(struct quadra_session *session);

/*
 Says of every loop of a program whether it is parallel, without running the program. Gives the loops, and how many there are; a null
 pointer if the program is wrong.

 # Safety
 The texts and the count are there.
 */
const struct quadra_loop *quadra_verdicts(struct quadra_session *session,
                                          const char *name,
                                          const char *program,
                                          size_t *count);

/*
 Lists the devices that kernels may run on, and how many there are.

 # Safety
 The count is there.
 */
const struct quadra_device *quadra_devices(size_t *count);

/*
 Has the call that runs for a session end with an error, from another thread or a signal's handler that may wait.
 */
enum quadra_status_code quadra_stop(struct quadra_session *session);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* QUADRA_H */
