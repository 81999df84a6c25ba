/* Audit events, for a few names.
 *
 * A hook written in Python is called for each event, and most are of no interest: `id` raises one, and so does each
 * look at a frame. This one compares the name first.
 */

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#define MAX_EVENTS 32

static PyObject *audit_function = NULL;
static PyObject *audit_events = NULL; /* keeps the texts of event_names */
static const char *event_names[MAX_EVENTS];
static Py_ssize_t num_events = 0;
static PyInterpreterState *audited_interpreter = NULL;

static int
on_audit(const char *event, PyObject *arguments, void *unused)
{
    Py_ssize_t i = 0;
    while (i < num_events && strcmp(event, event_names[i]) != 0) {
        i++;
    }
    if (i == num_events || PyInterpreterState_Get() != audited_interpreter) {
        return 0;
    }
    PyThreadState *tstate = PyThreadState_Get();
    PyThreadState_EnterTracing(tstate); /* as the interpreter does around a hook written in Python */
    PyObject *answer = PyObject_CallFunction(audit_function, "sO", event, arguments);
    PyThreadState_LeaveTracing(tstate);
    Py_XDECREF(answer);
    return answer == NULL ? -1 : 0;
}

static PyObject *
add_hook(PyObject *self, PyObject *arguments)
{
    PyObject *function, *events;
    if (!PyArg_ParseTuple(arguments, "OO!", &function, &PyTuple_Type, &events)) {
        return NULL;
    }
    if (audit_function != NULL || PyTuple_GET_SIZE(events) > MAX_EVENTS) {
        PyErr_SetString(PyExc_RuntimeError, "there is one hook for a process, for a few events");
        return NULL;
    }
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(events); i++) {
        event_names[i] = PyUnicode_AsUTF8(PyTuple_GET_ITEM(events, i));
        if (event_names[i] == NULL) {
            return NULL;
        }
    }
    audit_function = Py_NewRef(function);
    audit_events = Py_NewRef(events);
    audited_interpreter = PyInterpreterState_Get();
    num_events = PyTuple_GET_SIZE(events);
    if (PySys_AddAuditHook(on_audit, NULL) < 0) {
        return NULL;
    }
    Py_RETURN_NONE;
}

static PyMethodDef methods[] = {
    {"add_hook", add_hook, METH_VARARGS,
     "Call FUNCTION(event, arguments) for these audit EVENTS, a tuple of their names, as long as the process lives."},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT,
    .m_name = "wiremap.tracing._audit",
    .m_doc = "Audit events, for a few names.",
    .m_size = -1,
    .m_methods = methods,
};

PyMODINIT_FUNC
PyInit__audit(void)
{
    return PyModule_Create(&definition);
}
