// SPDX-License-Identifier: GPL-3.0-or-later
// For tests on x86-64: breakpoints of a process in its own code. Functions are armed one after the other: each when the
// one before it is entered. The code under test is compiled as ever and contains nothing for it.
#pragma once

#include <link.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <span>
#include <string>
#include <vector>

namespace wimax::test {

/// A function that is to be entered.
struct WalkStep {
    std::string file, function;
    int copies = 0;  ///< of the packet, from here to the next step
};

class WalkProbes {
public:
    /// HLT, one octet: a program may not execute it and gets SIGSEGV. GNU Radio blocks SIGTRAP in the threads of
    /// blocks.
    static constexpr uint8_t kBreakpoint = 0xF4;
    static constexpr size_t kMost = 64;

    /// Finds the functions in this program and its own libraries. One is active at a time.
    explicit WalkProbes(const std::vector<WalkStep>& steps) : places_(steps.size()) {
        active() = this;
        std::vector<Object> objects;
        dl_iterate_phdr(
            [](dl_phdr_info* info, size_t, void* all) {
                const std::string name = info->dlpi_name;
                if (name.empty() || name.find("wimax") != std::string::npos)
                    static_cast<std::vector<Object>*>(all)->push_back(
                        {name.empty() ? "/proc/" + std::to_string(getpid()) + "/exe" : name, info->dlpi_addr});
                return 0;
            },
            &objects);
        for (const auto& object : objects) find(object, steps);
        for (const auto& places : places_)
            for (const auto& place : places) {
                const auto page = reinterpret_cast<uintptr_t>(place.at) & ~uintptr_t{4095};
                ::mprotect(reinterpret_cast<void*>(page), 4096, PROT_READ | PROT_WRITE | PROT_EXEC);
            }
        struct sigaction action {};
        action.sa_sigaction = on_fault;
        action.sa_flags = SA_SIGINFO;
        ::sigaction(SIGSEGV, &action, nullptr);
    }
    ~WalkProbes() {
        if (const size_t k = reached(); k < places_.size()) set(k, false);
        active() = nullptr;  // the handler stays, for threads on their way to it
    }
    WalkProbes(const WalkProbes&) = delete;
    WalkProbes& operator=(const WalkProbes&) = delete;

    /// No symbol: it was removed, renamed, or is inlined everywhere.
    bool found(size_t step) const { return !places_[step].empty(); }
    /// Copies of data with this in it are counted from now on.
    void start(std::span<const uint8_t> mark) {
        mark_ = mark;
        own_step() = 0;
        set(0, true);
    }
    size_t reached() const { return next_.load(); }
    int copies(size_t step) const { return copies_[step].load(); }

    /// Called for every copy of memory in the process. It belongs to the step that its thread was the last to enter.
    static void note_copy(const void* from, size_t octets) {
        auto* probes = active();
        if (!probes || own_step() == 0 || probes->mark_.empty() || octets < probes->mark_.size()) return;
        if (::memmem(from, octets, probes->mark_.data(), probes->mark_.size())) ++probes->copies_[own_step() - 1];
    }

private:
    struct Object {
        std::string path;
        uintptr_t base;
    };
    struct Place {
        uint8_t *at, code;
    };

    static WalkProbes*& active() {
        static WalkProbes* probes = nullptr;
        return probes;
    }

    /// 1: the first; 0: this thread has entered none.
    static size_t& own_step() {
        static thread_local size_t step = 0;
        return step;
    }

    /// "Class::function", "Class::function(Type)" of overloads, or "Class::{lambda}": the message handler that a
    /// block's constructor registers.
    static bool names(std::string symbol, std::string function) {
        if (symbol.find(".cold") != std::string::npos) return false;
        for (const std::string what : {"(anonymous namespace)::", "non-virtual thunk to ", "virtual thunk to "})
            if (const size_t at = symbol.find(what); at != std::string::npos) symbol.erase(at, what.size());
        if (function.ends_with("{lambda}"))
            return symbol.find("::" + function.substr(0, function.find("::{")) + "(") != std::string::npos &&
                   symbol.ends_with("_M_invoke(std::_Any_data const&, std::shared_ptr<pmt::pmt_base>&&)");
        const size_t list = std::min(symbol.find('('), symbol.size());
        if (const size_t at = function.find('('); at != std::string::npos) {
            const std::string type = function.substr(at + 1, function.size() - at - 2);
            if (symbol.find("::" + type, list) == std::string::npos) return false;
            function.resize(at);
        }
        symbol.resize(list);
        return symbol == function || symbol.ends_with("::" + function);
    }

    void find(const Object& object, const std::vector<WalkStep>& steps) {
        FILE* symbols = ::popen(("nm -C --defined-only " + object.path).c_str(), "r");
        if (!symbols) return;
        std::array<char, 4096> line{};
        while (std::fgets(line.data(), static_cast<int>(line.size()), symbols)) {
            unsigned long address = 0;
            char type = 0;
            int read = 0;
            if (std::sscanf(line.data(), "%lx %c %n", &address, &type, &read) < 2 || !::strchr("tTwW", type)) continue;
            std::string symbol = line.data() + read;
            symbol.resize(std::min(symbol.find('\n'), symbol.size()));
            for (size_t i = 0; i < steps.size(); ++i) {
                auto* at = reinterpret_cast<uint8_t*>(object.base + address);
                const auto same = [at](const Place& place) { return place.at == at; };
                if (names(symbol, steps[i].function) && std::none_of(places_[i].begin(), places_[i].end(), same))
                    places_[i].push_back({at, *at});
            }
        }
        ::pclose(symbols);
    }

    void set(size_t step, bool armed) {
        for (const auto& place : places_[step])
            __atomic_store_n(place.at, armed ? kBreakpoint : place.code, __ATOMIC_SEQ_CST);
    }

    /// The function continues as if nothing had happened. Of threads that enter it at once only the first counts.
    static void on_fault(int, siginfo_t* info, void* context) {
        if (info->si_code != SI_KERNEL) {  // an access to memory
            ::signal(SIGSEGV, SIG_DFL);
            return;
        }
        auto* probes = active();
        const size_t steps = probes ? probes->places_.size() : 0;
        size_t k = probes ? probes->reached() : 0;
        if (k == steps) return;
        const auto* at =
            reinterpret_cast<const uint8_t*>(static_cast<ucontext_t*>(context)->uc_mcontext.gregs[REG_RIP]);
        const auto& places = probes->places_[k];
        if (std::none_of(places.begin(), places.end(), [at](const Place& place) { return place.at == at; })) return;
        if (!probes->next_.compare_exchange_strong(k, k + 1)) return;
        own_step() = k + 1;
        probes->set(k, false);
        if (k + 1 < steps) probes->set(k + 1, true);
    }

    std::vector<std::vector<Place>> places_;  ///< of each step
    std::span<const uint8_t> mark_;
    std::atomic<size_t> next_{0};
    std::array<std::atomic<int>, kMost> copies_{};
};

}  // namespace wimax::test
