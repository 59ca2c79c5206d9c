import APIKit

extension RequestPattern {
    /// Narrows the pattern to requests whose host is a value.
    ///
    /// Upper and lower case, and the two forms of an internationalized name, are the same. `nil` means
    /// that the URL has no host.
    public func host(_ value: some QueryValue) -> RequestPattern {
        host(ValuePattern(value))
    }

    /// Narrows the pattern to requests whose query has an item with a value.
    ///
    /// If the name repeats, one of its values must be equal. An array means one item for each
    /// element, in any order, and no other item of that name. `nil` and an empty array mean no item
    /// of that name.
    public func query(_ name: String, _ value: some QueryValue) -> RequestPattern {
        query(name, ValuePattern(value))
    }

    /// Narrows the pattern to requests whose cookie has a value.
    ///
    /// `nil` means that there is no such cookie.
    public func cookie(_ name: String, _ value: some QueryValue) -> RequestPattern {
        cookie(name, ValuePattern(value))
    }

    /// Narrows the pattern to requests whose header field has a value.
    ///
    /// The name is case-insensitive. `nil` means that there is no such field.
    public func header(_ name: String, _ value: some QueryValue) -> RequestPattern {
        header(name, ValuePattern(value))
    }

    /// Narrows the pattern to requests whose form has a field with a value.
    ///
    /// If the name repeats, one of its values must be equal. An array means one field for each
    /// element, in any order, and no other field of that name. `nil` and an empty array mean no field
    /// of that name.
    public func form(_ name: String, _ value: some QueryValue) -> RequestPattern {
        form(name, ValuePattern(value))
    }

    /// Narrows the pattern to requests whose body is a text in UTF-8.
    public func body(_ text: String) -> RequestPattern {
        body(ValuePattern(text))
    }
}
