internal import AppStore
package import Ledger
package import Queries

/// The form of a decision: the state before and after it, and the reason, which stays in the
/// timeline for ever.
package struct ActPage {
    /// The acts; raw values are the last part of their addresses.
    package enum Act: String, Sendable, CaseIterable {
        case link
        case unlink
        case grant
        case ungrant
        case note
    }

    package var frame: Frame
    let act: Act

    package init(_ frame: Frame, _ act: Act) {
        self.frame = frame
        self.act = act
    }

    /// About a customer.
    ///
    /// - Parameter chain: nil: not named yet.
    package func page(
        customer answer: EntitlementsAnswer, chain: ChainReading?, grant: Grant? = nil
    ) -> Page {
        let id = answer.customer
        let names = answer.entitlements.verdicts.filter(\.active).map(\.entitlement)
        let before: HTML =
            names.isEmpty ? "no access" : "access to \(names.joined(separator: ", "))"
        let title = "\(verb) \(id.rawValue)"
        return page(
            title,
            about: "Customer \(frame.customer(id)): \(before). \(grant.map { given($0) })",
            chain: chain, customer: id)
    }

    /// About a customer, where several chains have the id that was typed.
    package func page(customer id: CustomerId, several chains: [ChainId]) -> Page {
        let items = chains.map { chain -> HTML in
            let address = frame.url(
                "customers", id.rawValue, act.rawValue,
                query: [
                    ("chain", chain.originalTransactionId.rawValue),
                    ("bundleId", chain.bundleId.rawValue),
                ])
            return """
                <li data-row><a href="\(address)">\(chain.originalTransactionId) of \
                \(chain.bundleId)</a></li>
                """
        }
        // The page states what to do.
        var shown = frame
        shown.failure = nil
        return Page(
            "\(verb) \(id.rawValue)", shown,
            "<p>Several purchases have this id:</p><ul>\(items)</ul>")
    }

    /// About a chain.
    package func page(chain: ChainReading) -> Page {
        page(
            "\(verb) \(chain.chain.originalTransactionId)", about: "", chain: chain, customer: nil)
    }

    private var verb: String {
        switch act {
        case .link: "Link"
        case .unlink: "Unlink"
        case .grant: "Grant access to"
        case .ungrant: "Withdraw a grant of"
        case .note: "Note about"
        }
    }

    private func page(
        _ title: String, about: HTML, chain: ChainReading?, customer: CustomerId?
    ) -> Page {
        if act == .link, chain == nil || customer == nil {
            return Page(title, frame, missing(customer))
        }
        let (button, after) = effect(chain, customer)
        let label = "Reason (required; it stands in the timeline for ever)"
        let asked: HTML = """
            \(frame.order(label)) <p class="muted">Nothing is changed at Apple.</p>
            """
        return Page(
            title, frame,
            """
            <div class="before-after">
            <section><h2>Before</h2><p>\(about) \(chain.map { held($0) })</p></section>
            <section><h2>After</h2><p>\(after)</p></section>
            </div>
            \(frame.form(to: frame.formAddress, seen + fields + asked, button: button))
            """)
    }

    /// The position that the author of the form has seen.
    private var seen: HTML {
        Page.hidden([("position", frame.values["position"] ?? frame.position.map(String.init))])
    }

    /// A link needs both sides: asks for the other one first, so that both can be compared.
    private func missing(_ customer: CustomerId?) -> HTML {
        frame.addressForm(
            customer == nil
                ? input("customer", "Customer", "as the app names it")
                : input("chain", "Purchase", "any of its transaction ids"),
            style: "act", button: "Next: compare")
    }

    private func held(_ chain: ChainReading) -> HTML {
        let holders = chain.life.holders.holders(at: chain.moment.at).map(\.customer)
        let names: HTML =
            holders.isEmpty
            ? "no customer" : holders.map { frame.customer($0) }.joined(", ")
        return """
            Purchase \(frame.chain(chain.chain)) \
            (\(chain.answer.productId?.rawValue ?? "unknown product"), \(chain.answer.state.text)) \
            belongs to \(names).
            """
    }

    private func given(_ grant: Grant) -> HTML {
        """
        Grant of \(grant.entitlement) until \(frame.time(grant.until)), by \(grant.actor): \
        \(grant.reason)
        """
    }

    private func effect(
        _ chain: ChainReading?, _ customer: CustomerId?
    ) -> (button: String, after: HTML) {
        switch act {
        case .link:
            ("Link", "The purchase belongs to the customer alone, until it is unlinked.")
        case .unlink: ("Unlink", unlinked(chain, customer))
        case .grant: ("Grant", "The customer has the entitlement from now until the given time.")
        case .ungrant:
            ("Withdraw", "This grant ends now; other grants and purchases stay as they are.")
        case .note: ("Keep the note", "The note stands in the timeline; nothing else changes.")
        }
    }

    /// Who holds the purchase without the customer's link or claim: those whom others name, and
    /// only without these the token's customer (`Lifecycle.md` §6).
    private func unlinked(_ chain: ChainReading?, _ customer: CustomerId?) -> HTML {
        let holders = chain.map { $0.life.holders.holders(at: $0.moment.at) } ?? []
        let rest = holders.filter { $0.customer != customer || $0.authority == .token }
        guard rest.contains(where: { $0.authority != .token }) else {
            return "The purchase belongs to the customer of its appAccountToken, if any."
        }
        return "The purchase belongs to \(rest.map { frame.customer($0.customer) }.joined(", "))."
    }

    // MARK: Fields

    private var fields: HTML {
        switch act {
        case .link, .unlink: kept("chain")
        case .grant:
            input("entitlement", "Entitlement", "pro")
                + input("until", "Until (UTC)", "2027-01-31 or 2027-01-31 12:00:00")
        case .ungrant: kept("grant")
        case .note: ""
        }
    }

    private func kept(_ name: String) -> HTML {
        Page.hidden([(name, frame.values[name] ?? "")])
    }

    private func input(_ name: String, _ label: String, _ hint: String) -> HTML {
        .input(name, label, frame.values[name], hint: hint, isRequired: true)
    }
}

extension Frame {
    /// The form of an act.
    func form(to address: String, _ fields: HTML, button: String) -> HTML {
        """
        <form class="act" method="post" action="\(address)" data-once>
        <input type="hidden" name="key" value="\(key)">
        \(fields)
        <button>\(button)</button>
        </form>
        """
    }

    /// The fields of who acts, and why. Signed in, the token names the author; otherwise the name
    /// is stated and not checked.
    func order(_ label: String = "Reason") -> HTML {
        let stated: HTML = """
            <label for="actor">Your name (stated; this service has no tokens to check it)</label>
            <input id="actor" name="actor" required maxlength="200" \
            value="\(HTML(field: values["actor"] ?? ""))" autocomplete="name">
            """
        let actor =
            viewer.name.map { "<p>Decided by <b>\($0)</b>.</p>\(Page.hidden([("author", $0)]))" }
            ?? stated
        // The browser drops one line feed at the beginning of a text area.
        return """
            \(actor)
            <label for="reason">\(label)</label>
            <textarea id="reason" name="reason" required maxlength="2000" rows="3">
            \(HTML(field: values["reason"] ?? ""))</textarea>
            """
    }
}
