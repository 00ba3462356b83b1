internal import Console
import Hummingbird
import NIOCore
internal import Service
import ServiceLifecycle

/// The stream that keeps pages live (HTML standard, §9.2 "Server-sent events"): each message makes
/// the browser fetch its page again, with the rights of that page. A message is the end of the log
/// and nothing else.
struct LivePages: Sendable {
    let pages: ConsolePages
    let access: ConsoleGuard
    /// How often a position is compared: a message follows an event within about this time.
    static let poll: Duration = .seconds(1)
    /// Between messages with the same position: much of a page changes without an event.
    static let longestPause: Duration = .seconds(5)
    /// Maximum live pages of all browsers.
    static let streamCount = 20
    let slots = SharedBudget(limit: LivePages.streamCount)

    func add(to group: RouterGroup<WebContext>) {
        group.get("\(ConsoleRoutes.home)/live", use: stream)
    }

    /// Throws `insufficientScope` for a viewer of neither the log nor intake, and `tooManyStreams`.
    private func stream(_ request: Request, _ context: WebContext) async throws -> Response {
        let frame = try pages.frame(["live"], request, context)
        guard frame.viewer.seesPeople || frame.viewer.seesOperation else {
            throw Problem.lacking("read")
        }
        let ledger = try pages.host.ledger(frame.state.environment)
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
        var last: (position: Int64, at: ContinuousClock.Instant)?
        try await body.write(
            ByteBuffer(string: "retry: \(StreamLimits.retryMilliseconds)\n\n"))
        while !Task.isCancelled, !Task.isShuttingDownGracefully, isActive() {
            let position = head()
            let isDue = last.map {
                position != $0.position || $0.at.duration(to: .now) >= LivePages.longestPause
            }
            if isDue ?? true {
                try await body.write(ByteBuffer(string: "data: \(position)\n\n"))
                last = (position, ContinuousClock.now)
            }
            try await Task.sleep(for: LivePages.poll)
        }
    }
}
