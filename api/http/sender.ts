import type { ApiContext } from './context.ts'
import type { WorkKind } from './work-bounds.ts'

/** The sender of the request has hung up, and nothing was done for it: there is nobody to be answered. */
export class SenderGone extends Error {
  override readonly name = 'SenderGone'
}

/** The name in log and metrics; it is sent to nobody. */
export const SENDER_GONE = 499

type Request = Pick<ApiContext, 'req' | 'res' | 'method' | 'state'>

/** Whether the connection of a request has been closed by its sender. */
export const isSenderGone = ({ req, res }: Pick<Request, 'req' | 'res'>): boolean =>
  req.socket.destroyed || res.destroyed

/** Milliseconds. Whatever begins sooner has not waited. */
const WAITED = 5

/**
 * Whether a change is carried out once it has arrived, by its kind of work, however long it waits for its turn and
 * whether or not its sender is still there. So is trading: a person whose phone has lost its connection after "stop" has
 * said stop. A signal comes from a program, which may send again those that got no answer.
 */
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

/**
 * Before work begins. Throws {@link SenderGone} for a reading whose sender has hung up, and for a change that had to wait
 * for its turn meanwhile and does not stand: its sender may have sent it again. A change that does not wait is carried out,
 * because some senders never wait for an answer.
 */
export function requireSender(ctx: Request, kind: WorkKind | null): void {
  if (!isSenderGone(ctx)) return
  const isInVain = ctx.state.waited >= WAITED && !standsOnceArrived(kind)
  if (isReading(ctx.method) || isInVain) throw new SenderGone()
}

export const isReading = (method: string): boolean => method === 'GET' || method === 'HEAD'
