internal import Console
import Hummingbird
import NIOCore
internal import Service
import ServiceLifecycle

/// The stream that keeps pages live (HTML standard, §9.2 "Server-sent events"): each message makes
/// the browser fetch its page again, with the rights of that page. A message is the end of the log
/// and nothing else.
struct LivePages: Sendable {
    let host: LedgerHost
    let pages: ConsolePages
    let access: ConsoleGuard
    /// Maximum live pages of all browsers.
    static let streamCount = 20
    let slots = SharedBudget(limit: LivePages.streamCount)

    func add(to group: RouterGroup<WebContext>) {
        group.get("\(ConsoleRoutes.home)/live") { request, context in
            try await stream(request, context)
        }
    }

    /// Throws `insufficientScope` for a viewer of neither the log nor intake, and `tooManyStreams`.
    private func stream(_ request: Request, _ context: WebContext) async throws -> Response {
        let frame = try QueryParameters.read(request, isForm: true) {
            try pages.frame(["live"], &$0, context)
        }
        guard frame.viewer.seesPeople || frame.viewer.seesOperation else {
            throw Problem.lacking("read")
        }
        let ledger = try host.ledger(frame.state.environment)
        let slot = try slots.slot()
        let channel = context.channel
        let isAllowed = access.permit(request, context)
        return .events(holding: slot) { body in
            try await write({ ledger.head }, { channel.isActive && isAllowed() }, to: &body)
        }
    }

    /// Writes until the browser has left, its session has ended or the service stops.
    private func write(
        _ head: @Sendable () -> Int64, _ isActive: @Sendable () -> Bool,
        to body: inout any ResponseBodyWriter
    ) async throws {
        var pace = LivePace()
        try await body.write(
            ByteBuffer(string: "retry: \(StreamLimits.retryMilliseconds)\n\n"))
        while !Task.isCancelled, !Task.isShuttingDownGracefully, isActive() {
            let position = head()
            if pace.isDue(position, at: .now) {
                try await body.write(ByteBuffer(string: "data: \(position)\n\n"))
            }
            try await Task.sleep(for: StreamLimits.poll)
        }
    }
}

/// When a message to a live page is due.
struct LivePace {
    /// After a message with an older position.
    static let shortest: Duration = .seconds(1)
    /// After one with the same position: much of a page changes without an event.
    static let longest: Duration = .seconds(5)

    private var last: (position: Int64, at: ContinuousClock.Instant)?

    /// Whether this position is due to be sent now; true counts as sent.
    mutating func isDue(_ position: Int64, at now: ContinuousClock.Instant) -> Bool {
        if let last {
            let pause = position == last.position ? LivePace.longest : LivePace.shortest
            guard last.at.duration(to: now) >= pause else { return false }
        }
        last = (position, now)
        return true
    }
}
