/* Starts of Python functions that sys.monitoring tells, on CPython 3.12 and newer.
 *
 * `on_start` is its callback. A code object that it knows carries a `known_code` (PEP 523's co_extra). Of plain code, it
 * holds the epoch in which it last started: its first start in an epoch puts it into a dictionary, and further ones
 * are counted, until the code is disarmed for the rest of the epoch. Python code is called for all other code objects,
 * where a function has a new caller, and for the begin and end of calls of fillers that were not passed by.
 *
 * Nothing here lets go of the interpreter's lock between a look at the epoch and what rests on it, so that no code is
 * disarmed in an epoch in which it was not noted.
 */

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "_known_code.h"
#include "_repeated_calls.h"

static Py_ssize_t extra_index = -1;
static PyObject *note_function = NULL;
static PyObject *end_function = NULL;
static PyObject *call_function = NULL;

/* How a code object is armed, and those that were disarmed in this epoch. */
static PyObject *set_events_function = NULL;
static PyObject *tool = NULL;
static PyObject *armed_events = NULL;
static PyObject *disarmed = NULL;
static int most_starts = 0;

/* Calls that were begun and not ended, innermost last: by thread, the id of each function and what it sees, or None. */
static PyObject *open_calls = NULL;

/* Where what starts in this epoch is put by its id; NULL if each is to be told to `note_function`. */
static PyObject *started = NULL;

static known_code *
find_known(PyObject *code)
{
    void *extra = NULL;
    if (PyUnstable_Code_GetExtra(code, extra_index, &extra) < 0) {
        PyErr_Clear();
        return NULL;
    }
    known_code *known = extra;
    return known != NULL && known->generation == generation ? known : NULL;
}

/* Calls a function with what collects garbage switched off: a finalizer would run code of the project unseen. */
static PyObject *
call(PyObject *function, PyObject *const *arguments, Py_ssize_t count)
{
    int was_collecting = PyGC_Disable();
    Py_INCREF(function);
    PyObject *answer = PyObject_Vectorcall(function, arguments, count, NULL);
    Py_DECREF(function);
    if (was_collecting) {
        PyGC_Enable();
    }
    return answer;
}

/* Finds which known function called the one that starts, seen through foreign frames between them. Returns a new
 * reference, or NULL without one. */
static PyObject *
find_caller(void)
{
    PyFrameObject *frame = (PyFrameObject *)Py_XNewRef(PyEval_GetFrame()); /* that which starts */
    PyObject *found = NULL;
    for (int hops = 0; frame != NULL && found == NULL && hops < MAX_FOREIGN_FRAMES; hops++) {
        PyFrameObject *below = PyFrame_GetBack(frame);
        Py_DECREF(frame);
        frame = below;
        if (frame != NULL) {
            PyObject *code = (PyObject *)PyFrame_GetCode(frame);
            if (find_known(code) != NULL) {
                found = Py_NewRef(code);
            }
            Py_DECREF(code);
        }
    }
    Py_XDECREF(frame);
    return found;
}

/* Tells who called CODE, if that is new; returns -1 with an exception. */
static int
note_caller(PyObject *code, known_code *known)
{
    PyObject *caller = find_caller();
    int is_new = caller != NULL && add_call(known, code, find_known(caller), caller);
    PyObject *answer = NULL;
    if (is_new) {
        answer = call(call_function, (PyObject *[]){caller, code}, 2);
    }
    Py_XDECREF(caller);
    Py_XDECREF(answer);
    return is_new && answer == NULL ? -1 : 0;
}

static int
set_events(PyObject *code, PyObject *events)
{
    PyObject *answer = PyObject_CallFunctionObjArgs(set_events_function, tool, code, events, NULL);
    Py_XDECREF(answer);
    return answer == NULL ? -1 : 0;
}

/* Makes CODE tell no more until the next epoch. */
static int
disarm(PyObject *code)
{
    if (PyList_Append(disarmed, code) < 0) {
        return -1;
    }
    PyObject *none = PyLong_FromLong(0);
    int answer = none == NULL ? -1 : set_events(code, none);
    Py_XDECREF(none);
    return answer;
}

