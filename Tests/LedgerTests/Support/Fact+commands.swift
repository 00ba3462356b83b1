import AppStore
import Ledger

extension Fact {
    /// An operator's or a back end's command, received at a moment. Each has a unique id unless
    /// given.
    static func command(
        _ action: Command.Action, at receivedAt: Timestamp, id: String? = nil
    ) -> Fact {
        Fact(
            position: 0, receivedAt: receivedAt, trust: .operator, cause: Cause(kind: .command),
            signedDate: nil, digest: .unset,
            command: Command(
                id: id ?? "\(action) \(receivedAt.milliseconds)", actor: "sara",
                reason: "a ticket", action: action))
    }

    static func link(_ customer: String, at time: Timestamp, id: String? = nil) -> Fact {
        command(.link(CustomerId(customer)), at: time, id: id)
    }

    static func unlink(_ customer: String, at time: Timestamp) -> Fact {
        command(.unlink(CustomerId(customer)), at: time)
    }

    static func claim(
        _ customer: String, _ policy: ClaimPolicy = .transfer, at time: Timestamp
    ) -> Fact {
        command(.claim(CustomerId(customer), policy: policy), at: time)
    }

    static func grant(
        _ entitlement: String, until: Timestamp, at time: Timestamp, id: String
    ) -> Fact {
        command(
            .grant(CustomerId("ann"), entitlement: entitlement, until: until), at: time, id: id)
    }

    static func ungrant(_ grant: String, at time: Timestamp, of customer: String = "ann") -> Fact {
        command(.ungrant(CustomerId(customer), grant: grant), at: time)
    }

    /// The same fact with an appAccountToken.
    func token(_ token: String?) -> Fact { transaction { $0.appAccountToken = token } }
}

extension Lifecycle {
    /// The holders of the chain at a moment, in byte order.
    func holders(_ time: Timestamp) -> [String] {
        holders.holders(at: time).map(\.customer.rawValue).sorted()
    }
}
