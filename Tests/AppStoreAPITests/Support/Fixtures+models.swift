import TestSupport

extension Fixtures {
    /// One of Apple's examples of requests and responses.
    static func model(_ name: String) throws -> [UInt8] {
        try bytes("apple-library/models/\(name).json")
    }
}
