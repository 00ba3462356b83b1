internal import Ledger
internal import Reports

/// The question of a report as a form.
struct ReportForm {
    let frame: Frame
    let name: String

    var html: HTML {
        let intervals = ReportInterval.allCases.map(\.rawValue)
        let packs = DefinitionPack.allCases.filter { $0.rules(name) != nil }.map(\.rawValue)
        let definitions: HTML =
            packs.isEmpty ? "" : select("definitions", "Definitions", packs, "ours")
        let fields: HTML = """
            \(input("from", "From")) \(input("to", "To"))
            \(select("interval", "By", intervals, "month"))
            \(input("by", "Broken down by")) \(input("where", "Only where"))
            \(definitions)\(paid)\(kept)
            """
        return "\(frame.addressForm(fields))\n<p class=\"muted\">\(hint)</p>"
    }

    /// The dimensions that the report accepts, and an example.
    private var hint: HTML {
        guard name != MetricName.lateness.rawValue else {
            return "Broken down by: app. Only where: app=com.example.app."
        }
        let hasReason = [MetricName.churnName, MetricName.mrrMovement.rawValue].contains(name)
        let dimensions = Dimension.allCases.filter { hasReason || $0 != .reason }
        let names = dimensions.map(\.rawValue).joined(separator: ", ")
        return "Broken down by: \(names). Only where: product=pro.monthly,country=USA."
    }

    /// Churn is of all chains, or of paid ones.
    private var paid: HTML {
        guard name == MetricName.churnName else { return "" }
        let mark: HTML = value("paid").isEmpty ? "" : " checked"
        return
            "<label><input type=\"checkbox\" name=\"paid\" value=\"true\"\(mark)> Paid only</label>"
    }

    /// Keeps what has no field: a report in the currencies of its payments, and its zone.
    private var kept: HTML {
        Page.hidden(frame.kept.filter { ["rates", "timeZone"].contains($0.0) })
    }

    private func value(_ name: String) -> String { frame.asked(name) ?? "" }

    private func input(_ name: String, _ label: String) -> HTML {
        .input(name, label, value(name))
    }

    private func select(_ name: String, _ label: String, _ values: [String], _ usual: String)
        -> HTML
    {
        let stated = value(name).isEmpty ? usual : value(name)
        let options = values.map { value -> HTML in
            "<option\(value == stated ? " selected" as HTML : "")>\(value)</option>"
        }
        let first: HTML = values.contains(usual) ? "" : "<option value=\"\">\(usual)</option>"
        return """
            <label for="\(name)">\(label)</label>
            <select id="\(name)" name="\(name)">\(first)\(options)</select>
            """
    }
}

/// The list of reports.
package enum ReportsPage {
    package static func page(_ frame: Frame) -> Page {
        let names =
            [MetricName.churnName] + MetricName.allCases.map(\.rawValue)
            + [RetentionOffersPage.name]
        let items = names.map { name -> HTML in
            let address = frame.url("reports", name, query: [("from", frame.usualFrom)])
            return
                "<tr data-row><td><a href=\"\(address)\">\(name)</a></td><td>\(title(name))</td></tr>\n"
        }
        return Page(
            "Reports", frame,
            """
            <table class="rows"><tbody>
            \(items)</tbody></table>
            <p class="muted">Every figure is computed from the events, by a published and numbered \
            definition; the same position gives the same figures.</p>
            """)
    }

    /// What a report shows.
    private static func title(_ name: String) -> String {
        switch name {
        case RetentionOffersPage.name: RetentionOffersPage.title
        case MetricName.churnName: "Subscriptions that began and ended, and why"
        case MetricName.lateness.rawValue: "How late notifications arrived, and suspected outages"
        case MetricName.ltv.rawValue: "Paid by customers so far, by when they first bought"
        default: (try? MetricName(compared: name)).flatMap { ChartedMetric($0)?.title } ?? ""
        }
    }
}
