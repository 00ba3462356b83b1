internal import AppStore
package import Ledger
package import Queries

/// The two forms that erase a person's data: why, then what would be erased.
package struct ErasePage {
    /// Whose data: a customer's, or that of a chain, by its id.
    package enum Subject: Sendable {
        case customer(CustomerId)
        case chain(String)

        package var chains: [String] { if case .chain(let id) = self { [id] } else { [] } }

        package var customer: CustomerId? {
            if case .customer(let customer) = self { customer } else { nil }
        }

        /// The id that is typed to confirm.
        var id: String {
            switch self {
            case .customer(let customer): customer.rawValue
            case .chain(let id): id
            }
        }

        /// Whether a typed text is the id, or the id as pages show it.
        package func isNamed(by text: String?) -> Bool {
            if text == id.printable { return true }
            return switch self {
            case .customer(let customer): text.map { CustomerId(stated: $0) } == customer
            case .chain(let id): text == id
            }
        }
    }

    /// The field in which the id is typed; no page and no draft repeats it.
    package static let confirmation = "confirm"

    let frame: Frame
    package let subject: Subject

    /// - Parameter frame: its path names the customer or the chain.
    package init(_ frame: Frame) {
        self.frame = frame
        let id = frame.path[1]
        subject = frame.path[0] == "customers" ? .customer(CustomerId(stated: id)) : .chain(id)
    }

    /// Whether the id was typed, with an author and a reason.
    package var isConfirmed: Bool {
        let order = [frame.viewer.name ?? frame.values["actor"], frame.values["reason"]]
        return subject.isNamed(by: frame.values[ErasePage.confirmation])
            && order.allSatisfy { $0?.isEmpty == false }
    }

    private var title: String {
        switch subject {
        case .customer: "Erase the data of customer \(subject.id)"
        case .chain: "Erase the data of purchase \(subject.id)"
        }
    }

    /// Asks why.
    package var question: Page {
        let extent: HTML =
            switch subject {
            case .customer:
                "Everything that is known of this customer, and of every purchase that names it,"
            case .chain: "Everything that is known of this purchase, also of its customers,"
            }
        return Page(
            title, frame,
            """
            <p>\(extent) is erased. Random ids take the place of its ids, so that reports and proofs stay \
            as they are. The next page shows what would be erased; nothing is erased before.</p>
            \(form(fields: reason, button: "Next: show what would be erased"))
            """)
    }

    /// Shows what would be erased, and asks for the id.
    package func page(_ plan: ErasurePlan) -> Page {
        let chains = plan.chains.map { frame.chain($0) }.joined(", ")
        let rows: [(String, HTML?)] = [
            (
                "Events",
                plan.positions.isEmpty
                    ? nil : "\(plan.positions.count): \(frame.events(plan.positions))"
            ), ("Quarantined inputs", "\(plan.quarantinedCount)"),
            ("Purchases", plan.chains.isEmpty ? nil : chains),
            ("Customer", plan.customer.map { frame.customer($0) }),
            ("By", "\(frame.viewer.name ?? frame.values["actor"] ?? "")"),
            ("Reason", "\(frame.values["reason"] ?? "")"),
        ]
        return Page(
            title, frame,
            """
            \(HTML.fields(rows))
            <p class="banner warn">This cannot be undone. Events about it that arrive until you erase are \
            erased, too; those that arrive later are kept, under the real ids.</p>
            <p>Not reached: backups (<code>restore</code> applies the erasure again where it replaces this \
            log, or with <code>--erasures</code>), exports to warehouses, and what receivers of webhooks \
            keep; they get a <code>chain.erased</code> change.</p>
            \(form(fields: confirmed, button: "Erase for ever"))
            """)
    }

    /// Asks for the id where the log holds nothing of it, or nothing any more, since what an
    /// interrupted erasure left is removed by the same order.
    package var rest: Page {
        Page(
            title, frame,
            """
            <p>An erasure that was interrupted may have erased the log and left something elsewhere: type \
            the id to finish it.</p>
            \(form(fields: confirmed, button: "Erase for ever"))
            """)
    }

    /// The address keeps the app: two apps may have chains of one id.
    private func form(fields: HTML, button: String) -> HTML {
        frame.form(to: frame.state.url(frame.path), fields, button: button)
    }

    private var reason: HTML {
        frame.order(
            "Reason (required; it stands in the log for ever: write no name and no id)")
    }

    private var confirmed: HTML {
        let kept = Page.hidden([
            ("author", frame.viewer.name), ("actor", frame.values["actor"]),
            ("reason", frame.values["reason"]),
        ])
        let label = "Type \(subject.id) to confirm"
        return """
            \(kept)\(HTML.input(ErasePage.confirmation, label, nil, isRequired: true))
            """
    }
}
