"""A Slurm cluster of one node, this machine, in a folder of its own: munged, slurmctld and slurmd on
loopback, with their own configuration, keys, sockets and state."""

import fcntl
import os
import pathlib
import secrets
import shutil
import socket
import struct
import subprocess
import sys
import time

PROGRAMS = ("munged", "slurmctld", "slurmd", "sbatch", "squeue", "sinfo")
PATIENCE = 60  # seconds
MARK = "QDISCSIM_SLURM_TEST_INSIDE"
SIOCSIFFLAGS, SIOCSIFADDR, IFF_UP = 0x8914, 0x8916, 1  # linux/sockios.h, linux/if.h

CONFIGURATION = """\
ClusterName=sweeptest
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={controller_port}
SlurmdPort={node_port}
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
CredType=cred/munge
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/affinity
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SlurmdParameters=config_overrides
SchedulerParameters=sched_interval=1,batch_sched_delay=0,sched_min_interval=0
MpiDefault=none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
ReturnToService=2
NodeName=node1 NodeHostname={host} NodeAddr=127.0.0.1 CPUs={cpus} State=UNKNOWN
PartitionName=all Nodes=node1 Default=YES MaxTime=INFINITE State=UP
"""


def why_not():
    """Why no cluster can be made here; "" when it can."""
    if os.geteuid() != 0:
        return "slurmd needs root"
    os.environ["PATH"] += ":/usr/sbin:/sbin"
    if subprocess.run(["unshare", "--net", "--uts", "true"], check=False).returncode != 0:
        return "no network namespace can be made"
    missing = [name for name in PROGRAMS if shutil.which(name) is None]
    return f"{', '.join(missing)} missing: install slurm-wlm" if missing else ""


def enter_namespaces():
    """Starts the program again with a loopback and a host name of its own: the daemons listen on
    every address, and the name of a node must be the machine's."""
    if MARK not in os.environ:
        os.environ[MARK] = "1"
        os.execvp("unshare", ["unshare", "--net", "--uts", sys.executable, "-B", *sys.argv])
    socket.sethostname("sweephost")
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        fcntl.ioctl(any_socket, SIOCSIFFLAGS, struct.pack("16sH22x", b"lo", IFF_UP))
        # Slurm looks addresses up with AI_ADDRCONFIG, which finds none where there is only 127.0.0.1.
        fcntl.ioctl(any_socket, SIOCSIFADDR, struct.pack(
            "16sHH4s16x", b"lo:1", socket.AF_INET, 0, socket.inet_aton("10.0.0.1")))


def free_ports(count):
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [server.getsockname()[1] for server in sockets]
    for server in sockets:
        server.close()
    return ports


class Cluster:
    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.processes = []
        self.environment = {**os.environ, "SLURM_CONF": str(self.folder / "slurm.conf")}

    def __enter__(self):
        try:
            self.start()
        except BaseException:
            self.stop()
            raise
        return self

    def __exit__(self, *_):
        self.stop()

    def start(self):
        for name in ("state", "spool"):
            (self.folder / name).mkdir()
        controller_port, node_port = free_ports(2)
        (self.folder / "slurm.conf").write_text(CONFIGURATION.format(
            host=socket.gethostname().split(".")[0], folder=self.folder, cpus=os.cpu_count(),
            controller_port=controller_port, node_port=node_port))
        key = self.folder / "munge.key"
        key.touch(0o600)
        key.write_bytes(secrets.token_bytes(128))
        self.launch("munged", "--foreground", "--force", f"--socket={self.folder}/munge.socket",
                    f"--key-file={key}", f"--pid-file={self.folder}/munged.pid",
                    f"--log-file={self.folder}/munged.log", f"--seed-file={self.folder}/munge.seed")
        self.wait("munged's socket", lambda: (self.folder / "munge.socket").exists())
        self.launch("slurmctld", "-D", "-i")
        self.launch("slurmd", "-D")
        self.wait("an idle node", lambda: "idle" in self.ask("sinfo", "--noheader", "--format=%T"))

    def launch(self, *words):
        with open(self.folder / f"{words[0]}.txt", "wb") as log:
            self.processes.append((words[0], subprocess.Popen(
                words, stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=self.environment)))

    def ask(self, *words):
        return subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              env=self.environment, timeout=PATIENCE, check=False).stdout

    def wait(self, what, holds):
        end = time.monotonic() + PATIENCE
        while not holds():
            gone = [name for name, process in self.processes if process.poll() is not None]
            if gone or time.monotonic() > end:
                raise RuntimeError(f"waited for {what}; ended by itself: {gone}\n{self.logs()}")
            time.sleep(0.1)

    def wait_for_jobs(self):
        self.wait("an empty queue", lambda: not self.ask("squeue", "--noheader").strip())

    def logs(self):
        return "\n".join(f"--- {path.name}\n{path.read_text(errors='replace')[-3000:]}"
                         for path in sorted(self.folder.glob("*.txt")))

    def stop(self):
        """Ends what start() started: the node first, the keys last."""
        for _, process in reversed(self.processes):
            process.terminate()
            try:
                process.wait(timeout=20)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        self.processes = []
