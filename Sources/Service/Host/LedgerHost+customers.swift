import AppStore
public import Ledger
internal import LedgerStore
internal import Projection
public import Queries
internal import SQLiteStore

/// Queries about customers (`Contract.md`, HTTP). Each throws `StoreError` or `ServingError`; an
/// unknown customer is not an error.
extension LedgerHost {
    /// `entitlements`.
    public func entitlements(
        of customer: CustomerId, _ scope: QueryScope
    ) async throws -> ServedAnswer {
        let (ledger, snapshot, moment) = try await state(scope)
        return try await ledger.entitlements(of: customer, scope, snapshot, moment)
    }

    /// `{"customers":[…]}`: the entitlements of each at the same moment, in request order.
    public func entitlements(
        of customers: [CustomerId], _ scope: QueryScope
    ) async throws -> ServedAnswer {
        let (ledger, snapshot, moment) = try await state(scope)
        let answers = try await snapshot.entitlements(
            of: customers, moment: moment, bundleId: scope.bundleId)
        return ledger.answer(at: snapshot.position) { json in
            json.array("customers", answers) { $1.write(to: &$0) }
        }
    }

    /// `timeline --customer`, paged.
    public func timeline(
        of customer: CustomerId, _ scope: QueryScope, _ order: TimelineOrder = .oldest,
        after: TimelinePlace?, limit: Int
    ) async throws -> ServedAnswer {
        let (ledger, snapshot, moment) = try await state(scope)
        let limit = min(max(limit, 1), LedgerHost.maximumPageCount)
        let reading = try await snapshot.reading(
            of: customer, moment: moment, bundleId: scope.bundleId)
        let page = reading.page(order, after: after, limit: limit)
        return ServedAnswer(
            position: snapshot.position, lag: ledger.lag(after: snapshot.position)
        ) {
            reading.writeTimeline(to: &$0, page)
        }
    }

    /// A customer's chains and commands, folded: the timeline by `CustomerReading.page`.
    public func reading(
        of customer: CustomerId, _ scope: QueryScope
    ) async throws -> CustomerReading {
        let (_, snapshot, moment) = try await state(scope)
        return try await snapshot.reading(
            of: customer, moment: moment, bundleId: scope.bundleId)
    }

    /// Entitlements, chains and commands of a customer, of one state.
    public func customer(
        _ customer: CustomerId, _ scope: QueryScope
    ) async throws -> (answer: EntitlementsAnswer, reading: CustomerReading) {
        let (_, snapshot, moment) = try await state(scope)
        return (
            try await snapshot.entitlements(of: customer, moment: moment, bundleId: scope.bundleId),
            try await snapshot.reading(of: customer, moment: moment, bundleId: scope.bundleId)
        )
    }

    /// The chains a customer holds at the moment, in the format of `show`, paged.
    public func subscriptions(
        of customer: CustomerId, _ scope: QueryScope, after: ChainId?, limit: Int
    ) async throws -> ServedAnswer {
        let (ledger, snapshot, moment) = try await state(scope)
        let limit = min(max(limit, 1), LedgerHost.maximumPageCount)
        let reading = try await snapshot.held(
            by: customer, moment: moment, bundleId: scope.bundleId, after: after, limit: limit)
        return ServedAnswer(
            position: snapshot.position, lag: ledger.lag(after: snapshot.position)
        ) {
            reading.writeSubscriptions(to: &$0, limit: limit)
        }
    }
}

extension ServedLedger {
    /// The entitlements of a customer. For current knowledge, rows and encoded answer are reused
    /// while they are valid.
    func entitlements(
        of customer: CustomerId, _ scope: QueryScope, _ snapshot: LedgerSnapshot, _ moment: Moment
    ) async throws -> ServedAnswer {
        guard case .everything = moment.knowledge else {
            let found = try await snapshot.entitlements(
                of: customer, moment: moment, bundleId: scope.bundleId)
            return answer(found, at: snapshot.position)
        }
        let key = ProjectionsStore.CustomerKey(customer, bundleId: scope.bundleId)
        let cached = try await cached(key, snapshot)
        let record = cached.record
        guard record.isComplete(at: moment.at) else {
            let found = try await snapshot.answer(key, record, moment)
            return answer(found, at: snapshot.position)
        }
        let stamp = AnswerStamp(moment, of: scope.bundleId, position: record.position, ledger)
        let prepared = cached.prepared(at: moment.at, stamp) {
            PreparedEntitlements(of: customer, at: moment.at, record, ledger.catalogue, stamp)
        }
        return prepared.served(
            of: customer, stamp, position: snapshot.position,
            lag: lag(after: snapshot.position))
    }

    /// A customer's rows: immediately when cached for this state, else read from the file.
    private func cached(
        _ key: ProjectionsStore.CustomerKey, _ snapshot: LedgerSnapshot
    ) async throws(StoreError) -> CachedCustomer {
        if let hot = hotCustomers.value(key, of: snapshot) { return hot }
        let read = try await snapshot.projections.customers([key])
        let customer = CachedCustomer(read.first ?? .init())
        // Unknown customers are not cached: clients can make up any number of ids.
        if !customer.record.holdings.isEmpty {
            hotCustomers.keep(customer, for: key, of: snapshot)
        }
        return customer
    }
}
