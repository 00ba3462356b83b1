import AppStore
import AppStoreAPI
import Intake
import LedgerStore
import Signing

/// Ids to request from Apple, read from a plain list (one per line) or a CSV export of another
/// service; without duplicates, in the order of the file.
public struct IdList: Sendable, Equatable {
    /// Any ids of customers: transactionIds, originalTransactionIds or appTransactionIds.
    public package(set) var ids: [String] = []
    /// The header of the CSV column with the ids; nil for a plain list.
    public package(set) var column: String?
    /// The first `BackfillLimits.badLineCount` lines without a usable id.
    public package(set) var badLines: [BadLine] = []
    /// The number of further such lines.
    public package(set) var badLinesOmitted = 0
    /// Number of duplicate ids.
    public package(set) var repeated = 0
    /// CSV records whose `store` is not known to be Apple's, by its name in letters and digits; the
    /// first `BackfillLimits.storeCount` names in order of appearance.
    public package(set) var stores: [Store] = []
    /// Records of stores beyond those.
    public package(set) var furtherStores = 0

    /// CSV records skipped because of their `store`.
    public var otherStores: Int { stores.reduce(furtherStores) { $0 + $1.count } }

    /// A store that is not known to be Apple's.
    public struct Store: Sendable, Equatable {
        /// Lower case, letters and digits only.
        public let name: String
        /// Number of its records.
        public package(set) var count: Int
    }

    /// A line without a usable id.
    public struct BadLine: Sendable, Equatable {
        /// From 1.
        public let line: Int
        public let reason: String
    }

    init() {}

    /// A list of the given ids without duplicates.
    public init(_ ids: [String]) {
        var reader = IdListReader()
        for (index, id) in ids.enumerated() { reader.take(id, line: index + 1) }
        self = reader.list
    }

    /// Why a text cannot be an id of Apple's; nil if it can.
    public static func flaw(_ id: String) -> String? {
        guard !id.isEmpty else { return "it has no id" }
        guard id.utf8.count <= BackfillLimits.idByteCount else {
            return "the id is too long"
        }
        guard id.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) else {
            return "it is not an Apple id: these have digits only"
        }
        return nil
    }

    /// Reads a whole list. Throws `noIdColumn`, `tooManyIds` or `unknownEncoding`.
    public init(reading bytes: [UInt8]) throws(InputProblem) {
        self = try IdListReader.read(bytes)
    }

    /// Reads a file of at most `longest` bytes, off the cooperative pool; `-` is standard input.
    /// Throws the errors of reading a list, `unreadable` or `tooLong`.
    public static func read(
        path: String, longest: Int = BackfillLimits.listByteCount
    ) async throws(InputProblem) -> IdList {
        try await Blocking.run { () throws(InputProblem) in
            guard let bytes = InputFile.read(path, limit: longest) else {
                throw InputProblem.unreadable(path)
            }
            guard bytes.count <= longest else { throw InputProblem.tooLong }
            return try IdList(reading: bytes)
        }
    }

    /// Identifies a run over the list: the app, the environments, whether refunds are requested,
    /// and the ids in order. Requesting more than last time starts a new run.
    func digest(
        _ bundleId: BundleId, in choice: EnvironmentChoice, includesRefunds: Bool
    ) -> Digest {
        var hasher = SHA256Hasher()
        // No id is empty, and none is a name, so neither of these collides with one.
        if !includesRefunds { hasher.update([0]) }
        var texts = [bundleId.rawValue] + ids
        if case .only(let environment) = choice { texts.append(environment.rawValue) }
        for text in texts {
            hasher.update(Array(text.utf8))
            hasher.update([0])
        }
        return hasher.finish()
    }
}
