import type { EntityManager } from '../engine/database.ts'
import { queryRows } from '../engine/row-security.ts'

/** When the orders of a signal were sent, accepted and filled; null for what has not happened, or was not written down. */
export interface OrderInstants {
  /** Let out to be sent, by our clock. */
  sentAt: Date | null
  /** The broker's acceptance was known, by our clock. */
  acknowledgedAt: Date | null
  /** The last fill, by the broker's clock. */
  filledAt: Date | null
  /** Of the first exit order. */
  exitSentAt: Date | null
  /** Of the last exit order. */
  exitFilledAt: Date | null
}

/** The instants of the orders of one of the user's signals. */
export async function findOrderInstants(
  em: EntityManager,
  userId: string,
  signalId: string,
): Promise<OrderInstants> {
  const [row] = await queryRows<Record<keyof OrderInstants, string | Date | null>>(
    em,
    `select min(sent_at) filter (where role = 'entry') as "sentAt",
       min(acknowledged_at) filter (where role = 'entry') as "acknowledgedAt",
       max(filled_at) filter (where role = 'entry') as "filledAt",
       min(sent_at) filter (where role = 'exit') as "exitSentAt",
       max(filled_at) filter (where role = 'exit') as "exitFilledAt"
     from orders where signal_id = ? and user_id = ?`,
    [signalId, userId],
  )
  const read = (instant: keyof OrderInstants): Date | null => {
    const value = row?.[instant] ?? null
    return value === null ? null : new Date(value)
  }
  return {
    sentAt: read('sentAt'),
    acknowledgedAt: read('acknowledgedAt'),
    filledAt: read('filledAt'),
    exitSentAt: read('exitSentAt'),
    exitFilledAt: read('exitFilledAt'),
  }
}

/** The body with which one of the user's signals came, without secrets; null where none was kept. */
export async function findSource(
  em: EntityManager,
  userId: string,
  signalId: string,
): Promise<string | null> {
  const [row] = await queryRows<{ body: string }>(
    em,
    `select body from signal_sources where signal_id = ? and user_id = ?`,
    [signalId, userId],
  )
  return row?.body ?? null
}
