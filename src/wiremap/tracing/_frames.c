/* Starts of Python functions on CPython 3.11, by the frame evaluation hook of PEP 523.
 *
 * Every start or resumption of a Python frame passes through `on_frame`. Each code object carries a mark (PEP 523's
 * co_extra): IGNORED, WATCHED, AROUND (each call is surrounded by two callbacks), or a `followed_code` that holds the
 * epoch in which it was last told. So a function that was told in this epoch, or that never matters, costs a look-up
 * and a comparison; one that was told in an earlier epoch is put into a dictionary, and Python code is called only
 * where it comes from a caller that is new. `sys.setprofile` would cost a call into Python for every call and return,
 * of C functions too.
 *
 * Python 3.12 and newer have sys.monitoring and don't build this.
 */

#define _GNU_SOURCE
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <pthread.h>

#define Py_BUILD_CORE
#include <internal/pycore_frame.h>
#undef Py_BUILD_CORE

/* Marks are odd and hold for one generation, from one `start` to the next. An even one points to a followed_code. */
#define MARK(kind) ((void *)(generation << 3 | (uintptr_t)(kind) << 1 | 1))
#define IGNORED MARK(0)
#define WATCHED MARK(2)
#define AROUND MARK(3)

/* Callers only serve to explain: a few of each function are enough, and so are the nearest frames. */
#define MAX_CALLERS 16
#define MAX_FOREIGN_FRAMES 25

typedef struct {
    uintptr_t generation;
    uintptr_t epoch;
    int num_callers;
    PyCodeObject *callers[MAX_CALLERS]; /* borrowed: whoever is told of them keeps them */
} followed_code;

static Py_ssize_t extra_index = -1;
static uintptr_t generation = 0;
static uintptr_t epoch = 1;
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

