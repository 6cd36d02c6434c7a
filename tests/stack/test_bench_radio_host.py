# SPDX-License-Identifier: GPL-3.0-or-later
"""`wimax doctor --radio` on hosts that lack nothing, or one thing each."""
import contextlib
import io
import tempfile
import unittest
from pathlib import Path
from unittest import mock

from wimax_tools.bench import doctor
from wimax_tools.bench.radio_host import RadioHost

LIMITS = "Limit                     Soft Limit           Hard Limit           Units\nMax locked memory         {memlock}            {memlock}            bytes\n" \
         "Max realtime priority     {rtprio}                    {rtprio}\n"
ROUTES = "Iface\tDestination\tGateway\tFlags\tRefCnt\tUse\tMetric\tMask\tMTU\tWindow\tIRTT\n" \
         "eth0\t00000000\t0101A8C0\t0003\t0\t0\t0\t00000000\t0\t0\t0\nenp3\t000AA8C0\t00000000\t0001\t0\t0\t0\t00FFFFFF\t0\t0\t0\n"
USB = "sys/bus/usb/devices/2-1"
READY = {
    "usr/share/uhd/images/usrp_b200_fw.hex": "", "usr/share/uhd/images/usrp_b210_fpga.bin": "",
    "lib/udev/rules.d/60-uhd-host.rules": 'SUBSYSTEMS=="usb", ATTRS{idVendor}=="2500", ATTRS{idProduct}=="0020", MODE:="0666"',
    f"{USB}/idVendor": "2500", f"{USB}/speed": "5000", f"{USB}/power/control": "on", "sys/bus/usb/devices/1-4/idVendor": "046d",
    "proc/self/limits": LIMITS.format(memlock="unlimited", rtprio=90), "proc/self/status": "CapEff:\t0000000000000000",
    "proc/net/route": ROUTES, "proc/sys/net/core/rmem_max": "50000000", "proc/sys/net/core/wmem_max": "50000000",
    "sys/class/net/enp3/mtu": "9000", "sys/class/net/enp3/speed": "10000", "sys/class/net/eth0/mtu": "1500", "sys/class/net/eth0/speed": "1000",
}
RING = "Ring parameters for enp3:\nPre-set maximums:\nRX:\t\t4096\nTX:\t\t4096\nCurrent hardware settings:\nRX:\t\t{now}\nTX:\t\t256\n"


class Host:
    def __init__(self, test, arguments, opens=(0, "B210, serial 1"), ring=4096, **changes):
        folder = tempfile.TemporaryDirectory(prefix="wimax-host-")
        test.addCleanup(folder.cleanup)
        self.root, self.opens, self.ring, self.asked = folder.name, opens, ring, []
        for name, text in {**READY, **{key.replace("__", "/"): value for key, value in changes.items()}}.items():
            if text is not None:
                path = Path(self.root, name)
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text + "\n", encoding="ascii")
        self.host = RadioHost(arguments, self.run, self.root)

    def run(self, *command):
        self.asked.append(command)
        return self.opens if command[0] == "wimax-radio" else (0, RING.format(now=self.ring))

    def faults(self):
        """What is not well, as (what, cure, advice)."""
        found = [(check(), advice) for check, advice in self.host.checks()]
        return [(what, cure, advice) for (good, what, cure), advice in found if not good]


