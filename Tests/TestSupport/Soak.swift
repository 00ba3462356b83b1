import Foundation

/// The tier of a run: `make test` runs every test with fixed seeds and small counts, `make soak`
/// sets `SUBLEDGER_SOAK` and runs the long ones at full size with random seeds.
package enum Soak {
    package static let isOn = ProcessInfo.processInfo.environment["SUBLEDGER_SOAK"] != nil

    /// The same in every run of `make test`. In a soak `SUBLEDGER_SEED`, or a random one, which is
    /// printed.
    package static let seed: UInt64 = {
        guard isOn else { return 20_261_124 }
        let seed = number("SUBLEDGER_SEED") ?? UInt64.random(in: 1...UInt64(UInt32.max))
        let line = "Soak: to repeat, set SUBLEDGER_SOAK=1 SUBLEDGER_SEED=\(seed)\n"
        FileHandle.standardError.write(Data(line.utf8))
        return seed
    }()

    /// A count that is larger in a soak.
    package static func count(_ usual: Int, soak: Int) -> Int { isOn ? soak : usual }

    /// A number from the environment.
    package static func number(_ variable: String) -> UInt64? {
        ProcessInfo.processInfo.environment[variable].flatMap { UInt64($0) }
    }
}
