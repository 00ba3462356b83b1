import Foundation
import Intake
import Ledger
import Reports
import Service

extension RateChoice {
    /// `--rates`: a file, or `none`; without it, the configured table.
    init(option: String?) throws(CommandFailure) {
        switch option {
        case nil: self = .usual
        case RateChoice.separateName?: self = .separate
        case let path?: self = .table(try CurrencyRates(file: path))
        }
    }
}

extension CurrencyRates {
    /// Reads a table of rates for `--rates`.
    init(file path: String) throws(CommandFailure) {
        let data: Data
        do { data = try Data(contentsOf: URL(filePath: path)) } catch {
            throw CommandFailure(
                "unreadableFile", "--rates: \(path) cannot be read; check the path.", .io)
        }
        guard data.count <= CurrencyRates.maximumByteCount else {
            throw CommandFailure(
                "unreadableFile",
                "--rates: \(path) is larger than \(CurrencyRates.maximumByteCount) bytes.", .usage)
        }
        do { try self.init(yaml: String(decoding: data, as: UTF8.self)) } catch {
            throw CommandFailure(error.code, "--rates: \(error.description)", .usage)
        }
    }
}
