"""An upstream that keeps the bytes of each request, and answers as a test says."""

import asyncio
import json
import threading
import time
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import aiohttp
import msgspec

from contextwright.serve.proxy_server import ProxyThread
from contextwright.serve.settings import ProxySettings


class Seen(msgspec.Struct):
    """A request as it arrived."""

    method: str
    path: str
    headers: list
    body: bytes

    def header(self, name):
        return [value for key, value in self.headers if key.lower() == name]


class RawAnswer(msgspec.Struct):
    """What the upstream answers: `chunks` as a stream, where there are any. `cut` breaks it off."""

    status: int = 200
    body: bytes = b"{}"
    headers: tuple = (("content-type", "application/json"),)
    chunks: tuple = ()
    cut: bool = False


class RawUpstream:
    """A server of this machine; `answer` is called with each request."""

    def __init__(self, answer=lambda seen: RawAnswer()):
        self.answer, self.seen = answer, []
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *args):
                pass

            def _any(self):
                length = self.headers.get("content-length")
                body = self.rfile.read(int(length)) if length else self._chunked()
                seen = Seen(self.command, self.path, list(self.headers.items()), body)
                outer.seen.append(seen)
                self._reply(outer.answer(seen))

            do_GET = do_POST = do_PUT = do_DELETE = do_HEAD = do_OPTIONS = _any

            def _chunked(self):
                parts = []
                if self.headers.get("transfer-encoding") != "chunked":
                    return b""
                while size := int(self.rfile.readline(), 16):
                    parts.append(self.rfile.read(size))
                    self.rfile.readline()
                self.rfile.readline()
                return b"".join(parts)

            def _reply(self, answer):
                if answer.cut and not answer.chunks:
                    self.close_connection = True
                    return
                self.send_response(answer.status)
                for name, value in answer.headers:
                    self.send_header(name, value)
                if answer.chunks:
                    self.send_header("transfer-encoding", "chunked")
                    self.end_headers()
                    for chunk in answer.chunks:
                        self.wfile.write(f"{len(chunk):x}\r\n".encode() + chunk + b"\r\n")
                        self.wfile.flush()
                    if answer.cut:
                        self.close_connection = True
                    else:
                        self.wfile.write(b"0\r\n\r\n")
                    return
                self.send_header("content-length", str(len(answer.body)))
                self.end_headers()
                if self.command != "HEAD":
                    self.wfile.write(answer.body)

        class Quiet(ThreadingHTTPServer):
            daemon_threads = True

            def handle_error(self, request, client_address):
                pass

        self._http = Quiet(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._http.server_port}"

    def __enter__(self):
        threading.Thread(target=self._http.serve_forever, args=(0.02,), daemon=True).start()
        return self

    def __exit__(self, *error):
        self._http.shutdown()
        self._http.server_close()


@contextmanager
def proxied(answer=lambda seen: RawAnswer(), **settings):
    """A raw upstream, and a proxy in front of it."""
    with RawUpstream(answer) as upstream:
        options = {"upstream": upstream.url, "port": 0, "drain_s": 1, **settings}
        with ProxyThread(ProxySettings(**options)) as proxy:
            yield upstream, proxy


def tool_loop(count, lines=60):
    """A body of OpenAI Chat: one question, and so many files that were read."""
    messages = [{"role": "user", "content": "read all files"}]
    for number in range(count):
        function = {"name": "read", "arguments": f'{{"path": "f{number}"}}'}
        call = {"id": f"c{number}", "type": "function", "function": function}
        messages.append({"role": "assistant", "content": None, "tool_calls": [call]})
        text = "\n".join(f"{number} {line} some words of a file" for line in range(lines))
        messages.append({"role": "tool", "tool_call_id": f"c{number}", "content": text})
    tool = {"type": "function", "function": {"name": "read", "parameters": {"type": "object"}}}
    return {"model": "gpt-5", "messages": messages, "tools": [tool]}


def post(url, body, headers=(), path="/v1/chat/completions"):
    """One POST by a client that adds nothing; status, headers and body of the answer."""
    data = body if isinstance(body, bytes) else json.dumps(body).encode()

    async def sent():
        async with (
            aiohttp.ClientSession(auto_decompress=False) as session,
            session.post(url + path, data=data, headers=dict(headers)) as answer,
        ):
            return answer.status, dict(answer.headers), await answer.read()

    return asyncio.run(sent())


def wait_for(condition, seconds=5):
    """Until it is so: the ledger is written behind the answer."""
    until = time.monotonic() + seconds
    while not condition() and time.monotonic() < until:
        time.sleep(0.01)
