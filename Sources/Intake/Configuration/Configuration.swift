public import AppStore
public import Ledger

/// All settings of an operator (`Contract.md`, Files). Flags and SUBLEDGER_* variables override the
/// file.
public struct Configuration: Sendable, Equatable {
    public var dataDirectory: String
    /// Nil: log and operational state are files in the data directory.
    public var database: Database?
    public var apps: [App]
    /// The other apps of the file after `limit(to:)`. Their evidence is not accepted; their shared
    /// secrets are known so that no copy of refused evidence keeps them, and for audits of the log.
    public private(set) var otherApps: [App] = []
    /// Paths of extra trusted roots, DER or PEM.
    public var trustedRoots: [String]
    public var verification = Verification()
    public var catalogue: Catalogue
    public var claimPolicy: ClaimPolicy
    /// An IANA name.
    public var reportTimeZone: String

    public static let defaultDataDirectory = "./subledger-data"

    /// One app whose evidence is accepted.
    public struct App: Sendable, Equatable {
        public var bundleId: BundleId
        /// The setting it was read from, for messages.
        public var key = "apps[0]"
        /// Compared in Production only.
        public var appAppleId: Int64?
        public var sharedSecretFile: String?
        public var api: API?

        public init(
            bundleId: BundleId, appAppleId: Int64? = nil, sharedSecretFile: String? = nil,
            api: API? = nil
        ) {
            self.bundleId = bundleId
            self.appAppleId = appAppleId
            self.sharedSecretFile = sharedSecretFile
            self.api = api
        }
    }

    /// What is checked besides signatures (`verification:`).
    public struct Verification: Sendable, Equatable {
        /// Whether responders are queried about certificates.
        public var revocation = RevocationPolicy.off

        public init() {}
    }

    /// Access to the App Store Server API.
    public struct API: Sendable, Equatable {
        public var keyId: String
        public var issuerId: String
        public var privateKeyFile: String
        /// Replaces both of Apple's hosts.
        public var baseUrl: String?

        /// Access with the key in a `.p8` file.
        public init(
            keyId: String, issuerId: String, privateKeyFile: String, baseUrl: String? = nil
        ) {
            self.keyId = keyId
            self.issuerId = issuerId
            self.privateKeyFile = privateKeyFile
            self.baseUrl = baseUrl
        }
    }

    public init(
        dataDirectory: String = Configuration.defaultDataDirectory, apps: [App] = [],
        trustedRoots: [String] = [], catalogue: Catalogue = Catalogue(),
        claimPolicy: ClaimPolicy = .transfer, reportTimeZone: String = "UTC"
    ) {
        self.dataDirectory = dataDirectory
        self.apps = apps
        self.trustedRoots = trustedRoots
        self.catalogue = catalogue
        self.claimPolicy = claimPolicy
        self.reportTimeZone = reportTimeZone
    }

    public func app(_ bundleId: BundleId) -> App? { apps.first { $0.bundleId == bundleId } }

    /// Accepts evidence of one app only, configured or not.
    public mutating func limit(to bundleId: BundleId) {
        let named = app(bundleId) ?? App(bundleId: bundleId)
        otherApps = apps.filter { $0.bundleId != bundleId }
        apps = [named]
    }
}
