/* SPDX-License-Identifier: GPL-3.0-or-later
 * The one header of a scheduler in a shared library (docs/policies.md). In C, define wimax_policy(). In C++, derive a
 * class from wimax::policy::FrameScheduler and end the file with WIMAX_SCHEDULER(Class).
 *
 *     bs:
 *       dl_scheduler: {library: "./my_rules.so"}
 *
 * schedule() runs on one thread per direction, make() and destroy() on another; calls of different schedulers may
 * overlap. Structures belong to the caller and are valid during the call. */
#ifndef WIMAX_POLICY_H
#define WIMAX_POLICY_H

#include <stddef.h>
#include <stdint.h>

#define WIMAX_POLICY_VERSION 1
#define WIMAX_POLICY_RATES 7

#ifdef __cplusplus
extern "C" {
#endif

/* A service flow with its claim to the frame. */
typedef struct wimax_policy_flow {
    uint32_t scheduling;      /* 2 best effort, 3 nrtPS, 4 rtPS, 5 ertPS, 6 UGS */
    uint32_t priority;        /* traffic priority, 0..7, higher is sooner */
    uint64_t backlog_octets;  /* waiting; uplink: requested and not granted */
    uint64_t reserved_octets; /* of these, owed in this frame */
    uint64_t unasked_octets;  /* uplink: owed in addition (UGS) */
    uint32_t poll;            /* uplink, 0 or 1: room for a request is owed */
    uint32_t min_rate_bps;    /* minimum reserved rate; 0: none */
    uint32_t max_rate_bps;    /* maximum sustained rate; 0: none */
    uint32_t max_latency_ms;  /* 0: none */
    double deadline_s;        /* of the owed octets, on the clock of wimax_policy_frame.time_s; infinity: none */
} wimax_policy_flow;

/* A station that has something to send or receive. Uplink: also idle stations, some in each frame. Downlink multicast
 * connections are stations with the CID of the connection. */
typedef struct wimax_policy_station {
    uint32_t cid;            /* basic CID: the same station in all frames, until it leaves the cell */
    uint32_t rate_id;        /* burst profile: 0 BPSK 1/2 ... 6 64-QAM 3/4 */
    double octets_per_unit;  /* that a resource unit carries at this burst profile */
    double weight;           /* as provisioned */
    double owed_units;       /* for management messages, reserved rates, polls: give them first */
    double wanted_units;     /* for all that waits, with the owed ones */
    double served_units;     /* used since the previous call; uplink: granted in the previous call */
    double used_units;       /* uplink: mean of the last frames that its data filled */
    uint32_t frames_waiting; /* uplink: since its last grant */
    uint32_t active;         /* uplink, 0 or 1: it used its recent grants */
    uint32_t entering;       /* uplink, 0 or 1: not registered yet */
    uint32_t first_flow;     /* index of its first flow in wimax_policy_frame.flows */
    uint32_t flow_count;
} wimax_policy_station;

typedef struct wimax_policy_frame {
    uint32_t number;               /* frame number, 24 bits */
    double time_s;                 /* start of the frame on the sample clock */
    double units;                  /* resource units to divide */
    uint32_t map_elements;         /* uplink: the most bursts */
    uint32_t burst_overhead_units; /* uplink: that each burst costs in addition to its units */
    uint32_t burst_most_units;     /* uplink: of a burst; more units of a station need several bursts */
    uint32_t station_count, flow_count;
    const wimax_policy_station* stations;
    const wimax_policy_flow* flows;
} wimax_policy_frame;

typedef struct wimax_policy_cell {
    const char* direction;                      /* "downlink" or "uplink" */
    double frame_s;                             /* duration of a frame */
    double octets_per_unit[WIMAX_POLICY_RATES]; /* by rate_id */
} wimax_policy_cell;

typedef struct wimax_policy_error {
    char text[400]; /* with the terminating zero */
} wimax_policy_error;

enum {
    WIMAX_POLICY_DONE = 0,
    WIMAX_POLICY_FAILED = 1,   /* wimax_policy_error has the reason */
    WIMAX_POLICY_NONSENSE = 2, /* the same; what the policy returned is not a list of units */
};

typedef struct wimax_policy_api {
    uint32_t version; /* WIMAX_POLICY_VERSION */
    /* A scheduler for one direction. `argument`: empty, or what the configuration adds. NULL: refused. */
    void* (*make)(const char* argument, const wimax_policy_cell* cell, wimax_policy_error* error);
    void (*destroy)(void* scheduler);
    /* Sets units[i] for each station: 0 or more, not NaN. The sum is at most frame->units, in the uplink with
     * burst_overhead_units for each burst; there, fractions are discarded. */
    int (*schedule)(void* scheduler, const wimax_policy_frame* frame, double* units, wimax_policy_error* error);
    /* NULL, or around the time that the caller waits for schedule(): releases and takes the lock of an interpreter. */
    void* (*leave)(void);
    void (*enter)(void* left);
} wimax_policy_api;

/* The entry of a library. */
const wimax_policy_api* wimax_policy(void);

#ifdef __cplusplus
}  // extern "C"

#include <cstring>
#include <exception>
#include <span>

namespace wimax::policy {

class FrameScheduler {
public:
    virtual ~FrameScheduler() = default;
    /// Sets the units of each station; they are 0 at the call. An exception is a fault.
    virtual void schedule(const wimax_policy_frame& frame, std::span<double> units) = 0;
};

inline std::span<const wimax_policy_station> stations_of(const wimax_policy_frame& frame) {
    return {frame.stations, frame.station_count};
}
inline std::span<const wimax_policy_flow> flows_of(const wimax_policy_frame& frame, const wimax_policy_station& of) {
    return {frame.flows + of.first_flow, of.flow_count};
}
inline void write(wimax_policy_error& error, const char* reason) {
    std::strncpy(error.text, reason, sizeof error.text - 1);
    error.text[sizeof error.text - 1] = '\0';
}

/// Functions of wimax_policy_api for a class with a constructor from const wimax_policy_cell&.
template <class Class> struct SchedulerEntry {
    static void* make(const char*, const wimax_policy_cell* cell, wimax_policy_error* error) {
        try {
            return static_cast<FrameScheduler*>(new Class(*cell));
        } catch (const std::exception& e) {
            write(*error, e.what());
        } catch (...) {
            write(*error, "an exception");
        }
        return nullptr;
    }
    static void destroy(void* scheduler) { delete static_cast<FrameScheduler*>(scheduler); }
    static int schedule(void* scheduler, const wimax_policy_frame* frame, double* units, wimax_policy_error* error) {
        try {
            static_cast<FrameScheduler*>(scheduler)->schedule(*frame, {units, frame->station_count});
            return WIMAX_POLICY_DONE;
        } catch (const std::exception& e) {
            write(*error, e.what());
        } catch (...) {
            write(*error, "an exception");
        }
        return WIMAX_POLICY_FAILED;
    }
};

}  // namespace wimax::policy

#define WIMAX_SCHEDULER(Class)                                                                     \
    extern "C" __attribute__((visibility("default"))) const wimax_policy_api* wimax_policy(void) { \
        using Entry = wimax::policy::SchedulerEntry<Class>;                                        \
        static const wimax_policy_api api{WIMAX_POLICY_VERSION, Entry::make, Entry::destroy,       \
                                          Entry::schedule,      nullptr,     nullptr};             \
        return &api;                                                                               \
    }
#endif /* __cplusplus */

#endif
