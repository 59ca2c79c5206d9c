/// A transport that adds no header fields of its own to a request.
package protocol BareTransport: HTTPClient {}
