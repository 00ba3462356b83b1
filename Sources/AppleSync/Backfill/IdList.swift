import AppStore
import Foundation
import LedgerStore
import Signing

/// Ids to ask Apple about, from a plain list (one a line) or a CSV export of another service, each
/// once and in the order of the file.
public struct IdList: Sendable, Equatable {
    /// Any ids of customers: transactionIds, originalTransactionIds or appTransactionIds.
    public package(set) var ids: [String] = []
    /// The CSV column the ids were taken from, as its header names it; nil of a plain list.
    public package(set) var column: String?
    /// Lines without a usable id, the first `BackfillLimits.badLineCount`.
    public package(set) var badLines: [BadLine] = []
    /// Those beyond.
    public package(set) var badLinesOmitted = 0
    /// Ids that stood in the list before.
    public package(set) var repeated = 0
    /// CSV records whose `store` is not known to be Apple's, by its name in letters and digits; in
    /// order of appearance, the first `BackfillLimits.storeCount` names.
    public package(set) var stores: [Store] = []
    /// Records of stores beyond those.
    public package(set) var furtherStores = 0

    /// CSV records that were left out because of their `store`.
    public var otherStores: Int { stores.reduce(furtherStores) { $0 + $1.count } }

    /// A store that is not known to be Apple's.
    public struct Store: Sendable, Equatable {
        /// Lower case, letters and digits only.
        public let name: String
        /// Its records.
        public package(set) var count: Int
    }

    /// A line that holds no id.
    public struct BadLine: Sendable, Equatable {
        /// From 1.
        public let line: Int
        public let reason: String
    }

    /// A list that nothing was read into yet.
    init() {}

    /// A list of these ids, each once.
    public init(_ ids: [String]) {
        var reader = IdListReader()
        for (index, id) in ids.enumerated() { reader.take(id, line: index + 1) }
        self = reader.list
    }

    /// Why a text is no id of Apple's; nil for what may be one.
    public static func flaw(_ id: String) -> String? {
        guard !id.isEmpty else { return "it holds no id" }
        guard id.utf8.count <= BackfillLimits.idByteCount else {
            return "it is too long for an id"
        }
        guard id.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) else {
            return "it is no id of Apple's: those have digits only"
        }
        return nil
    }

    /// Reads a whole list. Throws `noIdColumn`, `tooManyIds` or `unknownEncoding`.
    public init(reading bytes: [UInt8]) throws(IdListProblem) {
        self = try IdListReader.read(bytes)
    }

    /// Reads a file, off the cooperative pool; `-` is standard input. Throws what reading the list
    /// throws, `unreadable` or `tooLong`.
    public static func read(path: String) async throws(IdListProblem) -> IdList {
        try await read(path: path, longest: BackfillLimits.listByteCount)
    }

    /// - Parameter longest: bytes that the file may have.
    static func read(path: String, longest: Int) async throws(IdListProblem) -> IdList {
        try await Blocking.run { () throws(IdListProblem) in
            try IdList(reading: try bytes(path, longest))
        }
    }

    private static func bytes(_ path: String, _ longest: Int) throws(IdListProblem) -> [UInt8] {
        var isDirectory: ObjCBool = false
        let exists = FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory)
        let handle = path == "-" ? .standardInput : FileHandle(forReadingAtPath: path)
        guard path == "-" || exists && !isDirectory.boolValue, let handle else {
            throw .unreadable(path)
        }
        defer { if path != "-" { try? handle.close() } }
        var bytes: [UInt8] = []
        do {
            while let piece = try handle.read(upToCount: 1_024 * 1_024), !piece.isEmpty {
                bytes += piece
                guard bytes.count <= longest else {
                    throw IdListProblem.tooLong
                }
            }
        } catch let problem as IdListProblem {
            throw problem
        } catch { throw .unreadable(path) }
        return bytes
    }

    /// What a run over the list is known by: the app, what is asked of each id, and the ids in their
    /// order. Who asks for more than last time begins anew.
    func digest(_ bundleId: BundleId, includesRefunds: Bool) -> Digest {
        var hasher = SHA256Hasher()
        // No id is empty.
        if !includesRefunds { hasher.update([0]) }
        for text in [bundleId.rawValue] + ids {
            hasher.update(Array(text.utf8))
            hasher.update([0])
        }
        return hasher.finish()
    }
}
