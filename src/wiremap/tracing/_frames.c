/* Starts of Python functions on CPython 3.11, by the frame evaluation hook of PEP 523.
 *
 * Every start or resumption of a Python frame passes through `on_frame`. Each code object carries a mark (PEP 523's
 * co_extra): IGNORED, WATCHED, or a `known_code` that holds the epoch in which it was last told. So a function that was
 * told in this epoch, or that never matters, costs a look-up and a comparison; one that was told in an earlier epoch is
 * put into a dictionary, and Python code is called only where it comes from a caller that is new. Each call of a filler
 * is surrounded by two callbacks, until it is one that was passed by. `sys.setprofile` would cost a call into Python
 * for every call and return, of C functions too.
 *
 * Python 3.12 and newer have sys.monitoring and don't build this.
 */

#define _GNU_SOURCE
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <pthread.h>

#define Py_BUILD_CORE
#include <internal/pycore_code.h>
#include <internal/pycore_frame.h>
#undef Py_BUILD_CORE

#include "_known_code.h"
#include "_repeated_calls.h"

/* Marks are odd and hold for one generation, from one `start` to the next. An even one points to a known_code. */
#define MARK(kind) ((void *)(generation << 3 | (uintptr_t)(kind) << 1 | 1))
#define IGNORED MARK(0)
#define WATCHED MARK(2)

static Py_ssize_t extra_index = -1;
static PyObject *note_function = NULL;
static PyObject *enter_function = NULL;
static PyObject *leave_function = NULL;
static PyObject *call_function = NULL;

/* Where what starts in this epoch is put by its id; NULL if each is to be told to `note_function`. */
static PyObject *started = NULL;
static _PyFrameEvalFunction previous = NULL;
static unsigned long long frames_seen = 0;

/* How often something started unseen. */
static unsigned long long frames_missed = 0;
static unsigned long long frames_missed_told = 0;

/* The callback is Python code itself. Per thread: another thread may start a function meanwhile. */
static _Thread_local int busy = 0;

/* What the collector finalizes runs code of the project, which would start unseen within a callback. */
static int
begin_callback(void)
{
    busy = 1;
    return PyGC_Disable();
}

static void
end_callback(int was_collecting)
{
    if (was_collecting) {
        PyGC_Enable();
    }
    busy = 0;
}

/* Under the hook each Python call takes C stack, which it does not without. Below this address, none is to spare. */
static _Thread_local char *stack_reserve = NULL;

static char *
find_stack_reserve(void)
{
    void *lowest = NULL;
    size_t size = 0;
#if defined(__APPLE__)
    size = pthread_get_stacksize_np(pthread_self());
    lowest = (char *)pthread_get_stackaddr_np(pthread_self()) - size;
#elif defined(__linux__)
    pthread_attr_t attributes;
    if (pthread_getattr_np(pthread_self(), &attributes) == 0) {
        pthread_attr_getstack(&attributes, &lowest, &size);
        pthread_attr_destroy(&attributes);
    }
#endif
    return lowest == NULL ? (char *)1 : (char *)lowest + size / 3;
}

static int
is_stack_scarce(void)
{
    char here;
    if (stack_reserve == NULL) {
        stack_reserve = find_stack_reserve();
    }
    return (uintptr_t)&here < (uintptr_t)stack_reserve;
}

/* Returns a borrowed argument, or NULL. In a generator that was started, one that closures share is in a cell. */
static PyObject *
argument_of(struct _PyInterpreterFrame *frame, int place)
{
    PyObject *value = frame->localsplus[place];
    int is_shared = _PyLocals_GetKind(frame->f_code->co_localspluskinds, place) & CO_FAST_CELL;
    return value != NULL && is_shared && PyCell_Check(value) ? PyCell_GET(value) : value;
}

