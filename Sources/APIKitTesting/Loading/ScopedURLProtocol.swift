import Foundation

/// The protocol class of one configuration of one server.
///
/// The loading system only tells a protocol its class, so each server has classes of its own: the
/// generic argument spells a number in binary, and a number is never used twice. It works without a
/// mark in the request and survives the copying of configurations. A class costs 4 µs and about a
/// kilobyte, which is never freed.
final class ScopedURLProtocol<Number>: MockURLProtocol, ScopedProtocol {}

/// What tells the class of a server from the classic form and its subclasses.
protocol ScopedProtocol {}