/* Finds the owners of a call that starts, as new references or NULL for the process; returns whether all are there. */
static int
find_owners(PyObject *code, const known_code *known, PyObject **owners)
{
    PyFrameObject *frame = PyEval_GetFrame();
    PyObject *names = known->num_owners > 0 ? PyCode_GetVarnames((PyCodeObject *)code) : NULL;
    int is_complete = frame != NULL && names != NULL;
    for (int i = 0; i < known->num_owners && is_complete; i++) {
        if (known->owners[i] >= 0) {
            owners[i] = PyFrame_GetVar(frame, PyTuple_GET_ITEM(names, known->owners[i]));
            is_complete = owners[i] != NULL; /* it may be deleted when a generator goes on */
        }
    }
    Py_XDECREF(names);
    PyErr_Clear();
    return is_complete;
}

static int
is_passed(const known_code *known, PyObject **owners)
{
    for (int i = 0; i < known->num_owners; i++) {
        if (!was_passed(known, owners[i])) {
            return 0;
        }
    }
    return 1;
}

/* Returns the open calls of this thread, borrowed, or NULL. */
static PyObject *
own_open_calls(void)
{
    PyObject *thread = PyLong_FromUnsignedLong(PyThread_get_thread_ident());
    PyObject *calls = thread == NULL || open_calls == NULL ? NULL : PyDict_GetItemWithError(open_calls, thread);
    Py_XDECREF(thread);
    return calls != NULL && PyList_Check(calls) ? calls : NULL;
}

/* Returns what the innermost open call of this thread sees, borrowed, if it is one of CODE that is looked into. */
static PyObject *
innermost_seen(PyObject *calls, PyObject *code)
{
    Py_ssize_t count = calls == NULL ? 0 : PyList_GET_SIZE(calls);
    PyObject *last = count == 0 ? NULL : PyList_GET_ITEM(calls, count - 1), *number, *seen;
    if (last == NULL || !PyArg_ParseTuple(last, "O!O", &PyLong_Type, &number, &seen)) {
        return NULL;
    }
    return seen != Py_None && PyLong_AsVoidPtr(number) == code ? seen : NULL;
}

/* Begins a call that repeats another; returns whether it could. */
static int
try_to_begin(PyObject *code, known_code *known, PyObject **owners)
{
    PyObject *calls = own_open_calls();
    int was_collecting = PyGC_Disable();
    PyObject *seen = calls == NULL ? NULL : begin_again(known, owners);
    PyObject *open = seen == NULL ? NULL : Py_BuildValue("NN", PyLong_FromVoidPtr(code), seen);
    int is_begun = open != NULL && PyList_Append(calls, open) == 0;
    if (was_collecting) {
        PyGC_Enable();
    }
    Py_XDECREF(open);
    known->num_begun += is_begun;
    return is_begun;
}

/* Ends a call in which nothing new was seen; returns whether it could. */
static int
try_to_end(PyObject *code, known_code *known)
{
    PyObject *calls = own_open_calls();
    int was_collecting = PyGC_Disable();
    PyObject *seen = Py_XNewRef(innermost_seen(calls, code));
    int is_ended = seen != NULL && end_again(known, seen);
    Py_XDECREF(seen);
    if (is_ended) {
        known->num_begun--;
        PyList_SetSlice(calls, PyList_GET_SIZE(calls) - 1, PyList_GET_SIZE(calls), NULL);
    }
    if (was_collecting) {
        PyGC_Enable();
    }
    return is_ended;
}

static void
remember_begun_call(PyObject *code, known_code *known, PyObject **owners)
{
    PyObject *seen = innermost_seen(own_open_calls(), code);
    if (seen != NULL) {
        int was_collecting = PyGC_Disable();
        remember_call(known, owners, seen);
        if (was_collecting) {
            PyGC_Enable();
        }
    }
}

/* Tells NOTE that a filler starts, unless such a call was passed by in this epoch. It answers True for one that is. */
static PyObject *
start_filler(PyObject *code, known_code *known, PyObject *const *arguments, Py_ssize_t count)
{
    PyObject *owners[MAX_OWNERS] = {NULL};
    uintptr_t told_in = epoch, begun_in = generation;
    int is_complete = find_owners(code, known, owners);
    int is_done = is_complete && (is_passed(known, owners) || try_to_begin(code, known, owners));
    PyObject *answer = is_done ? Py_NewRef(Py_None) : PyErr_Occurred() ? NULL : call(note_function, arguments, count);
    if (answer != NULL && answer != Py_True && is_complete && !is_done && begun_in == generation) {
        remember_begun_call(code, known, owners);
    }
    if (answer == Py_True && is_complete && begun_in == generation) {
        int was_collecting = PyGC_Disable();
        for (int i = 0; i < known->num_owners; i++) {
            pass_by(known, owners[i], told_in);
        }
        if (was_collecting) {
            PyGC_Enable();
        }
    }
    for (int i = 0; i < known->num_owners; i++) {
        Py_XDECREF(owners[i]);
    }
    return answer;
}