static PyObject *
arguments_of(struct _PyInterpreterFrame *frame)
{
    int count = frame->f_code->co_argcount;
    PyObject *arguments = PyTuple_New(count);
    for (int i = 0; arguments != NULL && i < count; i++) {
        PyObject *value = argument_of(frame, i);
        PyTuple_SET_ITEM(arguments, i, Py_NewRef(value ? value : Py_None));
    }
    return arguments;
}

/* An exception that left a callback is not ours: a signal handler raised it while the callback ran. It is raised
 * again in the code that is observed, as soon as that runs. Too deep a recursion only means that we can't look. */
static void
pass_on_exception(void)
{
    PyObject *type, *value, *traceback;
    PyErr_Fetch(&type, &value, &traceback);
    if (PyErr_GivenExceptionMatches(type, PyExc_RecursionError)) {
        frames_missed++;
    }
    else {
        PyThreadState_SetAsyncExc(PyThreadState_Get()->thread_id, type);
    }
    Py_XDECREF(type);
    Py_XDECREF(value);
    Py_XDECREF(traceback);
}

/* Calls FUNCTION(code, arguments) and returns its answer, or NULL when it gave none. */
static PyObject *
ask(PyObject *function, struct _PyInterpreterFrame *frame)
{
    PyObject *type, *value, *traceback;
    PyErr_Fetch(&type, &value, &traceback); /* a generator may be resumed with an exception */
    int was_collecting = begin_callback();
    PyObject *target = Py_NewRef(function);
    PyObject *arguments = arguments_of(frame);
    PyObject *answer = NULL;
    if (arguments != NULL) {
        answer = PyObject_CallFunctionObjArgs(target, (PyObject *)frame->f_code, arguments, NULL);
    }
    if (answer == NULL) {
        pass_on_exception();
    }
    Py_XDECREF(arguments);
    Py_DECREF(target);
    end_callback(was_collecting);
    PyErr_Restore(type, value, traceback);
    return answer;
}

static int
is_pointer(void *mark)
{
    return mark != NULL && !((uintptr_t)mark & 1);
}

static int
is_known(void *mark)
{
    return is_pointer(mark) && ((known_code *)mark)->generation == generation;
}

static void
free_mark(void *mark)
{
    if (is_pointer(mark)) {
        PyMem_RawFree(mark);
    }
}

/* Returns a mark for a code object that was told just now, or NULL for want of memory: then it is told again. */
static void *
know(void *mark, PyObject *places, PyCodeObject *code)
{
    known_code *known = is_pointer(mark) ? mark : PyMem_RawMalloc(sizeof(known_code));
    if (known != NULL) {
        begin_to_know(known, places, code->co_argcount);
        known->epoch = epoch;
    }
    return known;
}

/* Tells a code object, and returns the mark that it gets. */
static void *
tell(struct _PyInterpreterFrame *frame, void *mark)
{
    uintptr_t told_in = generation;
    PyObject *answer = ask(note_function, frame);
    if (answer == NULL) {
        return NULL; /* it will be told again */
    }
    long kind = PyTuple_Check(answer) ? 1 : PyLong_AsLong(answer);
    _PyCode_GetExtra((PyObject *)frame->f_code, extra_index, &mark);
    if (told_in != generation) {
        Py_DECREF(answer);
        return NULL; /* another session began meanwhile */
    }
    if (kind == 1 && is_known(mark)) {
        Py_DECREF(answer);
        ((known_code *)mark)->epoch = epoch;
        return mark;
    }
    PyObject *places = PyTuple_Check(answer) ? answer : Py_None;
    void *next = kind == 0 ? IGNORED : kind == 2 ? WATCHED : know(mark, places, frame->f_code);
    Py_DECREF(answer);
    if (next != mark && _PyCode_SetExtra((PyObject *)frame->f_code, extra_index, next) < 0) {
        PyErr_Clear();
        free_mark(next);
        return NULL;
    }
    return next;
}

