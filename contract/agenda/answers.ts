import { AGENDA_KINDS } from '#domain/lists.ts'
import { HALT_LEVELS, HALT_SCOPES } from '#domain/halt.ts'
import { ORDER_SIDES } from '#domain/order.ts'
import { ACTIONS, QUANTITY_TYPES } from '#domain/signal.ts'
import { z } from 'zod'
import { pagingAnswer } from '../values/query.ts'

const heldByAnswer = z
  .strictObject({
    level: z.enum(HALT_LEVELS),
    scope: z.enum(HALT_SCOPES),
    since: z.iso.datetime(),
    reason: z.string().nullable(),
  })
  .meta({ id: 'HeldBy' })

const agendaItemAnswer = z
  .strictObject({
    kind: z
      .enum(AGENDA_KINDS)
      .describe(
        'exit: the exit of a signal is sent; schedule: its entry is; expiry: a signal that waits for a person lapses; orderExpiry: a good till date order ends',
      ),
    at: z.iso.datetime().describe('When; in the past for what is overdue'),
    signalId: z.uuid().nullable(),
    orderId: z.uuid().nullable().describe('Of an order that expires'),
    accountId: z.uuid(),
    symbol: z.string(),
    action: z.enum(ACTIONS).nullable().describe('Of a signal'),
    side: z.enum(ORDER_SIDES).nullable().describe('Of an order'),
    quantity: z.number().describe('As quantityType says'),
    quantityType: z.enum(QUANTITY_TYPES),
    heldBy: heldByAnswer
      .nullable()
      .describe(
        'The halt that stands against it now. If it still stands when the time comes, an exit or a closing entry waits until it is lifted, and an opening entry is refused',
      ),
  })
  .meta({ id: 'AgendaItem' })

export const agendaAnswer = z.strictObject({ items: z.array(agendaItemAnswer), ...pagingAnswer })
export type AgendaItemAnswer = z.output<typeof agendaItemAnswer>
