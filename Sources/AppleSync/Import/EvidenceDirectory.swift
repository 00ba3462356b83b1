import Foundation
import LedgerStore

/// The files below a directory, ordered by name.
enum EvidenceDirectory {
    /// Paths relative to the directory. Skips hidden files, links and special files.
    static func files(
        in directory: String, limit: Int = ImportLimits.fileCount
    ) async throws(ImportProblem) -> [String] {
        try await Blocking.run { () throws(ImportProblem) in
            var found: [String] = []
            try collect(directory, "", depth: 0, limit, &found)
            return found
        }
    }

    private static func collect(
        _ root: String, _ place: String, depth: Int, _ limit: Int, _ found: inout [String]
    ) throws(ImportProblem) {
        let path = place.isEmpty ? root : "\(root)/\(place)"
        guard depth <= ImportLimits.depth else { throw .tooDeep(path) }
        guard let names = try? FileManager.default.contentsOfDirectory(atPath: path) else {
            throw .unreadableDirectory(path)
        }
        // By bytes, for the same order on every machine.
        for name in names.sorted(by: { $0.utf8.lexicographicallyPrecedes($1.utf8) })
        where !name.hasPrefix(".") {
            let inside = place.isEmpty ? name : "\(place)/\(name)"
            let type =
                try? FileManager.default.attributesOfItem(atPath: "\(root)/\(inside)")[.type]
                as? FileAttributeType
            switch type {
            case .typeDirectory: try collect(root, inside, depth: depth + 1, limit, &found)
            case .typeRegular:
                guard found.count < limit else { throw .tooManyFiles }
                found.append(inside)
            default: continue
            }
        }
    }
}
