import AppStore
import AppStoreAPI
import ArgumentParser
import Simulator

extension SimulateCommand {
    struct RetentionCommand: OutputCommand {
        static let configuration = CommandConfiguration(
            commandName: "retention",
            abstract: "Post requests for retention messages to a server, as Apple does.",
            discussion: """
                One request for each active subscription of the store, one after the other: as if \
                its customer were about to cancel now.
                """)

        @Option(help: ArgumentHelp("The URL to post to.", valueName: "url"))
        var to: String

        @Option(help: "The locale of the devices.")
        var locale = "en-US"

        @OptionGroup var store: SimulatedStoreOptions
        @OptionGroup var common: SharedOptions

        func output(_ settings: Settings) async throws -> Output {
            let url = try SimulatedStoreOptions.address(to, path: "/appstore/retention")
            let books = try store.books(settings)
            let requests = books.retentionRequests(at: Terminal.now, locale: locale)
            guard !requests.isEmpty else { throw RetentionCommand.nothingToPost(books) }
            let authority = try store.keys().authority
            let transport = HTTPTransport()
            var counts: [String: Int] = [:]
            var slowest = Duration.zero
            try await closing(transport.close) {
                for var request in requests {
                    request.signedDate = Terminal.now
                    let body = try authority.retentionBody(request)
                    let start = ContinuousClock.now
                    let answer = try await post(body, to: url, transport)
                    slowest = max(slowest, start.duration(to: .now))
                    counts[RetentionCommand.name(of: answer), default: 0] += 1
                }
            }
            return RetentionCommand.result(counts, of: books, slowest: slowest)
        }

        /// Lives end, so that a store of the past has no subscription now.
        private static func nothingToPost(_ books: ServedRecords) -> CommandFailure {
            CommandFailure(
                code: "nothingToPost",
                message: "None of the \(books.chainCount) lives has an active subscription now, so"
                    + " nothing was posted. Have lives begin in the last months with"
                    + " --first-purchases, or simulate more of them with --chains.",
                exit: .negative)
        }

        /// - Parameter counts: by member of the answer, or by status.
        private static func result(
            _ counts: [String: Int], of books: ServedRecords, slowest: Duration
        ) -> Output {
            let found = counts.sorted { $0.key < $1.key }
            let count = counts.values.reduce(0, +)
            let (seconds, attoseconds) = slowest.components
            let milliseconds = seconds * 1_000 + attoseconds / 1_000_000_000_000_000
            let answers = found.map { name, count in
                "\(count) \(Int(name) == nil ? name : "HTTP \(name)")"
            }
            let text = """
                \(count) requests of \(books.chainCount) lives: \
                \(answers.joined(separator: ", ")); the slowest took \(milliseconds) ms

                """
            return Output(text: text) { json in
                json.member("requests", count)
                json.member("slowestMilliseconds", milliseconds)
                json.object("answers") { json in
                    for (name, count) in found { json.member(name, count) }
                }
            }
        }

        private func post(
            _ body: [UInt8], to url: String, _ transport: HTTPTransport
        ) async throws(CommandFailure) -> TransportResponse {
            do throws(TransportFailure) {
                return try await transport.send(
                    TransportRequest(
                        method: "POST", url: url,
                        headers: [.init("content-type", "application/json")], body: body))
            } catch {
                throw CommandFailure(
                    code: "unreachable", message: "\(url) did not answer (\(error)).", exit: .io)
            }
        }

        /// The member of the answer, `none` without one, or the status of a refusal.
        private static func name(of answer: TransportResponse) -> String {
            guard answer.status == 200 else { return String(answer.status) }
            return (try? JSONValue.parse(answer.body))?.object?.first?.key ?? "none"
        }
    }
}
