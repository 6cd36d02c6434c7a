// SPDX-License-Identifier: GPL-3.0-or-later
// Python objects for the structures of wimax_policy.h: immutable, printable, with one attribute per field. Also what
// the host needs of Python's C interface: owned references, the interpreter's lock, texts of exceptions.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "policy/wimax_policy.h"

#include <string>
#include <utility>

namespace wimax::policy {

/// An owned reference.
class PyRef {
public:
    PyRef() = default;
    explicit PyRef(PyObject* owned) : object_(owned) {}
    PyRef(PyRef&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
    PyRef& operator=(PyRef&& other) noexcept {
        std::swap(object_, other.object_);
        return *this;
    }
    PyRef(const PyRef&) = delete;
    PyRef& operator=(const PyRef&) = delete;
    ~PyRef() { Py_XDECREF(object_); }

    PyObject* get() const { return object_; }
    PyObject* release() { return std::exchange(object_, nullptr); }
    explicit operator bool() const { return object_ != nullptr; }

private:
    PyObject* object_ = nullptr;
};

/// Holds the interpreter's lock.
class InterpreterLock {
public:
    InterpreterLock() : state_(PyGILState_Ensure()) {}
    ~InterpreterLock() { PyGILState_Release(state_); }
    InterpreterLock(const InterpreterLock&) = delete;
    InterpreterLock& operator=(const InterpreterLock&) = delete;

private:
    const PyGILState_STATE state_;
};

/// Text of the present exception, which is cleared: "NameError: name 'x' is not defined (rules.py:12)".
std::string take_exception();

/// Null after a failure, with an exception set.
PyRef python_cell(const wimax_policy_cell& cell);
PyRef python_frame(const wimax_policy_frame& frame);
PyRef python_request(const wimax_policy_request& request);
PyRef python_link(const wimax_policy_link& link);

}  // namespace wimax::policy
