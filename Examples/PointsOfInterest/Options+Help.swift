extension Options {
    /// The explanation of the options.
    static let help = """
        Prints the points of interest near a coordinate, nearest first.

        Usage: PointsOfInterest [OPTION]...

          --near LAT,LONG   where to look, in degrees; 37.3293,-121.8893 unless given
          --radius METERS   how far to look; 2000 in the atlas and with --wikipedia unless given
          --limit N         how many points to list; 10 likewise
          --server URL      ask a server, by GET URL/locations?lat=...&long=...
          --wikipedia       ask Wikipedia; METERS from 10 to 10000, N from 1 to 500
          --verbose         tell of each request and its outcome on standard error
          --help            print this explanation

        Without --server and --wikipedia the points come from a small atlas that is bundled
        with the program: Berlin, Buenos Aires, Cape Town, London, New York, Paris,
        Rio de Janeiro, San Francisco, San José, Sydney and Tokyo.
        """
}
