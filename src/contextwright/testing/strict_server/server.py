"""A scripted model behind a strict provider, on a port of this machine."""

import json
import threading
from collections.abc import Iterator, Mapping, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self

import msgspec

from contextwright.testing.strict_server.api import Event, Issued, ProviderApi
from contextwright.testing.strict_server.billing import Billed, PrefixCache
from contextwright.testing.strict_server.chat_api import ChatApi, as_text
from contextwright.testing.strict_server.gemini_api import GeminiApi
from contextwright.testing.strict_server.gemini_login_api import GeminiLoginApi
from contextwright.testing.strict_server.messages_api import MessagesApi
from contextwright.testing.strict_server.refusal import ProviderFault, RefusedRequest, text_tokens
from contextwright.testing.strict_server.reply import Line, Reply, StrictRequest
from contextwright.testing.strict_server.responses_api import ResponsesApi
from contextwright.testing.strict_server.stored_responses import whole_body

_OVER = "the script has no reply left"


class Rejection(msgspec.Struct, frozen=True):
    """A request that was refused, and why."""

    message: str
    where: str
    code: str
    tokens: int
    body: dict[str, Any]
    is_overflow: bool


class StrictServer:
    """A server that checks every request as strictly as its provider does and replies from a
    script; a context manager.

    with StrictServer([call("read", path="a"), "done"]) as server:
        client = OpenAI(base_url=server.url + "/v1", api_key="none")

    Args:
        script: the replies, in order; a text, a `Reply`, or a function of the request. Or scripts
            by a text of their conversation, where several run at once.
        window: the most tokens that a request may have, four characters each.
        bound: whether signed reasoning holds only behind the prefix that it was made behind.

    `requests` holds what was accepted, `bills` what it cost, `refused` what was not accepted,
    `failed` the bodies that met a fault of the provider's own.
    """

    def __init__(
        self,
        script: Sequence[Line] | Mapping[str, Sequence[Line]] = (),
        *,
        window: int = 12_000,
        bound: bool = False,
    ) -> None:
        self.scripts: Mapping[str, Sequence[Line]]
        self.scripts = script if isinstance(script, Mapping) else {"": script}
        self.window = window
        self.bound = bound
        self.requests: list[StrictRequest] = []
        self.bills: list[Billed] = []
        self.refused: list[Rejection] = []
        self.failed: list[dict[str, Any]] = []
        self.release = threading.Event()
        self.held = threading.Event()
        """Set while an answer is held back."""
        self._issued: Issued = {}
        self._cache = PrefixCache()
        self._spoken = dict.fromkeys(self.scripts, 0)
        self._calls = 0
        self._lock = threading.Lock()
        self._http = _Http(("127.0.0.1", 0), type("Handler", (_Handler,), {"strict": self}))
        self.url = f"http://127.0.0.1:{self._http.server_port}"

    def __enter__(self) -> Self:
        threading.Thread(target=self._http.serve_forever, args=(0.05,), daemon=True).start()
        return self

    def __exit__(self, *error: object) -> None:
        self.release.set()
        self._http.shutdown()
        self._http.server_close()

    @property
    def cost(self) -> float:
        """What all accepted requests cost, in units of a new input token."""
        return sum(bill.cost for bill in self.bills)

    @property
    def overflows(self) -> int:
        """How many requests did not fit."""
        return sum(each.is_overflow for each in self.refused)

    def reply(
        self, api: ProviderApi, body: dict[str, Any], streamed: bool
    ) -> tuple[Reply, dict[str, Any]]:
        """The script's next reply to a request, and the answer that it is sent as.

        Raises:
            RefusedRequest: a rule is broken, it does not fit, or the script has ended.
        """
        with self._lock:
            try:
                whole = whole_body(body, self._issued)
                units = self._checked_units(api, whole)
                tokens = sum(map(text_tokens, units))
                if tokens > self.window:
                    raise api.overflow(tokens, self.window)
                return self._answer(api, body, whole, streamed, units)
            except ProviderFault:
                raise
            except RefusedRequest as refusal:
                self._note(api, body, refusal)
                raise

    def _checked_units(self, api: ProviderApi, body: dict[str, Any]) -> list[Any]:
        """The parts of a request that the provider takes; a field that is missing or of another
        type, such as `tools: null`, is refused like any other fault.

        Raises:
            RefusedRequest: says what is wrong, and where.
        """
        for name in ("tools", "messages", "contents"):
            value = body.get(name, ())
            if not isinstance(value, list | tuple):
                kind = "null" if value is None else type(value).__name__
                words = f"Invalid type for '{name}': expected an array, but got {kind} instead."
                raise RefusedRequest(words, name, "type")
        try:
            api.check(body, self._issued, self.bound)
            _ = api.texts(body), api.tools(body), body["model"]
            return api.units(body)
        except KeyError as error:
            words = f"Missing required parameter: {error}"
            raise RefusedRequest(words, "body", "missing") from error
        except (AttributeError, IndexError, TypeError, ValueError) as error:
            raise RefusedRequest(f"Invalid type: {error}", "body", "type") from error

    def refuse_unread(self, api: ProviderApi, words: str) -> RefusedRequest:
        """The refusal of a body that is no JSON object, noted like any other."""
        refusal = RefusedRequest(words, "body", "json")
        with self._lock:
            self._note(api, {}, refusal)
        return refusal

    def _answer(
        self,
        api: ProviderApi,
        body: dict[str, Any],
        whole: dict[str, Any],
        streamed: bool,
        units: list[Any],
    ) -> tuple[Reply, dict[str, Any]]:
        texts = tuple(api.texts(whole))
        name = next((key for key in self.scripts if any(key in text for text in texts)), None)
        number = self._spoken.get(name or "", 0)
        if name is None or number >= len(self.scripts[name]):
            raise RefusedRequest(_OVER, "script", "script")
        line = self.scripts[name][number]
        if isinstance(line, Reply) and line.status != 200:
            self._spoken[name] = number + 1
            self.failed.append(body)
            raise ProviderFault("The server is overloaded.", "server", "overloaded", line.status)
        billed = self._cache.bill(body["model"], units)
        request = StrictRequest(
            body, body["model"], texts, tuple(api.tools(body)), billed.tokens, number, streamed
        )
        reply = self._numbered(
            Reply(text=line) if isinstance(line, str) else _spoken_line(line, request)
        )
        billed = msgspec.structs.replace(billed, output=text_tokens([reply.text, reply.thinking]))
        self.requests.append(request)
        self.bills.append(billed)
        self._spoken[name] = number + 1
        return reply, api.answer(whole, reply, billed, self._issued)

    def _numbered(self, reply: Reply) -> Reply:
        """The reply with ids for its calls."""
        numbered = []
        for each in reply.calls:
            self._calls += 1
            numbered.append(msgspec.structs.replace(each, id=each.id or f"call_{self._calls}"))
        return msgspec.structs.replace(reply, calls=tuple(numbered))

    def _note(self, api: ProviderApi, body: dict[str, Any], refusal: RefusedRequest) -> None:
        too_long = api.overflow(0, 0)
        is_overflow = (refusal.code, refusal.where) == (too_long.code, too_long.where)
        self.refused.append(
            Rejection(
                refusal.message, refusal.where, refusal.code, text_tokens(body), body, is_overflow
            )
        )


