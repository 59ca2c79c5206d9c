"""Terminates TLS in front of plain servers, as a reverse proxy does.

    python3 terminate-tls.py CERTIFICATE PROTOCOL

CERTIFICATE is a file with a certificate and its key. PROTOCOL is http1, or http2 for clients that accept it.
Prints its port, and runs until the reader of its output closes the pipe. A test that connects to the port sends
the ports of plain servers on 127.0.0.1, and receives the port for TLS of each, in one line. They serve until it
closes the connection.
"""

import asyncio
import os
import socket
import ssl
import struct
import sys

import http2


async def copy(reader, writer):
    """Copies until one side ends, and ends the other side in the same way."""
    try:
        while data := await reader.read(65_536):
            writer.write(data)
            await writer.drain()
        writer.close()
    except OSError:
        linger = struct.pack("ii", 1, 0)
        writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
        writer.transport.abort()


class Output(asyncio.Protocol):
    """The pipe to the test."""

    def __init__(self):
        self.closed = asyncio.get_running_loop().create_future()

    def connection_lost(self, error):
        self.closed.set_result(None)


async def start(context, port, tasks):
    """Starts to serve TLS, and returns the server. Each connection is one of the tasks."""
    async def serve(reader, writer):
        tasks.add(asyncio.current_task())
        if writer.get_extra_info("ssl_object").selected_alpn_protocol() == "h2":
            return await http2.Connection(reader, writer, port).run()
        plain_reader, plain_writer = await asyncio.open_connection("127.0.0.1", port)
        try:
            await asyncio.gather(copy(reader, plain_writer), copy(plain_reader, writer))
        finally:
            writer.close()
            plain_writer.close()

    return await asyncio.start_server(
        serve, "127.0.0.1", 0, ssl=context, backlog=1_000, ssl_handshake_timeout=600)


async def main():
    certificate, protocol = sys.argv[1:]
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    if protocol == "http2":
        context.set_alpn_protocols(["h2"])
    loop = asyncio.get_running_loop()
    # A client may refuse the certificate, or close the connection at any time.
    loop.set_exception_handler(lambda loop, context: None)

    async def control(reader, writer):
        tasks = set()
        servers = [await start(context, int(port), tasks) for port in (await reader.readline()).split()]
        ports = [str(server.sockets[0].getsockname()[1]) for server in servers]
        writer.write(f"{' '.join(ports)}\r\n".encode())
        await reader.read()
        for end in [*servers, writer]:
            end.close()
        for task in tasks:
            task.cancel()

    server = await asyncio.start_server(control, "127.0.0.1", 0)
    transport, output = await loop.connect_write_pipe(Output, sys.stdout)
    transport.write(f"{server.sockets[0].getsockname()[1]}\n".encode())
    await output.closed


# Sockets of other tests, which would stay open for as long as this process.
os.closerange(3, 65_536)
asyncio.run(main())