/* Calls a function with two code objects, for nothing but what it does. */
static void
tell_call(PyCodeObject *caller, PyCodeObject *code)
{
    PyObject *type, *value, *traceback;
    PyErr_Fetch(&type, &value, &traceback);
    int was_collecting = begin_callback();
    PyObject *target = Py_NewRef(call_function);
    PyObject *answer = PyObject_CallFunctionObjArgs(target, (PyObject *)caller, (PyObject *)code, NULL);
    if (answer == NULL) {
        pass_on_exception();
    }
    Py_XDECREF(answer);
    Py_DECREF(target);
    end_callback(was_collecting);
    PyErr_Restore(type, value, traceback);
}

/* Finds which followed function called this one, seen through foreign frames between them, and tells it if new. */
static void
note_caller(PyThreadState *tstate, struct _PyInterpreterFrame *frame, known_code *known)
{
    /* The new frame is not yet on the stack. */
    struct _PyInterpreterFrame *below = tstate->cframe->current_frame;
    for (int hops = 0; below != NULL && hops < MAX_FOREIGN_FRAMES; below = below->previous, hops++) {
        void *mark = NULL;
        _PyCode_GetExtra((PyObject *)below->f_code, extra_index, &mark);
        if (is_known(mark)) {
            if (add_call(known, (PyObject *)frame->f_code, mark, (PyObject *)below->f_code)) {
                tell_call(below->f_code, frame->f_code);
            }
            return;
        }
    }
}

/* Notes that a followed code object starts, for the first time in this epoch. */
static void *
note_start(PyThreadState *tstate, struct _PyInterpreterFrame *frame, known_code *known)
{
    if (started == NULL || frames_missed != frames_missed_told) {
        frames_missed_told = frames_missed;
        return tell(frame, known);
    }
    PyObject *type, *value, *traceback;
    PyErr_Fetch(&type, &value, &traceback);
    PyObject *key = PyLong_FromVoidPtr(frame->f_code);
    int is_noted = key != NULL && PyDict_SetItem(started, key, (PyObject *)frame->f_code) == 0;
    Py_XDECREF(key);
    if (is_noted) {
        known->epoch = epoch;
    }
    else {
        PyErr_Clear();
        frames_missed++;
    }
    PyErr_Restore(type, value, traceback);
    note_caller(tstate, frame, known);
    return known;
}

static void
leave(PyObject *token)
{
    PyObject *type, *value, *traceback;
    if (leave_function == NULL) {
        return;
    }
    PyErr_Fetch(&type, &value, &traceback);
    int was_collecting = begin_callback();
    PyObject *target = Py_NewRef(leave_function);
    PyObject *answer = PyObject_CallFunctionObjArgs(target, token, NULL);
    if (answer == NULL) {
        pass_on_exception();
    }
    Py_XDECREF(answer);
    Py_DECREF(target);
    end_callback(was_collecting);
    PyErr_Restore(type, value, traceback);
}

/* Returns the owner whose place it is, borrowed; NULL for the process. */
static PyObject *
owner_of(struct _PyInterpreterFrame *frame, int place)
{
    return place < 0 ? NULL : argument_of(frame, place);
}

static void
find_owners(struct _PyInterpreterFrame *frame, const known_code *known, PyObject **owners)
{
    for (int i = 0; i < known->num_owners; i++) {
        owners[i] = owner_of(frame, known->owners[i]);
    }
}

static int
is_passed(const known_code *known, PyObject **owners)
{
    for (int i = 0; i < known->num_owners; i++) {
        if (!was_passed(known, owners[i])) {
            return 0;
        }
    }
    return known->num_owners > 0;
}

static void
note_begin(known_code *known, PyObject **owners, PyObject *token, uintptr_t told_in)
{
    PyObject *type, *value, *traceback;
    PyErr_Fetch(&type, &value, &traceback);
    int was_collecting = begin_callback();
    for (int i = 0; i < known->num_owners && token == Py_None; i++) {
        pass_by(known, owners[i], told_in);
    }
    if (token != Py_None) {
        remember_call(known, owners, token);
    }
    PyErr_Clear();
    end_callback(was_collecting);
    PyErr_Restore(type, value, traceback);
}

