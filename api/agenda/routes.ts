import { listHaltsOf, type TradingHalt } from '#db/risk/halts.ts'
import { AGENDA_ORDER, listAgenda, type AgendaItem } from '#db/signal/agenda.ts'
import { scoped } from '../access/policy.ts'
import { listRoute } from '../route/route.ts'
import { type AgendaItemAnswer, agendaEndpoints } from '#contract/signal/agenda.ts'
import { haltAgainst, type HaltedOrder } from '#domain/risk/halt.ts'
import { isOpening } from '#domain/signal/signal.ts'
import { toIsoInstant, toJsonNumber } from '../http/presentation.ts'

interface HeldItem {
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

const presentAgendaItem = ({ item, standing }: HeldItem): AgendaItemAnswer => ({
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

export const agendaRoutes = [
  listRoute(agendaEndpoints['GET /api/v1/agenda'], {
    access: scoped('trading:read'),
    list: { order: AGENDA_ORDER, rows: 'items', present: presentAgendaItem },
    async run({ em, me: { userId }, filter, page }) {
      const slice = await listAgenda(em, userId, filter, page)
      const standing = await listHaltsOf(em, userId)
      return { ...slice, items: slice.items.map((item) => ({ item, standing })) }
    },
  }),
]
