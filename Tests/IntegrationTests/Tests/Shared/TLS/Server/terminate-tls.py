"""Terminates TLS in front of a plain server, as a reverse proxy does.

    python3 terminate-tls.py CERTIFICATE PORT

CERTIFICATE is a file with a certificate and its key. PORT is the port of the plain server on 127.0.0.1.
Prints the port for TLS, and runs until the reader of its output closes the pipe.
"""

import asyncio
import os
import socket
import ssl
import struct
import sys


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


async def main():
    certificate, port = sys.argv[1:]
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)

    async def serve(reader, writer):
        plain_reader, plain_writer = await asyncio.open_connection("127.0.0.1", int(port))
        await asyncio.gather(copy(reader, plain_writer), copy(plain_reader, writer))

    loop = asyncio.get_running_loop()
    # A client may refuse the certificate, or close the connection at any time.
    loop.set_exception_handler(lambda loop, context: None)
    server = await asyncio.start_server(serve, "127.0.0.1", 0, ssl=context)
    transport, output = await loop.connect_write_pipe(Output, sys.stdout)
    transport.write(b"%d\n" % server.sockets[0].getsockname()[1])
    await output.closed


# Sockets of other tests, which would stay open for as long as this process.
os.closerange(3, 65_536)
asyncio.run(main())
