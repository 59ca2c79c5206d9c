/// Reads stored properties that the system's types do not make public.
///
/// A later version of the system may rename a property. Each use does something safe then.
package enum Reflection {
    /// The names of properties that appear to be missing, for tests in a separate process.
    package static let hidden = Locked<Set<String>>([])

    /// Returns a stored property of an object by its name, those of its superclasses included.
    ///
    /// - Returns: The value, or `nil` if there is no such property or an optional one is empty.
    package static func property(_ name: String, of object: Any) -> Any? {
        guard let value = stored(name, of: object) else { return nil }
        let inside = Mirror(reflecting: value)
        return inside.displayStyle == .optional ? inside.children.first?.value : value
    }

    /// Returns whether an object has a stored property, even if it is an optional that is empty.
    package static func hasProperty(_ name: String, of object: Any) -> Bool {
        stored(name, of: object) != nil
    }

    private static func stored(_ name: String, of object: Any) -> Any? {
        guard !hidden.withLock({ $0.contains(name) }) else { return nil }
        var mirror: Mirror? = Mirror(reflecting: object)
        while let current = mirror {
            if let child = current.children.first(where: { $0.label == name }) {
                return child.value
            }
            mirror = current.superclassMirror
        }
        return nil
    }
}
