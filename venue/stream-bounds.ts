// As Alpaca bounds its clients.

/** A client without authentication by then is dropped. */
export const AUTHENTICATION_MS = 10_000
/** Unread bytes at which a client is dropped: it comes back and asks for what it missed. */
export const MAX_BACKLOG_BYTES = 1 << 20
export const MAX_MESSAGE_BYTES = 16 << 10
