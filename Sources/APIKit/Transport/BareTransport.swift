/// A transport that sends only the header fields of a request.
package protocol BareTransport: HTTPTransport {}