/* Begins a call that repeats another; returns what is seen in it, or NULL where Python must begin it. */
static PyObject *
try_to_begin(const known_code *known, PyObject **owners)
{
    PyObject *type, *value, *traceback;
    PyErr_Fetch(&type, &value, &traceback);
    int was_collecting = PyGC_Disable();
    PyObject *seen = begin_again(known, owners);
    if (PyErr_Occurred()) {
        PyErr_Clear();
        frames_missed++;
    }
    if (was_collecting) {
        PyGC_Enable();
    }
    PyErr_Restore(type, value, traceback);
    return seen;
}

/* Ends a call in which nothing new was seen; returns whether it could. */
static int
try_to_end(const known_code *known, PyObject *seen)
{
    PyObject *type, *value, *traceback;
    PyErr_Fetch(&type, &value, &traceback);
    int was_collecting = PyGC_Disable();
    int is_ended = end_again(known, seen);
    if (PyErr_Occurred()) {
        PyErr_Clear();
        frames_missed++;
    }
    if (was_collecting) {
        PyGC_Enable();
    }
    PyErr_Restore(type, value, traceback);
    return is_ended;
}

static PyObject *
surrounded(
    PyThreadState *tstate, struct _PyInterpreterFrame *frame, int throwflag, known_code *known, PyObject **owners)
{
    uintptr_t told_in = epoch, begun_in = generation;
    PyObject *code = Py_NewRef(frame->f_code); /* which keeps KNOWN */
    PyObject *token = try_to_begin(known, owners);
    if (token == NULL) {
        token = ask(enter_function, frame);
        if (token != NULL && begun_in == generation) {
            find_owners(frame, known, owners);
            note_begin(known, owners, token, told_in);
        }
    }
    PyObject *result = previous(tstate, frame, throwflag);
    if (token != NULL && token != Py_None && !(begun_in == generation && try_to_end(known, token))) {
        leave(token);
    }
    Py_XDECREF(token);
    Py_DECREF(code);
    return result;
}

static PyObject *on_frame(PyThreadState *tstate, struct _PyInterpreterFrame *frame, int throwflag);

/* Evaluates the frame, and all that it calls, as if nobody watched: Python calls then take no C stack. */
static PyObject *
unwatched(PyThreadState *tstate, struct _PyInterpreterFrame *frame, int throwflag)
{
    frames_missed++;
    _PyInterpreterState_SetEvalFrameFunc(tstate->interp, previous);
    PyObject *result = previous(tstate, frame, throwflag);
    if (note_function != NULL) {
        _PyInterpreterState_SetEvalFrameFunc(tstate->interp, on_frame);
    }
    return result;
}

static PyObject *
on_frame(PyThreadState *tstate, struct _PyInterpreterFrame *frame, int throwflag)
{
    if (note_function != NULL && !busy) {
        void *mark = NULL;
        frames_seen++;
        if (is_stack_scarce()) {
            return unwatched(tstate, frame, throwflag);
        }
        _PyCode_GetExtra((PyObject *)frame->f_code, extra_index, &mark);
        if (!is_known(mark)) {
            mark = mark == IGNORED ? mark : tell(frame, mark);
        }
        else if (((known_code *)mark)->epoch != epoch && !((known_code *)mark)->is_filler) {
            mark = note_start(tstate, frame, mark);
        }
        if (is_known(mark) && ((known_code *)mark)->is_filler) {
            PyObject *owners[MAX_OWNERS];
            find_owners(frame, mark, owners);
            if (!is_passed(mark, owners)) {
                return surrounded(tstate, frame, throwflag, mark, owners);
            }
        }
    }
    return previous(tstate, frame, throwflag);
}

