"""A users API on a free port, which it prints. The number of a user says what goes wrong with it."""

import json
import threading
from collections import Counter
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

CARD = "BEGIN:VCARD\r\nVERSION:4.0\r\nFN:Ada\r\nEND:VCARD\r\n"


class UsersAPI(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    asked = Counter()

    def do_GET(self):
        if self.is_stranger():
            return
        self.asked[self.path] += 1
        if self.path == "/users/1" and self.headers["Accept"] == "text/vcard":
            self.answer(200, CARD.encode(), "text/vcard")
        elif self.path == "/users/1":
            self.answer_json(200, {"id": 1, "name": "Ada"})
        elif self.path == "/users/200":
            self.answer(200, b"<h1>Down for maintenance</h1>", "text/html")
        elif self.path == "/users/500":
            self.answer_json(500, {"message": "The database is gone."})
        elif self.path == "/users/502":
            self.close_connection = True  # without an answer
        elif self.path == "/users/503" and self.asked[self.path] <= 3:
            self.answer_json(503, {"message": "Starting."})
        elif self.path == "/users/503":
            self.answer_json(200, {"id": 503, "name": "Grace"})
        elif self.path == "/users/504":
            threading.Event().wait()
        else:
            self.answer_json(404, {"message": "There is no such user."})

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"] or 0))
        if self.is_stranger():
            return
        if self.headers["Content-Type"] != "application/json":
            self.answer_json(415, {"message": "JSON, please."})
        elif not json.loads(body)["name"]:
            self.answer_json(422, {"message": "A user needs a name."})
        else:
            self.answer_json(201, {"id": 2, "name": json.loads(body)["name"]})

    def is_stranger(self):
        if self.headers["Authorization"] == "Bearer secret":
            return False
        self.answer_json(401, {"message": "Who is asking?"})
        return True

    def answer_json(self, status, value):
        self.answer(status, json.dumps(value).encode(), "application/json")

    def answer(self, status, body, content_type):
        self.send_response(status)
        self.send_header("Content-Type", content_type)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


server = ThreadingHTTPServer(("127.0.0.1", 0), UsersAPI)
print(server.server_port, flush=True)
server.serve_forever()
