/// The reason that no request can be made.
enum RequestError: Error {
    case invalidCoordinate
}
