public import AppStore
import Ledger
import LedgerStore
public import Projection
public import Queries
internal import SQLiteStore
import Signing

/// Append-only lines for a warehouse: the statements that each event, in log order, added to or
/// removed from the ledger. Written lines never change; a run resumed after a position writes
/// exactly the lines that a single run would have written after it (*Warehouse*).
public struct WarehouseExport: Sendable {
    package let snapshot: LedgerSnapshot
    package let zone: ReportZone
    public var bundleId: BundleId?
    /// Exclusive lower bound of the exported positions.
    public var after: Int64 = 0
    /// Inclusive upper bound.
    public var through: Int64 = .max

    /// - `reportTimeZone`: the zone of the days; nil is returned for an unknown zone.
    public init?(snapshot: LedgerSnapshot, reportTimeZone: String) {
        guard let zone = ReportZone(reportTimeZone) else { return nil }
        self.snapshot = snapshot
        self.zone = zone
    }

    private static let rulesCharacterCount = 16

    /// A digest of the rules of the lines: columns, the versions of the lifecycle's rules and of
    /// the facts they are applied to, the catalogue, and for days the zone and its clock changes.
    /// Lines with different rules must not be mixed, since they do not add up.
    public func rules(_ subject: WarehouseSubject) -> String {
        var parts = subject.columns
        parts += ["\(Lifecycle.reducerVersion)", "\(Fact.decoderVersion)"]
        parts.append(snapshot.ledger.catalogueHash.hexadecimal)
        if subject == .daily { parts.append(zone.days.name) }
        let digest = SHA256.hash(Array(parts.joined(separator: "\n").utf8)).hexadecimal
        return String(digest.prefix(WarehouseExport.rulesCharacterCount))
    }

    /// Writes every line to `output`; rethrows its errors.
    ///
    /// The header is written only from the beginning, since an appended file already has it.
    public func run(
        _ subject: WarehouseSubject, format: Export.Format, output: Export.Output
    ) async throws {
        var writer = ExportLines(columns: subject.columns, format: format)
        if after <= 0, let header = writer.header { try output(header) }
        let end = min(through, snapshot.position)
        let rules = rules(subject)
        let erased = try await erasedChains(after: max(0, after))
        var position = after
        while position < end {
            let events = try await snapshot.ledger.log.events(after: position, through: end)
            guard let last = events.last else { return }
            position = last.position
            for var line in try await lines(subject, events, erased) {
                line.values.append(.text(rules))
                writer.add { line.write(to: &$0, subject.columns) }
            }
            try output(writer.take())
        }
    }

    package struct Line: Sendable {
        var position: Int64
        package var values: [WarehouseCell]

        package func write(to json: inout JSONWriter, _ columns: [String]) {
            json.object { json in
                for (column, value) in zip(columns, values) {
                    switch value {
                    case .null: json.member(column, nil as String?)
                    case .flag(let flag): json.member(column, flag)
                    case .number(let number): json.member(column, number)
                    case .text(let text): json.member(column, text)
                    }
                }
            }
        }
    }

    /// The random ids under which erased events count, by the position of the event, whose own row
    /// names no chain any more (`Erasure.md`).
    private func erasedChains(
        after start: Int64
    ) async throws(StoreError) -> [Int64: Set<ChainId>] {
        let log = snapshot.ledger.log
        var chains: [Int64: Set<ChainId>] = [:]
        // An erasure names only events before it.
        for position in try await log.erasurePositions(after: start, through: snapshot.position) {
            guard let erasure = try await log.event(at: position) else { continue }
            for stated in FactDecoder.decode(erasure) where stated.chain.isPseudonym {
                chains[stated.fact.position, default: []].insert(stated.chain)
            }
        }
        return chains
    }

    /// The lines of a page of events, by position.
    ///
    /// - Parameter erased: the chains of erased events, by position.
    private func lines(
        _ subject: WarehouseSubject, _ events: [RecordedEvent], _ erased: [Int64: Set<ChainId>]
    ) async throws(StoreError) -> [Line] {
        var byChain: [ChainId: [RecordedEvent]] = [:]
        for event in events {
            guard bundleId == nil || bundleId == event.attributes.bundleId else { continue }
            for chain in try await snapshot.ledger.chains(of: event) {
                byChain[chain, default: []].append(event)
            }
            for chain in erased[event.position] ?? [] {
                byChain[chain, default: []].append(event)
            }
        }
        let facts = try await snapshot.facts.facts(of: byChain.keys.sorted())
        let found = await Parallel.map(facts) { [byChain] chain, facts in
            lines(subject, chain, facts, byChain[chain] ?? [])
        }
        return found.flatMap(\.self).sorted { left, right in
            left.position == right.position
                ? left.values.lexicographicallyPrecedes(right.values)
                : left.position < right.position
        }
    }

    /// The changes that each of a chain's events made to the chain's statements.
    private func lines(
        _ subject: WarehouseSubject, _ chain: ChainId, _ facts: [Fact], _ events: [RecordedEvent]
    ) -> [Line] {
        let ledger = snapshot.ledger
        let facts = facts.sorted { $0.position < $1.position }
        func stated(_ position: Int64) -> [WarehouseReading.Values: Int64] {
            let known = facts.filter { $0.position <= position }
            guard !known.isEmpty else { return [:] }
            let life = ledger.life(of: known)
            guard !life.isEmpty else { return [:] }
            return WarehouseReading(
                life: life, chain: chain, catalogue: ledger.catalogue, zone: zone
            ).stated(subject)
        }
        guard let first = events.first else { return [] }
        var before = stated(first.position - 1)
        var lines: [Line] = []
        for event in events {
            let after = stated(event.position)
            for values in Set(before.keys).union(after.keys) {
                let change = (after[values] ?? 0) - (before[values] ?? 0)
                guard change != 0 else { continue }
                lines += made(subject, values, change).map { sign, values in
                    line(event.position, event.receivedAt, chain, sign, values)
                }
            }
            before = after
        }
        return lines
    }

    /// One line per statement added (1) or removed (−1); for days, one line with the difference.
    private func made(
        _ subject: WarehouseSubject, _ values: WarehouseReading.Values, _ change: Int64
    ) -> [(sign: Int64, values: WarehouseReading.Values)] {
        let sign: Int64 = change > 0 ? 1 : -1
        guard subject != .daily else {
            return [(sign, values + [.number(change), .text(zone.name)])]
        }
        return (0..<change.magnitude).map { _ in (sign, values) }
    }

    /// The line without its last column, `rules`.
    package func line(
        _ position: Int64, _ receivedAt: Timestamp, _ chain: ChainId, _ sign: Int64,
        _ values: WarehouseReading.Values
    ) -> Line {
        Line(
            position: position,
            values: [
                .number(position), .text(receivedAt.rfc3339), .number(sign),
                .text(snapshot.ledger.environment.rawValue), .text(chain.bundleId.rawValue),
                .text(chain.originalTransactionId.rawValue),
            ] + values + [
                .number(Int64(Lifecycle.reducerVersion)),
                .text(snapshot.ledger.catalogueHash.hexadecimal),
            ])
    }
}