static PyObject *
start(PyObject *self, PyObject *arguments)
{
    PyObject *note, *enter, *leave_callback, *call, *calls;
    if (!PyArg_ParseTuple(arguments, "OOOOO!", &note, &enter, &leave_callback, &call, &PyTuple_Type, &calls) ||
        follow_calls(calls) < 0) {
        return NULL;
    }
    PyInterpreterState *interpreter = PyInterpreterState_Get();
    _PyFrameEvalFunction current = _PyInterpreterState_GetEvalFrameFunc(interpreter);
    if (extra_index < 0) {
        extra_index = _PyEval_RequestCodeExtraIndex(free_mark);
        if (extra_index < 0) {
            PyErr_SetString(PyExc_RuntimeError, "the interpreter has no room for another mark on code objects");
            return NULL;
        }
    }
    Py_XSETREF(note_function, Py_NewRef(note));
    Py_XSETREF(enter_function, Py_NewRef(enter));
    Py_XSETREF(leave_function, Py_NewRef(leave_callback));
    Py_XSETREF(call_function, Py_NewRef(call));
    Py_CLEAR(started);
    epoch++;
    generation++;
    if (current != on_frame) {
        previous = current;
        _PyInterpreterState_SetEvalFrameFunc(interpreter, on_frame);
    }
    Py_RETURN_NONE;
}

static PyObject *
stop(PyObject *self, PyObject *unused)
{
    PyInterpreterState *interpreter = PyInterpreterState_Get();
    Py_CLEAR(note_function);
    Py_CLEAR(enter_function);
    Py_CLEAR(leave_function);
    Py_CLEAR(call_function);
    Py_CLEAR(started);
    forget_passed();
    forget_calls();
    /* Who hooked in after us calls us: then the function stays, and only passes on. */
    if (_PyInterpreterState_GetEvalFrameFunc(interpreter) == on_frame) {
        _PyInterpreterState_SetEvalFrameFunc(interpreter, previous);
    }
    Py_RETURN_NONE;
}

static int
begin_epoch(PyObject *codes)
{
    Py_XSETREF(started, codes == Py_None ? NULL : Py_NewRef(codes));
    epoch++;
    return 0;
}

static PyObject *
next_epoch(PyObject *self, PyObject *codes)
{
    if (codes != Py_None && !PyDict_CheckExact(codes)) {
        PyErr_SetString(PyExc_TypeError, "a dictionary that is no subclass is needed, or None");
        return NULL;
    }
    begin_epoch(codes);
    Py_RETURN_NONE;
}

static PyObject *
seen(PyObject *self, PyObject *unused)
{
    return PyLong_FromUnsignedLongLong(frames_seen);
}

static PyObject *
missed(PyObject *self, PyObject *unused)
{
    return PyLong_FromUnsignedLongLong(frames_missed);
}

static PyMethodDef methods[] = {
    {"start", start, METH_VARARGS,
     "Call NOTE(code, arguments) at starts; it answers 0 (never again), 1 (not in this epoch), 2 (each time), or the\n"
     "places of the owners of a filler: then ENTER(code, arguments) and LEAVE(what it gave) surround each call; where\n"
     "ENTER gave None, no call for the same owners in this epoch. CALL(caller, code) is told which known code calls\n"
     "another, once for a pair and for a few callers of each. With CALLS, calls that repeat others are begun and ended\n"
     "here."},
    {"stop", stop, METH_NOARGS, "Call it no more."},
    {"next_epoch", next_epoch, METH_O,
     "Put every followed code object that starts from now on into the dictionary CODES, by its id; if that is None,\n"
     "tell each to NOTE once more."},
    {"seen", seen, METH_NOARGS, "Return how many starts passed through the hook, to see whether it is alive."},
    {"missed", missed, METH_NOARGS, "Return how often something started unseen, for want of C stack."},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT,
    .m_name = "wiremap.tracing._frames",
    .m_doc = "Starts of Python functions, by the frame evaluation hook of PEP 523.",
    .m_size = -1,
    .m_methods = methods,
};

PyMODINIT_FUNC
PyInit__frames(void)
{
    return PyModule_Create(&definition);
}
