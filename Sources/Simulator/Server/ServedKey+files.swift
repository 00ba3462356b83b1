import Foundation

extension ServedKey {
    /// The key's file inside an authority's directory.
    public static let fileName = "AuthKey.p8"

    /// The key kept in a directory; created on first use, readable by its owner only.
    ///
    /// Throws `Authority.DirectoryProblem`, or the errors of key generation.
    public static func kept(in directory: String) throws -> ServedKey {
        let path = "\(directory)/\(fileName)"
        if let data = FileManager.default.contents(atPath: path) {
            guard let key = try? ServedKey(pem: Array(data)) else {
                throw Authority.DirectoryProblem(
                    path: path, reason: "The file contains no private key.")
            }
            return key
        }
        let key = try ServedKey()
        try Authority.write(key.pem, to: path)
        return key
    }
}
