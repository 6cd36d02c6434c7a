/* SPDX-License-Identifier: GPL-3.0-or-later
 * The one header of policies in a shared library (docs/policies.md). In C, define wimax_policy(). In C++, derive a
 * class for each kind of policy (FrameScheduler, AdmissionRule, LinkAdapter of wimax::policy), and end the file with
 * WIMAX_POLICIES(Class, ...).
 *
 *     bs:
 *       dl_scheduler: {library: "./my_rules.so"}
 *
 * The calls of one role run on one thread, make() and destroy() on another; calls of different roles may overlap.
 * Structures belong to the caller and are valid during the call. */
#ifndef WIMAX_POLICY_H
#define WIMAX_POLICY_H

#include <stddef.h>
#include <stdint.h>

#define WIMAX_POLICY_VERSION 2
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

/* A station that wants to enter the cell, or a service flow that is to be admitted with these parameters. */
typedef struct wimax_policy_request {
    uint32_t kind;          /* WIMAX_POLICY_STATION, WIMAX_POLICY_NEW_FLOW, WIMAX_POLICY_CHANGED_FLOW */
    double time_s;          /* start of the frame on the sample clock */
    uint8_t mac[6];         /* address of the station */
    uint32_t cid;           /* its basic CID; 0: it has none yet */
    uint32_t known;         /* 0 or 1: the configuration lists the station */
    uint32_t stations;      /* in the cell, registered */
    uint32_t most_stations; /* as configured */
    double cinr_db;         /* of the station's last burst */
    uint32_t fits;          /* 0 or 1: the built-in policy admits it */
    const char* reason;     /* why it does not */
    /* Of a flow: */
    uint32_t uplink;         /* 0 or 1 */
    uint32_t rate_id;        /* burst profile of the station in this direction */
    double weight;           /* of the station, as provisioned */
    uint32_t scheduling;     /* 2 best effort, 3 nrtPS, 4 rtPS, 5 ertPS, 6 UGS */
    uint32_t priority;       /* traffic priority, 0..7 */
    uint32_t min_rate_bps;   /* minimum reserved rate; 0: none */
    uint32_t max_rate_bps;   /* maximum sustained rate; 0: none */
    uint32_t max_latency_ms; /* 0: none */
    double cost_units;       /* that the flow adds to reserved_units */
    double reserved_units;   /* reserved in a frame of this direction, without the flow or its change */
    double units;            /* that can be reserved */
} wimax_policy_request;

/* What has been measured on a link since the previous call. */
typedef struct wimax_policy_link {
    uint8_t mac[6];                           /* address of the station */
    uint32_t uplink;                          /* 0 or 1 */
    uint64_t number;                          /* of the link: a station that enters again has another one */
    double time_s;                            /* of the last measurement, on the sample clock */
    uint32_t rate_id;                         /* in use */
    uint32_t lowest_rate_id, highest_rate_id; /* that are allowed */
    uint32_t measurements;                    /* of the CINR since the previous call; 0: the next three are of before */
    double cinr_db;                           /* last measurement */
    double lowest_cinr_db, highest_cinr_db;   /* since the previous call */
    double mean_cinr_db;                      /* running mean, as in REP-RSP */
    uint32_t arq;                             /* 0 or 1: all that is lost is repeated, so goodput is the aim */
    double target_loss;                       /* otherwise: allowed share of lost packets of 1500 octets */
    uint32_t give_up;                         /* 0 or 1: the present rate fails, and no other remedy is left */
    double needs_db[WIMAX_POLICY_RATES];      /* CINR that a rate needs for the aim in white noise */
    double exit_db[WIMAX_POLICY_RATES];       /* of the base station: a rate is not used at or below it */
    double entry_db[WIMAX_POLICY_RATES];      /* and not entered from a lower rate below it */
    uint32_t bursts[WIMAX_POLICY_RATES];      /* received since the previous call, by rate */
    uint32_t lost_bursts[WIMAX_POLICY_RATES]; /* of these, with an error */
    uint32_t blocks[WIMAX_POLICY_RATES];      /* of these bursts: a block is the data of a symbol */
    uint32_t lost_blocks[WIMAX_POLICY_RATES]; /* of these, with an error */
} wimax_policy_link;

