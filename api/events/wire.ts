/**
 * Texts of an event stream, after the WHATWG's HTML Standard, "Server-sent events". An id without an event is kept by
 * the client like any other.
 */

const idLine = (id: string | null): string => (id === null ? '' : `id: ${id}\n`)

/** JSON has no line breaks of its own, so an event's data is one line. */
export const eventText = (event: string, data: object, id: string | null): string =>
  `${idLine(id)}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`

/** Keeps proxies from closing a quiet stream, and tells clients how far they have come. */
export const heartbeatText = (id: string | null): string => `: still here\n${idLine(id)}\n`

/** How long a client waits before it comes back, in milliseconds. */
export const retryText = (milliseconds: number): string => `retry: ${milliseconds}\n\n`
