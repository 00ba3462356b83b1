import AppStore

/// The operator's product configuration: the only input of an answer that Apple does not state
/// (`Lifecycle.md` §6). Answers carry its hash.
public struct Catalogue: Hashable, Sendable {
    public var products: [ProductId: Product]
    /// How long access continues while a renewal is overdue (`Lifecycle.md` §6, Leeway).
    public var leewayMilliseconds: Int64
    /// The trust at least one event about a chain must have for the chain to give access.
    public var minimumTrust = MinimumTrust.transport

    /// The lowest trust that can give access (`Lifecycle.md` §6, Minimum trust).
    public enum MinimumTrust: String, Sendable, CaseIterable {
        /// Apple's signature.
        case signed
        /// Apple's response over TLS, or higher.
        case transport
        /// The app's shared secret, or higher. A leaked secret allows any statement.
        case secret

        /// Whether a statement of this trust suffices. Xcode-signed statements always do: their
        /// ledger holds nothing else.
        public func admits(_ trust: Trust) -> Bool {
            trust == .xcode || trust >= least
        }

        private var least: Trust {
            switch self {
            case .signed: .signed
            case .transport: .transport
            case .secret: .secret
            }
        }
    }

    /// When each app's developer was in the Small Business Program. Proceeds cannot be estimated
    /// from payloads alone (`Metrics.md`, proceeds).
    public var smallBusinessProgram: [BundleId: [ProgramSpan]] = [:]

    /// A time `[from, to)` in one of Apple's programs.
    public struct ProgramSpan: HalfOpen, Hashable, Sendable {
        public var from: Timestamp
        /// Nil while it lasts.
        public var to: Timestamp?

        public init(from: Timestamp, to: Timestamp?) {
            self.from = from
            self.to = to
        }
    }

    public static let defaultLeewayMilliseconds: Int64 = 2 * 3_600_000
    /// The longest leeway of a configuration: 90 days, the longest time in which Apple still tries
    /// to collect a renewal (`Lifecycle.md` §2 rule 5, Cap).
    package static let longestLeewayMilliseconds: Int64 = 90 * 86_400_000

    public struct Product: Hashable, Sendable {
        public var entitlements: [String]
        public var group: String?
        /// Level inside the group; 1 is the highest service, as in App Store Connect.
        public var level: Int?
        public var period: ISO8601Period?
        /// How long a non-renewing purchase lasts.
        public var duration: ISO8601Period?

        public init(
            entitlements: [String] = [], group: String? = nil, level: Int? = nil,
            period: ISO8601Period? = nil, duration: ISO8601Period? = nil
        ) {
            self.entitlements = entitlements
            self.group = group
            self.level = level
            self.period = period
            self.duration = duration
        }
    }

    public init(
        products: [ProductId: Product] = [:],
        leewayMilliseconds: Int64 = Catalogue.defaultLeewayMilliseconds
    ) {
        self.products = products
        self.leewayMilliseconds = leewayMilliseconds
    }

    /// A canonical encoding: equal for catalogues of equal meaning, independent of input order.
    /// Callers with a hash function derive `catalogueHash` from it.
    public var canonicalBytes: [UInt8] {
        JSONWriter.object { json in
            json.member("leewayMilliseconds", leewayMilliseconds)
            json.member("minimumTrust", minimumTrust.rawValue)
            json.objects("products", products.sorted { $0.key < $1.key }) { json, entry in
                json.member("productId", entry.key.rawValue)
                json.array("entitlements", entry.value.entitlements.sorted())
                json.member("group", entry.value.group)
                json.member("level", entry.value.level.map(Int64.init))
                json.member("period", entry.value.period?.description)
                json.member("duration", entry.value.duration?.description)
            }
            // Omitted when empty, so that hashes of catalogues without the program do not change.
            guard !smallBusinessProgram.isEmpty else { return }
            json.objects(
                "smallBusinessProgram", smallBusinessProgram.sorted { $0.key < $1.key }
            ) { json, entry in
                json.member("bundleId", entry.key.rawValue)
                json.objects("spans", entry.value.sorted { $0.from < $1.from }) { json, span in
                    json.member("from", span.from)
                    json.member("to", span.to)
                }
            }
        }
    }
}
