import type { ApiContext } from './context.ts'
import type { WorkKind } from './work-bounds.ts'

export class SenderGone extends Error {
  override readonly name = 'SenderGone'
}

/** The status in log and metrics. */
export const SENDER_GONE = 499

type Request = Pick<ApiContext, 'req' | 'res' | 'method' | 'state'>

export const isSenderGone = ({ req, res }: Pick<Request, 'req' | 'res'>): boolean =>
  req.socket.destroyed || res.destroyed

/** Milliseconds; a shorter wait counts as none. */
const WAITED = 5

/** A person whose phone has lost its connection after "stop" has said stop; a program sends a signal again. */
const STANDS_ONCE_ARRIVED: Readonly<Record<WorkKind, boolean>> = {
  trading: true,
  stopping: true,
  signals: false,
  entries: false,
  reading: false,
  ordinary: false,
  broker: false,
}

export const standsOnceArrived = (kind: WorkKind | null): boolean =>
  kind !== null && STANDS_ONCE_ARRIVED[kind]

/** Throws {@link SenderGone} for a reading without a sender, and for a change that waited and does not stand:
 * it may come again. Other changes are done: some senders never wait for an answer. */
export function requireSender(ctx: Request, kind: WorkKind | null): void {
  if (!isSenderGone(ctx)) return
  const isInVain = ctx.state.waited >= WAITED && !standsOnceArrived(kind)
  if (isReading(ctx.method) || isInVain) throw new SenderGone()
}

export const isReading = (method: string): boolean => method === 'GET' || method === 'HEAD'
