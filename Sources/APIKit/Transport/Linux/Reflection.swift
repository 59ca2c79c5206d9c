/// A look at what a type of the system keeps to itself.
package enum Reflection {
    /// Returns a stored property of an object by its name, those of its superclasses included.
    ///
    /// - Returns: The value, or `nil` if there is no such property or an optional one is empty.
    package static func property(_ name: String, of object: Any) -> Any? {
        var mirror: Mirror? = Mirror(reflecting: object)
        while let current = mirror {
            if let value = current.children.first(where: { $0.label == name })?.value {
                let inside = Mirror(reflecting: value)
                return inside.displayStyle == .optional ? inside.children.first?.value : value
            }
            mirror = current.superclassMirror
        }
        return nil
    }
}
