// SPDX-License-Identifier: GPL-3.0-or-later
// How values of wimax_policy.h become Python objects: types with named fields, numbers, tuples.
#pragma once

#include "policy/python/python_objects.h"

#include <array>
#include <utility>

namespace wimax::policy {

inline PyTypeObject* new_type(const char* name, const char* help, PyStructSequence_Field* fields) {
    int count = 0;
    while (fields[count].name != nullptr) ++count;
    PyStructSequence_Desc description{name, help, fields, count};
    return PyStructSequence_NewType(&description);
}

inline PyObject* python(double value) { return PyFloat_FromDouble(value); }
inline PyObject* python(uint32_t value) { return PyLong_FromUnsignedLong(value); }
inline PyObject* python(uint64_t value) { return PyLong_FromUnsignedLongLong(value); }
inline PyObject* python(bool value) { return PyBool_FromLong(value ? 1 : 0); }
inline PyObject* python(const char* value) { return PyUnicode_FromString(value); }
inline PyObject* python(PyRef value) { return value.release(); }

/// An object of the type with these fields; null after a failure.
template <class... Values> PyRef make(PyTypeObject* type, Values&&... values) {
    if (type == nullptr) return PyRef();
    PyRef object(PyStructSequence_New(type));
    if (!object) return PyRef();
    Py_ssize_t at = 0;
    bool whole = true;
    const auto set = [&](PyObject* value) {
        whole = whole && value != nullptr;
        PyStructSequence_SetItem(object.get(), at++, value);
    };
    (set(python(std::forward<Values>(values))), ...);
    return whole ? std::move(object) : PyRef();
}

/// A tuple of what `element(i)` makes; null after a failure.
template <class Element> PyRef tuple_of(size_t count, const Element& element) {
    PyRef tuple(PyTuple_New(static_cast<Py_ssize_t>(count)));
    for (size_t i = 0; tuple && i < count; ++i) {
        PyRef one = element(i);
        if (!one) return PyRef();
        PyTuple_SET_ITEM(tuple.get(), static_cast<Py_ssize_t>(i), one.release());
    }
    return tuple;
}

/// Name of a scheduling service.
inline const char* service_of(uint32_t scheduling) {
    constexpr std::array<const char*, 5> kNames{"BE", "nrtPS", "rtPS", "ertPS", "UGS"};
    return scheduling >= 2 && scheduling < 2 + kNames.size() ? kNames[scheduling - 2] : "BE";
}

}  // namespace wimax::policy
