// Result<T>: a value or an Error. Errors of input, disk, network and processes travel as Results; exceptions stay inside adapters
// to libraries that throw; assertions are for programming errors only.
#pragma once

#include <base/error.h>

#include <cassert>
#include <optional>
#include <utility>
#include <variant>

namespace lockstep {

template <class T>
class [[nodiscard]] Result {
public:
    Result(T value) : m_state(std::in_place_index<0>, std::move(value)) {}
    Result(Error error) : m_state(std::in_place_index<1>, std::move(error)) {}

    bool ok() const { return m_state.index() == 0; }
    explicit operator bool() const { return ok(); }

    // Precondition: ok().
    T& value() & {
        assert(ok());
        return *std::get_if<0>(&m_state);
    }
    const T& value() const& {
        assert(ok());
        return *std::get_if<0>(&m_state);
    }
    T&& value() && {
        assert(ok());
        return std::move(*std::get_if<0>(&m_state));
    }
    T& operator*() & { return value(); }
    const T& operator*() const& { return value(); }
    T&& operator*() && { return std::move(*this).value(); }
    T* operator->() { return &value(); }
    const T* operator->() const { return &value(); }

    // Precondition: !ok().
    Error& error() & {
        assert(!ok());
        return *std::get_if<1>(&m_state);
    }
    const Error& error() const& {
        assert(!ok());
        return *std::get_if<1>(&m_state);
    }
    Error&& error() && {
        assert(!ok());
        return std::move(*std::get_if<1>(&m_state));
    }

private:
    std::variant<T, Error> m_state;
};

template <>
class [[nodiscard]] Result<void> {
public:
    Result() = default;
    Result(Error error) : m_error(std::move(error)) {}

    bool ok() const { return !m_error.has_value(); }
    explicit operator bool() const { return ok(); }
    Error& error() & {
        assert(!ok());
        return *m_error;
    }
    const Error& error() const& {
        assert(!ok());
        return *m_error;
    }
    Error&& error() && {
        assert(!ok());
        return std::move(*m_error);
    }

private:
    std::optional<Error> m_error;
};

}  // namespace lockstep

#define LS_JOIN_(a, b) a##b
#define LS_JOIN(a, b) LS_JOIN_(a, b)

// Returns the error of a Result from the enclosing function; otherwise goes on.
#define LS_TRY(expression)                                    \
    do {                                                      \
        auto lsTried = (expression);                          \
        if (!lsTried.ok()) return std::move(lsTried).error(); \
    } while (false)

// LS_TRY_ASSIGN(auto x, f()): x = the value of f(), or the error is returned.
#define LS_TRY_ASSIGN(declaration, expression)                                                    \
    auto LS_JOIN(lsResult, __LINE__) = (expression);                                              \
    if (!LS_JOIN(lsResult, __LINE__).ok()) return std::move(LS_JOIN(lsResult, __LINE__)).error(); \
    declaration = std::move(LS_JOIN(lsResult, __LINE__)).value()
