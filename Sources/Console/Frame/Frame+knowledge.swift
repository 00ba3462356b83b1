internal import AppStore
internal import Ledger

extension Frame {
    private static let dayMilliseconds: Int64 = 86_400_000

    /// The field and slider that select "as known at" of a page. Acts are not offered in the past.
    var knowledgeForm: HTML {
        let value =
            if case .knownPosition(let position) = state.knowledge { "#\(position)" } else {
                state.knowledge.knownAt?.rfc3339 ?? ""
            }
        // Without the usual `from`: it depends on the known time, and may be after an earlier one.
        let stated = kept.filter { $0.0 != "from" || $0.1 != usualFrom }
        let fields: HTML = """
            \(Page.hidden(stated))\
            <label for="knownAt">As known at</label>
            <input id="knownAt" name="knownAt" value="\(value)" placeholder="day, time or #position" \
            maxlength="40" data-key="t" spellcheck="false">
            \(slider)
            """
        return addressForm(fields, but: ["knownAt", "knownPosition"])
    }

    /// Stands at the known time, and reaches 400 days back, at least to the day before that time;
    /// none for a position, which has no day before it.
    private var slider: HTML {
        if case .knownPosition = state.knowledge { return "" }
        let known = (state.knowledge.knownAt ?? now).milliseconds
        let last = now.milliseconds
        // Whole steps, so that the browser does not round the value.
        let back =
            max(known - last + 400 * Frame.dayMilliseconds, Frame.dayMilliseconds) / 60_000 * 60_000
        return """
            <input type="range" hidden aria-label="As known at, by sliding" data-slider="knownAt" \
            min="\(known - back)" max="\(max(known, last))" value="\(known)" step="60000">
            """
    }
}
