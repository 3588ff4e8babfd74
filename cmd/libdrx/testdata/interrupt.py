"""interrupt.py LIBRARY: Python keeps Ctrl-C, its child processes and faulthandler with the library
loaded."""
import ctypes
import faulthandler
import os
import signal
import subprocess
import sys
import threading
import time

before = signal.getsignal(signal.SIGINT)
lib = ctypes.CDLL(sys.argv[1])
lib.drx_error.restype = ctypes.c_char_p
faulthandler.enable()


def ok(code):
    if code != 0:
        raise RuntimeError(lib.drx_error().decode())


a, r = ctypes.c_uint64(), ctypes.c_uint64()
shape = (ctypes.c_int64 * 2)(64, 64)
ok(lib.drx_create(b"a", 5, 2, shape, None, ctypes.byref(a)))
ok(lib.drx_sync(a))
ok(lib.drx_open(b"a", 0, None, ctypes.byref(r)))
assert signal.getsignal(signal.SIGINT) is before

# Ctrl-C ends a loop of waiting calls, within one of them, by KeyboardInterrupt, again and again.
for _ in range(3):
    threading.Timer(0.15, os.kill, (os.getpid(), signal.SIGINT)).start()
    begun = time.monotonic()
    try:
        while time.monotonic() - begun < 20:
            ok(lib.drx_poll(r, ctypes.c_double(0.05), None))
        raise SystemExit("no KeyboardInterrupt")
    except KeyboardInterrupt:
        pass

# Processes: by exec, and by fork, where every call is refused.
assert subprocess.run([sys.executable, "-c", "print(7)"], capture_output=True, check=True).stdout == b"7\n"
child = os.fork()
if child == 0:
    os._exit(0 if lib.drx_sync(a) == 26 and b"fork" in lib.drx_error() else 1)
assert os.waitpid(child, 0)[1] == 0

ok(lib.drx_signals())
ok(lib.drx_close(r))
ok(lib.drx_close(a))
print("good")
