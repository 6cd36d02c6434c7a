// SPDX-License-Identifier: GPL-3.0-or-later
// A library of wimax_policy.h whose policies are Python classes. It works in a program without Python, whose
// interpreter it starts, and in a Python process. Only the program loads it (policy_library.cc); Python's symbols are
// those of the process.
#include "policy/python/python_packets.h"

#include <string_view>

namespace {

using namespace wimax::policy;

struct PythonPolicy {
    PyRef object, method;       ///< instance of the class, and the method of its role
    bool every_packet = false;  ///< attribute of the class
};

/// Method that a class has for a role.
const char* method_of(std::string_view role) {
    if (role == "admission") return "admit";
    if (role == "queue_management") return "manage";
    if (role == "classifier") return "classify";
    return role == "link_adaptation" ? "adapt" : "schedule";
}

/// Starts the interpreter of a program that has none, and releases its lock.
void start_interpreter() {
    if (Py_IsInitialized() != 0) return;
    Py_InitializeEx(0);                                           // the program keeps its signal handlers
    PyRun_SimpleString("import sys\nsys.stdout = sys.stderr\n");  // standard output may be the program's JSON
    PyEval_SaveThread();
}

/// The file runs once for all classes of it, until it changes. Modules next to it can be imported.
constexpr const char* kLoad = R"(
import importlib.util, os, sys
_modules = {}
def load(path):
    path = os.path.abspath(path)
    key = (path, os.stat(path).st_mtime_ns)
    if key not in _modules:
        folder = os.path.dirname(path)
        if folder not in sys.path:
            sys.path.append(folder)
        name = 'wimax_policy_' + os.path.splitext(os.path.basename(path))[0]
        spec = importlib.util.spec_from_file_location(name, path)
        if spec is None:
            raise ImportError('not a Python file')
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module
        spec.loader.exec_module(module)
        _modules[key] = module
    return _modules[key]
def load_class(path, name, method):
    module = load(path)
    found = getattr(module, name, None)
    if not isinstance(found, type):
        known = sorted(k for k, v in vars(module).items() if isinstance(v, type) and hasattr(v, method))
        raise LookupError(f'no class {name}; classes with {method}(): ' + (', '.join(known) or 'none'))
    if not callable(getattr(found, method, None)):
        raise LookupError(f'class {name} has no method {method}()')
    return found
)";

/// Function load_class() of the text above; null: an exception is set.
PyObject* class_loader() {
    static PyObject* loader = nullptr;
    if (loader != nullptr) return loader;
    const PyRef globals(PyDict_New());
    if (!globals || PyDict_SetItemString(globals.get(), "__builtins__", PyEval_GetBuiltins()) != 0) return nullptr;
    const PyRef done(PyRun_String(kLoad, Py_file_input, globals.get(), globals.get()));
    if (!done) return nullptr;
    PyObject* found = PyDict_GetItemString(globals.get(), "load_class");
    loader = Py_XNewRef(found);
    return loader;
}

PythonPolicy* construct(const std::string& argument, const wimax_policy_cell& cell) {
    const size_t colon = argument.rfind(':');
    PyObject* loader = class_loader();
    if (loader == nullptr || colon == std::string::npos) return nullptr;
    const char* name = method_of(cell.role);
    const PyRef of(PyObject_CallFunction(loader, "sss", argument.substr(0, colon).c_str(),
                                         argument.substr(colon + 1).c_str(), name));
    if (!of) return nullptr;
    const PyRef described = python_cell(cell);
    if (!described) return nullptr;
    PyRef object(PyObject_CallFunctionObjArgs(of.get(), described.get(), nullptr));
    if (!object) return nullptr;
    PyRef method(PyObject_GetAttrString(object.get(), name));
    if (!method) return nullptr;
    const PyRef flag(PyObject_HasAttrString(object.get(), "every_packet") != 0
                         ? PyObject_GetAttrString(object.get(), "every_packet")
                         : nullptr);
    const bool every_packet = flag && PyObject_IsTrue(flag.get()) == 1;
    PyErr_Clear();
    return new PythonPolicy{std::move(object), std::move(method), every_packet};
}

void* make(const char* argument, const wimax_policy_cell* cell, wimax_policy_error* error) {
    start_interpreter();
    const InterpreterLock lock;
    auto* made = construct(argument, *cell);
    if (made == nullptr) write(*error, take_exception().c_str());
    return made;
}

void destroy(void* policy) {
    const InterpreterLock lock;
    delete static_cast<PythonPolicy*>(policy);
}

int nonsense(wimax_policy_error& error, const std::string& reason) {
    PyErr_Clear();
    write(error, reason.c_str());
    return WIMAX_POLICY_NONSENSE;
}

