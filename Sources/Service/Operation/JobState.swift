import AppStore

/// The progress of work in the background.
public enum JobState<Value: Sendable>: Sendable {
    /// Other work is running.
    case waiting
    case running
    case finished(Value)
    /// Why it stopped.
    case failed(code: String, message: String)

    public var name: String {
        switch self {
        case .waiting: "waiting"
        case .running: "running"
        case .finished: "finished"
        case .failed: "failed"
        }
    }

    /// The members `code` and `message`; null unless it failed.
    func writeFailure(to json: inout JSONWriter) {
        var failure: (code: String, message: String)?
        if case .failed(let code, let message) = self { failure = (code, message) }
        json.member("code", failure?.code)
        json.member("message", failure?.message)
    }
}
