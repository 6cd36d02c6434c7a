# SPDX-License-Identifier: GPL-3.0-or-later
"""`wimax doctor`: is this machine ready? One line per check, and for each fault the line to type."""
import argparse
import glob
import os
import re
import shutil
import subprocess
import sys

from wimax_tools import provenance
from wimax_tools.bench.radio_host import RadioHost
from wimax_tools.provenance import to_type

TO_BUILD = ("cmake", "ninja", "protoc")


def run(*command):
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=30)
    except (OSError, subprocess.TimeoutExpired) as error:
        return 1, str(error)
    return done.returncode, done.stdout.strip()


def check_gnuradio():
    code, out = run("/usr/bin/python3", "-c", "from gnuradio import gr; print(gr.version())")
    version = out.splitlines()[-1] if out else ""
    return code == 0 and "3.10" in version, f"GNU Radio {version or out}", "./wimax setup"


def check_uhd():
    code, out = run("/usr/bin/python3", "-c", "import ctypes; ctypes.CDLL('libuhd.so.4.3.0')") \
        if not shutil.which("uhd_config_info") else run("uhd_config_info", "--version")
    return code == 0, out.splitlines()[-1] if out else "UHD", "./wimax setup"


def check_module():
    code, out = run("/usr/bin/python3", "-c", "from gnuradio import wimax; print(wimax.__file__)")
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
        text = info.read()
    flags = set(re.search(r"^flags\s*:(.*)$", text, re.M).group(1).split()) if "flags" in text else set()
    simd = next((name for name in ("avx512bw", "avx2", "sse4_1") if name in flags), "none")
    cores = os.cpu_count()
    return cores >= 2 and simd != "none", f"CPU: {cores} cores, best SIMD {simd}", \
        "two cores with SSE4.1 or better keep real time at 5 MHz; without them use --mode free"


def check_governor():
    files = glob.glob("/sys/devices/system/cpu/cpu*/cpufreq/scaling_governor")
    governors = {open(f, encoding="ascii").read().strip() for f in files}
    return governors <= {"performance"}, f"CPU frequency governor {', '.join(governors) or 'not visible (virtual machine)'}", \
        "sudo cpupower frequency-set -g performance"


DAEMONS = ("wimax-channeld", "wimax-phyd", "wimax-macd")
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


CHECKS = [check_programs, check_gnuradio, check_uhd, check_module, check_virtual_radio, check_tun, check_netns, check_cpu,
          check_governor]
ADVICE_ONLY = {check_governor}  # slows a lab down, breaks nothing
BENCH_CHECKS = [check_built, check_bench_programs, check_virtual_radio, check_tun, check_netns]  # each a part of a second


def faults_for(checks):
    """What of this keeps a command from its work, with the line to type."""
    return [f"{what.strip()}; type: {to_type(cure)}" for good, what, cure in (check() for check in checks) if not good]


def parser():
    result = argparse.ArgumentParser(prog="wimax doctor", description="Is this machine ready? A line a check, and for each fault the line to type.")
    result.add_argument("--radio", metavar="ARGS", help="a radio, too: its images, rights, links and limits; device arguments as for UHD, type=b200 "
                        "or addr=192.168.10.2")
    return result


def main(arguments=()):
    radio = parser().parse_args(arguments).radio
    checks = [(check, check in ADVICE_ONLY) for check in CHECKS]
    if radio is not None:
        checks += RadioHost(radio, run, images=os.environ.get("UHD_IMAGES_DIR")).checks()
    faults = 0
    for check, advice in checks:
        good, what, cure = check()
        print(f"{'ok   ' if good else 'note ' if advice else 'FAULT'}  {what.strip()}")
        if not good:
            print(f"       type: {to_type(cure)}")
            faults += not advice
    print("all well" if not faults else f"{faults} fault(s)")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
