#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs UHD's example programs with the virtual radio, which must meet their expectations of a USRP. They are independent of this project."""
import json
import os
import re
import signal
import subprocess
import sys
import tempfile

import zmq

RATE = 1_000_000
FAULTS = []


def example(name):
    for folder in ("/usr/libexec/uhd/examples", "/usr/lib/uhd/examples", "/usr/local/lib/uhd/examples"):
        if os.access(f"{folder}/{name}", os.X_OK):
            return f"{folder}/{name}"
    sys.exit(f"{name}: UHD's examples are not installed (package uhd-host)")


def expect(what, condition, output):
    print(("ok    " if condition else "FAULT ") + what, flush=True)
    if not condition:
        FAULTS.append(what)
        print(output[-3000:])


def run(command):
    """Exit status and output."""
    result = subprocess.run(command, capture_output=True, text=True, timeout=60)
    return result.returncode, result.stdout + result.stderr


def number(output, label):
    found = re.search(re.escape(label) + r"\s*(\d+)", output)
    return int(found.group(1)) if found else -1


class Channel:
    """wimax-channeld with shared memory and, at the same time, ZeroMQ."""

    def __init__(self, program, folder, *settings):
        self.shm, self.zmq = f"{folder}/radio.sock", f"ipc://{folder}/radio.zmq"
        control = f"ipc://{folder}/control"
        command = [program, "--set", f"listen=[{self.shm}, '{self.zmq}']", "--set", "time.catch_up_ms=10000", "--control", control,
                   "--rate", str(RATE), *settings]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.socket = zmq.Context.instance().socket(zmq.REQ)
        self.socket.setsockopt(zmq.RCVTIMEO, 60000)
        self.socket.setsockopt(zmq.LINGER, 0)
        self.socket.connect(control)

    def ask(self, request):
        self.socket.send_json(request)
        return self.socket.recv_json()

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        output = self.process.communicate(timeout=60)[0]
        self.socket.close()
        return self.process.returncode, output


def check_examples(address, name):
    args = f"type=vrf,addr={address},name={name}"
    code, out = run(["uhd_usrp_probe", "--args", args])
    expect(f"{name}: uhd_usrp_probe", code == 0 and "wimax virtual radio" in out and "RX Frontend: 0" in out, out)
    code, out = run([example("benchmark_rate"), "--args", args, "--rx_rate", str(RATE), "--tx_rate", str(RATE), "--duration", "1"])
    clean = all(number(out, label) == 0 for label in ("Num dropped samples:", "Num overruns detected:", "Num late commands:"))
    expect(f"{name}: benchmark_rate", code == 0 and clean and number(out, "Num received samples:") > RATE / 10, out)
    two = args + "b,tx_channels=2"
    code, out = run(["uhd_usrp_probe", "--args", two])
    expect(f"{name}: two TX frontends", code == 0 and "TX Frontend: 1" in out and "RX Frontend: 1" not in out, out)
    code, out = run([example("benchmark_rate"), "--args", two, "--tx_rate", str(RATE), "--tx_channels", "0,1", "--duration", "1"])
    sent = number(out, "Num transmitted samples:")
    expect(f"{name}: both TX channels", code == 0 and sent > 2 * RATE / 10 and number(out, "Num underruns detected:") == 0, out)
    code, out = run([example("tx_timed_samples"), "--args", args, "--rate", str(RATE), "--secs", "0.2"])
    expect(f"{name}: tx_timed_samples", code == 0 and "burst ACK... success" in out, out)
    code, out = run([example("rx_timed_samples"), "--args", args, "--rate", str(RATE), "--secs", "0.2", "--nsamps", "10000"])
    first = re.search(r"Received packet: \d+ samples, 0 full secs, ([\d.]+) frac", out)
    expect(f"{name}: rx_timed_samples starts at 0.2 s", code == 0 and first and float(first.group(1)) == 0.2, out)


def check_messages(address):
    code, out = run([example("test_messages"), "--args", f"type=vrf,addr={address},name=ss3", "--ntests", "12", "--test-chain"])
    failures = [int(n) for n in re.findall(r"(\d+) failures", out)]
    expect("test_messages", code == 0 and failures and sum(failures) == 0, out)