/* The queue of a service flow that has packets, had arrivals, or has a probability above 0. */
typedef struct wimax_policy_queue {
    uint32_t cid;            /* transport CID: the same flow in all frames, until it is deleted */
    uint32_t sfid;           /* 0: a multicast connection */
    uint32_t scheduling;     /* 2 best effort, 3 nrtPS, 4 rtPS, 5 ertPS, 6 UGS */
    uint32_t priority;       /* traffic priority, 0..7, higher is sooner */
    uint32_t min_rate_bps;   /* minimum reserved rate; 0: none */
    uint32_t max_rate_bps;   /* maximum sustained rate; 0: none */
    uint32_t max_latency_ms; /* 0: none */
    uint64_t packets;        /* waiting */
    uint64_t octets;         /* waiting */
    uint64_t limit_octets;   /* of the queue */
    double head_age_s;       /* time that the oldest packet has waited; 0: none waits */
    double served_bps;       /* rate of service while packets waited, mean of about 100 ms */
    /* Since the previous call: */
    uint64_t arrived_octets; /* with dropped ones */
    uint64_t sent_octets;    /* that left the queue for transmission */
    uint64_t dropped;        /* packets, for any reason */
    uint64_t marked;         /* packets, by ECN */
} wimax_policy_queue;

typedef struct wimax_policy_queues {
    uint32_t number; /* frame number, 24 bits */
    double time_s;   /* start of the frame on the sample clock */
    uint32_t queue_count;
    const wimax_policy_queue* queues;
} wimax_policy_queues;

/* What a queue does until the next call. */
typedef struct wimax_policy_directive {
    double drop_probability; /* 0..1, of arriving packets */
    double mark_probability; /* 0..1, of arriving packets whose ends support ECN; a marked packet is not dropped */
    uint32_t drop_head;      /* packets to drop now, each from the head of the longest sub-queue */
    uint32_t codel;          /* 0 or 1: the built-in CoDel continues to drop and mark packets */
} wimax_policy_directive;

/* A service flow that can carry a packet. */
typedef struct wimax_policy_candidate {
    uint32_t cid; /* transport CID */
    uint32_t sfid;
    const char* name;        /* of the service flow, possibly empty */
    uint32_t scheduling;     /* 2 best effort, 3 nrtPS, 4 rtPS, 5 ertPS, 6 UGS */
    uint32_t priority;       /* traffic priority, 0..7, higher is sooner */
    uint32_t min_rate_bps;   /* minimum reserved rate; 0: none */
    uint32_t max_rate_bps;   /* maximum sustained rate; 0: none */
    uint32_t max_latency_ms; /* 0: none */
    int32_t rank; /* of the built-in classifier, which selects the highest; -1: the rules exclude the packet */
} wimax_policy_candidate;

/* A packet to be classified. */
typedef struct wimax_policy_packet {
    double time_s;           /* start of the present frame on the sample clock */
    uint32_t station;        /* base station: basic CID of the destination; 0: the uplink of a subscriber station */
    uint32_t ip_version;     /* 4, 6; 0: neither */
    uint32_t ethernet;       /* 0 or 1: an Ethernet frame, whose addresses are MAC addresses */
    uint8_t source[16];      /* 4, 16 or 6 octets are used */
    uint8_t destination[16]; /* the same */
    uint32_t tos;            /* type of service or traffic class: DSCP and ECN */
    uint32_t protocol;       /* of the transport header */
    uint32_t has_ports;      /* 0 or 1: TCP or UDP, and not a later fragment */
    uint32_t source_port, destination_port;
    uint32_t ethertype; /* of an Ethernet frame, after a tag */
    uint32_t has_tag;   /* 0 or 1: it has a tag of 802.1Q */
    uint32_t tag;       /* 3 bits priority, one bit, 12 bits VLAN ID */
    uint32_t length;    /* octets */
    const uint8_t* octets;
    uint32_t flow_count;
    const wimax_policy_candidate* flows;
} wimax_policy_packet;

