-- The few events that say up to when everything Apple sent is here: whoever rebuilds looks for them
-- without walking the whole log. Every other event pays nothing for it.
CREATE INDEX events_sweeps ON events (position) WHERE kind = 9;
