"""The public targets of Abseil 20220623, by upstream package.

A target that is not named here does not exist. `target` says what its headers are, where that is not
just TARGET.h, and which of Debian's pkg-config files knows its libraries, where that is not
absl_TARGET.pc.
"""

def target(headers = None, pc = None):
    return struct(headers = headers, pc = pc)

ABSEIL_TARGETS = {
    "absl/algorithm": {
        "algorithm": target(),
        "container": target(pc = "algorithm_container"),
    },
    "absl/base": {
        "base": target(["call_once.h", "casts.h"]),
        "config": target(["config.h", "options.h", "policy_checks.h"]),
        "core_headers": target([
            "attributes.h",
            "const_init.h",
            "macros.h",
            "optimization.h",
            "port.h",
            "thread_annotations.h",
        ]),
        "dynamic_annotations": target(),
        "log_severity": target(),
    },
    "absl/cleanup": {
        "cleanup": target(),
    },
    "absl/container": {
        "btree": target(["btree_map.h", "btree_set.h"]),
        "fixed_array": target(),
        "flat_hash_map": target(),
        "flat_hash_set": target(),
        "inlined_vector": target(),
        "node_hash_map": target(),
        "node_hash_set": target(),
    },
    "absl/debugging": {
        "failure_signal_handler": target(),
        "leak_check": target(),
        "stacktrace": target(),
        "symbolize": target(),
    },
    "absl/flags": {
        "commandlineflag": target(pc = "flags_commandlineflag"),
        "config": target(["usage_config.h"], pc = "flags_config"),
        "flag": target(["config.h", "declare.h", "flag.h"], pc = "flags"),
        "marshalling": target(pc = "flags_marshalling"),
        "parse": target(pc = "flags_parse"),
        "reflection": target(pc = "flags_reflection"),
        "usage": target(pc = "flags_usage"),
    },
    "absl/functional": {
        "any_invocable": target(),
        "bind_front": target(),
        "function_ref": target(),
    },
    "absl/hash": {
        "hash": target(),
    },
    "absl/memory": {
        "memory": target(),
    },
    "absl/meta": {
        "type_traits": target(),
    },
    "absl/numeric": {
        "bits": target(),
        "int128": target(),
    },
    "absl/random": {
        "bit_gen_ref": target(pc = "random_bit_gen_ref"),
        "distributions": target([
            "bernoulli_distribution.h",
            "beta_distribution.h",
            "discrete_distribution.h",
            "distributions.h",
            "exponential_distribution.h",
            "gaussian_distribution.h",
            "log_uniform_int_distribution.h",
            "poisson_distribution.h",
            "uniform_int_distribution.h",
            "uniform_real_distribution.h",
            "zipf_distribution.h",
        ], pc = "random_distributions"),
        "random": target(pc = "random_random"),
        "seed_gen_exception": target(pc = "random_seed_gen_exception"),
        "seed_sequences": target(pc = "random_seed_sequences"),
    },
    "absl/status": {
        "status": target(["status.h", "status_payload_printer.h"]),
        "statusor": target(),
    },
    "absl/strings": {
        "cord": target(["cord.h", "cord_analysis.h", "cord_buffer.h"]),
        "str_format": target(),
        "strings": target([
            "ascii.h",
            "charconv.h",
            "escaping.h",
            "match.h",
            "numbers.h",
            "str_cat.h",
            "str_join.h",
            "str_replace.h",
            "str_split.h",
            "string_view.h",
            "strip.h",
            "substitute.h",
        ]),
    },
    "absl/synchronization": {
        "synchronization": target([
            "barrier.h",
            "blocking_counter.h",
            "mutex.h",
            "notification.h",
        ]),
    },
    "absl/time": {
        "time": target(["civil_time.h", "clock.h", "time.h"]),
    },
    "absl/types": {
        "any": target(),
        "bad_any_cast": target(),
        "bad_optional_access": target(),
        "bad_variant_access": target(),
        "compare": target(),
        "optional": target(),
        "span": target(),
        "variant": target(),
    },
    "absl/utility": {
        "utility": target(),
    },
}
