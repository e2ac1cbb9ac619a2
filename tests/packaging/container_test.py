#!/usr/bin/env python3
"""Makes the Debian package and runs inside_test.py in a container that systemd boots: an overlay on
this machine's root file system, with a network of its own. All is mounted in a mount namespace that
ends with the container, so nothing is left behind however it ends.

usage: container_test.py BUILD
Exit status 77 (skipped) where no such container can be made; the reason is printed.
"""

import ctypes
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
SKIPPED = 77
BOOT_SECONDS = 60
CONTAINER_SECONDS = 300
PRCTL = ctypes.CDLL(None).prctl
DEVICES = ["/dev/fuse", "/dev/net/tun"]

# $1: an empty folder; $2: "try" mounts only; then nspawn's own arguments.
SCRIPT = """\
set -e
mount -t tmpfs tmpfs "$1"
mkdir -p "$1/upper/etc/systemd/system" "$1/work" "$1/root"
cp "$1.units"/* "$1/upper/etc/systemd/system"
mount -t overlay overlay -o "lowerdir=/,upperdir=$1/upper,workdir=$1/work" "$1/root"
[ "$2" != try ] || exit 0
cd "$1/root"
root=$1/root
shift 2
exec systemd-nspawn --quiet --directory="$root" --private-network --register=no --keep-unit \\
  --link-journal=no --console=pipe "$@" --boot systemd.unit=check.target
"""
TARGET = """\
[Unit]
Requires=sysinit.target check.service
After=sysinit.target
"""
SERVICE = """\
[Unit]
After=sysinit.target
SuccessAction=poweroff-force
FailureAction=poweroff-force
[Service]
Type=oneshot
TimeoutStartSec=240
ExecStart=/bin/sh -c 'touch /out/booted; python3 -B /tests/inside_test.py -v /out >/out/log 2>&1; echo $? >/out/status'
"""


def skip(reason):
    print(f"skipped: {reason}")
    sys.exit(SKIPPED)


def end_with_the_test():
    PRCTL(1, signal.SIGKILL)  # PR_SET_PDEATHSIG


def run(folder, *arguments, seconds):
    """The exit status of SCRIPT in a mount namespace, None when it took too long; and its output."""
    child = subprocess.Popen(
        ["unshare", "--mount", "--propagation", "private", "sh", "-c", SCRIPT, "sh", folder,
         *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        text=True, start_new_session=True, preexec_fn=end_with_the_test)
    try:
        return child.communicate(timeout=seconds)[0], child.returncode
    except subprocess.TimeoutExpired:
        os.killpg(child.pid, signal.SIGKILL)  # the container's init dies with nspawn
        return child.communicate()[0], None


def make_package(build, out):
    made = subprocess.run(["cpack", "-G", "DEB", "--config", f"{build}/CPackConfig.cmake",
                           "-D", f"CPACK_OUTPUT_FILE_PREFIX={out}"], cwd=out, capture_output=True, text=True, timeout=120, check=False)
    if made.returncode != 0:
        sys.exit(f"cpack failed:\n{made.stdout}{made.stderr}")


def main():
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("ended from outside"))
    if os.geteuid() != 0:
        skip("a container wants root")
    for program, package in (("systemd-nspawn", "systemd-container"), ("unshare", "util-linux"),
                             ("dpkg-shlibdeps", "dpkg-dev"), ("cpack", "cmake")):
        if shutil.which(program) is None:
            skip(f"no {program} here (Debian: {package})")
    with tempfile.TemporaryDirectory(prefix="qdiscsim-container-") as scratch:
        place, out, units = (pathlib.Path(scratch) / name for name in ("c", "out", "c.units"))
        for folder in (place, out, units):
            folder.mkdir()
        (units / "check.target").write_text(TARGET)
        (units / "check.service").write_text(SERVICE)
        text, status = run(place, "try", seconds=BOOT_SECONDS)
        if status != 0:
            skip(f"no overlay of the root file system can be mounted: {text.strip()}")
        make_package(sys.argv[1], out)
        binds = [f"--bind={device}" for device in DEVICES if pathlib.Path(device).exists()]
        text, status = run(place, "boot", f"--bind={out}:/out", f"--bind-ro={HERE}:/tests", *binds,
                           seconds=CONTAINER_SECONDS)
        if not (out / "booted").exists():
            skip(f"systemd does not boot in a container here (status {status}): {text.strip()}")
        print((out / "log").read_text() if (out / "log").exists() else text)
        result = out / "status"
        sys.exit(int(result.read_text()) if result.exists() else f"the checks did not end: {text}")


if __name__ == "__main__":
    main()
