import Foundation
import LedgerStore

/// The files below a directory, ordered by name.
enum EvidenceDirectory {
    struct Contents: Sendable {
        /// Paths relative to the directory.
        var files: [String] = []
        /// Paths of what cannot be read, because its name is not UTF-8: with U+FFFD for the bytes
        /// that are not.
        var unnamed: [String] = []
    }

    /// Skips hidden files, links and special files.
    static func contents(
        of directory: String, limit: Int = ImportLimits.fileCount
    ) async throws(InputProblem) -> Contents {
        try await Blocking.run { () throws(InputProblem) in
            var found = Contents()
            try collect(directory, "", depth: 0, limit, &found)
            return found
        }
    }

    private static func collect(
        _ root: String, _ place: String, depth: Int, _ limit: Int, _ found: inout Contents
    ) throws(InputProblem) {
        let path = place.isEmpty ? root : "\(root)/\(place)"
        guard depth <= ImportLimits.depth else { throw .tooDeep(path) }
        guard let names = names(in: path) else { throw .unreadableDirectory(path) }
        // By bytes, for the same order on every machine.
        for bytes in names.sorted(by: { $0.lexicographicallyPrecedes($1) })
        where bytes.first != UInt8(ascii: ".") {
            let name = String(decoding: bytes, as: UTF8.self)
            let inside = place.isEmpty ? name : "\(place)/\(name)"
            guard name.utf8.elementsEqual(bytes) else {
                try require(found, below: limit)
                found.unnamed.append(inside)
                continue
            }
            let type =
                try? FileManager.default.attributesOfItem(atPath: "\(root)/\(inside)")[.type]
                as? FileAttributeType
            switch type {
            case .typeDirectory: try collect(root, inside, depth: depth + 1, limit, &found)
            // Of what the system does not describe, reading says why.
            case .typeRegular, nil:
                try require(found, below: limit)
                found.files.append(inside)
            default: continue
            }
        }
    }

    private static func require(
        _ found: Contents, below limit: Int
    ) throws(InputProblem) {
        guard found.files.count + found.unnamed.count < limit else { throw .tooManyFiles }
    }

    /// The names in a directory as bytes, since `FileManager` leaves out those that are not UTF-8;
    /// nil where it cannot be read.
    private static func names(in path: String) -> [[UInt8]]? {
        guard let directory = opendir(path) else { return nil }
        defer { closedir(directory) }
        var names: [[UInt8]] = []
        while true {
            errno = 0
            guard let entry = readdir(directory) else { return errno == 0 ? names : nil }
            names.append(
                withUnsafeBytes(of: &entry.pointee.d_name) { Array($0.prefix { $0 != 0 }) })
        }
    }
}
