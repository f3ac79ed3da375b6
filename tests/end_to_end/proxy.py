"""A TCP proxy on this machine that drops its connections on demand, as a bad network does."""

import contextlib
import socket
import threading


class Proxy:
    """Forwards bytes to a port up to a limit in either direction, then cuts and refuses all connections."""

    def __init__(self, port: int):
        self._target = port
        self._left: int | None = None
        self._pairs: set[tuple[socket.socket, socket.socket]] = set()
        self._lock = threading.Lock()
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        self.cut = threading.Event()
        threading.Thread(target=self._accept, daemon=True).start()

    def allow(self, count: int | None) -> None:
        """Cut all connections after this many bytes; None: never."""
        with self._lock:
            self._left = count
            self.cut.clear()

    def close(self) -> None:
        self._listener.close()
        self._drop()

    def _accept(self) -> None:
        with contextlib.suppress(OSError):  # closed
            while True:
                client, _ = self._listener.accept()
                if self.cut.is_set():
                    client.close()
                    continue
                pair = client, socket.create_connection(("127.0.0.1", self._target))
                self._pairs.add(pair)
                for source, sink in (pair, pair[::-1]):
                    threading.Thread(target=self._pass, args=(source, sink), daemon=True).start()

    def _pass(self, source: socket.socket, sink: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while content := source.recv(4096):
                with self._lock:
                    if self._left is not None:
                        self._left -= len(content)
                        if self._left < 0:
                            self.cut.set()
                if self.cut.is_set():
                    break
                sink.sendall(content)
        if self.cut.is_set():
            self._drop()
        for end in (source, sink):
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)

    def _drop(self) -> None:
        for pair in list(self._pairs):
            for end in pair:
                with contextlib.suppress(OSError):
                    end.shutdown(socket.SHUT_RDWR)
                end.close()
        self._pairs.clear()
