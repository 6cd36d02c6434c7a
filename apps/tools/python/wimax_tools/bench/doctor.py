# SPDX-License-Identifier: GPL-3.0-or-later
"""Checks whether this machine is ready: one line per check, and for each fault the command to type."""
import argparse
import ctypes.util
import glob
import os
import re
import shutil
import subprocess
import sys

from wimax_tools import command_line, provenance
from wimax_tools.bench.radio_host import RadioHost
from wimax_tools.provenance import to_type

TO_BUILD = ("cmake", "ninja", "protoc")
OLDEST_GCC, OLDEST_CLANG = 12, 14
# Best first, as /proc/cpuinfo names them: (flag, name). x86 has a line "flags", ARM a line "Features".
SIMD = {"flags": (("avx512bw", "avx512bw"), ("avx2", "avx2"), ("sse4_1", "sse4_1")), "Features": (("sve", "SVE, used as NEON"), ("asimd", "NEON"), ("neon", "NEON"))}


def run(*command):
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=30)
    except (OSError, subprocess.TimeoutExpired) as error:
        return 1, str(error)
    return done.returncode, done.stdout.strip()


def check_gnuradio():
    """Of the interpreter that GNU Radio was built for: the launcher starts the doctor with it. Without GNU Radio's Python part the
    programs run; then the version is that of the library."""
    code, out = run(sys.executable, "-c", "from gnuradio import gr; print(gr.version())")
    version = out.splitlines()[-1] if out else ""
    if code and (library := library_version("libgnuradio-runtime")):
        return library.startswith("3.10."), f"GNU Radio {library}, without its Python modules", "./wimax setup"
    fits = version.startswith("3.10.")
    return code == 0 and fits, f"GNU Radio {version or out}" + ("" if code or fits else "; 3.10 is needed"), "./wimax setup"


def library_version(name):
    """What follows .so. in the name of the library's file; None: the loader does not find it."""
    found = ctypes.util.find_library(name.removeprefix("lib"))
    return found.partition(".so.")[2] if found else None


def check_uhd():
    if shutil.which("uhd_config_info"):
        code, out = run("uhd_config_info", "--version")
        return code == 0, f"UHD {out.splitlines()[-1].removeprefix('UHD ') if out else ''}", "./wimax setup"
    version = library_version("libuhd")
    return version is not None, f"UHD {version or 'was not found'}", "./wimax setup"


def check_compiler():
    code, out = run("c++", "-dumpfullversion", "-dumpversion")
    major = int(out.split(".")[0]) if code == 0 and out.split(".")[0].isdigit() else 0
    clang = "clang" in run("c++", "--version")[1]
    name, oldest = ("Clang", OLDEST_CLANG) if clang else ("GCC", OLDEST_GCC)
    return major >= oldest, f"compiler {name} {out if major else 'was not found'}" + (f"; {oldest} or later is needed" if 0 < major < oldest else ""), \
        f"apt-get install g++-{OLDEST_GCC}, and CXX=g++-{OLDEST_GCC} CC=gcc-{OLDEST_GCC} ./wimax build in a new build folder"


def check_module():
    code, out = run(sys.executable, "-c", "from gnuradio import wimax; print(wimax.__file__)")
    return code == 0, f"Python module gnuradio.wimax {out.splitlines()[-1] if out else ''}", "./wimax build"


def check_virtual_radio():
    folder = os.environ.get("UHD_MODULE_PATH", "")
    modules = glob.glob(os.path.join(folder, "*.so"))
    if not modules:
        return False, f"virtual radio: no module in '{folder}'", "./wimax build"
    code, out = run("ldd", "-r", modules[0])
    bad = [line for line in out.splitlines() if "undefined" in line or "not found" in line]
    return code == 0 and not bad, f"virtual radio module {os.path.basename(modules[0])} {'; '.join(bad[:2])}", "./wimax build"


def check_tun():
    if not os.path.exists("/dev/net/tun"):
        return False, "no /dev/net/tun", "sudo modprobe tun"
    code, out = run("capsh", "--print") if shutil.which("capsh") else (0, "")
    able = os.geteuid() == 0 or "cap_net_admin" in out.split("Current:")[-1].split("\n")[0]
    return able, "right to create TUN interfaces (CAP_NET_ADMIN)", \
        "sudo ./wimax bench, or sudo setcap cap_net_admin,cap_sys_admin+ep build/bin/wimax-macd"


