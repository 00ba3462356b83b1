import AppStore
import ArgumentParser
import Intake
import LedgerStore
import Projection
import Service

struct NodesCommand: OutputCommand {
    static let configuration = CommandConfiguration(
        commandName: "nodes", abstract: "The nodes of a log in a database.",
        discussion: """
            Lists the services that ran within the last day: how far their answers go, how far \
            behind the log that is, when they were seen last, and the tasks that each does alone. \
            A node whose answers go further than the log has not accepted one that went back.
            """)

    @OptionGroup var common: SharedOptions

    func output(_ settings: Settings) async throws -> Output {
        guard let engine = settings.configuration.ledger.database?.engine else {
            throw CommandFailure.noDatabase
        }
        // Not as this node, whose log may have gone back.
        let opened = try await settings.openLog(in: engine, creating: false)
        return try await closing(opened.close) {
            guard let operations = opened.operations as? any SharedOperations else {
                throw CommandFailure.noDatabase
            }
            let (nodes, leases) = (try await operations.nodes(), try await operations.leases())
            // After the positions of nodes, which append meanwhile.
            let head = try await opened.log.head().position
            return Output(text: NodesCommand.text(nodes, leases, head: head)) { json in
                json.member("position", head)
                json.objects("nodes", nodes) { json, node in
                    json.member("id", node.id)
                    json.member("name", node.name)
                    json.member("position", node.position)
                    json.member("lag", max(0, head - node.position))
                    json.member("wentBack", node.position > head)
                    json.member("silentMilliseconds", node.silentMilliseconds)
                }
                json.objects("leases", leases) { json, lease in
                    json.member("task", lease.task)
                    json.member("node", lease.node)
                    json.member("leftMilliseconds", lease.leftMilliseconds)
                }
            }
        }
    }

    private static func text(_ nodes: [NodeRow], _ leases: [LeaseRow], head: Int64) -> String {
        let known = Set(nodes.map(\.id))
        let rows = nodes.map { node in
            [
                node.id, node.name,
                leases.filter { $0.node == node.id }.map(\.task).joined(separator: " "),
                String(node.position),
                node.position > head ? "log went back" : String(head - node.position),
                "\(node.silentMilliseconds / 1_000) s ago",
            ]
        }
        // Commands take leases, too.
        let others = leases.filter { !known.contains($0.node) }.map { lease in
            ["–", lease.node, lease.task, "–", "–", "–"]
        }
        return TextTable(
            header: ["node", "process", "tasks", "position", "lag", "seen"], rows: rows + others
        ).aligned(leading: 3)
    }
}