/* Hears that a call ends. Unwinding is heard of every function; of fillers, most calls were not told to begin. */
static PyObject *
on_end(PyObject *self, PyObject *const *arguments, Py_ssize_t count)
{
    PyObject *code = count > 0 ? arguments[0] : NULL;
    known_code *known = code != NULL && PyCode_Check(code) ? find_known(code) : NULL;
    if (end_function == NULL || (known != NULL && known->num_begun == known->num_ended)) {
        Py_RETURN_NONE;
    }
    if (known != NULL && known->is_filler && try_to_end(code, known)) {
        Py_RETURN_NONE;
    }
    if (PyErr_Occurred()) {
        return NULL;
    }
    unsigned long num_begun = known == NULL ? 0 : known->num_begun;
    uintptr_t begun_in = generation;
    PyObject *answer = call(end_function, arguments, count);
    if (answer == Py_True && known != NULL && begun_in == generation) {
        known->num_ended = num_begun;
    }
    return answer;
}

static PyObject *
begin_call(PyObject *self, PyObject *code)
{
    known_code *known = PyCode_Check(code) ? find_known(code) : NULL;
    if (known != NULL) {
        known->num_begun++;
    }
    Py_RETURN_NONE;
}

static PyObject *
on_start(PyObject *self, PyObject *const *arguments, Py_ssize_t count)
{
    if (note_function == NULL) {
        Py_RETURN_NONE;
    }
    PyObject *code = count > 0 ? arguments[0] : NULL;
    known_code *known = code != NULL && PyCode_Check(code) ? find_known(code) : NULL;
    if (known != NULL && known->is_filler) {
        return start_filler(code, known, arguments, count);
    }
    if (known == NULL || started == NULL) {
        return call(note_function, arguments, count);
    }
    if (known->epoch == epoch) {
        if (++known->num_starts > most_starts && disarm(code) < 0) {
            return NULL;
        }
        Py_RETURN_NONE;
    }
    PyObject *key = PyLong_FromVoidPtr(code);
    int is_noted = key != NULL && PyDict_SetItem(started, key, code) == 0;
    Py_XDECREF(key);
    if (!is_noted) {
        return NULL;
    }
    known->epoch = epoch;
    known->num_starts = 0;
    if (note_caller(code, known) < 0) {
        return NULL;
    }
    Py_RETURN_NONE;
}

static PyObject *
know(PyObject *self, PyObject *arguments)
{
    PyObject *code, *places;
    if (!PyArg_ParseTuple(arguments, "O!O", &PyCode_Type, &code, &places)) {
        return NULL;
    }
    if (places != Py_None && !PyTuple_Check(places)) {
        PyErr_SetString(PyExc_TypeError, "a tuple of places is needed, or None");
        return NULL;
    }
    if (find_known(code) != NULL) {
        Py_RETURN_NONE; /* calls of it may be open */
    }
    void *extra = NULL;
    if (PyUnstable_Code_GetExtra(code, extra_index, &extra) < 0) {
        return NULL;
    }
    known_code *known = extra != NULL ? extra : PyMem_RawMalloc(sizeof(known_code));
    if (known == NULL) {
        return PyErr_NoMemory();
    }
    begin_to_know(known, places, ((PyCodeObject *)code)->co_argcount);
    if (extra == NULL && PyUnstable_Code_SetExtra(code, extra_index, known) < 0) {
        PyMem_RawFree(known);
        return NULL;
    }
    Py_RETURN_NONE;
}

