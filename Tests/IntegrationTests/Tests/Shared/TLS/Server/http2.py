"""Terminates HTTP/2 (RFC 9113) in front of a plain server, as a reverse proxy does.

Each stream is a request of HTTP/1.1 over a connection of its own. If the plain server ends the connection
early, it resets the stream with INTERNAL_ERROR. The trailer of a chunked body is the trailer of the stream.
A field of the response selects what a server of HTTP/1.1 cannot do:

    X-HTTP2: RST_STREAM 8   Resets the stream with an error code, in place of the response.
    X-HTTP2: CLOSE          Closes the connection, in place of the response.
    X-HTTP2: REFUSE         Says that it has processed no request, and closes the connection.
    X-HTTP2: GOAWAY         Accepts no more requests over the connection.
"""

import asyncio
import struct

import hpack

DATA, HEADERS, RST_STREAM, SETTINGS, PING, GOAWAY, WINDOW_UPDATE, CONTINUATION = 0, 1, 3, 4, 6, 7, 8, 9
END_STREAM, ACK, END_HEADERS, PADDED, PRIORITY = 1, 1, 4, 8, 32
NO_ERROR, INTERNAL_ERROR, REFUSED_STREAM = 0, 2, 7
MAX_CONCURRENT_STREAMS, INITIAL_WINDOW_SIZE = 3, 4
FRAME_SIZE = 16_384
HOP_BY_HOP = {"connection", "keep-alive", "transfer-encoding", "x-http2"}


class Reset(Exception):
    """The end of a stream with an error code."""


class Stream:
    def __init__(self, number, window):
        self.number, self.window = number, window
        # The pieces of the request's body, and `None` at its end.
        self.pieces, self.has_request = asyncio.Queue(), False


