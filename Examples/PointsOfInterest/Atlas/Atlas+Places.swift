extension Atlas {
    /// Well-known places in eleven cities.
    static let places =
        berlin + buenosAires + capeTown + london + newYork + paris
        + rioDeJaneiro + sanFrancisco + sanJose + sydney + tokyo

    private static let berlin = [
        PointOfInterest("Brandenburg Gate", latitude: 52.5163, longitude: 13.3777),
        PointOfInterest("Reichstag", latitude: 52.5186, longitude: 13.3762),
        PointOfInterest("Fernsehturm", latitude: 52.5208, longitude: 13.4094),
        PointOfInterest("Berlin Cathedral", latitude: 52.5191, longitude: 13.4010),
        PointOfInterest("Checkpoint Charlie", latitude: 52.5075, longitude: 13.3904),
        PointOfInterest("Victory Column", latitude: 52.5145, longitude: 13.3501),
    ]

    private static let buenosAires = [
        PointOfInterest("Obelisco", latitude: -34.6037, longitude: -58.3816),
        PointOfInterest("Teatro Colón", latitude: -34.6011, longitude: -58.3831),
        PointOfInterest("Casa Rosada", latitude: -34.6081, longitude: -58.3703),
        PointOfInterest("Plaza de Mayo", latitude: -34.6083, longitude: -58.3722),
        PointOfInterest("Metropolitan Cathedral", latitude: -34.6075, longitude: -58.3733),
        PointOfInterest("La Bombonera", latitude: -34.6356, longitude: -58.3648),
    ]

    private static let capeTown = [
        PointOfInterest("Castle of Good Hope", latitude: -33.9259, longitude: 18.4277),
        PointOfInterest("Cape Town City Hall", latitude: -33.9253, longitude: 18.4239),
        PointOfInterest("Zeitz MOCAA", latitude: -33.9083, longitude: 18.4228),
        PointOfInterest("Two Oceans Aquarium", latitude: -33.9079, longitude: 18.4177),
        PointOfInterest("Cape Town Stadium", latitude: -33.9035, longitude: 18.4112),
        PointOfInterest("Kirstenbosch Garden", latitude: -33.9875, longitude: 18.4325),
        PointOfInterest("Table Mountain", latitude: -33.9573, longitude: 18.4031),
    ]

    private static let london = [
        PointOfInterest("Big Ben", latitude: 51.5007, longitude: -0.1246),
        PointOfInterest("London Eye", latitude: 51.5033, longitude: -0.1196),
        PointOfInterest("Westminster Abbey", latitude: 51.4994, longitude: -0.1275),
        PointOfInterest("Buckingham Palace", latitude: 51.5014, longitude: -0.1419),
        PointOfInterest("Nelson's Column", latitude: 51.5077, longitude: -0.1279),
        PointOfInterest("British Museum", latitude: 51.5194, longitude: -0.1269),
        PointOfInterest("St Paul's Cathedral", latitude: 51.5138, longitude: -0.0984),
        PointOfInterest("Tower of London", latitude: 51.5081, longitude: -0.0759),
        PointOfInterest("Tower Bridge", latitude: 51.5055, longitude: -0.0754),
    ]

    private static let newYork = [
        PointOfInterest("Empire State Building", latitude: 40.7484, longitude: -73.9857),
        PointOfInterest("Chrysler Building", latitude: 40.7516, longitude: -73.9755),
        PointOfInterest("Grand Central Terminal", latitude: 40.7527, longitude: -73.9772),
        PointOfInterest("Times Square", latitude: 40.7580, longitude: -73.9855),
        PointOfInterest("Rockefeller Center", latitude: 40.7587, longitude: -73.9787),
        PointOfInterest("Flatiron Building", latitude: 40.7411, longitude: -73.9897),
        PointOfInterest("Brooklyn Bridge", latitude: 40.7061, longitude: -73.9969),
        PointOfInterest("Statue of Liberty", latitude: 40.6892, longitude: -74.0445),
    ]

    private static let paris = [
        PointOfInterest("Eiffel Tower", latitude: 48.8584, longitude: 2.2945),
        PointOfInterest("Arc de Triomphe", latitude: 48.8738, longitude: 2.2950),
        PointOfInterest("Louvre", latitude: 48.8606, longitude: 2.3376),
        PointOfInterest("Musée d'Orsay", latitude: 48.8600, longitude: 2.3266),
        PointOfInterest("Notre-Dame", latitude: 48.8530, longitude: 2.3499),
        PointOfInterest("Centre Pompidou", latitude: 48.8606, longitude: 2.3522),
        PointOfInterest("Panthéon", latitude: 48.8462, longitude: 2.3464),
        PointOfInterest("Sacré-Cœur", latitude: 48.8867, longitude: 2.3431),
    ]

    private static let rioDeJaneiro = [
        PointOfInterest("Christ the Redeemer", latitude: -22.9519, longitude: -43.2105),
        PointOfInterest("Sugarloaf Mountain", latitude: -22.9493, longitude: -43.1546),
        PointOfInterest("Escadaria Selarón", latitude: -22.9153, longitude: -43.1792),
        PointOfInterest("Metropolitan Cathedral", latitude: -22.9108, longitude: -43.1806),
        PointOfInterest("Theatro Municipal", latitude: -22.9090, longitude: -43.1766),
        PointOfInterest("Museum of Tomorrow", latitude: -22.8944, longitude: -43.1795),
        PointOfInterest("Maracanã", latitude: -22.9121, longitude: -43.2302),
    ]

    private static let sanFrancisco = [
        PointOfInterest("Ferry Building", latitude: 37.7955, longitude: -122.3937),
        PointOfInterest("Transamerica Pyramid", latitude: 37.7952, longitude: -122.4028),
        PointOfInterest("Coit Tower", latitude: 37.8024, longitude: -122.4058),
        PointOfInterest("Oracle Park", latitude: 37.7786, longitude: -122.3893),
        PointOfInterest("San Francisco City Hall", latitude: 37.7793, longitude: -122.4193),
        PointOfInterest("Palace of Fine Arts", latitude: 37.8029, longitude: -122.4484),
        PointOfInterest("Alcatraz Island", latitude: 37.8267, longitude: -122.4233),
        PointOfInterest("Golden Gate Bridge", latitude: 37.8199, longitude: -122.4783),
    ]

    private static let sanJose = [
        PointOfInterest("McEnery Convention Center", latitude: 37.3294, longitude: -121.8890),
        PointOfInterest("The Tech Interactive", latitude: 37.3316, longitude: -121.8901),
        PointOfInterest("Plaza de César Chávez", latitude: 37.3325, longitude: -121.8900),
        PointOfInterest("San José Museum of Art", latitude: 37.3337, longitude: -121.8900),
        PointOfInterest("Children's Discovery Museum", latitude: 37.3268, longitude: -121.8925),
        PointOfInterest("SAP Center", latitude: 37.3328, longitude: -121.9012),
        PointOfInterest("Winchester Mystery House", latitude: 37.3184, longitude: -121.9511),
    ]

    private static let sydney = [
        PointOfInterest("Sydney Opera House", latitude: -33.8568, longitude: 151.2153),
        PointOfInterest("Sydney Harbour Bridge", latitude: -33.8523, longitude: 151.2108),
        PointOfInterest("Queen Victoria Building", latitude: -33.8717, longitude: 151.2067),
        PointOfInterest("Sydney Tower", latitude: -33.8705, longitude: 151.2089),
        PointOfInterest("St Mary's Cathedral", latitude: -33.8711, longitude: 151.2133),
        PointOfInterest("Art Gallery of New South Wales", latitude: -33.8688, longitude: 151.2173),
        PointOfInterest("Taronga Zoo", latitude: -33.8433, longitude: 151.2411),
    ]

    private static let tokyo = [
        PointOfInterest("Tokyo Station", latitude: 35.6812, longitude: 139.7671),
        PointOfInterest("Imperial Palace", latitude: 35.6852, longitude: 139.7528),
        PointOfInterest("Tokyo Tower", latitude: 35.6586, longitude: 139.7454),
        PointOfInterest("Sensō-ji", latitude: 35.7148, longitude: 139.7967),
        PointOfInterest("Tokyo National Museum", latitude: 35.7188, longitude: 139.7765),
        PointOfInterest("Tokyo Skytree", latitude: 35.7101, longitude: 139.8107),
        PointOfInterest("Meiji Shrine", latitude: 35.6764, longitude: 139.6993),
    ]
}