static PyObject *
arguments_of(struct _PyInterpreterFrame *frame)
{
    int count = frame->f_code->co_argcount;
    PyObject *arguments = PyTuple_New(count);
    for (int i = 0; arguments != NULL && i < count; i++) {
        PyObject *value = frame->localsplus[i];
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
    busy = 1;
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
    busy = 0;
    PyErr_Restore(type, value, traceback);
    return answer;
}

static int
is_followed(void *mark)
{
    return mark != NULL && !((uintptr_t)mark & 1) && ((followed_code *)mark)->generation == generation;
}

static void
free_mark(void *mark)
{
    if (!((uintptr_t)mark & 1)) {
        PyMem_RawFree(mark);
    }
}

/* Returns a mark for a code object that was told just now, or NULL for want of memory: then it is told again. */
static void *
follow(void *mark)
{
    followed_code *followed = mark != NULL && !((uintptr_t)mark & 1) ? mark : PyMem_RawCalloc(1, sizeof(followed_code));
    if (followed != NULL) {
        followed->generation = generation;
        followed->epoch = epoch;
        followed->num_callers = 0;
    }
    return followed;
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
    long kind = PyLong_AsLong(answer);
    Py_DECREF(answer);
    _PyCode_GetExtra((PyObject *)frame->f_code, extra_index, &mark);
    if (told_in != generation) {
        return NULL; /* another session began meanwhile */
    }
    if (kind == 1 && is_followed(mark)) {
        ((followed_code *)mark)->epoch = epoch;
        return mark;
    }
    void *next = kind == 0 ? IGNORED : kind == 2 ? WATCHED : kind == 3 ? AROUND : follow(mark);
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
    busy = 1;
    PyObject *target = Py_NewRef(call_function);
    PyObject *answer = PyObject_CallFunctionObjArgs(target, (PyObject *)caller, (PyObject *)code, NULL);
    if (answer == NULL) {
        pass_on_exception();
    }
    Py_XDECREF(answer);
    Py_DECREF(target);
    busy = 0;
    PyErr_Restore(type, value, traceback);
}

/* Finds which followed function called this one, seen through foreign frames between them, and tells it if new. */
static void
note_caller(PyThreadState *tstate, struct _PyInterpreterFrame *frame, followed_code *followed)
{
    /* The new frame is not yet on the stack. */
    struct _PyInterpreterFrame *below = tstate->cframe->current_frame;
    for (int hops = 0; below != NULL && hops < MAX_FOREIGN_FRAMES; below = below->previous, hops++) {
        void *mark = NULL;
        _PyCode_GetExtra((PyObject *)below->f_code, extra_index, &mark);
        if (mark != AROUND && !is_followed(mark)) {
            continue;
        }
        for (int i = 0; i < followed->num_callers; i++) {
            if (followed->callers[i] == below->f_code) {
                return;
            }
        }
        followed->callers[followed->num_callers++] = below->f_code;
        tell_call(below->f_code, frame->f_code);
        return;
    }
}

/* Notes that a followed code object starts, for the first time in this epoch. */
static void *
note_start(PyThreadState *tstate, struct _PyInterpreterFrame *frame, followed_code *followed)
{
    if (started == NULL || frames_missed != frames_missed_told) {
        frames_missed_told = frames_missed;
        return tell(frame, followed);
    }
    PyObject *type, *value, *traceback;
    PyErr_Fetch(&type, &value, &traceback);
    PyObject *key = PyLong_FromVoidPtr(frame->f_code);
    int is_noted = key != NULL && PyDict_SetItem(started, key, (PyObject *)frame->f_code) == 0;
    Py_XDECREF(key);
    if (is_noted) {
        followed->epoch = epoch;
    }
    else {
        PyErr_Clear();
        frames_missed++;
    }
    PyErr_Restore(type, value, traceback);
    if (followed->num_callers < MAX_CALLERS) {
        note_caller(tstate, frame, followed);
    }
    return followed;
}

static void
leave(PyObject *token)
{
    PyObject *type, *value, *traceback;
    if (leave_function == NULL) {
        return;
    }
    PyErr_Fetch(&type, &value, &traceback);
    busy = 1;
    PyObject *target = Py_NewRef(leave_function);
    PyObject *answer = PyObject_CallFunctionObjArgs(target, token, NULL);
    if (answer == NULL) {
        pass_on_exception();
    }
    Py_XDECREF(answer);
    Py_DECREF(target);
    busy = 0;
    PyErr_Restore(type, value, traceback);
}

static PyObject *
surrounded(PyThreadState *tstate, struct _PyInterpreterFrame *frame, int throwflag)
{
    PyObject *token = ask(enter_function, frame);
    PyObject *result = previous(tstate, frame, throwflag);
    if (token != NULL && token != Py_None) {
        leave(token);
    }
    Py_XDECREF(token);
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
        if (is_followed(mark)) {
            if (((followed_code *)mark)->epoch != epoch) {
                mark = note_start(tstate, frame, mark);
            }
        }
        else if (mark != IGNORED && mark != AROUND) {
            mark = tell(frame, mark);
        }
        if (mark == AROUND) {
            return surrounded(tstate, frame, throwflag);
        }
    }
    return previous(tstate, frame, throwflag);
}

static PyObject *
start(PyObject *self, PyObject *arguments)
{
    PyObject *note, *enter, *leave_callback, *call;
    if (!PyArg_ParseTuple(arguments, "OOOO", &note, &enter, &leave_callback, &call)) {
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
    /* Who hooked in after us calls us: then the function stays, and only passes on. */
    if (_PyInterpreterState_GetEvalFrameFunc(interpreter) == on_frame) {
        _PyInterpreterState_SetEvalFrameFunc(interpreter, previous);
    }
    Py_RETURN_NONE;
}

static PyObject *
next_epoch(PyObject *self, PyObject *codes)
{
    if (codes != Py_None && !PyDict_CheckExact(codes)) {
        PyErr_SetString(PyExc_TypeError, "a dictionary that is no subclass is needed, or None");
        return NULL;
    }
    Py_XSETREF(started, codes == Py_None ? NULL : Py_NewRef(codes));
    epoch++;
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
     "Call NOTE(code, arguments) at starts; it answers 0 (never again), 1 (followed: not in this epoch), 2 (each\n"
     "time), or 3: then ENTER(code, arguments) and LEAVE(what it gave) surround each call. CALL(caller, code) is\n"
     "told which followed code calls another, once for a pair and for a few callers of each."},
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