def _spoken_line(line: Line, request: StrictRequest) -> Reply:
    if isinstance(line, str):
        return Reply(text=line)
    try:
        return line if isinstance(line, Reply) else line(request)
    except Exception as error:
        raise RefusedRequest(f"the script failed: {error}", "script", "script") from error


def _route(path: str) -> tuple[ProviderApi, str, bool] | None:
    """The provider of a path, the model that it names, and whether it asks for a stream."""
    plain = path.partition("?")[0]
    if plain.endswith("/chat/completions"):
        return ChatApi(), "", False
    if plain.endswith("/responses"):
        return ResponsesApi(), "", False
    if plain.endswith("/messages"):
        return MessagesApi(), "", False
    model, _, method = plain.rpartition("/")[2].partition(":")
    if method in {"generateContent", "streamGenerateContent"}:
        streamed = method.startswith("stream")
        if model == "v1internal":
            return GeminiLoginApi(), "", streamed
        return GeminiApi(), model, streamed
    return None


def _body(strict: StrictServer, api: ProviderApi, raw: bytes) -> dict[str, Any]:
    """The JSON object of a request.

    Raises:
        RefusedRequest: it is none.
    """
    try:
        body = json.loads(raw)
    except ValueError as error:
        words = f"We could not parse the JSON body of your request: {error}"
        raise strict.refuse_unread(api, words) from error
    if not isinstance(body, dict):
        raise strict.refuse_unread(api, f"expected an object, got {type(body).__name__}")
    return body


class _Http(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that hangs up is no error of the server's."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    strict: StrictServer

    def log_message(self, format: str, *args: Any) -> None:
        """Nothing is printed."""

    def do_POST(self) -> None:
        """Answer one request."""
        raw = self.rfile.read(int(self.headers.get("content-length") or 0))
        route = _route(self.path)
        if route is None:
            self._send(404, {"error": {"message": f"no such path: {self.path}"}})
            return
        api, model, streamed = route
        try:
            body = _body(self.strict, api, raw)
            if model:
                body["model"] = model
            streamed = streamed or bool(body.get("stream"))
            reply, answer = self.strict.reply(api, body, streamed)
        except RefusedRequest as refusal:
            self._send(refusal.status, api.error(refusal))
            return
        if reply.held:
            self.strict.held.set()
            self.strict.release.wait(30)
        if streamed:
            self._stream(api.events(body, answer), reply.cut)
        elif reply.cut is not None:
            self.close_connection = True
        else:
            self._send(200, answer)

    def _send(self, status: int, body: dict[str, Any]) -> None:
        data = json.dumps(body, ensure_ascii=False).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def _stream(self, events: Iterator[Event], cut: int | None) -> None:
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("transfer-encoding", "chunked")
        self.end_headers()
        for number, (name, data) in enumerate(events):
            if number == cut:
                self.close_connection = True
                return
            text = f"event: {name}\n" if name else ""
            self._chunk(f"{text}data: {as_text(data)}\n\n".encode())
        self._chunk(b"")

    def _chunk(self, data: bytes) -> None:
        self.wfile.write(f"{len(data):x}\r\n".encode() + data + b"\r\n")
