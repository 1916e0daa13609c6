import type { ServerResponse } from 'node:http'

/** How long an answer may take to be taken by whoever asked, in milliseconds. */
export interface SendingLimits {
  /** For which its connection may take nothing at all; once or twice as long, because the system looks that often. */
  takesNothing: number
  /** Within which all of it has to be taken, which a slow phone does in a small part of it. */
  takesAll: number
}

export const SENDING_LIMITS: SendingLimits = { takesNothing: 15_000, takesAll: 300_000 }

/**
 * Cuts off who asks and does not read the answer: it would lie in the memory of this process for as long as the connection is
 * open. Event streams have no end; they let go of such clients themselves.
 */
export function cutOffUnread(response: ServerResponse, { takesNothing, takesAll }: SendingLimits): void {
  const cutOff = (): void => {
    // A connection that is only closed keeps what was not sent.
    if (!isEventStream(response)) response.socket?.resetAndDestroy()
  }
  // Node's own clock of the connection: it begins anew whenever some bytes are taken.
  response.setTimeout(takesNothing, () => {
    if (response.writableLength > 0) cutOff()
  })
  const limit = setTimeout(() => {
    if (response.headersSent) cutOff()
  }, takesAll).unref()
  response.once('close', () => clearTimeout(limit))
}

const isEventStream = (response: ServerResponse): boolean =>
  String(response.getHeader('Content-Type')).startsWith('text/event-stream')
