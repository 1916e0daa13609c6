import { randomUUID } from 'node:crypto'
import type { Alert } from '#client/types.ts'
import type { App } from './browser.ts'

/** Raises an alert of the stack's person, as the statement that records a failure does. */
export async function raiseAlert(
  app: App,
  kind: Alert['kind'],
  {
    signalId,
    symbol,
    message,
    data = {},
  }: { signalId?: string; symbol?: string; message: string; data?: object },
): Promise<void> {
  const signal = signalId === undefined ? 'null' : `'${signalId}'`
  const about = symbol === undefined ? 'null' : `'${symbol}'`
  await app.stack.query(
    `insert into alerts (id, kind, account_id, user_id, signal_id, symbol, message, data, raised_at)
     select '${randomUUID()}', '${kind}', id, user_id, ${signal}, ${about}, '${message}', '${JSON.stringify(data)}', now() from accounts limit 1`,
  )
}
