import Foundation

extension ServedKey {
    /// The key's file inside an authority's directory.
    public static let fileName = "AuthKey.p8"

    /// The key kept in a directory; made on first use, for nobody but its owner to read.
    ///
    /// Throws `Authority.DirectoryProblem`, or what making keys throws.
    public static func kept(in directory: String) throws -> ServedKey {
        let path = "\(directory)/\(fileName)"
        if let data = FileManager.default.contents(atPath: path) {
            guard let key = try? ServedKey(pem: Array(data)) else {
                throw Authority.DirectoryProblem(
                    path: path, reason: "The file holds no private key.")
            }
            return key
        }
        let key = try ServedKey()
        try Authority.write(key.pem, to: path)
        return key
    }
}
