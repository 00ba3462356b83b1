internal import AppStore

/// A table in the form that every list has: it scrolls by itself where it is too wide, and each
/// cell names its column where the screen is too narrow for heads.
struct RowTable {
    /// What it lists, for readers of the screen.
    let label: String
    let heads: [String]
    /// The heads of columns of figures.
    var figures: Set<String> = []

    /// - Parameter style: the class of the row.
    func row(_ cells: [HTML], style: String? = nil) -> HTML {
        let named = zip(heads, cells).map { head, cell -> HTML in
            "<td data-label=\"\(head)\"\(number(head))>\(cell)</td>"
        }
        let kind: HTML = style.map { " class=\"\($0)\"" } ?? ""
        return "<tr\(kind) data-row>\(named)</tr>\n"
    }

    /// - Parameter empty: replaces a table without rows.
    func html(_ rows: [HTML], empty: HTML) -> HTML {
        guard !rows.isEmpty else { return "<p class=\"muted\">\(empty)</p>" }
        // Without links inside, the keyboard needs the region itself to scroll it.
        let focus: HTML = rows.contains { $0.text.contains("<a ") } ? "" : " tabindex=\"0\""
        let names = heads.map { "<th scope=\"col\"\(number($0))>\($0)</th>" as HTML }
        return """
            <div class="scroll"\(focus) role="region" aria-label="\(label)"><table class="rows stack">
            <thead><tr>\(names)</tr></thead><tbody>
            \(rows)</tbody></table></div>
            """
    }

    private func number(_ head: String) -> HTML {
        figures.contains(head) ? " class=\"num\"" : ""
    }
}

extension Frame {
    /// Content that the browser brings up to date while the page is shown.
    func live(_ id: String, _ content: HTML, note: HTML = "") -> HTML {
        """
        <p class="muted"><span data-live-state></span> \(note)</p>
        <div id="\(id)" data-live="\(url("live"))">
        \(content)
        </div>
        """
    }

    /// A form whose fields become parameters of this page's address, and show only what it names:
    /// going back, a browser would restore what was chosen since.
    ///
    /// - Parameter left: parameters of the state that the fields replace.
    func addressForm(
        _ fields: HTML, but left: Set<String> = [], style: String = "filter",
        button: String = "Show"
    ) -> HTML {
        let address = ViewState(environment: state.environment).url(path)
        return """
            <form class="\(style)" method="get" action="\(address)" autocomplete="off">
            \(Page.hidden(state, but: left))\(fields)
            <button>\(button)</button>
            </form>
            """
    }

    /// The link to the next page of a list; nothing at its end.
    ///
    /// - Parameter name: of the parameter that takes the cursor.
    func pager(_ text: String, _ name: String, _ cursor: String?) -> HTML {
        guard let cursor else { return "" }
        let app = ("bundleId", state.bundleId?.rawValue)
        let address = state.url(path, [(name, cursor)] + kept + [app])
        return """
            <nav class="pager" aria-label="Pages"><a rel="next" href="\(address)">\(text)</a></nav>
            """
    }
}

extension HTML {
    /// As many parts as fit `byteCount` together, at least one if there is one; the index of the
    /// first of them, and that after the last.
    ///
    /// - Parameter first: the part to begin with; nil: to end with the last one.
    static func parts(
        _ count: Int, from first: Int?, within byteCount: Int, _ part: (Int) -> HTML
    ) -> (html: HTML, start: Int, end: Int) {
        let isForward = first != nil
        var (html, start, end) = (HTML(), first ?? count, first ?? count)
        while isForward ? end < count : start > 0 {
            let next = part(isForward ? end : start - 1)
            guard start == end || html.text.utf8.count + next.text.utf8.count <= byteCount
            else { break }
            html = isForward ? html + next : next + html
            if isForward { end += 1 } else { start -= 1 }
        }
        return (html, start, end)
    }

    /// Names and values; a nil value is left out.
    static func fields(_ rows: [(String, HTML?)]) -> HTML {
        let list = rows.compactMap { name, value -> HTML? in
            value.map { "<dt>\(name)</dt><dd>\($0)</dd>\n" }
        }
        return "<dl class=\"fields\">\n\(list)</dl>"
    }

    /// Why a form was not accepted; nothing for nil.
    static func failure(_ text: String?) -> HTML {
        text.map { "<p class=\"banner warn\" role=\"alert\">\($0)</p>" } ?? ""
    }

    /// A labelled text field.
    static func input(
        _ name: String, _ label: String, _ value: String?, hint: String = "",
        isRequired: Bool = false
    ) -> HTML {
        """
        <label for="\(name)">\(label)</label>
        <input id="\(name)" name="\(name)" maxlength="256" placeholder="\(hint)" \
        value="\(HTML(field: value ?? ""))" spellcheck="false" autocomplete="off"\
        \(isRequired ? " required" as HTML : "")>
        """
    }
}
