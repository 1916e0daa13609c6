import type { AgendaItem } from '#db/signals/agenda.ts'
import { toIsoInstant, toJsonNumber } from '../http/presentation.ts'
import type { AgendaItemAnswer } from './answers.ts'

/** Something that happens by the clock, as it is shown. */
export const presentAgendaItem = (item: AgendaItem): AgendaItemAnswer => ({
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
})