class Connection:
    def __init__(self, reader, writer, port):
        self.reader, self.writer, self.port = reader, writer, port
        self.decoder, self.block, self.streams, self.last = hpack.Decoder(), b"", {}, 0
        self.window, self.initial_window, self.window_grew = 65_535, 65_535, asyncio.Event()
        self.is_going = False

    async def run(self):
        try:
            await self.reader.readexactly(24)  # section 3.4
            self.send(SETTINGS, 0, 0, struct.pack(">HI", MAX_CONCURRENT_STREAMS, 100))
            while True:
                head = await self.reader.readexactly(9)
                payload = await self.reader.readexactly(int.from_bytes(head[:3], "big"))
                self.receive(head[3], head[4], int.from_bytes(head[5:], "big"), payload)
        except (asyncio.IncompleteReadError, OSError):
            pass
        finally:
            for stream in self.streams.values():
                stream.task.cancel()
            self.writer.close()

    def send(self, kind, flags, number, payload=b""):
        head = len(payload).to_bytes(3, "big") + bytes([kind, flags]) + number.to_bytes(4, "big")
        self.writer.write(head + payload)

    def send_head(self, stream, fields, flags=0):
        block, kind = hpack.encode(fields), HEADERS
        while len(block) > FRAME_SIZE:
            self.send(kind, flags, stream.number, block[:FRAME_SIZE])
            block, kind, flags = block[FRAME_SIZE:], CONTINUATION, 0
        self.send(kind, flags | END_HEADERS, stream.number, block)

    async def send_body(self, stream, piece):
        """Sends as much as the client permits, and waits for the permission to send the rest (section 5.2)."""
        while piece:
            size = min(len(piece), self.window, stream.window, FRAME_SIZE)
            if size <= 0:
                self.window_grew.clear()
                await self.window_grew.wait()
                continue
            self.send(DATA, 0, stream.number, piece[:size])
            self.window, stream.window, piece = self.window - size, stream.window - size, piece[size:]

    def receive(self, kind, flags, number, payload):
        stream = self.streams.get(number)
        content = payload
        if kind in (DATA, HEADERS) and flags & PADDED:
            content = payload[1:len(payload) - payload[0]]
        if kind == HEADERS and flags & PRIORITY:
            content = content[5:]
        if kind in (HEADERS, CONTINUATION):
            if kind == HEADERS:
                self.block, self.ends_stream = b"", flags & END_STREAM
            self.block += content
            if flags & END_HEADERS:
                self.start(number, self.decoder.decode(self.block), self.ends_stream)
        elif kind == DATA:
            if stream:
                stream.pieces.put_nowait((content, len(payload)))
                if flags & END_STREAM:
                    stream.pieces.put_nowait(None)
            else:
                self.permit(None, len(payload))
        elif kind == RST_STREAM and stream:
            stream.task.cancel()
        elif kind == SETTINGS and not flags & ACK:
            for name, value in struct.iter_unpack(">HI", payload):
                if name == INITIAL_WINDOW_SIZE:
                    for stream in self.streams.values():
                        stream.window += value - self.initial_window
                    self.initial_window = value
            self.window_grew.set()
            self.send(SETTINGS, ACK, 0)
        elif kind == PING and not flags & ACK:
            self.send(PING, ACK, 0, payload)
        elif kind == WINDOW_UPDATE:
            size = int.from_bytes(payload, "big")
            if stream:
                stream.window += size
            elif number == 0:
                self.window += size
            self.window_grew.set()

    def start(self, number, fields, ends_stream):
        if self.is_going:
            return self.send(RST_STREAM, 0, number, struct.pack(">I", REFUSED_STREAM))
        self.last = number
        stream = self.streams[number] = Stream(number, self.initial_window)
        if ends_stream:
            stream.pieces.put_nowait(None)
        stream.task = asyncio.create_task(self.serve(stream, fields, not ends_stream))

    def permit(self, stream, size):
        """Permits the client to send more of a body."""
        for number in [0] + ([stream.number] if stream else []):
            if size:
                self.send(WINDOW_UPDATE, 0, number, struct.pack(">I", size))

    def go_away(self, last):
        self.is_going = True
        self.send(GOAWAY, 0, 0, struct.pack(">II", last, NO_ERROR))

    async def serve(self, stream, fields, has_body):
        try:
            # The limit is that of a head.
            reader, writer = await asyncio.open_connection("127.0.0.1", self.port, limit=1 << 20)
            request = asyncio.create_task(self.copy_request(stream, fields, has_body, writer))
            try:
                await self.copy_response(stream, dict(fields)[":method"], reader)
            finally:
                request.cancel()
                writer.close()
            if not stream.has_request:  # section 8.1
                self.send(RST_STREAM, 0, stream.number, struct.pack(">I", NO_ERROR))
        except Reset as reset:
            self.send(RST_STREAM, 0, stream.number, struct.pack(">I", reset.args[0]))
        except (asyncio.IncompleteReadError, OSError):
            self.send(RST_STREAM, 0, stream.number, struct.pack(">I", INTERNAL_ERROR))
        finally:
            del self.streams[stream.number]
            while not stream.pieces.empty():
                piece = stream.pieces.get_nowait()
                if piece:
                    self.permit(None, piece[1])
            if self.is_going and not self.streams:
                self.writer.close()

    async def copy_request(self, stream, fields, has_body, writer):
        pseudo, rest = dict(fields), [field for field in fields if field[0][0] != ":"]
        cookies = [value for name, value in rest if name == "cookie"]  # section 8.2.3
        lines = [f"{pseudo[':method']} {pseudo[':path']} HTTP/1.1", f"Host: {pseudo[':authority']}", "Via: 2.0 proxy"]
        lines += [f"{name}: {value}" for name, value in rest if name != "cookie"]
        lines += ["Cookie: " + "; ".join(cookies)] if cookies else []
        length = int(dict(rest).get("content-length", "-1"))
        is_chunked = has_body and length < 0
        lines += ["Transfer-Encoding: chunked"] if is_chunked else []
        writer.write(("\r\n".join(lines) + "\r\n\r\n").encode("latin-1"))
        while piece := await stream.pieces.get():
            content, size = piece
            length -= len(content)
            # The end of the stream can arrive after the response to a complete body.
            stream.has_request = length == 0
            if is_chunked and content:
                content = b"%x\r\n%b\r\n" % (len(content), content)
            writer.write(content)
            await writer.drain()
            self.permit(stream, size)
        stream.has_request = True
        writer.write(b"0\r\n\r\n" if is_chunked else b"")

    async def copy_response(self, stream, method, reader):
        status = "100"
        while status[0] == "1":
            head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")[:-2]
            status = head[0].split(" ")[1]
            fields = [(name.lower(), value.strip()) for name, _, value in
                      (line.partition(":") for line in head[1:])]
            action, _, code = dict(fields).get("x-http2", "").partition(" ")
            if action == "RST_STREAM":
                raise Reset(int(code))
            if action in ("GOAWAY", "REFUSE"):
                self.go_away(self.last if action == "GOAWAY" else 0)
            if action in ("CLOSE", "REFUSE"):
                return self.writer.close()
            sent = [field for field in fields if field[0] not in HOP_BY_HOP]
            self.send_head(stream, [(":status", status)] + sent)
        trailer = []
        if method != "HEAD" and status not in ("204", "304"):
            async for piece in body(reader, dict(fields), trailer):
                await self.send_body(stream, piece)
        if trailer:
            self.send_head(stream, trailer, END_STREAM)
        else:
            self.send(DATA, END_STREAM, stream.number)


async def body(reader, fields, trailer):
    """Yields the pieces of a body as they arrive, and adds the fields after it to a trailer."""
    if "chunked" in fields.get("transfer-encoding", "").lower():
        while size := int((await reader.readuntil(b"\r\n")).split(b";")[0], 16):
            async for piece in exactly(reader, size):
                yield piece
            await reader.readexactly(2)
        while (line := await reader.readuntil(b"\r\n")) != b"\r\n":
            name, _, value = line.decode("latin-1").partition(":")
            trailer.append((name.lower(), value.strip()))
    elif "content-length" in fields:
        async for piece in exactly(reader, int(fields["content-length"])):
            yield piece
    else:
        while piece := await reader.read(65_536):
            yield piece


async def exactly(reader, rest):
    """Yields the next bytes as they arrive."""
    while rest:
        piece = await reader.read(min(rest, 65_536))
        if not piece:
            raise asyncio.IncompleteReadError(piece, rest)
        rest -= len(piece)
        yield piece
