/* Starts of Python functions that sys.monitoring tells, on CPython 3.12 and newer.
 *
 * `on_start` is its callback. A code object that it knows as plain carries a `known_code` (PEP 523's co_extra), which
 * holds the epoch in which it last started: its first start in an epoch puts it into a dictionary, and further ones
 * are counted, until the code is disarmed for the rest of the epoch. Python code is called for all other code objects,
 * and where a function has a new caller.
 *
 * Nothing here lets go of the interpreter's lock between a look at the epoch and what rests on it, so that no code is
 * disarmed in an epoch in which it was not noted.
 */

#define PY_SSIZE_T_CLEAN
#include <Python.h>

/* Callers only serve to explain: a few of each function are enough, and so are the nearest frames. */
#define MAX_CALLERS 16
#define MAX_FOREIGN_FRAMES 25

typedef struct {
    uintptr_t generation; /* of the `start` for which this holds */
    int is_plain;
    uintptr_t epoch;
    int num_starts;
    int num_callers;
    PyObject *callers[MAX_CALLERS]; /* borrowed: whoever is told of them keeps them */
} known_code;

static Py_ssize_t extra_index = -1;
static uintptr_t generation = 0;
static uintptr_t epoch = 1;
static PyObject *note_function = NULL;
static PyObject *call_function = NULL;

/* How a code object is armed, and those that were disarmed in this epoch. */
static PyObject *set_events_function = NULL;
static PyObject *tool = NULL;
static PyObject *armed_events = NULL;
static PyObject *disarmed = NULL;
static int most_starts = 0;

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
    PyObject *caller = known->num_callers < MAX_CALLERS ? find_caller() : NULL;
    int is_new = caller != NULL;
    for (int i = 0; is_new && i < known->num_callers; i++) {
        is_new = known->callers[i] != caller;
    }
    PyObject *answer = NULL;
    if (is_new) {
        known->callers[known->num_callers++] = caller;
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

static PyObject *
on_start(PyObject *self, PyObject *const *arguments, Py_ssize_t count)
{
    if (note_function == NULL) {
        Py_RETURN_NONE;
    }
    PyObject *code = count > 0 ? arguments[0] : NULL;
    known_code *known = code != NULL && PyCode_Check(code) ? find_known(code) : NULL;
    if (known == NULL || !known->is_plain || started == NULL) {
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
    PyObject *code;
    int is_plain;
    if (!PyArg_ParseTuple(arguments, "O!p", &PyCode_Type, &code, &is_plain)) {
        return NULL;
    }
    void *extra = NULL;
    if (PyUnstable_Code_GetExtra(code, extra_index, &extra) < 0) {
        return NULL;
    }
    known_code *known = extra != NULL ? extra : PyMem_RawMalloc(sizeof(known_code));
    if (known == NULL) {
        return PyErr_NoMemory();
    }
    *known = (known_code){.generation = generation, .is_plain = is_plain};
    if (extra == NULL && PyUnstable_Code_SetExtra(code, extra_index, known) < 0) {
        PyMem_RawFree(known);
        return NULL;
    }
    Py_RETURN_NONE;
}

static PyObject *
start(PyObject *self, PyObject *arguments)
{
    PyObject *note, *callers, *set_local_events, *own_tool, *events;
    int most;
    if (!PyArg_ParseTuple(arguments, "OOOOOi", &note, &callers, &set_local_events, &own_tool, &events, &most)) {
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
    Py_XSETREF(call_function, Py_NewRef(callers));
    Py_XSETREF(set_events_function, Py_NewRef(set_local_events));
    Py_XSETREF(tool, Py_NewRef(own_tool));
    Py_XSETREF(armed_events, Py_NewRef(events));
    Py_XSETREF(disarmed, none_disarmed);
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
    Py_CLEAR(call_function);
    Py_CLEAR(set_events_function);
    Py_CLEAR(tool);
    Py_CLEAR(armed_events);
    Py_CLEAR(disarmed);
    Py_CLEAR(started);
    generation++;
    Py_RETURN_NONE;
}

static PyObject *
next_epoch(PyObject *self, PyObject *codes)
{
    if (codes != Py_None && !PyDict_CheckExact(codes)) {
        PyErr_SetString(PyExc_TypeError, "a dictionary that is no subclass is needed, or None");
        return NULL;
    }
    if (disarmed == NULL) {
        Py_RETURN_NONE; /* it was stopped */
    }
    Py_XSETREF(started, codes == Py_None ? NULL : Py_NewRef(codes));
    epoch++;
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(disarmed); i++) {
        if (set_events(PyList_GET_ITEM(disarmed, i), armed_events) < 0) {
            return NULL;
        }
    }
    if (PyList_SetSlice(disarmed, 0, PyList_GET_SIZE(disarmed), NULL) < 0) {
        return NULL;
    }
    Py_RETURN_NONE;
}

static PyMethodDef methods[] = {
    {"start", start, METH_VARARGS,
     "Call NOTE(code, offset) at starts of code that is not known as plain, and CALL(caller, code) once for a pair of\n"
     "known ones and for a few callers of each. By SET_LOCAL_EVENTS(tool, code, events) of TOOL, what starts more\n"
     "often in an epoch than once and MOST other times is left without EVENTS until the next. Return a number that\n"
     "`generation` gives as long as nobody else starts or stops."},
    {"generation", get_generation, METH_NOARGS, "Return what the last start returned; another number after a stop."},
    {"stop", stop, METH_NOARGS, "Call them no more, and know no code."},
    {"know", know, METH_VARARGS, "Know CODE as a possible caller; if IS_PLAIN, note its starts here."},
    {"next_epoch", next_epoch, METH_O,
     "Put all plain code that starts from now on into the dictionary CODES, by its id; if that is None, tell NOTE."},
    {"on_start", (PyCFunction)(void (*)(void))on_start, METH_FASTCALL, "Hear that CODE starts or resumes at OFFSET."},
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
