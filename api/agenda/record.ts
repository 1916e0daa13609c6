import type { AgendaItem } from '#db/signals/agenda.ts'
import type { TradingHalt } from '#db/risk/halts.ts'
import { haltAgainst, type HaltedOrder } from '#domain/halt.ts'
import { isOpening } from '#domain/signal.ts'
import { toIsoInstant, toJsonNumber } from '../http/presentation.ts'
import type { AgendaItemAnswer } from './answers.ts'

export interface HeldItem {
  item: AgendaItem
  standing: readonly TradingHalt[]
}

function orderOf({ kind, action }: AgendaItem): HaltedOrder | null {
  if (kind === 'exit') return { reducing: true, isManual: false }
  return kind === 'schedule' && action !== null ? { reducing: !isOpening(action), isManual: false } : null
}

function heldBy({ item, standing }: HeldItem): AgendaItemAnswer['heldBy'] {
  const order = orderOf(item)
  const halt = order && haltAgainst(standing, item.accountId, order)
  return halt && { level: halt.level, scope: halt.scope, since: halt.setAt, reason: halt.reason }
}

export const presentAgendaItem = ({ item, standing }: HeldItem): AgendaItemAnswer => ({
  kind: item.kind,
  at: toIsoInstant(item.at),
  signalId: item.signalId,
  orderId: item.orderId,
  accountId: item.accountId,
  symbol: item.symbol,
  action: item.action,
  side: item.side,
  quantity: toJsonNumber(item.quantity),
  quantityType: item.quantityType,
  heldBy: heldBy({ item, standing }),
})
