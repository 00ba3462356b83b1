import AppStore
import Intake
import Ledger
import Testing

@testable import Service

@Suite("Keys and texts of a configuration")
struct ConfigurationFormTests {
    /// So many letters, which are hexadecimal digits, too.
    private static func text(_ count: Int) -> String { String(repeating: "a", count: count) }

    private func error(_ yaml: String) -> ConfigurationError? {
        do throws(ConfigurationError) {
            _ = try ServiceConfiguration(yaml: yaml)
            return nil
        } catch { return error }
    }

    @Test("The error of an unknown key names the valid ones")
    func validKeys() {
        let found = error("databse: { url: x }")
        #expect(found?.code == .unknownKey && found?.key == "databse")
        for key in ["apps", "database", "server"] {
            #expect(found?.reason.contains(" \(key),") == true, "\(key)")
        }
    }

    @Test("A byte order mark is accepted")
    func byteOrderMark() throws {
        let read = try ServiceConfiguration(yaml: "\u{FEFF}dataDirectory: data")
        #expect(read.dataDirectory == "data")
        #expect(try ServiceConfiguration(yaml: "\u{FEFF}") == ServiceConfiguration())
        #expect(try CurrencyRates(yaml: "\u{FEFF}currency: USD").target == "USD")
    }

    @Test(
        "A text that cannot be what its key is for is refused",
        arguments: [
            ("dataDirectory: ''", "dataDirectory"), ("server: { host: '' }", "server.host"),
            ("server: { host: '127.0.0.1:80' }", "server.host"),
            ("server: { host: '[::1]' }", "server.host"),
            ("server: { host: 10.0.0.0/8 }", "server.host"),
            ("server: { host: 'http://a' }", "server.host"),
            ("products: { a: { period: P0D } }", "products.a.period"),
            ("products: { a: { duration: 0 } }", "products.a.duration"),
            ("products: { a: { level: 0 } }", "products.a.level"),
            ("products: { a: { level: -1 } }", "products.a.level"),
            ("products: { a: { group: \(text(201)) } }", "products.a.group"),
            ("products: { a: { entitlements: [b, b] } }", "products.a.entitlements"),
            ("products: { a: { entitlements: [''] } }", "products.a.entitlements"),
            ("products: { a: { entitlements: [\(text(201))] } }", "products.a.entitlements"),
            ("database: { url: u, poolSize: 0 }", "database.poolSize"),
            ("database: { url: u, poolSize: 65 }", "database.poolSize"),
            ("database: { url: u, schema: Books }", "database.schema"),
            ("database: { url: u, schema: 1a }", "database.schema"),
            ("database: { url: u, schema: pg_books }", "database.schema"),
            ("database: { url: u, schema: \(text(41)) }", "database.schema"),
            (
                "server: { tokens: [ { name: a, sha256: \(text(64)), scopes: [all] } ] }",
                "server.tokens[0].scopes"
            ),
            (
                "server: { tokens: [ { name: a, sha256: \(text(63)), scopes: [read] } ] }",
                "server.tokens[0].sha256"
            ),
            ("server: { notificationNetworks: [] }", "server.notificationNetworks"),
            ("server:\n  notificationNetworks:\n", "server.notificationNetworks"),
            ("server: { tokens: [] }", "server.tokens"),
            ("server:\n  tokens:\n", "server.tokens"),
            (
                "webhooks: [ { url: 'https://a.example', secretFile: s, types: [] } ]",
                "webhooks[0].types"
            ),
            (
                "apps: [ { bundleId: a, smallBusinessProgram: [ { from: -1 } ] } ]",
                "apps[0].smallBusinessProgram[0].from"
            ),
            (
                "apps: [ { bundleId: a, smallBusinessProgram: [ { from: 2026-01-01, to: 9 } ] } ]",
                "apps[0].smallBusinessProgram[0].to"
            ),
        ] as [(String, String)])
    func texts(yaml: String, key: String) {
        #expect(error(yaml)?.code == .invalidValue)
        #expect(error(yaml)?.key == key)
    }

    @Test(
        "A name, a number and a digest at the bound are accepted",
        arguments: [
            "products: { a: { level: 1, group: \(text(200)), entitlements: [\(text(200))] } }",
            "database: { url: u, poolSize: 1, schema: \(text(40)) }",
            "database: { url: u, poolSize: 64 }",
            "server: { tokens: [ { name: a, sha256: \(text(64)), scopes: [read] } ] }",
        ])
    func bounds(yaml: String) { #expect(error(yaml) == nil) }

    @Test("A product without entitlements grants itself, and one with an empty list nothing")
    func entitlements() throws {
        let yaml = "products: { a: {}, b: { entitlements: [] }, c: { entitlements: [d] } }"
        let products = try ServiceConfiguration(yaml: yaml).catalogue.products
        #expect(products[ProductId("a")]?.entitlements == ["a"])
        #expect(products[ProductId("b")]?.entitlements == [])
        #expect(products[ProductId("c")]?.entitlements == ["d"])
    }

    @Test(
        "A host is an address or a name",
        arguments: ["::1", "fe80::1%eth0", "0.0.0.0", "localhost", "db-1.example.com"])
    func hosts(host: String) throws {
        let read = try ServiceConfiguration(yaml: "server: { host: '\(host)' }")
        #expect(read.server.host == host)
    }

    @Test("A key whose settings are commented out misses them")
    func nothingBelow() {
        for (yaml, key) in [
            ("server:\n  tls:\n", "server.tls.certificateFile"),
            ("server:\n  proxyUsers:\n", "server.proxyUsers.header"), ("audit:\n", "audit.origin"),
            ("apps:\n  - bundleId: a\n    api:\n", "apps[0].api.keyId"),
        ] {
            #expect(error(yaml)?.code == .missingKey, "\(yaml)")
            #expect(error(yaml)?.key == key, "\(yaml)")
        }
    }

    @Test("The error of an appAppleId that another app has says so")
    func sameNumber() {
        let found = error(
            "apps: [ { bundleId: a, appAppleId: 7 }, { bundleId: b, appAppleId: 7 } ]")
        #expect(found?.code == .invalidValue && found?.key == "apps[1].appAppleId")
        #expect(found?.reason.contains("Another app") == true)
    }

    @Test("A number as a key is the same with and without quotes")
    func quotedKeys() throws {
        for key in ["123", "'123'"] {
            let read = try ServiceConfiguration(yaml: "products: { \(key): { level: 3 } }")
            #expect(read.catalogue.products[ProductId("123")]?.level == 3)
        }
        #expect(error("products: { 123: { level: 3 }, '123': { level: 2 } }")?.key == "products")
    }

    @Test("Reading takes time in proportion to the keys", .timeLimit(.minutes(1)))
    func manyKeys() throws {
        let products = (0..<40_000).map { "  p\($0): { level: 1 }\n" }.joined()
        let read = try ServiceConfiguration(yaml: "products:\n" + products)
        #expect(read.catalogue.products.count == 40_000)
    }
}