/// Numbers of a list, a tuple or a numpy array.
int read_units(PyObject* result, const wimax_policy_frame& frame, double* units, wimax_policy_error& error) {
    const std::string expected = "a list of " + std::to_string(frame.station_count) + " numbers";
    const PyRef list(PySequence_Check(result) != 0 ? PySequence_Fast(result, "") : nullptr);
    if (!list)
        return nonsense(error, "schedule() returned a value of type " + std::string(Py_TYPE(result)->tp_name) +
                                   ", expected: " + expected);
    const Py_ssize_t size = PySequence_Fast_GET_SIZE(list.get());
    if (size != static_cast<Py_ssize_t>(frame.station_count))
        return nonsense(error, "schedule() returned " + std::to_string(size) + " values, expected: " + expected);
    for (Py_ssize_t i = 0; i < size; ++i) {
        units[i] = PyFloat_AsDouble(PySequence_Fast_GET_ITEM(list.get(), i));
        if (units[i] == -1 && PyErr_Occurred() != nullptr)
            return nonsense(error, "schedule() returned values that are not numbers, expected: " + expected);
    }
    return WIMAX_POLICY_DONE;
}

/// Calls the method with the object that `input` makes, and passes its result to `read`.
template <class Input, class Read>
int call(void* policy, const Input& input, wimax_policy_error* error, const Read& read) {
    const InterpreterLock lock;
    const PyRef argument = input();
    const PyRef result(argument ? PyObject_CallOneArg(static_cast<PythonPolicy*>(policy)->method.get(), argument.get())
                                : nullptr);
    if (result) return read(result.get());
    write(*error, take_exception().c_str());
    return WIMAX_POLICY_FAILED;
}

int schedule(void* policy, const wimax_policy_frame* frame, double* units, wimax_policy_error* error) {
    return call(
        policy, [&] { return python_frame(*frame); }, error,
        [&](PyObject* result) { return read_units(result, *frame, units, *error); });
}

int unexpected(PyObject* result, const char* method, const char* expected, wimax_policy_error& error) {
    return nonsense(error, std::string(method) + "() returned a value of type " + Py_TYPE(result)->tp_name +
                               ", expected: " + expected);
}

/// True; or False or a text, which is the reason of a refusal.
int admit(void* policy, const wimax_policy_request* request, uint32_t* admitted, wimax_policy_error* error) {
    return call(
        policy, [&] { return python_request(*request); }, error,
        [&](PyObject* result) -> int {
            *admitted = result == Py_True ? 1 : 0;
            if (PyBool_Check(result)) return WIMAX_POLICY_DONE;
            const char* reason = PyUnicode_Check(result) != 0 ? PyUnicode_AsUTF8(result) : nullptr;
            if (reason == nullptr)
                return unexpected(result, "admit", "True, False, or the reason of a refusal", *error);
            write(*error, reason);
            return WIMAX_POLICY_DONE;
        });
}

int adapt(void* policy, const wimax_policy_link* link, uint32_t* rate_id, wimax_policy_error* error) {
    return call(
        policy, [&] { return python_link(*link); }, error,
        [&](PyObject* result) -> int {
            const PyRef number(PyNumber_Index(result));
            if (!number) return unexpected(result, "adapt", "a Rate_ID", *error);
            const long value = PyLong_AsLong(number.get());
            if (value < 0 || value >= WIMAX_POLICY_RATES)
                return nonsense(*error, "adapt() returned no Rate_ID, expected: 0..6");
            *rate_id = static_cast<uint32_t>(value);
            return WIMAX_POLICY_DONE;
        });
}

int manage(void* policy, const wimax_policy_queues* queues, wimax_policy_directive* directives,
           wimax_policy_error* error) {
    return call(
        policy, [&] { return python_queues(*queues); }, error,
        [&](PyObject* result) -> int {
            const auto wrong = read_directives(result, {directives, queues->queue_count});
            return wrong.empty() ? WIMAX_POLICY_DONE : nonsense(*error, "manage() returned " + wrong);
        });
}

int classify(void* policy, const wimax_policy_packet* packet, int32_t* flow, wimax_policy_error* error) {
    return call(
        policy, [&] { return python_packet(*packet); }, error,
        [&](PyObject* result) -> int {
            const auto wrong = read_choice(result, *flow);
            return wrong.empty() ? WIMAX_POLICY_DONE : nonsense(*error, "classify() returned " + wrong);
        });
}
uint32_t every_packet(void* policy) { return static_cast<PythonPolicy*>(policy)->every_packet ? 1 : 0; }

/// In a Python process the waiting thread may hold the lock that the policy needs.
void* leave() { return PyGILState_Check() != 0 ? PyEval_SaveThread() : nullptr; }
void enter(void* left) {
    if (left != nullptr) PyEval_RestoreThread(static_cast<PyThreadState*>(left));
}

constexpr wimax_policy_api kApi{
    WIMAX_POLICY_VERSION, make, destroy, leave, enter, schedule, admit, adapt, manage, classify, every_packet};

}  // namespace

extern "C" __attribute__((visibility("default"))) const wimax_policy_api* wimax_policy(void) { return &kApi; }
