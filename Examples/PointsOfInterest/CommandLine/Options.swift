/// The options of the program.
struct Options: Sendable, Equatable {
    /// The center of the search, by default the convention center of San José.
    var near = Coordinate(latitude: 37.3293, longitude: -121.8893)

    /// The radius of the search in meters, or `nil` for the default of the source.
    var radius: Int?

    /// The maximum number of points, or `nil` for the default of the source.
    var limit: Int?

    /// The source of the points.
    var source = Source.atlas

    /// The longest time of the call in seconds, with all attempts.
    var deadline = 20

    /// Whether to write each attempt and its result to standard error.
    var isVerbose = false

    /// Whether to print only the help text.
    var wantsHelp = false
}

extension Options {
    /// The help text.
    static let help = """
        Prints the points of interest near a coordinate, nearest first.

        Usage: PointsOfInterest [OPTION]...

          --near LAT,LONG     the center, in degrees (default: 37.3293,-121.8893)
          --radius METERS     the radius (default: 2000, or the server's)
          --limit N           the maximum number of points (default: 10, or the server's)
          --server URL        load the points from a server
          --wikipedia         load the points from Wikipedia (METERS: 10 to 10000, N: 1 to 500)
          --deadline SECONDS  the longest time to wait, with all attempts (default: 20)
          --verbose           write each attempt and its time to standard error
          --help              print this help

        Without --server and --wikipedia, the points come from an atlas in the program:
        Berlin, Buenos Aires, Cape Town, London, New York, Paris, Rio de Janeiro,
        San Francisco, San José, Sydney and Tokyo.

        A server receives GET URL/locations?lat=LAT&long=LONG, with &radius=METERS and
        &limit=N if you set them, and responds with a JSON array:

        [
          {"name": "SAP Center", "lat": 37.3328, "long": -121.9012}
        ]

        "name" is a string. "lat" and "long" are numbers in degrees, and optional.
        If the server refuses a request, it may give a reason: {"error": "lat is missing"}

        Try it with the array in a file named locations. In the folder of the file, run:

          python3 -m http.server 8000
          PointsOfInterest --server http://localhost:8000
        """
}
