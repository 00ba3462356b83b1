// swift-tools-version: 6.2
import PackageDescription

/// Set by `make fuzz`, which uses a separate build directory; other builds are unaffected.
let isFuzzing = Context.environment["SUBLEDGER_FUZZ"] != nil

/// libFuzzer coverage, the address sanitizer, and assertions in optimised code.
let instrumented: [SwiftSetting] = [
    .unsafeFlags([
        "-sanitize=fuzzer,address", "-assert-config", "Debug", "-enable-testing",
    ])
]

/// Settings every Swift target shares.
/// ExistentialAny: SE-0335. MemberImportVisibility: SE-0444.
let strict: [SwiftSetting] =
    [
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("MemberImportVisibility"),
    ] + (isFuzzing ? instrumented : [])

/// NonisolatedNonsendingByDefault (SE-0461): async calls stay on the caller's executor. Not in
/// `Web`, whose functions must match Hummingbird's types.
let staying: [SwiftSetting] =
    strict + [
        .enableUpcomingFeature("NonisolatedNonsendingByDefault")
    ]

let package = Package(
    name: "subledger",
    products: [
        .library(name: "AppStore", targets: ["AppStore"]),
        .library(name: "Signing", targets: ["Signing"]),
        .library(name: "Ledger", targets: ["Ledger"]),
        .library(name: "LedgerStore", targets: ["LedgerStore"]),
        .library(name: "AppStoreAPI", targets: ["AppStoreAPI"]),
        .library(name: "SQLiteStore", targets: ["SQLiteStore"]),
        .library(name: "PostgresStore", targets: ["PostgresStore"]),
        .library(name: "Intake", targets: ["Intake"]),
        .library(name: "Projection", targets: ["Projection"]),
        .library(name: "Queries", targets: ["Queries"]),
        .library(name: "Reports", targets: ["Reports"]),
        .library(name: "AppleSync", targets: ["AppleSync"]),
        .library(name: "Proofs", targets: ["Proofs"]),
        .library(name: "Service", targets: ["Service"]),
        .library(name: "Web", targets: ["Web"]),
        .executable(name: "subledger", targets: ["subledger"]),
    ],
    // What links PostgresStore depends on it under this trait: without it libpq is not needed.
    traits: [
        .default(enabledTraits: ["PostgreSQL"]),
        .trait(name: "PostgreSQL", description: "The log in PostgreSQL; needs libpq."),
    ],
    dependencies: [
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0"),
        .package(url: "https://github.com/jpsim/Yams", from: "6.2.0"),
        // Without traits, which would only add swift-configuration.
        .package(
            url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.0", traits: []),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.0"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.0"),
        .package(url: "https://github.com/apple/swift-nio-extras", from: "1.35.0"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.0"),
        .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
    ],
    targets: [
        .systemLibrary(
            name: "COpenSSL", pkgConfig: "libssl libcrypto",
            providers: [.apt(["libssl-dev"])]),
        .systemLibrary(
            name: "CPostgres", pkgConfig: "libpq", providers: [.apt(["libpq-dev"])]),
        .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
        .target(name: "AppStore", swiftSettings: strict),
        .target(name: "Signing", dependencies: ["COpenSSL", "AppStore"], swiftSettings: strict),
        .target(name: "Ledger", dependencies: ["AppStore"], swiftSettings: strict),
        .target(
            name: "Migrations", path: "Migrations",
            resources: [.embedInCode("SQL"), .embedInCode("PostgreSQL")], swiftSettings: strict),
        .target(
            name: "LedgerStore", dependencies: ["AppStore", "Signing", "Ledger"],
            swiftSettings: staying),
        .target(
            name: "SQLiteStore",
            dependencies: [
                "AppStore", "Signing", "Ledger", "LedgerStore", "Migrations",
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "GRDBSQLite", package: "GRDB.swift"),
            ], swiftSettings: staying),
        .target(
            name: "PostgresStore",
            dependencies: [
                "CPostgres", "AppStore", "Signing", "Ledger", "LedgerStore", "Migrations",
            ], swiftSettings: staying),
        .target(
            name: "AppStoreAPI",
            dependencies: [
                "AppStore", "Signing",
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
            ], swiftSettings: strict),
        .target(
            name: "Intake", dependencies: ["AppStore", "Signing", "Ledger", "LedgerStore"],
            swiftSettings: staying),
        .target(
            name: "Projection",
            dependencies: [
                "AppStore", "Signing", "Ledger", "LedgerStore", "SQLiteStore", "Intake",
            ],
            swiftSettings: staying),
        .target(
            name: "Queries",
            dependencies: [
                "AppStore", "Signing", "Ledger", "LedgerStore", "SQLiteStore", "Intake",
                "Projection",
            ], swiftSettings: staying),
        .target(
            name: "Reports",
            dependencies: [
                "CZlib", "AppStore", "Signing", "Ledger", "LedgerStore", "SQLiteStore",
                "Projection", "Queries",
            ], swiftSettings: staying),
        .target(
            name: "Proofs",
            dependencies: [
                "AppStore", "Signing", "Ledger", "LedgerStore", "SQLiteStore", "Intake",
                "Projection", "Queries", "Reports",
            ], swiftSettings: staying),
        .target(
            name: "AppleSync",
            dependencies: [
                "AppStore", "Signing", "Ledger", "LedgerStore", "SQLiteStore", "AppStoreAPI",
                "Intake", "Projection", "Queries",
            ], swiftSettings: staying),
        .target(
            name: "Service",
            dependencies: [
                "AppStore", "Signing", "Ledger", "LedgerStore", "SQLiteStore", "AppStoreAPI",
                "Intake", "Projection", "Queries", "Reports", "Proofs", "AppleSync",
                .product(name: "Yams", package: "Yams"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ], swiftSettings: staying),
        .target(
            name: "Console",
            dependencies: [
                "AppStore", "Signing", "Ledger", "LedgerStore", "Intake", "Projection", "Queries",
                "Reports", "Proofs", "AppleSync", "Service",
            ],
            resources: [
                .embedInCode("Assets/console.css"), .embedInCode("Assets/console.js"),
                .embedInCode("Assets/verify.js"), .embedInCode("Assets/proof.js"),
                .embedInCode("Assets/icon.svg"),
            ], swiftSettings: staying),
        .target(
            name: "COpenAPI", path: "Sources/Web/OpenAPI", exclude: ["openapi.yaml"]),
        .target(
            name: "Web",
            dependencies: [
                "AppStore", "Signing", "Ledger", "LedgerStore", "Intake", "Projection", "Queries",
                "Reports", "Proofs", "AppleSync", "Service", "Console", "COpenAPI",
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "HummingbirdTLS", package: "hummingbird"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "NIOTLS", package: "swift-nio"),
                .product(name: "NIOHTTPTypes", package: "swift-nio-extras"),
                .product(name: "HummingbirdCore", package: "hummingbird"),
            ], exclude: ["OpenAPI"], swiftSettings: strict),
        .target(
            name: "Simulator",
            dependencies: [
                "AppStore", "Signing", "Ledger", "LedgerStore", "SQLiteStore", "Intake",
                "Projection", "Queries", "COpenSSL",
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "HummingbirdCore", package: "hummingbird"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ], swiftSettings: strict),
        .target(
            name: "Bench",
            dependencies: [
                "AppStore", "Signing", "Ledger", "LedgerStore", "SQLiteStore", "AppStoreAPI",
                "Intake", "Projection", "Queries", "Reports", "Proofs", "AppleSync", "Service",
                "Web",
                "Simulator",
                .target(name: "PostgresStore", condition: .when(traits: ["PostgreSQL"])),
                .target(name: "PostgresSupport", condition: .when(traits: ["PostgreSQL"])),
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "GRDBSQLite", package: "GRDB.swift"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ], swiftSettings: strict),
        .executableTarget(
            name: "subledger",
            dependencies: [
                "AppStore", "Signing", "Ledger", "LedgerStore", "SQLiteStore", "AppStoreAPI",
                "Intake", "Projection", "Queries", "Reports", "Proofs", "AppleSync", "Service",
                "Console",
                "Web",
                "Simulator", "Bench",
                .target(name: "PostgresStore", condition: .when(traits: ["PostgreSQL"])),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
            ], swiftSettings: strict),
        // The examples of the pages; like other packages they see only what is public.
        .target(
            name: "Examples",
            dependencies: [
                "AppStore", "Signing", "Ledger", "Intake", "Queries", "Service", "Web",
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "Logging", package: "swift-log"),
            ], path: "Examples/Library", packageAccess: false, swiftSettings: strict),
        // Shared by the tests of several targets. `TestSupport` depends on `AppStore` alone, so that
        // the tests of the lower targets build early; `LedgerTestSupport` has ledgers and a simulated
        // Apple.
        .target(
            name: "TestSupport",
            dependencies: ["AppStore"], path: "Tests/TestSupport",
            swiftSettings: strict),
        .target(
            name: "LedgerTestSupport",
            dependencies: [
                "AppStore", "Signing", "Ledger", "LedgerStore", "SQLiteStore", "AppStoreAPI",
                "Intake", "Projection", "Queries", "Reports", "AppleSync", "Simulator",
                "TestSupport", "COpenSSL",
            ], path: "Tests/LedgerTestSupport",
            swiftSettings: strict),
        .target(
            name: "Faults",
            dependencies: [
                "Simulator", .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "GRDBSQLite", package: "GRDB.swift"),
            ], path: "Tests/Faults",
            swiftSettings: strict),
        .target(name: "PostgresSupport", path: "Tests/PostgresSupport", swiftSettings: strict),
        .testTarget(
            name: "PostgresStoreTests",
            dependencies: [
                "AppStore", "Signing", "Ledger", "LedgerStore", "PostgresStore", "Migrations",
                "PostgresSupport", "TestSupport",
            ],
            swiftSettings: strict),
        .testTarget(
            name: "AppStoreTests",
            dependencies: ["AppStore", "TestSupport"],
            swiftSettings: strict),
        .testTarget(
            name: "SigningTests",
            dependencies: ["AppStore", "Signing", "Simulator", "TestSupport", "LedgerTestSupport"],
            swiftSettings: strict),
        .testTarget(
            name: "LedgerTests",
            dependencies: ["AppStore", "Ledger", "TestSupport"],
            swiftSettings: strict),
        .testTarget(
            name: "LedgerStoreTests",
            dependencies: [
                "AppStore", "Signing", "Ledger", "LedgerStore", "Simulator", "TestSupport",
                "LedgerTestSupport",
            ],
            swiftSettings: strict),
        .testTarget(
            name: "SQLiteStoreTests",
            dependencies: [
                "AppStore", "Signing", "Ledger", "Migrations", "LedgerStore", "SQLiteStore",
                "PostgresStore",
                "Simulator", "Faults", "PostgresSupport", "TestSupport", "LedgerTestSupport",
                .product(name: "GRDB", package: "GRDB.swift"),
            ],
            swiftSettings: strict),
        .testTarget(
            name: "AppStoreAPITests",
            dependencies: [
                "AppStore", "Signing", "AppStoreAPI", "Simulator", "TestSupport",
                "LedgerTestSupport", .product(name: "NIOSSL", package: "swift-nio-ssl"),
            ],
            swiftSettings: strict),
        .testTarget(
            name: "IntakeTests",
            dependencies: [
                "AppStore", "Signing", "Ledger", "LedgerStore", "SQLiteStore", "Intake",
                "Projection", "Queries", "Simulator", "TestSupport", "LedgerTestSupport",
            ],
            swiftSettings: strict),
        .testTarget(
            name: "ProjectionTests",
            dependencies: [
                "AppStore", "Signing", "Ledger", "LedgerStore", "SQLiteStore", "Intake",
                "Projection", "Queries", "Simulator", "Faults", "TestSupport", "LedgerTestSupport",
                .product(name: "GRDB", package: "GRDB.swift"),
            ],
            swiftSettings: strict),
        .testTarget(
            name: "QueriesTests",
            dependencies: [
                "AppStore", "Ledger", "LedgerStore", "SQLiteStore", "Intake", "Projection",
                "Queries", "Simulator", "Faults", "TestSupport", "LedgerTestSupport",
            ],
            swiftSettings: strict),
        .testTarget(
            name: "ReportsTests",
            dependencies: [
                "AppStore", "Signing", "Ledger", "LedgerStore", "SQLiteStore", "Intake",
                "Projection", "Queries", "Reports", "Simulator", "TestSupport",
                "LedgerTestSupport",
                .product(name: "GRDB", package: "GRDB.swift"),
            ],
            swiftSettings: strict),
        .testTarget(
            name: "AppleSyncTests",
            dependencies: [
                "AppStore", "Signing", "Ledger", "LedgerStore", "SQLiteStore", "AppStoreAPI",
                "Intake", "Projection", "Queries", "Reports", "AppleSync", "Simulator",
                "TestSupport", "LedgerTestSupport",
            ],
            swiftSettings: strict),
        .testTarget(
            name: "ServiceTests",
            dependencies: [
                "AppStore", "Signing", "Ledger", "LedgerStore", "SQLiteStore", "AppStoreAPI",
                "Intake", "Projection", "Queries", "Reports", "Proofs", "AppleSync", "Service",
                "Simulator", "Faults", "PostgresStore", "PostgresSupport", "TestSupport",
                "LedgerTestSupport",
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
            ],
            swiftSettings: strict),
        .testTarget(
            name: "SimulatorTests",
            dependencies: [
                "AppStore", "Signing", "Ledger", "Simulator", "TestSupport", "LedgerTestSupport",
            ],
            swiftSettings: strict),
        .testTarget(
            name: "CommandTests",
            dependencies: [
                "AppStore", "AppStoreAPI", "Ledger", "LedgerStore", "SQLiteStore", "Intake",
                "Projection", "Queries", "Reports", "Service", "Console", "Simulator", "subledger",
                "PostgresSupport", "TestSupport", "LedgerTestSupport",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: strict),
        .testTarget(
            name: "ProofsTests",
            dependencies: [
                "AppStore", "Signing", "Ledger", "LedgerStore", "SQLiteStore", "Projection",
                "Queries", "Reports", "Proofs",
                "Simulator", "Faults", "TestSupport", "LedgerTestSupport",
            ],
            swiftSettings: strict),
        .testTarget(
            name: "ConsoleTests",
            dependencies: [
                "AppStore", "Ledger", "LedgerStore", "Projection", "Queries", "Console",
                "Simulator", "TestSupport", "LedgerTestSupport",
            ],
            swiftSettings: strict),
        .testTarget(
            name: "WebTests",
            dependencies: [
                "AppStore", "Signing", "Ledger", "LedgerStore", "SQLiteStore", "AppStoreAPI",
                "Intake", "Projection", "Queries", "Reports", "AppleSync", "Service", "Console",
                "Proofs", "Web", "Examples", "Simulator", "Faults", "PostgresStore",
                "PostgresSupport", "TestSupport", "LedgerTestSupport",
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOEmbedded", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "NIOHTTPTypes", package: "swift-nio-extras"),
                .product(name: "NIOHTTPTypesHTTP1", package: "swift-nio-extras"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "HummingbirdTesting", package: "hummingbird"),
                .product(name: "HummingbirdCore", package: "hummingbird"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "Yams", package: "Yams"),
            ],
            swiftSettings: strict),
        .testTarget(
            name: "WholeSystemTests",
            dependencies: [
                "AppStore", "Signing", "Ledger", "LedgerStore", "SQLiteStore", "AppStoreAPI",
                "Intake", "Projection", "Queries", "AppleSync", "Service", "Simulator",
                "TestSupport", "LedgerTestSupport",
            ],
            swiftSettings: strict),
        // The fuzz targets, without libFuzzer.
        .testTarget(
            name: "FuzzTests",
            dependencies: [
                "AppStore", "Signing", "Ledger", "LedgerStore", "SQLiteStore", "Intake",
                "Projection", "Reports", "Service", "Simulator",
            ], path: "Tests/Fuzz", exclude: ["Fuzz.swift"],
            swiftSettings: strict),
        .testTarget(name: "TidyTests", swiftSettings: strict),
    ]
)

if isFuzzing {
    package.targets.removeAll { $0.type == .test }
    package.targets += [
        .systemLibrary(name: "CLibFuzzer", path: "Tests/CLibFuzzer"),
        .executableTarget(
            name: "Fuzz",
            dependencies: [
                "CLibFuzzer", "AppStore", "Signing", "Ledger", "LedgerStore", "SQLiteStore",
                "Intake", "Projection", "Queries", "Reports", "AppleSync", "Service",
                "Simulator",
            ],
            path: "Tests/Fuzz", exclude: ["FuzzTests.swift"], swiftSettings: strict,
            linkerSettings: [
                // The default linker fails with the sanitizers.
                .unsafeFlags([
                    "-sanitize=fuzzer,address", "-use-ld=lld",
                    // Otherwise it drops the coverage counters.
                    "-Xlinker", "-z", "-Xlinker", "nostart-stop-gc",
                ])
            ]),
    ]
}
