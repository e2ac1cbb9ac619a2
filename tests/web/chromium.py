"""Headless Chromium, driven through the DevTools protocol (websocket): as much of it as the page's
test and the pictures need."""

import base64
import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import time

import websocket  # Debian: python3-websocket

SECONDS = 60  # for anything that only fails when something is broken

# It asks nobody for updates, and root may start it. Frames are drawn without a screen's clock.
FLAGS = ["--headless=new", "--disable-gpu", "--disable-quic", "--no-first-run", "--no-sandbox", "--mute-audio",
         "--disable-background-networking", "--disable-component-update", "--disable-sync",
         "--disable-default-apps", "--disable-extensions", "--disable-dev-shm-usage", "--hide-scrollbars",
         "--remote-debugging-port=0", "--remote-allow-origins=*"]


def program():
    return shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")


class Page:
    """One tab of a browser of its own. Use as a context: `with Page() as page`."""

    def __init__(self, width=1280, height=900):
        self.size = (width, height)
        self.events = []  # (method, params), in the order in which they came

    def __enter__(self):
        self.folder = tempfile.TemporaryDirectory(prefix="qdiscsim-chromium-", ignore_cleanup_errors=True)
        environment = {**os.environ, "HOME": self.folder.name, "XDG_CONFIG_HOME": self.folder.name,
                       "XDG_CACHE_HOME": self.folder.name}
        self.log = open(pathlib.Path(self.folder.name) / "log", "w+b")  # pylint: disable=consider-using-with
        self.process = subprocess.Popen(  # pylint: disable=consider-using-with
            [program(), *FLAGS, f"--user-data-dir={self.folder.name}/profile", "about:blank"],
            stdout=self.log, stderr=self.log, stdin=subprocess.DEVNULL, env=environment, start_new_session=True)
        try:
            self.connect()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        try:
            self.call("Browser.close")
            self.socket.close()
        except Exception:  # pylint: disable=broad-except
            pass
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.log.close()
        self.folder.cleanup()

    def connect(self):
        ports = pathlib.Path(self.folder.name) / "profile" / "DevToolsActivePort"
        self.number = 0
        self.wait_until("Chromium to start", lambda: ports.exists() and len(ports.read_text().split()) == 2)
        port, path = ports.read_text().split()
        self.socket = websocket.create_connection(f"ws://127.0.0.1:{port}{path}", timeout=SECONDS)
        self.session = None
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.call(domain + ".enable")
        self.resize(*self.size)

    def wait_until(self, what, ready):
        deadline = time.monotonic() + SECONDS
        while not ready():
            if self.process.poll() is not None or time.monotonic() > deadline:
                self.log.seek(0)
                raise AssertionError(f"waited in vain for {what}; Chromium said:\n{self.log.read().decode()[-3000:]}")
            time.sleep(0.02)

    def call(self, method, **params):
        self.number += 1
        message = {"id": self.number, "method": method, "params": params}
        if self.session:
            message["sessionId"] = self.session
        self.socket.send(json.dumps(message))
        while True:
            answer = json.loads(self.socket.recv())
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise AssertionError(f"{method}: {answer['error']}")
                return answer["result"]
            if "method" in answer:
                self.events.append((answer["method"], answer.get("params", {})))

    # ---- what a test does ----

    def open(self, url):
        self.call("Page.navigate", url=url)
        self.until("document.readyState === 'complete'")

    def run(self, script):
        """The value of a JavaScript expression; promises are waited for."""
        answer = self.call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise AssertionError(f"{script}: {answer['exceptionDetails']}")
        return answer["result"].get("value")

    def until(self, condition):
        """Waits for a JavaScript expression to become true; says what the page showed if it does not."""
        deadline = time.monotonic() + SECONDS
        while not (value := self.run(condition)):
            if time.monotonic() > deadline:
                raise AssertionError(f"waited in vain for {condition}; the page shows:\n"
                                     + self.run("document.body.innerText")[:3000])
            time.sleep(0.05)
        return value

    def click(self, selector):
        """A real click in the middle of the element, as a mouse does it."""
        x, y = self.run(f"(() => {{ const e = document.querySelector({json.dumps(selector)});"
                        "e.scrollIntoView({block: 'center'}); const r = e.getBoundingClientRect();"
                        "return [r.x + r.width / 2, r.y + r.height / 2]; })()")
        for kind in ("mousePressed", "mouseReleased"):
            self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    def key(self, name):
        codes = {"Tab": 9, "Enter": 13, " ": 32}
        text = {"Enter": "\r", " ": " "}.get(name)
        for kind in ("keyDown", "keyUp"):
            extra = {"text": text} if text and kind == "keyDown" else {}
            self.call("Input.dispatchKeyEvent", type=kind, key=name, code=name if name != " " else "Space",
                      windowsVirtualKeyCode=codes[name], **extra)

    def resize(self, width, height):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1,
                  mobile=False)

    def prefer(self, scheme):
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])

    def picture(self, file):
        """The whole page, however long."""
        answer = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=True)
        pathlib.Path(file).write_bytes(base64.b64decode(answer["data"]))

    def requests(self):
        return [params["request"]["url"] for method, params in self.events if method == "Network.requestWillBeSent"]

    def complaints(self):
        """Exceptions, console errors and what the browser logged as an error."""
        found = [params["exceptionDetails"] for method, params in self.events if method == "Runtime.exceptionThrown"]
        found += [params for method, params in self.events
                  if method == "Runtime.consoleAPICalled" and params["type"] in ("error", "assert")]
        found += [params["entry"] for method, params in self.events
                  if method == "Log.entryAdded" and params["entry"]["level"] == "error"]
        return found
