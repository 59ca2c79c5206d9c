/// The arguments of the program.
struct Arguments {
    /// The center of the search, by default the convention center of San José.
    var place = Coordinate(latitude: 37.3293, longitude: -121.8893)

    /// The source of the points, by default the atlas.
    var source = Source.atlas

    /// Reads the arguments, which do not include the name of the program.
    init(_ arguments: some Collection<String>) throws {
        for argument in arguments {
            if let place = Coordinate(argument) {
                self.place = place
            } else if let source = Source(argument) {
                self.source = source
            } else {
                throw UsageError(argument: argument)
            }
        }
    }
}

/// An argument that is neither a place nor a source.
struct UsageError: Error, CustomStringConvertible {
    let argument: String

    /// The argument, and how to use the program.
    var description: String {
        """
        "\(argument)" is neither a place nor a source.

        Usage: PointsOfInterest [LAT,LONG] [URL | wikipedia]

          LAT,LONG   the place in degrees (default: 37.3293,-121.8893)
          URL        a server that responds to GET URL/locations?lat=LAT&long=LONG with JSON:
                     [{"name": "SAP Center", "lat": 37.3328, "long": -121.9012}]
          wikipedia  the articles of Wikipedia

        Without a source, the points come from an atlas in the program: Berlin, Buenos Aires,
        Cape Town, London, New York, Paris, Rio de Janeiro, San Francisco, San José, Sydney
        and Tokyo.
        """
    }
}
