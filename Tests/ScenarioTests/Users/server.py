"""A users API on a free port of this machine, which it prints.

The ID of a user selects the response. The first segment of a path names a test. Each test has its own
journal, which it reads at /TEST/journal. The requests of a recording name no test.
"""

import json
import threading
from collections import defaultdict
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

CARD = "BEGIN:VCARD\r\nVERSION:4.0\r\nFN:Ada\r\nEND:VCARD\r\n"

# Temporary failures: the number of requests that receive each status.
FAILURES = {408: 1, 429: 1, 503: 3}


class UsersAPI(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    journals = defaultdict(list)
    received = threading.Condition()

    def do_GET(self):
        url = urlsplit(self.path)
        test, path = self.split(url.path)
        if path == "journal":
            return self.send_journal(test, int(parse_qs(url.query)["count"][0]))
        count = self.record(test, path)
        if self.is_unauthorized():
            return
        if path == "users/1" and self.headers["Accept"] == "text/vcard":
            self.send(200, CARD.encode(), "text/vcard")
        elif path == "users/1":
            self.send_json(200, {"id": 1, "name": "Ada"})
        elif path == "users/200":
            self.send(200, b"<h1>Down for maintenance</h1>", "text/html")
        elif path == "users/500":
            self.send_json(500, {"message": "The database is gone."})
        elif path == "users/502":
            self.close_connection = True  # without a response
        elif path == "users/504":
            threading.Event().wait()
        elif path in [f"users/{status}" for status in FAILURES]:
            status = int(path.removeprefix("users/"))
            if count <= FAILURES[status]:
                self.send_json(status, {"message": "Try again later."})
            else:
                self.send_json(200, {"id": status, "name": "Grace"})
        else:
            self.send_json(404, {"message": "There is no such user."})

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"] or 0))
        test, path = self.split(self.path)
        self.record(test, path)
        if self.is_unauthorized():
            return
        if self.headers["Content-Type"] != "application/json":
            self.send_json(415, {"message": "The body must be JSON."})
        elif not json.loads(body)["name"]:
            self.send_json(422, {"message": "A user needs a name."})
        else:
            self.send_json(201, {"id": 2, "name": json.loads(body)["name"]})

    def split(self, path):
        """Returns the name of the test, which a path of a recording lacks, and the rest."""
        path = path.removeprefix("/")
        return ("", path) if path.startswith("users") else path.split("/", 1)

    def record(self, test, path):
        """Adds the request to the journal, and returns how often the test has requested the path."""
        request = {
            "method": self.command, "path": f"/{path}", "headers": dict(self.headers.items())}
        with self.received:
            self.journals[test].append(request)
            self.received.notify_all()
            return sum(request["path"] == f"/{path}" for request in self.journals[test])

    def send_journal(self, test, count):
        with self.received:
            self.received.wait_for(lambda: len(self.journals[test]) >= count, timeout=10)
            journal = list(self.journals[test])
        self.send_json(200, journal)

    def is_unauthorized(self):
        if self.headers["Authorization"] == "Bearer secret":
            return False
        self.send_json(401, {"message": "The token is missing or wrong."})
        return True

    def send_json(self, status, value):
        self.send(status, json.dumps(value).encode(), "application/json")

    def send(self, status, body, content_type):
        self.send_response(status)
        self.send_header("Content-Type", content_type)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


server = ThreadingHTTPServer(("127.0.0.1", 0), UsersAPI)
print(server.server_port, flush=True)
server.serve_forever()
