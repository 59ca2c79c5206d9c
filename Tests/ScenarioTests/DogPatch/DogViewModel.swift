/// A dog as the list shows it.
struct DogViewModel: Equatable {
    let title: String
    let price: String

    init(_ dog: Dog) {
        title = "\(dog.name), \(dog.breed)"
        price = "$ \(dog.cost)"
    }
}