typedef struct wimax_policy_cell {
    const char* role; /* "downlink", "uplink", "admission", "link_adaptation", "queue_management", "classifier" */
    double frame_s;   /* duration of a frame; 0: not known yet, at a subscriber station */
    double octets_per_unit[WIMAX_POLICY_RATES]; /* by rate_id */
} wimax_policy_cell;

typedef struct wimax_policy_error {
    char text[400]; /* with the terminating zero */
} wimax_policy_error;

enum {
    WIMAX_POLICY_DONE = 0,
    WIMAX_POLICY_FAILED = 1,   /* wimax_policy_error has the reason */
    WIMAX_POLICY_NONSENSE = 2, /* the same; what the policy returned is not of the type that its kind needs */
};
enum {
    WIMAX_POLICY_STATION = 0,
    WIMAX_POLICY_NEW_FLOW = 1,
    WIMAX_POLICY_CHANGED_FLOW = 2,
};

typedef struct wimax_policy_api {
    uint32_t version; /* WIMAX_POLICY_VERSION */
    /* A policy for the role of the cell. `argument`: empty, or what the configuration adds. NULL: refused. */
    void* (*make)(const char* argument, const wimax_policy_cell* cell, wimax_policy_error* error);
    void (*destroy)(void* policy);
    /* NULL, or around the time that the caller waits for a call: releases and takes the lock of an interpreter. */
    void* (*leave)(void);
    void (*enter)(void* left);

    /* One function per kind of policy; NULL: the library has no policy of this kind. */

    /* Roles "downlink" and "uplink". Sets units[i] for each station: 0 or more, not NaN. The sum is at most
     * frame->units, in the uplink with burst_overhead_units for each burst; there, fractions are discarded. */
    int (*schedule)(void* policy, const wimax_policy_frame* frame, double* units, wimax_policy_error* error);
    /* Role "admission". Sets `admitted`, which is 1 at the call; 0: refused, `error` may have the reason. */
    int (*admit)(void* policy, const wimax_policy_request* request, uint32_t* admitted, wimax_policy_error* error);
    /* Role "link_adaptation". Sets `rate_id`, which is the present one at the call, to a rate from lowest_rate_id to
     * highest_rate_id. */
    int (*adapt)(void* policy, const wimax_policy_link* link, uint32_t* rate_id, wimax_policy_error* error);
    /* Role "queue_management". Sets directives[i] for each queue; at the call they are the default: CoDel alone. */
    int (*manage)(void* policy, const wimax_policy_queues* queues, wimax_policy_directive* directives,
                  wimax_policy_error* error);
    /* Role "classifier". Sets `flow` to an index of packet->flows; -1, as at the call: the packet is dropped. */
    int (*classify)(void* policy, const wimax_policy_packet* packet, int32_t* flow, wimax_policy_error* error);
    /* Role "classifier". NULL or 0: the choice holds for all packets of a transport connection; 1: each packet is a
     * call. */
    uint32_t (*every_packet)(void* policy);
} wimax_policy_api;

/* The entry of a library. */
const wimax_policy_api* wimax_policy(void);

#ifdef __cplusplus
}  // extern "C"

#include <cstring>
#include <exception>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

