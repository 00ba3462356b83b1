-- What came due between an event's arrival and the feed's own clock was told by nobody in releases
-- before this one: the next step of the feed looks at every chain once, and tells what was left out.
-- Back to 0 with the next keeping of the clock.
ALTER TABLE feed_clock ADD COLUMN looks_again INTEGER NOT NULL DEFAULT 0;
UPDATE feed_clock SET looks_again = 1;