def check_arguments(address):
    for args, wanted in ((f"type=vrf,addr={address},colour=red", "colour"), (f"type=vrf,addr={address},rate=2e6", "2000000 Hz"),
                         (f"type=vrf,addr={address},mode=rt", "time mode"), (f"type=vrf,addr={address},tx_channels=3", "1 to 2")):
        code, out = run(["uhd_usrp_probe", "--args", args])
        expect(f"refused with a reason: {args.split(',')[-1]}", code != 0 and wanted in out, out)
    code, out = run(["uhd_find_devices"])
    expect("not found unasked", "vrf" not in out, out)


def check_personalities(address):
    """UHD finds the model: its name, its gains, its default antenna, its clock. Opening fails like the model's."""
    for model, wanted in {"b210": ("Mboard: B210", "PGA: 0.0 to 76.0 step 1.0 dB", "TX/RX, RX2"), "n310": ("Mboard: n310", "0.0 to 75.0 step 0.5"),
                          "n210-sbx": ("Mboard: N210", "0.0 to 31.5 step 0.5", "400.000 to 4400.000 MHz")}.items():
        code, out = run(["uhd_usrp_probe", "--args", f"type=vrf,addr={address},name=ss5,personality={model},opening_s=0"])
        expect(f"{model}: uhd_usrp_probe", code == 0 and all(text in out for text in wanted), out)
    args = f"type=vrf,addr={address},name=ss5,personality=b210,opening_s=0"
    code, out = run([example("benchmark_rate"), "--args", args, "--rx_rate", str(RATE), "--tx_rate", str(RATE), "--duration", "1"])
    expect("b210: benchmark_rate", code == 0 and number(out, "Num received samples:") > RATE / 10 and "1.000000 Msps" in out, out)
    code, out = run([example("benchmark_rate"), "--args", args, "--rx_rate", "2e6", "--duration", "1"])
    expect("b210: a rate that the channel has not", "the channel runs at 1000000 S/s, this B210 at 2000000" in out, out)
    for what, wanted in (("fault=fpga", "Expected FPGA compatibility number"), ("fault=none_such", "allowed are no_device, no_image"),
                         ("personality=b211", "b210, ideal, n210-sbx, n310, x310-ubx")):
        code, out = run(["uhd_usrp_probe", "--args", f"{args},{what}"])
        expect(f"refused as wanted: {what}", code != 0 and wanted in out, out)


def check_control(channel):
    status = channel.ask({"get": "status"})["status"]
    counted = all(status["radios"][name]["chunks"] > 0 and status["radios"][name]["late"] >= 0 for name in ("bs", "ss1"))
    expect("status", counted and status["time_s"] > 0, json.dumps(status))
    for request in ({"link": {"name": "bs->ss1", "snr_db": 12}}, {"link": "ss1->bs", "snr_db": 9, "delay_samples": 40}):
        expect(f"set {request}", "error" not in channel.ask({"set": request}), "")
    links = channel.ask({"get": "status"})["status"]["links"]
    changed = links["bs->ss1"]["snr_db"] == 12 and links["ss1->bs"]["snr_db"] == 9 and links["ss1->bs"]["delay_samples"] == 40
    expect("links changed", changed, json.dumps(links))
    expect("wrong change refused", "error" in channel.ask({"set": {"link": {"name": "bs->ss1", "snr_db": "much"}}}), "")


def main():
    program = sys.argv[1]
    with tempfile.TemporaryDirectory(dir="/tmp") as folder:
        channel = Channel(program, folder)
        try:
            check_examples(channel.shm, "bs")
            check_examples(channel.zmq, "ss1")
            check_messages(channel.shm)
            check_arguments(channel.shm)
            check_personalities(channel.shm)
            check_control(channel)
        finally:
            code, out = channel.stop()
        expect("clean exit", code == 0, out)
    return 1 if FAULTS else 0


if __name__ == "__main__":
    sys.exit(main())
