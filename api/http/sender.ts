import type { ApiContext } from './context.ts'

/** Whoever sent the request has hung up, and nothing was done for it: there is nobody to be answered. */
export class SenderGone extends Error {
  override readonly name = 'SenderGone'
}

/** What the log and the metrics call it; nobody is sent it. */
export const SENDER_GONE = 499

type Request = Pick<ApiContext, 'req' | 'res' | 'method' | 'state'>

/** Whether the connection of a request has been closed by its sender. */
export const isSenderGone = ({ req, res }: Pick<Request, 'req' | 'res'>): boolean =>
  req.socket.destroyed || res.destroyed

/** Milliseconds. Whatever begins sooner has not waited. */
const WAITED = 5

/**
 * Before work begins. Throws {@link SenderGone} for a reading whose sender has hung up, and for a change that had to wait
 * for its turn meanwhile: its sender may have sent it again. A change that does not wait is carried out, because some
 * senders never wait for an answer.
 */
export function requireSender(ctx: Request): void {
  if (isSenderGone(ctx) && (isReading(ctx.method) || ctx.state.waited >= WAITED)) throw new SenderGone()
}

export const isReading = (method: string): boolean => method === 'GET' || method === 'HEAD'
