"""The compression of header fields in HTTP/2 (RFC 7541)."""

# Appendix A: names, some with a value.
STATIC = [tuple(line.partition("=")[::2]) for line in """\
:authority
:method=GET
:method=POST
:path=/
:path=/index.html
:scheme=http
:scheme=https
:status=200
:status=204
:status=206
:status=304
:status=400
:status=404
:status=500
accept-charset
accept-encoding=gzip, deflate
accept-language
accept-ranges
accept
access-control-allow-origin
age
allow
authorization
cache-control
content-disposition
content-encoding
content-language
content-length
content-location
content-range
content-type
cookie
date
etag
expect
expires
from
host
if-match
if-modified-since
if-none-match
if-range
if-unmodified-since
last-modified
link
location
max-forwards
proxy-authenticate
proxy-authorization
range
referer
refresh
retry-after
server
set-cookie
strict-transport-security
transfer-encoding
user-agent
vary
via
www-authenticate""".split("\n")]

# Appendix B: the length of the code of each byte and of the end, from "a" for 5 bits to "z" for 30. Codes of
# one length ascend with their bytes.
LENGTHS = (
    "isxxxxxxxtzxxzxxxxxxxxzxxxxxxxxxbffhibdgffdgdbbbaaabbbbbbbcdkbhfibccccccccccccccccccccccdcdioijb"
    "kabababbbaccbbbabcbaabccccckgjixprpprrrsrssssststtrstssssqrsrsstrqprrssqsrrtqrssqqrqsrssprrrsrrs"
    "vvporsruvvvwwvtuoqvwwvwtqqvvxwwwptpqrqqsrruuttvsvwvvwwwwwxwwwwwvz")


def huffman_codes():
    """Returns the byte of each code, which is a pair of its length and its value."""
    codes, code, previous = {}, 0, 5
    for length, byte in sorted((ord(letter) - ord("a") + 5, byte) for byte, letter in enumerate(LENGTHS)):
        code <<= length - previous
        codes[length, code] = byte
        code, previous = code + 1, length
    return codes


CODES = huffman_codes()


def huffman_decoded(data):
    text, length, code = bytearray(), 0, 0
    for byte in data:
        for bit in range(7, -1, -1):
            length, code = length + 1, code << 1 | byte >> bit & 1
            if (length, code) in CODES:
                text.append(CODES[length, code])
                length, code = 0, 0
    return bytes(text)


class Decoder:
    """The state of one direction of a connection."""

    def __init__(self):
        self.dynamic, self.limit = [], 4096

    def decode(self, block):
        """Returns the names and values of a header block."""
        self.block, self.place, fields = block, 0, []
        while self.place < len(block):
            first = block[self.place]
            if first & 0x80:  # section 6.1
                fields.append(self.entry(self.integer(7)))
            elif first & 0x40:  # section 6.2.1
                fields.append(self.literal(6))
                self.dynamic.insert(0, fields[-1])
                self.evict()
            elif first & 0x20:  # section 6.3
                self.limit = self.integer(5)
                self.evict()
            else:  # sections 6.2.2 and 6.2.3
                fields.append(self.literal(4))
        return fields

    def entry(self, index):
        return STATIC[index - 1] if index <= len(STATIC) else self.dynamic[index - len(STATIC) - 1]

    def literal(self, prefix):
        index = self.integer(prefix)
        return (self.entry(index)[0] if index else self.string(), self.string())

    def evict(self):
        """Removes the oldest entries above the limit (section 4.1)."""
        while sum(len(name) + len(value) + 32 for name, value in self.dynamic) > self.limit:
            self.dynamic.pop()

    def integer(self, prefix):
        """Reads an integer (section 5.1)."""
        value = self.block[self.place] & (1 << prefix) - 1
        self.place += 1
        if value < (1 << prefix) - 1:
            return value
        shift = 0
        while True:
            byte = self.block[self.place]
            self.place += 1
            value += (byte & 0x7F) << shift
            shift += 7
            if not byte & 0x80:
                return value

    def string(self):
        """Reads a string (section 5.2)."""
        is_huffman = self.block[self.place] & 0x80
        length = self.integer(7)
        data = self.block[self.place:self.place + length]
        self.place += length
        return (huffman_decoded(data) if is_huffman else data).decode("latin-1")


def encode(fields):
    """Returns the header block of fields, as literals that no table needs."""
    block = bytearray()
    for field in fields:
        block.append(0)
        for text in field:
            length = len(text)
            if length < 127:
                block.append(length)
            else:
                block.append(127)
                length -= 127
                while length > 127:
                    block.append(length & 0x7F | 0x80)
                    length >>= 7
                block.append(length)
            block += text.encode("latin-1")
    return bytes(block)
