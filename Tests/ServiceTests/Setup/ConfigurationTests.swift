import AppStore
import Intake
import Ledger
import Signing
import Testing

@testable import Service

@Suite("Configuration")
struct ConfigurationTests {
    /// Every key.
    static let full = """
        dataDirectory: ./elsewhere
        database: { url: "postgresql://log@db/main", schema: books, poolSize: 8 }
        apps:
          - bundleId: com.example.app
            appAppleId: 1234567890
            sharedSecretFile: ./shared-secret
            api:
              { keyId: ABC123, issuerId: 57246542-96fe-1a63-e053-0824d011072a,
                privateKeyFile: ./AuthKey.p8, baseUrl: "http://127.0.0.1:8081" }
          - bundleId: com.example.second
        trustedRoots: [./one.der, ./two.pem]
        verification: { revocation: require }
        products:
          com.example.pro.monthly: { entitlements: [pro], group: pro, level: 1, period: P1M }
          com.example.pass: { entitlements: [pro], duration: P30D }
        customers: { claimPolicy: share }
        reportTimeZone: Europe/Berlin
        entitlement: { leeway: PT2H }
        server:
          host: 0.0.0.0
          port: 8443
          tokens: [ { name: ci, sha256: "\(digest)", scopes: [read, write, admin] } ]
          tls: { certificateFile: ./tls.pem, privateKeyFile: ./tls.key }
          publicUrl: https://ledger.example.com
          trustedProxies: [ 10.0.0.0/8 ]
          proxyUsers: { header: X-Forwarded-User, scopes: [support, write] }
          notificationNetworks: [ 17.0.0.0/8 ]
          log: { format: json, level: debug }
        """

    /// SHA-256 of "abc" (FIPS 180-4, examples).
    private static let digest =
        "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"

    private func error(_ yaml: String) -> ConfigurationError? {
        do throws(ConfigurationError) {
            _ = try ServiceConfiguration(yaml: yaml)
            return nil
        } catch { return error }
    }

