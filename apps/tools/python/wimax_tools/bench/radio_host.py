# SPDX-License-Identifier: GPL-3.0-or-later
"""Is this host ready for a USRP? What `wimax doctor --radio ARGS` checks in addition to the machine. A check returns the same as those of
doctor.py: well or not, what was found, the line to type."""
import re
import socket
from pathlib import Path

ETTUS_VENDORS = ("2500", "3923", "fffe")  # of USB; the second is NI's
SUPER_SPEED_MBPS = 5000
TEN_GIGABIT_MBPS = 10000
JUMBO_MTU = 8000  # UHD's packets of 10 GbE: 7972 octets and headers
MEMORY_LOCK = 1 << 30  # "unlimited" is larger, distributions' defaults are far below
REAL_TIME_PRIORITY = 50
# Files that UHD loads into the device when it opens it. Network devices keep theirs.
IMAGES = {"b200": ("usrp_b200_fw.hex", "usrp_b210_fpga.bin")}
IMAGE_TYPES = {"b200": "b2xx"}
# UHD's own demand on the socket buffers, octets to receive and to send.
SOCKET_BUFFERS = {"usrp2": (50_000_000, 1_048_576), "x300": (33_554_432, 33_554_432), "n3xx": (33_554_432, 33_554_432),
                  "e3xx": (33_554_432, 33_554_432)}
FAMILIES = {"b200": "usb", "b100": "usb", "usrp1": "usb", "vrf": "virtual", **{kind: "network" for kind in SOCKET_BUFFERS}}


