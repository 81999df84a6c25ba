/* What `_frames.c` and `_monitoring.c` both know of a code object, and the calls of fillers that need no more telling.
 *
 * Nothing here lets go of the interpreter's lock.
 */

#ifndef WIREMAP_KNOWN_CODE_H
#define WIREMAP_KNOWN_CODE_H

/* Callers only serve to explain: a few of each function are enough, and so are the nearest frames. Whoever calls what
 * has its few already is noted for a few calls of its own: the way from each test to what many call begins with one. */
#define MAX_CALLERS 16
#define MAX_CALLS_BESIDES 16
#define MAX_FOREIGN_FRAMES 25

/* A filler with more owners is told of each call. */
#define MAX_OWNERS 4
#define NUM_PASSED (1 << 14)

typedef struct {
    uintptr_t generation; /* of the `start` for which this holds */
    uintptr_t epoch;      /* in which it was last told */
    int num_starts;       /* since then */
    int is_filler;
    int num_owners;
    int owners[MAX_OWNERS]; /* positions of the parameters that keep what it fills; -1 for the process */
    unsigned long num_begun; /* calls of a filler that were told to begin, and how many there were when none was open */
    unsigned long num_ended;
    int num_callers;
    PyObject *callers[MAX_CALLERS]; /* borrowed: whoever is told of them keeps them */
    int num_calls_besides;
    PyObject *calls_besides[MAX_CALLS_BESIDES]; /* what it calls that has enough callers; borrowed */
} known_code;

/* A call of a filler that brought nothing and needs no end: nor does any other of this epoch for the same owner. */
typedef struct {
    uintptr_t epoch;
    const known_code *known;
    const PyObject *owner; /* only compared; NULL for the process */
    PyObject *reference;   /* tells whether the owner lives, NULL if it can't be referred to weakly */
} passed_call;

static uintptr_t generation = 0;
static uintptr_t epoch = 1;
static passed_call passed[NUM_PASSED];

/* Begins to know a code object; PLACES is the tuple of the owners of a filler, or None. It runs while an exception may
 * be set: a generator may be resumed with one. */
static void
begin_to_know(known_code *known, PyObject *places, int num_parameters)
{
    *known = (known_code){.generation = generation, .is_filler = places != Py_None};
    Py_ssize_t count = known->is_filler ? PyTuple_GET_SIZE(places) : 0;
    for (Py_ssize_t i = 0; i < count && count <= MAX_OWNERS; i++) {
        long place = PyLong_AsLong(PyTuple_GET_ITEM(places, i));
        known->owners[known->num_owners++] = place < 0 || place >= num_parameters ? -1 : (int)place;
    }
}

static int
is_among(PyObject *const *codes, int count, const PyObject *one)
{
    for (int i = 0; i < count; i++) {
        if (codes[i] == one) {
            return 1;
        }
    }
    return 0;
}

/* Adds a call of CODE, of which KNOWN is known, by CALLER; returns whether it is new and there is room for it. */
static int
add_call(known_code *known, PyObject *code, known_code *known_caller, PyObject *caller)
{
    if (is_among(known->callers, known->num_callers, caller)) {
        return 0;
    }
    if (known->num_callers < MAX_CALLERS) {
        known->callers[known->num_callers++] = caller;
        return 1;
    }
    int count = known_caller->num_calls_besides;
    if (count == MAX_CALLS_BESIDES || is_among(known_caller->calls_besides, count, code)) {
        return 0;
    }
    known_caller->calls_besides[known_caller->num_calls_besides++] = code;
    return 1;
}

static passed_call *
passed_place(const known_code *known, const PyObject *owner)
{
    uintptr_t mixed = ((uintptr_t)known >> 4) * 31 + ((uintptr_t)owner >> 4);
    return &passed[(mixed ^ mixed >> 14) & (NUM_PASSED - 1)];
}

static int
refers_to(PyObject *reference, const PyObject *owner)
{
#if PY_VERSION_HEX >= 0x030D0000
    PyObject *found = NULL;
    PyWeakref_GetRef(reference, &found);
    Py_XDECREF(found); /* if it is the owner, the caller holds it too */
#else
    PyObject *found = PyWeakref_GET_OBJECT(reference);
#endif
    return found == owner;
}

static int
was_passed(const known_code *known, const PyObject *owner)
{
    const passed_call *call = passed_place(known, owner);
    return call->epoch == epoch && call->known == known && call->owner == owner &&
           (call->reference == NULL || refers_to(call->reference, owner));
}

/* Notes a call that brought nothing when it was told in the epoch TOLD_IN. The collector must be off. */
static void
pass_by(const known_code *known, PyObject *owner, uintptr_t told_in)
{
    passed_call *call = passed_place(known, owner);
    PyObject *reference = owner == NULL ? NULL : PyWeakref_NewRef(owner, NULL);
    int is_certain = reference != NULL || owner == NULL || PyErr_ExceptionMatches(PyExc_TypeError);
    PyErr_Clear();
    call->epoch = is_certain ? told_in : 0;
    call->known = known;
    call->owner = owner;
    Py_XSETREF(call->reference, reference);
}

static void
forget_passed(void)
{
    for (int i = 0; i < NUM_PASSED; i++) {
        passed[i].epoch = 0;
        Py_CLEAR(passed[i].reference);
    }
}

#endif
