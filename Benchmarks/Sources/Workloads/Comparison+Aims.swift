extension Comparison {
    static let measuredAims: [String: Double] = [:]
}
