@testable import Intake
@testable import Service

/// A configuration file: read, or refused with the faulty key.
struct ConfigurationTarget: FuzzTarget {
    let name = "configuration"
    let maximumByteCount = 4 * 1_024

    func seeds(_ source: SeedSource) -> [[UInt8]] {
        [ConfigurationTarget.full, "{}", "apps: []", "products: &p {a: {level: 1}}\nserver: *p"]
            .map { Array($0.utf8) }
    }

    func run(_ bytes: UnsafeBufferPointer<UInt8>) {
        let text = String(decoding: bytes, as: UTF8.self)
        let first = Result { try ServiceConfiguration(yaml: text) }
        let second = Result { try ServiceConfiguration(yaml: text) }
        switch (first, second) {
        case (.success(let left), .success(let right)):
            require(left == right, "equal texts give equal configurations")
        case (.failure(let error), .failure):
            guard let error = error as? ConfigurationError else {
                return require(false, "an error names its key")
            }
            require(!error.key.isEmpty && !error.reason.isEmpty, "an error has a reason")
        default: require(false, "equal texts give equal configurations")
        }
    }

    /// All settings (`Contract.md`, Files).
    private static let full = """
        dataDirectory: ./data
        apps:
          - bundleId: com.example.app
            appAppleId: 1234567890
            sharedSecretFile: ./secret
            api: { keyId: K, issuerId: I, privateKeyFile: ./key.p8, baseUrl: "http://localhost" }
        trustedRoots: [a.der, b.pem]
        products:
          com.example.monthly: { entitlements: [pro], group: pro, level: 1, period: P1M }
          com.example.pass: { entitlements: [pro], duration: P30D }
        customers: { claimPolicy: transfer }
        reportTimeZone: Europe/Berlin
        entitlement: { leeway: PT2H }
        server:
          host: 127.0.0.1
          port: 8080
          tokens: [ { name: ci, sha256: "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad", scopes: [read, write] } ]
        """
}