def check_netns():
    if os.geteuid() != 0:
        return False, "right to create network namespaces", "sudo ./wimax bench"
    name = f"wimax-doctor-{os.getpid()}"
    code, out = run("ip", "netns", "add", name)
    run("ip", "netns", "delete", name)
    return code == 0, f"network namespaces {out}", "apt-get install iproute2, and run on a kernel with CONFIG_NET_NS"


def check_cpu():
    with open("/proc/cpuinfo", encoding="ascii", errors="replace") as info:
        found = re.search(r"^(flags|Features)\s*:(.*)$", info.read(), re.M)
    kind, flags = (found[1], set(found[2].split())) if found else ("flags", set())
    simd = next((name for flag, name in SIMD[kind] if flag in flags), "none")
    cores = os.cpu_count()
    return cores >= 2 and simd != "none", f"CPU: {cores} cores, best SIMD {simd}", \
        "two cores with SSE4.1 (x86) or NEON (ARM) or better keep real time at 5 MHz; without them use --mode free"


def check_governor():
    files = glob.glob("/sys/devices/system/cpu/cpu*/cpufreq/scaling_governor")
    governors = {open(f, encoding="ascii").read().strip() for f in files}
    return governors <= {"performance"}, f"CPU frequency governor {', '.join(governors) or 'not visible (virtual machine)'}", \
        "sudo cpupower frequency-set -g performance"


DAEMONS = ("wimax-channeld", "wimax-phyd", "wimax-macd", "wimax-stationd")
BENCH_PROGRAMS = ("iperf3", "ip", "ping", "tcpdump")


def check_named(programs):
    missing = [p for p in programs if not shutil.which(p)]
    return not missing, f"programs {'all there' if not missing else 'missing: ' + ' '.join(missing)}", "./wimax setup"


def check_programs():
    return check_named(("iperf3", "ip", *(() if provenance.INSTALLED else TO_BUILD)))


def check_built():
    missing = [p for p in DAEMONS if not os.access(os.path.join(os.environ.get("WIMAX_BUILD_DIR", ""), "bin", p), os.X_OK)]
    return not missing, f"daemons {'are built' if not missing else 'missing: ' + ' '.join(missing)}", "./wimax build"


def check_bench_programs():
    return check_named(BENCH_PROGRAMS)


CHECKS = [check_programs, check_compiler, check_gnuradio, check_uhd, check_module, check_virtual_radio, check_tun, check_netns, check_cpu,
          check_governor]
ADVICE_ONLY = {check_governor, check_module}  # a governor slows a lab down; only flowgraphs and Python need the module
BENCH_CHECKS = [check_built, check_bench_programs, check_virtual_radio, check_tun, check_netns]  # each a part of a second


def faults_for(checks):
    """What of this keeps a command from its work, with the line to type."""
    return [f"{what.strip()}; type: {to_type(cure)}" for good, what, cure in (check() for check in checks) if not good]


def parser():
    result = command_line.Parser(prog="wimax doctor", description=__doc__, epilog="examples:\n  wimax doctor\n  wimax doctor --radio type=b200")
    result.add_argument("--radio", metavar="ARGS", type=device_arguments, help="also check a radio: its images, rights, links and limits. UHD device arguments, for instance "
                        "type=b200 or addr=192.168.10.2")
    return result


def device_arguments(text):
    """As UHD takes them."""
    for pair in text.split(","):
        key, equals, value = pair.partition("=")
        if not (key.strip() and equals and value.strip()):
            raise argparse.ArgumentTypeError(f"'{text}'; allowed: UHD device arguments KEY=VALUE,..., for instance type=b200 or addr=192.168.10.2; "
                                             "uhd_find_devices lists the radios that are connected")
    return text


def main(arguments=()):
    radio = parser().parse_args(arguments).radio
    checks = [(check, check in ADVICE_ONLY) for check in CHECKS if not (provenance.INSTALLED and check is check_compiler)]
    if radio is not None:
        checks += RadioHost(radio, run, images=os.environ.get("UHD_IMAGES_DIR")).checks()
    faults = 0
    for check, advice in checks:
        good, what, cure = check()
        word, colour = ("ok   ", "green") if good else ("note ", "yellow") if advice else ("FAULT", "red")
        print(f"{command_line.coloured(word, colour, sys.stdout)}  {what.strip()}")
        if not good:
            print(f"       type: {to_type(cure)}")
            faults += not advice
    print("all checks passed" if not faults else f"{faults} fault(s)")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
