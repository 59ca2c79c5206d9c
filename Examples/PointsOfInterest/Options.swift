/// What the user wants, read from the arguments of the program.
struct Options: Sendable, Equatable {
    /// Where to look; the convention center of San José if not given.
    var near = Coordinate(latitude: 37.3293, longitude: -121.8893)

    /// How far to look, in meters; as far as the source likes if not given.
    var radius: Int?

    /// How many points to list; as many as the source likes if not given.
    var limit: Int?

    /// Where the points come from.
    var source = Source.atlas

    /// Whether to tell of each request and its outcome.
    var isVerbose = false

    /// Whether to explain the options and do nothing else.
    var wantsHelp = false
}
