/* Calls of fillers that repeat an earlier one for the same owners in the same place, begun and ended without Python.
 *
 * What is looked into, and where it is noted, is told by objects of the recorder (`wiremap.tracing.kept_work`): what
 * begins and ends here changes them as `Recorder.on_filler_enter` and `on_filler_leave` would. Those do all that is new.
 *
 * Nothing here runs Python code or lets go of the interpreter's lock, so no other thread finds a change half done. The
 * collector must be off for that: what it calls, and whom it ends, may be Python code.
 */

#ifndef WIREMAP_REPEATED_CALLS_H
#define WIREMAP_REPEATED_CALLS_H

#define NUM_REPEATED (1 << 12)

typedef struct {
    const known_code *known;
    const PyObject *owners[MAX_OWNERS];  /* only compared; NULL for the process */
    PyObject *references[MAX_OWNERS];    /* tell whether the owner lives, NULL if it can't be referred to weakly */
    PyObject *call;                      /* the FillerCall; it keeps the code object, and so KNOWN */
} repeated_call;

static repeated_call repeated[NUM_REPEATED];

/* Those of the recorder: see FillerCalls. */
static PyObject *calls_lock = NULL;
static PyObject *calls_stack = NULL;
static PyObject *calls_open = NULL;
static PyObject *calls_ended = NULL;
static PyObject *calls_idle = NULL;
static long calls_most_idle = 0;

/* Makes every function tell its next start, which is then put into CODES; each source has its own. */
static int begin_epoch(PyObject *codes);

typedef enum { CODES, KEY, SEEN, AROUND, NUMBER, SIZE, NUM_ATTRIBUTES } attribute_name;

/* Returns an attribute of an Observation or a FillerCall as a new reference, or NULL with an exception. */
static PyObject *
attribute(PyObject *object, attribute_name which)
{
    static const char *texts[NUM_ATTRIBUTES] = {"codes", "key", "seen", "around", "number", "size"};
    static PyObject *names[NUM_ATTRIBUTES];
    if (names[which] == NULL) {
        names[which] = PyUnicode_InternFromString(texts[which]);
    }
    return names[which] == NULL ? NULL : PyObject_GetAttr(object, names[which]);
}

static int
follow_calls(PyObject *calls)
{
    PyObject *lock, *stack, *open, *ended, *idle;
    if (!PyArg_ParseTuple(calls, "OO!O!O!O!l", &lock, &PyList_Type, &stack, &PyDict_Type, &open, &PyDict_Type, &ended,
                          &PyDict_Type, &idle, &calls_most_idle)) {
        return -1;
    }
    Py_XSETREF(calls_lock, Py_NewRef(lock));
    Py_XSETREF(calls_stack, Py_NewRef(stack));
    Py_XSETREF(calls_open, Py_NewRef(open));
    Py_XSETREF(calls_ended, Py_NewRef(ended));
    Py_XSETREF(calls_idle, Py_NewRef(idle));
    return 0;
}

static void
forget_call(repeated_call *one)
{
    one->known = NULL;
    Py_CLEAR(one->call);
    for (int i = 0; i < MAX_OWNERS; i++) {
        Py_CLEAR(one->references[i]);
    }
}

static void
forget_calls(void)
{
    for (int i = 0; i < NUM_REPEATED; i++) {
        forget_call(&repeated[i]);
    }
    Py_CLEAR(calls_lock);
    Py_CLEAR(calls_stack);
    Py_CLEAR(calls_open);
    Py_CLEAR(calls_ended);
    Py_CLEAR(calls_idle);
}

static repeated_call *
repeated_place(const known_code *known, PyObject *const *owners)
{
    uintptr_t mixed = (uintptr_t)known >> 4;
    for (int i = 0; i < known->num_owners; i++) {
        mixed = mixed * 31 + ((uintptr_t)owners[i] >> 4);
    }
    return &repeated[(mixed ^ mixed >> 12) & (NUM_REPEATED - 1)];
}

/* Returns the FillerCall of earlier calls for the same owners, borrowed, or NULL. */
static PyObject *
find_call(const known_code *known, PyObject *const *owners)
{
    const repeated_call *one = repeated_place(known, owners);
    if (calls_lock == NULL || known->num_owners == 0 || one->known != known) {
        return NULL;
    }
    for (int i = 0; i < known->num_owners; i++) {
        PyObject *reference = one->references[i];
        if (one->owners[i] != owners[i] || (reference != NULL && !refers_to(reference, owners[i]))) {
            return NULL;
        }
    }
    return one->call;
}

/* Remembers the call that Python has just begun with TOKEN. The collector must be off. */
static void
remember_call(const known_code *known, PyObject *const *owners, PyObject *token)
{
    PyObject *call = calls_open == NULL ? NULL : PyDict_GetItemWithError(calls_open, token);
    repeated_call *one = repeated_place(known, owners);
    if (call == NULL || known->num_owners == 0 || (one->known == known && one->call == call)) {
        return;
    }
    Py_INCREF(call);
    forget_call(one);
    one->call = call;
    for (int i = 0; i < known->num_owners; i++) {
        one->owners[i] = owners[i];
        one->references[i] = owners[i] == NULL ? NULL : PyWeakref_NewRef(owners[i], NULL);
        if (owners[i] != NULL && one->references[i] == NULL && !PyErr_ExceptionMatches(PyExc_TypeError)) {
            PyErr_Clear();
            return; /* for want of memory */
        }
        PyErr_Clear();
    }
    one->known = known;
}

