public import AppStore
internal import Intake

/// One app in one environment: whom one of Apple's keys answers about.
public struct MigrationScope: Hashable, Comparable, Sendable {
    public let bundleId: BundleId
    public let environment: Environment

    /// Production first, then by app.
    public static func < (left: MigrationScope, right: MigrationScope) -> Bool {
        if left.environment != right.environment { return left.environment == .production }
        return left.bundleId < right.bundleId
    }
}

/// What a directory of stored receipts holds, and whom it names.
public struct StoredEvidence: Sendable {
    /// Where the files are.
    public let directory: String
    /// From the directory on, in the order of their names.
    public let files: [String]
    public package(set) var receipts = 0
    public package(set) var responses = 0
    public package(set) var notifications = 0
    /// Of iOS 6: ids only.
    public package(set) var transactionReceipts = 0
    /// What holds nothing usable, the first `MigrationLimits.badInputCount`.
    public package(set) var badInputs: [BadInput] = []
    public package(set) var badInputsOmitted = 0
    /// Pieces of environments that are not asked about.
    public package(set) var otherEnvironments = 0
    /// Pieces of apps that are not configured, by app; those that name none under "".
    public package(set) var otherApps: [BundleId: Int] = [:]
    private var known: [MigrationScope: Set<String>] = [:]
    private var ordered: [MigrationScope: [String]] = [:]

    init(directory: String, files: [String]) {
        self.directory = directory
        self.files = files
    }

    /// A file or line that holds nothing usable.
    public struct BadInput: Sendable, Equatable {
        /// The file from the directory on; of lines with the number.
        public let input: String
        public let code: String
        public let message: String
    }

    /// Apps and environments with customers, in order.
    public var scopes: [MigrationScope] { ordered.keys.sorted() }

    /// Distinct ids of customers, in the order they were found.
    public func ids(of scope: MigrationScope) -> [String] { ordered[scope] ?? [] }

    /// Customers in all.
    public var customerCount: Int { ordered.values.reduce(0) { $0 + $1.count } }

    /// Pieces of evidence that were understood.
    public var pieceCount: Int { receipts + responses + notifications + transactionReceipts }

    /// Files and lines that hold nothing usable.
    public var badInputCount: Int { badInputs.count + badInputsOmitted }

    mutating func count(_ form: StoredPiece.Form) {
        switch form {
        case .receipt: receipts += 1
        case .response: responses += 1
        case .notification: notifications += 1
        case .transactionReceipt: transactionReceipts += 1
        }
    }

    mutating func add(_ ids: [String], to scope: MigrationScope) {
        for id in ids where known[scope, default: []].insert(id).inserted {
            ordered[scope, default: []].append(id)
        }
    }

    mutating func add(_ bad: BadInput) {
        if badInputs.count < MigrationLimits.badInputCount {
            badInputs.append(bad)
        } else {
            badInputsOmitted += 1
        }
    }
}

extension StoredEvidence.BadInput {
    init(_ problem: UnreadableInput) {
        self.init(input: problem.input, code: problem.code, message: problem.message)
    }
}
