internal import AppStore
internal import Foundation

/// The roots of a log's full blocks as a file of 32-byte hashes, beside the other derived files.
/// Every proof that rests on it is compared with the root of the log, so that a torn, old or
/// foreign file costs time only.
struct SubtreeRootFile: Sendable {
    private let path: String

    static let name = "subtree-roots.bin"

    init(directory: String) { path = "\(directory)/\(SubtreeRootFile.name)" }

    func roots() -> [Digest] {
        let bytes = FileManager.default.contents(atPath: path).map { Array($0) } ?? []
        let end = bytes.count - bytes.count % Digest.byteCount
        return stride(from: 0, to: end, by: Digest.byteCount).compactMap {
            Digest(bytes: bytes[$0..<($0 + Digest.byteCount)])
        }
    }

    /// Replaces the file. Where it cannot be written, the roots are computed again after a start.
    func replace(with roots: [Digest]) {
        try? Data(roots.flatMap(\.bytes)).write(to: URL(filePath: path), options: .atomic)
    }
}