class RadioHost:
    """One host, whose files lie below `root`; `run(*command)` gives status and output."""

    def __init__(self, arguments, run, root="/", images=None):
        self.arguments, self.run, self.root = arguments, run, Path(root)
        self.keys = dict(pair.split("=", 1) for pair in arguments.split(",") if "=" in pair)
        self.images = Path(images) if images else self.root / "usr/share/uhd/images"

    def read(self, path):
        try:
            return (self.root / path).read_text(encoding="ascii", errors="replace").strip()
        except OSError:
            return None

    def number(self, path):
        text = self.read(path)
        return int(text) if text and re.fullmatch(r"-?\d+", text) else None

    @property
    def type(self):
        return self.keys.get("type", "usrp2" if self.family_by_keys() == "network" else "b200" if self.usb_radios() else "")

    def family_by_keys(self):
        return "network" if "addr" in self.keys and self.keys.get("type") != "vrf" else None

    @property
    def family(self):
        return FAMILIES.get(self.type, self.family_by_keys() or "unknown")

    def usb_radios(self):
        return [folder for folder in sorted((self.root / "sys/bus/usb/devices").glob("*")) if self.read(folder / "idVendor") in ETTUS_VENDORS]

    # ---- any radio ----

    def check_images(self):
        missing = [name for name in IMAGES.get(self.type, ()) if not (self.images / name).is_file()]
        cure = f"sudo uhd_images_downloader --types {IMAGE_TYPES.get(self.type, '')}".rstrip()
        return not missing, f"images of UHD {'in ' + str(self.images) if not missing else 'missing: ' + ' '.join(missing)}", cure

    def limit(self, name):
        found = re.search(rf"^{name}\s+(\S+)", self.read("proc/self/limits") or "", re.M)
        return float("inf") if found and found[1] == "unlimited" else float(found[1]) if found else 0

    def check_priority(self):
        limit = self.limit("Max realtime priority")
        able = limit >= REAL_TIME_PRIORITY or self.may(23)
        return able, f"right to real-time priority {'' if able else f'(rtprio {limit:g})'}", self.limits_line("rtprio", 90)

    def check_memory_lock(self):
        limit = self.limit("Max locked memory")
        able = limit >= MEMORY_LOCK or self.may(14)
        return able, f"right to lock memory {'' if able else f'(memlock {limit / 1024:g} kB)'}", self.limits_line("memlock", "unlimited")

    def may(self, capability):
        found = re.search(r"^CapEff:\s*([0-9a-f]+)", self.read("proc/self/status") or "", re.M)
        return bool(found and int(found[1], 16) >> capability & 1)

    @staticmethod
    def limits_line(name, value):
        return f"echo \"$USER - {name} {value}\" | sudo tee /etc/security/limits.d/90-wimax-{name}.conf, then log in again"

    def check_opens(self):
        """FPGA, firmware and MPM have numbers that must fit UHD's: the front end knows what drivers say, and the line to type. UHD's own log may
        stand before and after it."""
        code, said = self.run("wimax-radio", "probe", "--device", self.arguments, "--open-only")
        lines = [line for line in said.splitlines() if not re.match(r"\[[A-Z]+\] ", line)]
        line = lines[-1] if lines else "it printed nothing"
        what, cut, advice = line.rpartition("; ")
        if code == 0 or not cut:
            what, advice = line, ""
        return code == 0, f"device opens: {what}", advice.removeprefix("type: ") or f"uhd_usrp_probe --args '{self.arguments}'"

    # ---- USB ----

    def check_udev(self):
        folders = ("etc/udev/rules.d", "lib/udev/rules.d", "usr/lib/udev/rules.d")
        files = [file for folder in folders for file in sorted((self.root / folder).glob("*.rules"))]
        found = next((file for file in files if re.search(r"idVendor\}==\"2500\"", self.read(file) or "")), None)
        return found is not None, f"udev rule for USRPs {'/' + str(found.relative_to(self.root)) if found else 'missing'}", \
            "sudo cp /usr/libexec/uhd/utils/uhd-usrp.rules /etc/udev/rules.d/ && sudo udevadm control --reload-rules && sudo udevadm trigger"

    def check_usb_speed(self):
        radios = self.usb_radios()
        if not radios:
            return False, "USB: no radio of Ettus or NI is plugged in", "lsusb -d 2500: ; check cable and power"
        speed = max(self.number(radio / "speed") or 0 for radio in radios)
        return speed >= SUPER_SPEED_MBPS, f"USB: the radio's link has {speed} Mbit/s", \
            "lsusb -t, and another port (blue, SS) or cable: USB 2 carries 8 MS/s at most in both directions together"

    def check_autosuspend(self):
        asleep = [radio for radio in self.usb_radios() if self.read(radio / "power/control") == "auto"]
        path = asleep[0].relative_to(self.root) if asleep else ""
        return not asleep, f"USB autosuspend {'off' if not asleep else 'on for the radio'}", f"echo on | sudo tee /{path}/power/control"

    # ---- network ----

    def interface(self):
        """Through which this host reaches the radio, after its table of routes."""
        try:
            address = int.from_bytes(socket.inet_aton(self.keys.get("addr", "")), "big")
        except OSError:
            return None
        best, longest = None, -1
        for line in (self.read("proc/net/route") or "").splitlines()[1:]:
            name, target, _, _, _, _, _, mask = line.split()[:8]
            target, mask = (int.from_bytes(bytes.fromhex(word)[::-1], "big") for word in (target, mask))
            if address & mask == target and bin(mask).count("1") > longest:
                best, longest = name, bin(mask).count("1")
        return best

    def check_socket_buffers(self):
        wanted = SOCKET_BUFFERS.get(self.type, SOCKET_BUFFERS["x300"])
        there = [self.number(f"proc/sys/net/core/{name}") or 0 for name in ("rmem_max", "wmem_max")]
        cure = f"sudo sysctl -w net.core.rmem_max={wanted[0]} net.core.wmem_max={wanted[1]}; for good: in /etc/sysctl.d/90-wimax.conf"
        return all(have >= want for have, want in zip(there, wanted)), f"socket buffers up to {there[0]} and {there[1]} octets", cure

    def check_mtu(self):
        name = self.interface()
        if not name:
            return False, f"no route to the radio ({self.keys.get('addr', 'no addr in the arguments')})", "ip route; uhd_find_devices"
        mtu, speed = self.number(f"sys/class/net/{name}/mtu") or 0, self.number(f"sys/class/net/{name}/speed") or 0
        enough = mtu >= JUMBO_MTU or 0 < speed < TEN_GIGABIT_MBPS
        return enough, f"network: {name}, {speed} Mbit/s, MTU {mtu}", f"sudo ip link set {name} mtu 9000"

    def check_ring(self):
        name = self.interface()
        if not name:
            return True, "network card's ring: no route", ""
        code, said = self.run("ethtool", "-g", name)
        sizes = [int(size) for size in re.findall(r"^RX:\s*(\d+)", said, re.M)]
        if code != 0 or len(sizes) != 2:
            return True, f"network card's ring: {name} does not tell", ""
        return sizes[1] >= sizes[0], f"network card's ring: {sizes[1]} of {sizes[0]} packets", f"sudo ethtool -G {name} rx {sizes[0]}"

    # ---- all ----

    def checks(self):
        """Each with whether it is advice only: a session works without it, worse."""
        usb = [(self.check_udev, False), (self.check_usb_speed, False), (self.check_autosuspend, True)]
        network = [(self.check_socket_buffers, False), (self.check_mtu, True), (self.check_ring, True)]
        own = {"usb": usb, "network": network, "virtual": []}.get(self.family, [])
        images = [(self.check_images, False)] if self.type in IMAGES else []
        return [*images, *own, (self.check_priority, True), (self.check_memory_lock, True), (self.check_opens, False)]
