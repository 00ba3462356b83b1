import Foundation
internal import Signing

/// Stores an authority, so that several runs of one history share a root.
extension Authority {
    /// Why an authority's directory cannot be used.
    public struct DirectoryProblem: Error, Sendable, CustomStringConvertible {
        public let path: String
        public let reason: String

        public var description: String { "\(path): \(reason)" }
    }

    /// The root's file inside the directory: DER.
    public static let rootFileName = "root.der"
    private static let intermediateFileName = "intermediate.der"
    private static let leafFileName = "leaf.der"
    private static let keyFileNames = ["root.key", "intermediate.key", "leaf.key"]
    /// Readable by the owner only, since the keys can sign anything the root is trusted for.
    private static let fileMode: mode_t = 0o600
    private static let directoryMode: mode_t = 0o700

    /// The authority kept in `directory`; where that is missing or empty, a new one of Apple's
    /// shape, written there with unencrypted private keys. For scratch directories only.
    ///
    /// Throws `DirectoryProblem`, or the errors of key generation.
    public static func kept(in directory: String) throws -> Authority {
        let names = try? FileManager.default.contentsOfDirectory(atPath: directory)
        if names?.isEmpty ?? true { try Authority().save(in: directory) }
        return try Authority(directory: directory)
    }

    private convenience init(directory: String) throws {
        func read(_ name: String) throws -> [UInt8] {
            let path = "\(directory)/\(name)"
            guard let data = FileManager.default.contents(atPath: path) else {
                throw DirectoryProblem(
                    path: path,
                    reason: "The file cannot be read, so the directory holds no authority.")
            }
            return Array(data)
        }
        func key(_ name: String) throws -> PrivateKey {
            do { return try PrivateKey(pem: try read(name)) } catch is SigningError {
                throw DirectoryProblem(
                    path: "\(directory)/\(name)", reason: "The file contains no private key.")
            }
        }
        self.init(
            shape: AuthorityShape(), rootKey: try key(Authority.keyFileNames[0]),
            rootDER: try read(Authority.rootFileName),
            intermediateKey: try key(Authority.keyFileNames[1]),
            intermediateDER: try read(Authority.intermediateFileName),
            leafKey: try key(Authority.keyFileNames[2]),
            leafDER: try read(Authority.leafFileName))
    }

    /// Writes certificates and keys into a new directory, which appears with all its files or not
    /// at all.
    private func save(in directory: String) throws {
        let unfinished = "\(directory).partial-\(getpid())"
        guard mkdir(unfinished, Authority.directoryMode) == 0 else {
            throw DirectoryProblem(
                path: unfinished,
                reason: "It cannot be created: \(String(cString: strerror(errno))).")
        }
        let keys = [rootKey, intermediateKey, leafKey]
        for (name, key) in zip(Authority.keyFileNames, keys) {
            try Authority.write(try key.pem(), to: "\(unfinished)/\(name)")
        }
        try Authority.write(rootDER, to: "\(unfinished)/\(Authority.rootFileName)")
        try Authority.write(
            intermediateDER, to: "\(unfinished)/\(Authority.intermediateFileName)")
        try Authority.write(leafDER, to: "\(unfinished)/\(Authority.leafFileName)")
        guard rename(unfinished, directory) == 0 else {
            let reason = "It cannot be renamed: \(String(cString: strerror(errno)))."
            try? FileManager.default.removeItem(atPath: unfinished)
            throw DirectoryProblem(path: directory, reason: reason)
        }
    }

    static func write(_ bytes: [UInt8], to path: String) throws {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, fileMode)
        guard descriptor >= 0 else {
            throw DirectoryProblem(
                path: path, reason: "It cannot be created: \(String(cString: strerror(errno))).")
        }
        let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        do { try file.write(contentsOf: bytes) } catch {
            throw DirectoryProblem(path: path, reason: "It cannot be written.")
        }
    }
}