class RadioHostChecks(unittest.TestCase):
    def test_nothing_is_missing(self):
        for arguments in ("type=b200", "serial=30F3", "", "addr=192.168.10.2,type=x300", "addr=192.168.10.2", "type=vrf,name=bs"):
            host = Host(self, arguments)
            self.assertEqual(host.faults(), [], arguments)
            self.assertEqual(host.asked[-1], ("wimax-radio", "probe", "--device", arguments, "--open-only"))

    def one(self, arguments, what, cure, advice=False, **changes):
        faults = Host(self, arguments, **changes).faults()
        self.assertEqual(len(faults), 1, faults)
        self.assertIn(what, faults[0][0])
        self.assertIn(cure, faults[0][1])
        self.assertEqual(faults[0][2], advice)

    def without(self, arguments, path, *words, **options):
        self.one(arguments, *words, **options, **{path.replace("/", "__"): None})

    def test_usb(self):
        self.without("type=b200", "usr/share/uhd/images/usrp_b200_fw.hex", "missing: usrp_b200_fw.hex", "uhd_images_downloader --types b2xx")
        self.without("type=b200", "lib/udev/rules.d/60-uhd-host.rules", "udev rule for USRPs missing", "udevadm control --reload-rules")
        self.without("type=b200", f"{USB}/idVendor", "no radio of Ettus or NI", "lsusb")
        changed = lambda path, value: {path.replace("/", "__"): value}  # noqa: E731
        self.one("type=b200", "480 Mbit/s", "blue", **changed(f"{USB}/speed", "480"))
        self.one("type=b200", "autosuspend on", f"echo on | sudo tee /{USB}/power/control", advice=True, **changed(f"{USB}/power/control", "auto"))

    def test_network(self):
        changed = lambda path, value: {path.replace("/", "__"): value}  # noqa: E731
        x310 = "type=x300,addr=192.168.10.2"
        self.one(x310, "up to 212992 and 50000000", "rmem_max=33554432", **changed("proc/sys/net/core/rmem_max", "212992"))
        self.one("addr=192.168.10.2", "up to 40000000", "rmem_max=50000000 net.core.wmem_max=1048576", **changed("proc/sys/net/core/rmem_max", "40000000"))
        self.one(x310, "enp3, 10000 Mbit/s, MTU 1500", "ip link set enp3 mtu 9000", advice=True, **changed("sys/class/net/enp3/mtu", "1500"))
        self.assertEqual(Host(self, "type=usrp2,addr=192.168.77.2").faults(), [], "1 Gbit/s through the default route needs no more than 1500")
        self.one(x310, "256 of 4096", "ethtool -G enp3 rx 4096", advice=True, ring=256)
        self.one(x310, "no route to the radio (192.168.10.2)", "ip route", advice=True, proc__net__route=ROUTES.splitlines()[0])

    def test_rights(self):
        limits = {"proc__self__limits": LIMITS.format(memlock="8388608", rtprio=0)}
        faults = Host(self, "type=vrf", **limits).faults()
        self.assertEqual([(what, advice) for what, _, advice in faults],
                         [("right to real-time priority (rtprio 0)", True), ("right to lock memory (memlock 8192 kB)", True)])
        self.assertIn("rtprio 90", faults[0][1])
        self.assertEqual(Host(self, "type=vrf", **limits, proc__self__status="CapEff:\t0000000000804000").faults(), [], "CAP_SYS_NICE and CAP_IPC_LOCK")

    def test_what_opening_says(self):
        for said, what, cure in (("wimax-radio: device 'type=b200': no image; type: sudo uhd_images_downloader", "device opens: wimax-radio: device 'type=b200': no image",
                                  "sudo uhd_images_downloader"),
                                 ("noise\nwimax-radio: busy; another program has the device", "device opens: wimax-radio: busy", "another program has the device"),
                                 ("wimax-radio: none; look\n[INFO] [UHD] linux; Boost_107400; UHD_4.3", "device opens: wimax-radio: none", "look"),
                                 ("something else", "device opens: something else", "uhd_usrp_probe --args 'type=b200'"), ("", "device opens: it printed nothing", "uhd_usrp_probe")):
            self.one("type=b200", what, cure, opens=(1, said))

    def test_the_command(self):
        host = Host(self, "type=b200", opens=(1, "no"), lib__udev__rules_d__none=None).host
        out = io.StringIO()
        with mock.patch.object(doctor, "CHECKS", []), mock.patch.object(doctor, "RadioHost", lambda *_, **__: host), contextlib.redirect_stdout(out):
            self.assertEqual(doctor.main(["--radio", "type=b200"]), 1)
        lines = out.getvalue().splitlines()
        self.assertEqual(lines[-1], "1 fault(s)")
        self.assertIn("ok     USB: the radio's link has 5000 Mbit/s", lines)
        self.assertEqual(lines[-3:-1], ["FAULT  device opens: no", "       type: uhd_usrp_probe --args 'type=b200'"])


if __name__ == "__main__":
    unittest.main()
