"""A headless Chromium, driven over its debugging pipe: descriptors 3 and 4, JSON ended by a zero
byte (the Chrome DevTools Protocol)."""
import base64
import json
import os
import select
import shutil
import subprocess
import time

import lib

CHROMIUM = shutil.which("chromium")


class Browser:
    def __init__(self, width=1400, height=1000):
        to_read, self._write = os.pipe()
        self._read, to_write = os.pipe()

        def place():  # in the child: its ends become 3 and 4
            ends = os.dup(to_read), os.dup(to_write)
            os.dup2(ends[0], 3)
            os.dup2(ends[1], 4)

        self.process = lib.start(
            [CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--remote-debugging-pipe",
             "--no-first-run", f"--user-data-dir={lib.folder() / 'browser'}",
             f"--window-size={width},{height}", "about:blank"],
            preexec_fn=place, close_fds=False, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL)
        os.close(to_read)
        os.close(to_write)
        self._bytes = b""
        self._last = 0
        self.errors = []    # exceptions, console errors, refused requests
        self.alerts = []    # what it would have shown in boxes
        self.requests = []  # every URL that the page asked for
        self._session = None
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.call("Target.attachToTarget", targetId=target,
                                  flatten=True)["sessionId"]
        for domain in ("Runtime", "Log", "Network", "Page"):
            self.call(f"{domain}.enable")

    def _note(self, message):
        method, about = message.get("method"), message.get("params", {})
        if method == "Runtime.exceptionThrown":
            self.errors.append(about["exceptionDetails"].get("exception", {}).get("description", "?"))
        elif method == "Runtime.consoleAPICalled" and about["type"] in ("error", "warning", "assert"):
            self.errors.append(str(about["args"]))
        elif method == "Log.entryAdded" and about["entry"]["level"] in ("error", "warning"):
            self.errors.append(about["entry"]["text"])
        elif method == "Page.javascriptDialogOpening":  # alert(): scripts wait for its end
            self.alerts.append(about["message"])
            self._send("Page.handleJavaScriptDialog", accept=True)
        elif method == "Network.requestWillBeSent":
            self.requests.append(about["request"]["url"])

    def _message(self, timeout):
        end = time.monotonic() + timeout
        while b"\0" not in self._bytes:
            ready, _, _ = select.select([self._read], [], [], max(0, end - time.monotonic()))
            lib.check(ready, "the browser does not answer")
            part = os.read(self._read, 1 << 20)
            lib.check(part, "the browser has ended")
            self._bytes += part
        text, self._bytes = self._bytes.split(b"\0", 1)
        return json.loads(text)

    def _send(self, method, **about):
        self._last += 1
        message = {"id": self._last, "method": method, "params": about}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._write, json.dumps(message).encode() + b"\0")
        return self._last

    def call(self, method, **about):
        sent = self._send(method, **about)
        while True:
            answer = self._message(60)
            if answer.get("id") == sent:
                lib.check("error" not in answer, f"{method}: {answer.get('error')}")
                return answer["result"]
            self._note(answer)

    def open(self, path, fragment=""):
        self.call("Page.navigate", url=path.resolve().as_uri() + (fragment and f"#{fragment}"))
        lib.wait_for(lambda: self.run("document.readyState") == "complete", "the page")

    def run(self, script):
        result = self.call("Runtime.evaluate", expression=script, returnByValue=True)
        lib.check("exceptionDetails" not in result, f"{script}: {result}")
        return result["result"].get("value")

    def key(self, key, text=""):
        self.call("Input.dispatchKeyEvent", type="keyDown", key=key, text=text)
        self.call("Input.dispatchKeyEvent", type="keyUp", key=key)

    def dark(self, dark):
        self.call("Emulation.setEmulatedMedia", features=[
            {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])

    def screenshot(self, path, whole=True):
        data = self.call("Page.captureScreenshot", captureBeyondViewport=whole)["data"]
        path.write_bytes(base64.b64decode(data))
