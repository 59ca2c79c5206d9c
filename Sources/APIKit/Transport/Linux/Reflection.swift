/// Reads private stored properties of the system's types.
///
/// A later version of the system may rename a property. Each use has a safe fallback.
package enum Reflection {
    /// The names of properties to treat as missing, for tests in a separate process.
    package static let hidden = Locked<Set<String>>([])

    /// Returns a stored property of an object or of its superclasses.
    ///
    /// - Returns: The value, or `nil` if the property does not exist or is `nil`.
    package static func property(_ name: String, of object: Any) -> Any? {
        guard let value = stored(name, of: object) else { return nil }
        let inside = Mirror(reflecting: value)
        return inside.displayStyle == .optional ? inside.children.first?.value : value
    }

    /// Returns whether an object has a stored property, even if the property is `nil`.
    package static func hasProperty(_ name: String, of object: Any) -> Bool {
        stored(name, of: object) != nil
    }

    private static func stored(_ name: String, of object: Any) -> Any? {
        guard !hidden.withLock({ $0.contains(name) }) else { return nil }
        for mirror in sequence(first: Mirror(reflecting: object), next: \.superclassMirror) {
            if let child = mirror.children.first(where: { $0.label == name }) { return child.value }
        }
        return nil
    }
}
