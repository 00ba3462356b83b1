internal import AppStore
internal import Foundation

/// The roots of a log's full blocks as a file of 32-byte hashes, next to the other derived files.
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

    /// Writes the roots that follow the first `count`; without these, replaces the file. Where it
    /// cannot be written, the roots are computed again after a start.
    func write(_ roots: [Digest], after count: Int) {
        let data = Data(roots.flatMap(\.bytes))
        guard count > 0 else {
            try? data.write(to: URL(filePath: path), options: .atomic)
            return
        }
        // `roots` reads through a link; writing through one would change another file.
        let descriptor = open(path, O_WRONLY | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else { return }
        let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        defer { try? file.close() }
        try? file.seek(toOffset: UInt64(count * Digest.byteCount))
        try? file.write(contentsOf: data)
    }
}
