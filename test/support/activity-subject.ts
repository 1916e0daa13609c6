import type { EntityManager } from '#db/engine/database.ts'
import { parseClientOrderId } from '#domain/order/order.ts'

/** What an activity's input may say of the signal that it is about. */
export interface ActivitySubject {
  symbol?: string
  signalId?: string
  brokerOrderId?: string
  clientOrderId?: string
  request?: { symbol: string; clientOrderId: string }
  report?: { symbol: string; clientOrderId: string }
}

/** The symbol that an activity is about, as its input or the ledger knows it; null for an activity about none. */
export async function symbolOf(em: EntityManager, subject: ActivitySubject): Promise<string | null> {
  const { symbol, request, report, brokerOrderId, clientOrderId } = subject
  if (symbol !== undefined) return symbol
  if (request || report) return (request ?? report)!.symbol
  const signalId = subject.signalId ?? (clientOrderId && parseClientOrderId(clientOrderId)?.signalId)
  if (signalId === undefined && brokerOrderId === undefined) return null
  const [table, column, value] =
    signalId !== undefined ? ['signals', 'id', signalId] : ['orders', 'broker_order_id', brokerOrderId]
  const [row] = await em
    .fork()
    .execute<{ symbol: string }[]>(`select symbol from ${table} where ${column} = ?`, [value])
  return row?.symbol ?? null
}
