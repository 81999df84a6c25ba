/* Starts of Python functions on CPython 3.11, by the frame evaluation hook of PEP 523.
 *
 * Every start or resumption of a Python frame passes through `on_frame`. Each code object carries a mark (PEP 523's
 * co_extra): IGNORED, WATCHED, AROUND (each call is surrounded by two callbacks), or the epoch in which it was
 * last told. So a function that was told in this epoch,
 * or that never matters, costs a look-up and a comparison. `sys.setprofile` would cost a call into Python for every
 * call and return, of C functions too.
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

/* Marks: odd ones hold for one generation, from one `start` to the next; even ones for one epoch. */
#define LASTING(kind) ((void *)(generation << 3 | (uintptr_t)(kind) << 1 | 1))
#define IGNORED LASTING(0)
#define WATCHED LASTING(2)
#define AROUND LASTING(3)
#define TOLD ((void *)(epoch << 1))

static Py_ssize_t extra_index = -1;
static uintptr_t generation = 0;
static uintptr_t epoch = 1;
static PyObject *note_function = NULL;
static PyObject *enter_function = NULL;
static PyObject *leave_function = NULL;
static _PyFrameEvalFunction previous = NULL;
static unsigned long long frames_seen = 0;

/* How often something started unseen. */
static unsigned long long frames_missed = 0;

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

/* Tells a code object, and returns the mark that it gets. */
static void *
tell(struct _PyInterpreterFrame *frame)
{
    PyObject *answer = ask(note_function, frame);
    if (answer == NULL) {
        return NULL; /* it will be told again */
    }
    long kind = PyLong_AsLong(answer);
    void *mark = kind == 0 ? IGNORED : kind == 2 ? WATCHED : kind == 3 ? AROUND : TOLD;
    Py_DECREF(answer);
    if (_PyCode_SetExtra((PyObject *)frame->f_code, extra_index, mark) < 0) {
        PyErr_Clear();
    }
    return mark;
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
        if (mark != IGNORED && mark != TOLD && mark != AROUND) {
            mark = tell(frame);
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
    PyObject *note, *enter, *leave_callback;
    if (!PyArg_ParseTuple(arguments, "OOO", &note, &enter, &leave_callback)) {
        return NULL;
    }
    PyInterpreterState *interpreter = PyInterpreterState_Get();
    _PyFrameEvalFunction current = _PyInterpreterState_GetEvalFrameFunc(interpreter);
    if (extra_index < 0) {
        extra_index = _PyEval_RequestCodeExtraIndex(NULL);
        if (extra_index < 0) {
            PyErr_SetString(PyExc_RuntimeError, "the interpreter has no room for another mark on code objects");
            return NULL;
        }
    }
    Py_XSETREF(note_function, Py_NewRef(note));
    Py_XSETREF(enter_function, Py_NewRef(enter));
    Py_XSETREF(leave_function, Py_NewRef(leave_callback));
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
    /* Who hooked in after us calls us: then the function stays, and only passes on. */
    if (_PyInterpreterState_GetEvalFrameFunc(interpreter) == on_frame) {
        _PyInterpreterState_SetEvalFrameFunc(interpreter, previous);
    }
    Py_RETURN_NONE;
}

static PyObject *
next_epoch(PyObject *self, PyObject *unused)
{
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
     "Call NOTE(code, arguments) at starts; it answers 0 (never again), 1 (not in this epoch), 2 (each time), or\n"
     "3: then ENTER(code, arguments) and LEAVE(what it gave) surround each call."},
    {"stop", stop, METH_NOARGS, "Call it no more."},
    {"next_epoch", next_epoch, METH_NOARGS, "Tell every code object that was answered with 1 once more."},
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