    @Test("Every key of the contract is read")
    func everyKey() throws {
        let read = try ServiceConfiguration(yaml: ConfigurationTests.full)
        #expect(read.dataDirectory == "./elsewhere")
        #expect(
            read.ledger.database
                == .init(url: "postgresql://log@db/main", schema: "books", poolSize: 8))
        #expect(read.apps.map(\.bundleId.rawValue) == ["com.example.app", "com.example.second"])
        let app = try #require(read.ledger.app(BundleId("com.example.app")))
        #expect(app.appAppleId == 1_234_567_890)
        #expect(app.sharedSecretFile == "./shared-secret")
        #expect(app.api?.keyId == "ABC123")
        #expect(app.api?.issuerId == "57246542-96fe-1a63-e053-0824d011072a")
        #expect(app.api?.privateKeyFile == "./AuthKey.p8")
        #expect(app.api?.baseUrl == "http://127.0.0.1:8081")
        #expect(read.apps[1].appAppleId == nil)
        #expect(read.apps[1].api == nil)
        #expect(read.trustedRoots == ["./one.der", "./two.pem"])
        #expect(read.verification.revocation == .require)
        #expect(read.claimPolicy == .share)
        #expect(read.reportTimeZone == "Europe/Berlin")
        #expect(read.catalogue.leewayMilliseconds == 7_200_000)
        #expect(read.server.host == "0.0.0.0")
        #expect(read.server.port == 8443)
        #expect(read.server.tokens.map(\.name) == ["ci"])
        #expect(read.server.tokens.map(\.digest) == [SHA256.hash(Array("abc".utf8))])
        #expect(read.server.tokens.map(\.scopes) == [[.read, .write, .admin]])
        #expect(read.server.tls?.certificateFile == "./tls.pem")
        #expect(read.server.tls?.privateKeyFile == "./tls.key")
        #expect(read.server.publicUrl == "https://ledger.example.com")
        #expect(read.server.consoleOrigin == "https://ledger.example.com")
        #expect(read.server.trustedProxies == [NetworkRange("10.0.0.0/8")])
        #expect(read.server.proxyUsers?.header == "X-Forwarded-User")
        #expect(read.server.proxyUsers?.scopes == [.support, .write])
        #expect(read.server.notificationNetworks == [NetworkRange("17.0.0.0/8")])
        #expect(read.server.log.format == .json)
        #expect(read.server.log.level == .debug)
    }

    @Test(
        "Users of proxies need a header that is no secret, scopes, proxies and tokens",
        arguments: [
            ("header: '', scopes: [read]", true), ("header: X User, scopes: [read]", true),
            ("header: Authorization, scopes: [read]", true),
            ("header: COOKIE, scopes: [read]", true), ("header: X-User, scopes: []", true),
            ("header: X-User, scopes: [all]", true), ("header: X-User, scopes: [read]", false),
        ])
    func proxyUsers(_ users: String, _ isRefused: Bool) {
        let tokens = "tokens: [ { name: a, sha256: \(ConfigurationTests.digest), scopes: [read] } ]"
        let proxies = "trustedProxies: [ 10.0.0.0/8 ]"
        let found = error("server: { \(tokens), \(proxies), proxyUsers: { \(users) } }")
        #expect((found?.key.hasPrefix("server.proxyUsers") == true) == isRefused)
        for alone in [tokens, proxies] {
            let found = error("server: { \(alone), proxyUsers: { \(users) } }")
            #expect(found?.key.hasPrefix("server.proxyUsers") == true)
        }
    }

    @Test(
        "publicUrl is an address without a path",
        arguments: [
            "", "ledger.example.com", "ftp://ledger.example.com", "https://", "https://a/",
            "https://a/console", "https://a?b", "https://a#b", "https://u@a", "https://a b",
            "https://a:0", "https://a:65536", "https://" + String(repeating: "a", count: 249),
        ])
    func publicUrl(_ text: String) {
        let found = error("server: { publicUrl: \"\(text)\" }")
        #expect(found?.code == .invalidValue && found?.key == "server.publicUrl")
    }

    @Test("The console's address is publicUrl, else a loopback address, else unknown")
    func consoleOrigin() throws {
        var server = ServiceConfiguration.Server()
        #expect(server.consoleOrigin == "http://127.0.0.1:8080")
        server.host = "::1"
        #expect(server.consoleOrigin == "http://[::1]:8080")
        server.tls = .init(certificateFile: "a", privateKeyFile: "b")
        #expect(server.consoleOrigin == "https://[::1]:8080")
        server.port = 0
        #expect(server.consoleOrigin == "")
        (server.host, server.port) = ("0.0.0.0", 8080)
        #expect(server.consoleOrigin == "")
        let longest = "https://" + String(repeating: "a", count: 248)
        let read = try ServiceConfiguration(yaml: "server: { publicUrl: \"\(longest)\" }")
        #expect(read.server.consoleOrigin == longest)
    }

    @Test("The catalogue is read")
    func catalogue() throws {
        let products = try ServiceConfiguration(yaml: ConfigurationTests.full).catalogue.products
        #expect(products.count == 2)
        let monthly = try #require(products[ProductId("com.example.pro.monthly")])
        #expect(monthly.entitlements == ["pro"])
        #expect(monthly.group == "pro")
        #expect(monthly.level == 1)
        #expect(monthly.period == ISO8601Period(months: 1))
        #expect(monthly.duration == nil)
        let pass = try #require(products[ProductId("com.example.pass")])
        #expect(pass.duration == ISO8601Period(days: 30))
        #expect(pass.group == nil)
    }

    @Test(
        "A relative data directory is relative to its configuration file",
        arguments: [
            ("data", "/etc/ledger/subledger.yaml", "/etc/ledger/data"),
            ("./data", "conf/subledger.yaml", "conf/./data"), ("../data", "/c.yaml", "/../data"),
            ("data", "subledger.yaml", "data"), ("/data", "/etc/subledger.yaml", "/data"),
        ])
    func dataDirectory(stated: String, file: String, meant: String) throws {
        let text = "dataDirectory: \(stated)"
        #expect(try ServiceConfiguration(yaml: text, from: file).dataDirectory == meant)
        #expect(try ServiceConfiguration(yaml: text).dataDirectory == stated)
        let silent = try ServiceConfiguration(yaml: "", from: file).dataDirectory
        #expect(silent == Configuration.defaultDataDirectory)
    }

    @Test("An empty file is the default", arguments: ["", "\n", "# nothing\n", "---\n", "{}"])
    func empty(yaml: String) throws {
        let read = try ServiceConfiguration(yaml: yaml)
        #expect(read == ServiceConfiguration())
        #expect(read.dataDirectory == "./subledger-data")
        #expect(read.apps.isEmpty)
        #expect(read.trustedRoots.isEmpty)
        #expect(read.verification.revocation == .off)
        #expect(read.claimPolicy == .transfer)
        #expect(read.reportTimeZone == "UTC")
        #expect(read.catalogue.leewayMilliseconds == 7_200_000)
        #expect(read.server.host == "127.0.0.1")
        #expect(read.server.port == 8080)
        #expect(read.server.tokens.isEmpty)
    }

    @Test(
        "An unknown key is an error that names its path",
        arguments: [
            ("dataDir: x", "dataDir"), ("DataDirectory: x", "DataDirectory"),
            ("apps: [ { bundleId: a, bundelId: b } ]", "apps[0].bundelId"),
            ("apps: [ { bundleId: a }, { bundleId: b, name: c } ]", "apps[1].name"),
            (
                "apps: [{ bundleId: a, api: { keyId: k, issuerId: i, privateKeyFile: p, x: u } }]",
                "apps[0].api.x"
            ),
            ("products: { p: { entitlement: [a] } }", "products.p.entitlement"),
            ("customers: { policy: keep }", "customers.policy"),
            ("entitlement: { leway: PT1H }", "entitlement.leway"),
            ("server: { hots: a }", "server.hots"),
            ("verification: { revocations: off }", "verification.revocations"),
            (
                "server: { tokens: [ { name: a, sha256: b, scope: [read] } ] }",
                "server.tokens[0].scope"
            ),
        ])
    func unknownKeys(yaml: String, key: String) {
        #expect(error(yaml)?.code == .unknownKey)
        #expect(error(yaml)?.key == key)
    }

    @Test(
        "A required key that is missing or empty is named",
        arguments: [
            ("database:", "database.url"),
            ("apps: [ { appAppleId: 1 } ]", "apps[0].bundleId"),
            ("apps: [ { bundleId: '' } ]", "apps[0].bundleId"),
            (
                "apps: [ { bundleId: a, api: { issuerId: i, privateKeyFile: p } } ]",
                "apps[0].api.keyId"
            ),
            (
                "apps: [ { bundleId: a, api: { keyId: k, privateKeyFile: p } } ]",
                "apps[0].api.issuerId"
            ),
            (
                "apps: [ { bundleId: a, api: { keyId: k, issuerId: i } } ]",
                "apps[0].api.privateKeyFile"
            ),
            ("server: { tokens: [ { sha256: b } ] }", "server.tokens[0].name"),
            ("server: { tokens: [ { name: b } ] }", "server.tokens[0].sha256"),
            (
                "server: { tokens: [ { name: b, sha256: c, scopes: [] } ] }",
                "server.tokens[0].scopes"
            ),
        ])
    func missingKeys(yaml: String, key: String) {
        #expect(error(yaml)?.code == .missingKey)
        #expect(error(yaml)?.key == key)
    }

    @Test(
        "A value of the wrong kind is named",
        arguments: [
            ("[1, 2]", "file"), ("just words", "file"), ("apps: com.example.app", "apps"),
            ("apps: [ com.example.app ]", "apps[0]"),
            ("apps: [ { bundleId: [a] } ]", "apps[0].bundleId"),
            ("apps: [ { bundleId: a, appAppleId: many } ]", "apps[0].appAppleId"),
            ("apps: [ { bundleId: a, appAppleId: 1.5 } ]", "apps[0].appAppleId"),
            ("apps: [ { bundleId: a }, { bundleId: a } ]", "apps[1].bundleId"),
            ("trustedRoots: one.der", "trustedRoots"),
            ("trustedRoots: [ [a] ]", "trustedRoots"),
            ("products: { p: { level: first } }", "products.p.level"),
            ("products: { p: { period: monthly } }", "products.p.period"),
            ("products: { p: { duration: 30 } }", "products.p.duration"),
            ("customers: { claimPolicy: steal }", "customers.claimPolicy"),
            ("entitlement: { leeway: long }", "entitlement.leeway"),
            ("entitlement: { leeway: P1M }", "entitlement.leeway"),
            ("entitlement: { leeway: P90DT1S }", "entitlement.leeway"),
            ("entitlement: { minimumTrust: operator }", "entitlement.minimumTrust"),
            ("entitlement: { minimumTrust: Signed }", "entitlement.minimumTrust"),
            ("server: { port: 65536 }", "server.port"),
            ("server: { port: -1 }", "server.port"),
            ("server: 8080", "server"), ("verification: off", "verification"),
            (
                "retention: [ { name: a, message: 758883e8-151b-47b7-abd0-60c4d804c2f5, refunds: { from: -1 } } ]",
                "retention[0].refunds.from"
            ),
            (
                "retention: [ { name: a, message: 758883e8-151b-47b7-abd0-60c4d804c2f5, refunds: { from: 2, below: 2 } } ]",
                "retention[0].refunds.below"
            ),
            ("verification: { revocation: on }", "verification.revocation"),
            ("verification: { revocation: Require }", "verification.revocation"),
        ])
    func wrongKinds(yaml: String, key: String) {
        #expect(error(yaml)?.code == .invalidValue)
        #expect(error(yaml)?.key == key)
    }

    @Test(
        "Invalid YAML is reported without repeating it",
        arguments: ["apps: [", "\tdataDirectory: x", "a: b: c", "secret-4711: 'x"])
    func invalidYAML(yaml: String) {
        let found = error(yaml)
        #expect(found?.code == .invalidYAML)
        #expect(found?.description.contains("4711") == false)
    }

    @Test(
        "A reference to an app that is not configured, and an id that two have, are refused",
        arguments: [
            (
                """
                apps: [ { bundleId: a } ]
                webhooks: [ { url: 'https://a.example/', secretFile: s, bundleId: b } ]
                """, "webhooks[0].bundleId"
            ),
            (
                """
                apps: [ { bundleId: a } ]
                retention:
                  - { name: n, message: 758883E8-151B-47B7-ABD0-60C4D804C2F5, bundleId: b }
                """, "retention[0].bundleId"
            ),
            (
                """
                server:
                  tokens:
                    - { name: a, sha256: \(digest), scopes: [read] }
                    - { name: b, sha256: \(digest), scopes: [admin] }
                """, "server.tokens[1].sha256"
            ),
            ("apps: [ { bundleId: a, appAppleId: -1 } ]", "apps[0].appAppleId"),
        ] as [(String, String)])
    func references(yaml: String, key: String) {
        #expect(error(yaml)?.code == .invalidValue)
        #expect(error(yaml)?.key == key)
        // The same, of an app that is configured.
        let repaired = yaml.replacing("bundleId: b }", with: "bundleId: a }")
        if repaired != yaml { #expect(error(repaired) == nil) }
    }

    @Test("Invalid YAML is reported with its place, and a key that is there twice by its name")
    func faults() {
        let twice = error("server:\n  port: 1\n  host: a\n  port: 2")
        #expect(twice?.code == .invalidYAML)
        #expect(twice?.reason.contains("first in line 2: port.") == true)
        let open = error("server:\n  host: 'x")
        #expect(open?.code == .invalidYAML)
        #expect(open?.reason.contains("line ") == true)
    }

    @Test(
        "Leeway is a duration of at most 90 days; 0 turns it off",
        arguments: [("0", 0), ("PT0S", 0), ("PT2H", 7_200_000), ("P90D", 7_776_000_000)]
            as [(String, Int64)])
    func leeway(text: String, milliseconds: Int64) throws {
        let read = try ServiceConfiguration(yaml: "entitlement: { leeway: \(text) }")
        #expect(read.catalogue.leewayMilliseconds == milliseconds)
    }

    @Test(
        "The least trust for access is one of three ranks",
        arguments: Catalogue.MinimumTrust.allCases)
    func minimumTrust(level: Catalogue.MinimumTrust) throws {
        let read = try ServiceConfiguration(
            yaml: "entitlement: { minimumTrust: \(level.rawValue) }")
        #expect(read.catalogue.minimumTrust == level)
        #expect(try ServiceConfiguration(yaml: "").catalogue.minimumTrust == .transport)
    }

    @Test("Revocation is off, reported or required", arguments: RevocationPolicy.allCases)
    func revocation(policy: RevocationPolicy) throws {
        let read = try ServiceConfiguration(
            yaml: "verification: { revocation: \(policy.rawValue) }")
        #expect(read.verification.revocation == policy)
    }

    @Test("A port is accepted up to its bounds", arguments: [0, 1, 65_535])
    func ports(port: Int) throws {
        #expect(try ServiceConfiguration(yaml: "server: { port: \(port) }").server.port == port)
    }

    @Test(
        "Products, leeway and minimum trust determine the catalogue's identity; nothing else does")
    func catalogueIdentity() throws {
        func bytes(_ yaml: String) throws -> [UInt8] {
            try ServiceConfiguration(yaml: yaml).catalogue.canonicalBytes
        }
        let base = try bytes("products: { a: { level: 1 }, b: { level: 2 } }")
        #expect(try bytes("products: { b: { level: 2 }, a: { level: 1 } }") == base)
        #expect(
            try bytes("reportTimeZone: UTC\nproducts: { a: { level: 1 }, b: { level: 2 } }") == base
        )
        #expect(try bytes("products: { a: { level: 2 }, b: { level: 2 } }") != base)
        #expect(try bytes("products: { a: { level: 1 } }") != base)
        #expect(
            try bytes("products: { a: { level: 1 }, b: { level: 2 } }\nentitlement: { leeway: 0 }")
                != base)
        #expect(
            try bytes(
                "products: { a: { level: 1 }, b: { level: 2 } }"
                    + "\nentitlement: { minimumTrust: secret }") != base)
    }
}
