/// An error in the input of a request.
enum RequestError: Error {
    case invalidCoordinate
}
