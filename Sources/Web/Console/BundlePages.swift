internal import AppStore
internal import Console
import HTTPTypes
import Hummingbird
internal import Ledger
import NIOCore
internal import Proofs
internal import Service
internal import Signing

/// Files that prove what a page shows, for people who trust neither the service nor its operator.
struct BundlePages: Sendable {
    let host: LedgerHost
    let pages: ConsolePages
    let answers: ResponseMemoryBudget

    func add(to group: RouterGroup<WebContext>) {
        add("subscriptions", to: group) { .subscription($0) }
        add("customers", to: group) { .customer(CustomerId(stated: $0)) }
        add("events", to: group) { Int64(plain: $0).map { .event($0) } }
    }

    private func add(
        _ kind: String, to group: RouterGroup<WebContext>,
        _ subject: @escaping @Sendable (String) -> ProvenAnswer?
    ) {
        // Paths with the same beginning use the same variable name.
        let variable = kind == "events" ? "position" : "id"
        group.get("\(ConsoleRoutes.home)/\(kind)/:\(variable)/bundle") { request, context in
            let id = try PathReader.text(variable, context)
            let (frame, isPage) = try QueryParameters.read(request, isForm: true) {
                let isPage = try $0.flag("html")
                return (try pages.frame([kind, id, "bundle"], &$0, context), isPage)
            }
            try PeoplePages.require(frame)
            guard let subject = subject(id) else { throw Problem.invalid("No such event.") }
            let share = try answers.require(ResponseMemoryBudget.makingByteCount)
            defer { withExtendedLifetime(share) {} }
            let bundle = try await host.bundle(subject, pages.scope(frame))
            let (bytes, type, name) =
                isPage
                ? (
                    ProofPage.html(bundle, roots: Array(host.roots.fingerprints)),
                    "text/html; charset=utf-8", "proof.html"
                )
                : (bundle.bytes, "application/json", "proof.json")
            return Response(
                status: .ok,
                headers: [
                    .contentType: type, .contentDisposition: "attachment; filename=\"\(name)\"",
                ], body: .init(byteBuffer: ByteBuffer(bytes: bytes)))
        }
    }
}