namespace wimax::policy {

class AnyPolicy {
public:
    virtual ~AnyPolicy() = default;
};

/// An exception of a member function is a fault, in each kind of policy.
class FrameScheduler : public AnyPolicy {
public:
    /// Sets the units of each station; they are 0 at the call.
    virtual void schedule(const wimax_policy_frame& frame, std::span<double> units) = 0;
    static bool serves(std::string_view role) { return role == "downlink" || role == "uplink"; }
};

struct AdmissionDecision {
    bool admitted = true;
    std::string reason{};  ///< of a refusal, may be empty
};

class AdmissionRule : public AnyPolicy {
public:
    /// Decides whether the station or flow is admitted.
    virtual AdmissionDecision admit(const wimax_policy_request& request) = 0;
    static bool serves(std::string_view role) { return role == "admission"; }
};

class LinkAdapter : public AnyPolicy {
public:
    /// Returns the Rate_ID to use, link.lowest_rate_id to link.highest_rate_id.
    virtual uint32_t adapt(const wimax_policy_link& link) = 0;
    static bool serves(std::string_view role) { return role == "link_adaptation"; }
};

class QueueManager : public AnyPolicy {
public:
    /// Sets the directive of each queue; at the call they are the default: CoDel alone.
    virtual void manage(const wimax_policy_queues& queues, std::span<wimax_policy_directive> directives) = 0;
    static bool serves(std::string_view role) { return role == "queue_management"; }
};

class Classifier : public AnyPolicy {
public:
    /// Returns an index of packet.flows; -1: the packet is dropped.
    virtual int32_t classify(const wimax_policy_packet& packet) = 0;
    /// False: the choice holds for all packets of a transport connection.
    virtual bool every_packet() const { return false; }
    static bool serves(std::string_view role) { return role == "classifier"; }
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

/// Functions of wimax_policy_api for classes with a constructor from const wimax_policy_cell&.
template <class... Classes> struct PolicyEntry {
    /// Calls `action`; an exception is a fault.
    template <class Action> static int call(wimax_policy_error* error, const Action& action) {
        try {
            action();
            return WIMAX_POLICY_DONE;
        } catch (const std::exception& e) {
            write(*error, e.what());
        } catch (...) {
            write(*error, "an exception");
        }
        return WIMAX_POLICY_FAILED;
    }
    static void* make(const char*, const wimax_policy_cell* cell, wimax_policy_error* error) {
        AnyPolicy* made = nullptr;
        write(*error, "the library has no policy for this role");
        call(error, [&] {
            ((made == nullptr && Classes::serves(cell->role) ? void(made = new Classes(*cell)) : void()), ...);
        });
        return made;
    }
    static void destroy(void* policy) { delete static_cast<AnyPolicy*>(policy); }
    template <class Kind> static Kind& as(void* policy) { return static_cast<Kind&>(*static_cast<AnyPolicy*>(policy)); }
    static int schedule(void* policy, const wimax_policy_frame* frame, double* units, wimax_policy_error* error) {
        return call(error, [&] { as<FrameScheduler>(policy).schedule(*frame, {units, frame->station_count}); });
    }
    static int admit(void* policy, const wimax_policy_request* request, uint32_t* admitted, wimax_policy_error* error) {
        return call(error, [&] {
            const AdmissionDecision decision = as<AdmissionRule>(policy).admit(*request);
            *admitted = decision.admitted ? 1 : 0;
            write(*error, decision.reason.c_str());
        });
    }
    static int adapt(void* policy, const wimax_policy_link* link, uint32_t* rate_id, wimax_policy_error* error) {
        return call(error, [&] { *rate_id = as<LinkAdapter>(policy).adapt(*link); });
    }
    static int manage(void* policy, const wimax_policy_queues* queues, wimax_policy_directive* directives,
                      wimax_policy_error* error) {
        return call(error, [&] { as<QueueManager>(policy).manage(*queues, {directives, queues->queue_count}); });
    }
    static int classify(void* policy, const wimax_policy_packet* packet, int32_t* flow, wimax_policy_error* error) {
        return call(error, [&] { *flow = as<Classifier>(policy).classify(*packet); });
    }
    static uint32_t every_packet(void* policy) { return as<Classifier>(policy).every_packet() ? 1 : 0; }
    /// Whether one of the classes is of this kind.
    template <class Kind> static constexpr bool has() { return (std::is_base_of_v<Kind, Classes> || ...); }

    static constexpr wimax_policy_api kApi{WIMAX_POLICY_VERSION,
                                           make,
                                           destroy,
                                           nullptr,
                                           nullptr,
                                           has<FrameScheduler>() ? schedule : nullptr,
                                           has<AdmissionRule>() ? admit : nullptr,
                                           has<LinkAdapter>() ? adapt : nullptr,
                                           has<QueueManager>() ? manage : nullptr,
                                           has<Classifier>() ? classify : nullptr,
                                           has<Classifier>() ? every_packet : nullptr};
};

}  // namespace wimax::policy

/* The classes of a library, at most one of each kind. */
#define WIMAX_POLICIES(...)                                                                        \
    extern "C" __attribute__((visibility("default"))) const wimax_policy_api* wimax_policy(void) { \
        return &wimax::policy::PolicyEntry<__VA_ARGS__>::kApi;                                     \
    }
#endif /* __cplusplus */

#endif
