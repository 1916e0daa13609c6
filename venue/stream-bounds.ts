/** What a client of one of the venue's streams may take, as Alpaca bounds it. */

/** A client that has not proved who it is by then is dropped. */
export const AUTHENTICATION_MS = 10_000
/** A client that lets so much pile up is dropped: it comes back, and asks for what it has missed. */
export const MAX_BACKLOG_BYTES = 1 << 20
export const MAX_MESSAGE_BYTES = 16 << 10
