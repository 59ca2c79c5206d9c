import CatteryAPI

/// A screen of the app, which imports the networking module and not APIKit.
@MainActor final class AdoptionModel {
    private(set) var cats: [Cat] = []
    private(set) var message: String?
    private let cattery: CatteryClient

    init(cattery: CatteryClient) {
        self.cattery = cattery
    }

    func show(breed: String) async {
        do {
            cats = try await cattery.cats(of: breed)
            message = nil
        } catch {
            message = "The cats cannot be shown."
        }
    }

    func adopt(_ cat: Cat) async {
        do {
            try await cattery.adopt(cat)
            cats.removeAll { $0.id == cat.id }
        } catch {
            message = "\(cat.name) cannot be adopted now."
        }
    }
}
