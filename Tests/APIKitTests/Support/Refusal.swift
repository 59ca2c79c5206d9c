/// An error that APIKit knows nothing of.
struct Refusal: Error, Equatable {
    var reason = "no"
}
