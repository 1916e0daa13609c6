import { AGENDA_KINDS } from '#domain/signal/list-choices.ts'
import { HALT_LEVELS, HALT_SCOPES } from '#domain/risk/halt.ts'
import { ORDER_SIDES } from '#domain/order/order.ts'
import { ACTIONS, QUANTITY_TYPES } from '#domain/signal/signal.ts'
import { z } from 'zod'
import { pagingAnswer, paging } from '../values/query.ts'
import { endpoints } from '../endpoint.ts'
import { examplePaging } from '../envelopes.ts'
import { symbol, uuid } from '../values/values.ts'

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
        'The halt that stops it now. If the halt is still active at that time, an exit or a closing entry waits until the halt is lifted, and an opening entry is refused',
      ),
  })
  .meta({ id: 'AgendaItem' })

const agendaAnswer = z.strictObject({ items: z.array(agendaItemAnswer), ...pagingAnswer })
export type AgendaItemAnswer = z.output<typeof agendaItemAnswer>

const agendaQuery = z.strictObject({ accountId: uuid().optional(), symbol: symbol().optional(), ...paging })

export const agendaEndpoints = endpoints({
  'GET /api/v1/agenda': {
    tag: 'Signals',
    summary: 'List the next scheduled actions',
    description:
      'Exits and entries that the service will send, signals that lapse unless a person decides, and orders that end: the next one first, overdue ones before all others. `heldBy` is the halt that stops the action now.',
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
  },
})