static PyObject *
start(PyObject *self, PyObject *arguments)
{
    PyObject *note, *end, *callers, *set_local_events, *own_tool, *events, *calls, *open;
    int most;
    if (!PyArg_ParseTuple(arguments, "OOOOOOiO!O!", &note, &end, &callers, &set_local_events, &own_tool, &events, &most,
                          &PyTuple_Type, &calls, &PyDict_Type, &open) ||
        follow_calls(calls) < 0) {
        return NULL;
    }
    PyObject *none_disarmed = PyList_New(0);
    if (none_disarmed == NULL) {
        return NULL;
    }
    if (extra_index < 0) {
        extra_index = PyUnstable_Eval_RequestCodeExtraIndex(PyMem_RawFree);
        if (extra_index < 0) {
            PyErr_SetString(PyExc_RuntimeError, "no index for extras of code objects is left");
            Py_DECREF(none_disarmed);
            return NULL;
        }
    }
    Py_XSETREF(note_function, Py_NewRef(note));
    Py_XSETREF(end_function, Py_NewRef(end));
    Py_XSETREF(call_function, Py_NewRef(callers));
    Py_XSETREF(set_events_function, Py_NewRef(set_local_events));
    Py_XSETREF(tool, Py_NewRef(own_tool));
    Py_XSETREF(armed_events, Py_NewRef(events));
    Py_XSETREF(disarmed, none_disarmed);
    Py_XSETREF(open_calls, Py_NewRef(open));
    Py_CLEAR(started);
    most_starts = most;
    generation++;
    epoch++;
    return PyLong_FromSize_t(generation);
}

static PyObject *
get_generation(PyObject *self, PyObject *unused)
{
    return PyLong_FromSize_t(generation);
}

static PyObject *
stop(PyObject *self, PyObject *unused)
{
    Py_CLEAR(note_function);
    Py_CLEAR(end_function);
    Py_CLEAR(call_function);
    Py_CLEAR(set_events_function);
    Py_CLEAR(tool);
    Py_CLEAR(armed_events);
    Py_CLEAR(disarmed);
    Py_CLEAR(open_calls);
    Py_CLEAR(started);
    forget_passed();
    forget_calls();
    generation++;
    Py_RETURN_NONE;
}

static int
begin_epoch(PyObject *codes)
{
    if (disarmed == NULL) {
        return 0; /* it was stopped */
    }
    Py_XSETREF(started, codes == Py_None ? NULL : Py_NewRef(codes));
    epoch++;
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(disarmed); i++) {
        if (set_events(PyList_GET_ITEM(disarmed, i), armed_events) < 0) {
            return -1;
        }
    }
    return PyList_SetSlice(disarmed, 0, PyList_GET_SIZE(disarmed), NULL);
}

static PyObject *
next_epoch(PyObject *self, PyObject *codes)
{
    if (codes != Py_None && !PyDict_CheckExact(codes)) {
        PyErr_SetString(PyExc_TypeError, "a dictionary that is no subclass is needed, or None");
        return NULL;
    }
    if (begin_epoch(codes) < 0) {
        return NULL;
    }
    Py_RETURN_NONE;
}

static PyMethodDef methods[] = {
    {"start", start, METH_VARARGS,
     "Call NOTE(code, offset) at starts of code that is not known as plain, END(code, offset, value) at the end of what\n"
     "began so, and CALL(caller, code) once for a pair of known ones and for a few callers of each. Where NOTE answers\n"
     "True for a filler, it hears of no call for the same owners until the next epoch, and where END answers True, it\n"
     "hears of no end until another call begins. By SET_LOCAL_EVENTS(tool, code, events) of TOOL, what starts more\n"
     "often in an epoch than once and MOST other times is left without EVENTS until the next. With CALLS and those that\n"
     "are OPEN by thread, calls that repeat others are begun and ended here. Return a number that `generation` gives as\n"
     "long as nobody else starts or stops."},
    {"generation", get_generation, METH_NOARGS, "Return what the last start returned; another number after a stop."},
    {"stop", stop, METH_NOARGS, "Call them no more, and know no code."},
    {"know", know, METH_VARARGS,
     "Know CODE as a possible caller. If PLACES is None, note its starts here; else they say which arguments of this\n"
     "filler are its owners."},
    {"begin_call", begin_call, METH_O, "Hear that a call of the filler CODE is told to begin, of which the end matters."},
    {"next_epoch", next_epoch, METH_O,
     "Put all plain code that starts from now on into the dictionary CODES, by its id; if that is None, tell NOTE."},
    {"on_start", (PyCFunction)(void (*)(void))on_start, METH_FASTCALL, "Hear that CODE starts or resumes at OFFSET."},
    {"on_end", (PyCFunction)(void (*)(void))on_end, METH_FASTCALL, "Hear that CODE ends or yields VALUE at OFFSET."},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT,
    .m_name = "wiremap.tracing._monitoring",
    .m_doc = "Starts of Python functions that sys.monitoring tells.",
    .m_size = -1,
    .m_methods = methods,
};

PyMODINIT_FUNC
PyInit__monitoring(void)
{
    return PyModule_Create(&definition);
}
