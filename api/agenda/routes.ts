import { listStandingHalts, type TradingHalt } from '#db/risk/halts.ts'
import { AGENDA_ORDER, listAgenda, type AgendaItem } from '#db/signals/agenda.ts'
import { scoped } from '../access/policy.ts'
import { examplePaging } from '../http/examples.ts'
import { listRoute } from '../route/route.ts'
import { agendaAnswer, type AgendaItemAnswer } from './answers.ts'
import { z } from 'zod'
import { paging } from '../http/validation/query.ts'
import { symbol, uuid } from '../http/validation/values.ts'
import { haltAgainst, type HaltedOrder } from '#domain/halt.ts'
import { isOpening } from '#domain/signal.ts'
import { toIsoInstant, toJsonNumber } from '../http/presentation.ts'

const agendaQuery = z.strictObject({ accountId: uuid().optional(), symbol: symbol().optional(), ...paging })

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
  listRoute({
    name: 'GET /api/v1/agenda',
    access: scoped('trading:read'),
    tag: 'Signals',
    summary: 'List what happens next by the clock',
    description:
      'Exits and entries that are to be sent, signals that lapse unless somebody decides, and orders that end: the next one first, what is overdue before all. `heldBy` tells the halt that stands against it.',
    query: agendaQuery,
    answers: {
      200: {
        description: 'What is to come, by time',
        schema: agendaAnswer,
        examples: {
          'an exit': {
            items: [
              {
                kind: 'exit',
                at: '2026-03-02T20:45:00.000Z',
                signalId: '2d1f0c3b-4a5e-4b6c-9d7e-8f9a0b1c2d3e',
                orderId: null,
                accountId: '7f9c24e8-3b12-4a5f-9d0e-1c2b3a4d5e6f',
                symbol: 'AAPL',
                action: 'openLong',
                side: null,
                quantity: 26,
                quantityType: 'fixed',
                heldBy: null,
              },
            ],
            ...examplePaging(1),
          },
        },
      },
    },
    errors: [],
    list: { order: AGENDA_ORDER, rows: 'items', present: presentAgendaItem },
    async run({ em, me: { userId }, filter, page }) {
      const slice = await listAgenda(em, userId, filter, page)
      const standing = await listStandingHalts(em, userId)
      return { ...slice, items: slice.items.map((item) => ({ item, standing })) }
    },
  }),
]
