internal import AppStore
internal import Service

/// The form of an operator's act: what it does, and the reason.
package struct OperatorForm {
    /// Raw values are the routes of the forms, with the variable that an act is about.
    package enum Act: String, Sendable, CaseIterable {
        case retryQuarantine = "quarantine/retry"
        case recover = "recoveries/start"
        case audit = "audit/verify"
        /// A subscription at Apple.
        case lookUp = "subscriptions/:id/look-up"
        /// The purchases of an order id at Apple.
        case order = "orders/:id"
        case redeliver = "webhooks/:endpoint/redeliver"
    }

    /// What an act did, in the address of the next page: a code without any figure, since a link
    /// could claim whatever it likes.
    package enum Result: String, Sendable, CaseIterable {
        case retried
        case asked

        var text: String {
            switch self {
            case .retried: "The retry has ended; what stays is below."
            case .asked: "Apple was asked; what it sent is included."
            }
        }
    }

    let frame: Frame
    let act: Act

    package init(_ frame: Frame, _ act: Act) {
        self.frame = frame
        self.act = act
    }

    package var page: Page {
        let (title, effect, button) = texts
        return Page(
            title, frame,
            """
            <p>\(effect)</p>
            \(frame.form(to: frame.formAddress, fields + frame.order(), button: button))
            """)
    }

    private var texts: (title: String, effect: String, button: String) {
        let id = frame.path[1]
        return switch act {
        case .retryQuarantine:
            (
                "Retry the quarantine",
                "Every item is verified again; what is accepted now becomes an event.", "Retry all"
            )
        case .recover:
            (
                "Recover a window",
                "Apple is asked for everything it sent in this window, and what is missing here is"
                    + " appended. About 40 requests for a day; nothing is changed at Apple.",
                "Recover"
            )
        case .redeliver:
            (
                "Redeliver to \(id)",
                "The changes of these positions are posted again under the same ids; receivers that"
                    + " deduplicate by id ignore them.", "Redeliver"
            )
        case .lookUp:
            (
                "Look up \(id) at Apple",
                "Apple is asked for the history and the status of this subscription (about 3"
                    + " requests); what is missing here is appended. Nothing is changed at Apple.",
                "Ask Apple"
            )
        case .order:
            (
                "Ask Apple about order \(id)",
                "Apple is asked for the purchases of this order (1 request), which are appended.",
                "Ask Apple"
            )
        case .audit:
            (
                "Verify the log",
                "Every hash and the tree are computed again, and compared. It runs in the background.",
                "Verify"
            )
        }
    }

    private var fields: HTML {
        switch act {
        case .retryQuarantine, .lookUp, .order: ""
        case .recover:
            input("bundleId", "App (empty: the only one with a key)", isRequired: false)
                + input("from", "From (UTC)", isRequired: true)
                + input("to", "To (UTC; empty: now)", isRequired: false)
        case .redeliver:
            input("from", "First position", isRequired: true)
                + input("to", "Last position", isRequired: true)
        case .audit:
            """
            <p><label><input type="checkbox" name="signatures" value="true"\
            \(frame.values["signatures"] == "true" ? " checked" as HTML : "")> \
            Also verify every signature again</label></p>
            """
        }
    }

    private func input(_ name: String, _ label: String, isRequired: Bool) -> HTML {
        .input(name, label, frame.values[name], isRequired: isRequired)
    }
}
