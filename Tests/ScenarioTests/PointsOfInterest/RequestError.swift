/// Why a request is not worth sending.
enum RequestError: Error {
    case invalidCoordinate
}
