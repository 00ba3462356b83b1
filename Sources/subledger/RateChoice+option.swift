import Intake
import Reports
import Service

extension RateChoice {
    /// `--rates`: a file, or `none`; without it, the configured table.
    init(option: String?) throws(CommandFailure) {
        switch option {
        case nil: self = .usual
        case RateChoice.separateName?: self = .separate
        case let path?:
            do throws(ConfigurationError) {
                self = .table(try RatesFile(path, key: "--rates \(path)").table())
            } catch {
                throw CommandFailure(
                    error.code, error.description, error.code == .unreadableFile ? .io : .usage)
            }
        }
    }
}