/* Tells whether no other thread is in the middle of a change. */
static int
is_lock_free(void)
{
    PyObject *taken = PyObject_CallMethod(calls_lock, "acquire", "O", Py_False);
    int is_free = taken == Py_True;
    Py_XDECREF(taken);
    if (is_free) {
        PyObject *given = PyObject_CallMethod(calls_lock, "release", NULL);
        is_free = given != NULL;
        Py_XDECREF(given);
    }
    return is_free;
}

static PyObject *
innermost(Py_ssize_t depth)
{
    Py_ssize_t place = PyList_GET_SIZE(calls_stack) - 1 - depth;
    return place < 0 ? NULL : PyList_GET_ITEM(calls_stack, place);
}

static int
begin_epoch_of(PyObject *seen)
{
    PyObject *codes = attribute(seen, CODES);
    int answer = codes == NULL ? -1 : begin_epoch(PyDict_CheckExact(codes) ? codes : Py_None);
    Py_XDECREF(codes);
    return answer;
}

/* Returns how many calls of a function have brought nothing in this context, or -1 with an exception. */
static long
num_idle(PyObject *number)
{
    PyObject *count = PyDict_GetItemWithError(calls_idle, number);
    return count == NULL ? (PyErr_Occurred() ? -1 : 0) : PyLong_AsLong(count);
}

/* Begins a call of a filler for OWNERS. Returns what notes all that is seen in it, as a new reference; NULL where
 * Python must begin it, maybe with an exception. The collector must be off. */
static PyObject *
begin_again(const known_code *known, PyObject *const *owners)
{
    PyObject *call = find_call(known, owners);
    if (call == NULL) {
        return NULL;
    }
    Py_INCREF(call);
    PyObject *key = attribute(call, KEY), *seen = attribute(call, SEEN), *number = attribute(call, NUMBER);
    PyObject *around = attribute(call, AROUND);
    int is_begun = 0;
    if (key != NULL && seen != NULL && number != NULL && around != NULL && around == innermost(0) &&
        PyDict_GetItemWithError(calls_ended, key) == call && is_lock_free()) {
        long idle = num_idle(number);
        is_begun = idle >= 0 && idle + known->num_owners <= calls_most_idle &&
                   PyDict_SetItem(calls_open, seen, call) == 0 && PyDict_DelItem(calls_ended, key) == 0 &&
                   PyList_Append(calls_stack, seen) == 0 && begin_epoch_of(seen) == 0;
    }
    Py_DECREF(call);
    Py_XDECREF(key);
    Py_XDECREF(number);
    Py_XDECREF(around);
    if (!is_begun) {
        Py_CLEAR(seen);
    }
    return seen;
}

/* Returns how much an Observation has seen, as its `size` does; -1 with an exception. */
static Py_ssize_t
size_of(PyObject *seen)
{
    PyObject *all = PyObject_GenericGetDict(seen, NULL), *name, *values;
    Py_ssize_t size = 0, place = 0;
    while (all != NULL && size >= 0 && PyDict_Next(all, &place, &name, &values)) {
        Py_ssize_t more = PyObject_Size(values);
        size = more < 0 ? -1 : size + more;
    }
    Py_XDECREF(all);
    return all == NULL ? -1 : size;
}

/* Ends a call of a filler that brought nothing new. Returns whether it did; maybe with an exception if not. The
 * collector must be off. */
static int
end_again(const known_code *known, PyObject *seen)
{
    if (calls_lock == NULL || known->num_owners == 0 || innermost(0) != seen) {
        return 0;
    }
    PyObject *call = Py_XNewRef(PyDict_GetItemWithError(calls_open, seen));
    if (call == NULL) {
        return 0;
    }
    PyObject *key = attribute(call, KEY), *number = attribute(call, NUMBER), *size = attribute(call, SIZE);
    PyObject *around = attribute(call, AROUND);
    int is_ended = 0;
    if (key != NULL && number != NULL && size != NULL && around != NULL && around == innermost(1) &&
        PyLong_AsSsize_t(size) == size_of(seen) && is_lock_free()) {
        long idle = num_idle(number) + known->num_owners;
        PyObject *count = PyLong_FromLong(idle);
        is_ended = count != NULL && idle <= calls_most_idle && PyDict_SetItem(calls_idle, number, count) == 0 &&
                   PyDict_SetItem(calls_ended, key, call) == 0 && PyDict_DelItem(calls_open, seen) == 0 &&
                   PyList_SetSlice(calls_stack, PyList_GET_SIZE(calls_stack) - 1, PyList_GET_SIZE(calls_stack), NULL) == 0 &&
                   begin_epoch_of(around) == 0;
        Py_XDECREF(count);
    }
    Py_DECREF(call);
    Py_XDECREF(key);
    Py_XDECREF(number);
    Py_XDECREF(size);
    Py_XDECREF(around);
    return is_ended;
}

#endif
