import { endpoints } from '../endpoint.ts'
import { examplePaging } from '../examples.ts'
import { agendaAnswer } from './answers.ts'
import { z } from 'zod'
import { paging } from '../values/query.ts'
import { symbol, uuid } from '../values/values.ts'

const agendaQuery = z.strictObject({ accountId: uuid().optional(), symbol: symbol().optional(), ...paging })

export const agendaEndpoints = endpoints({
  'GET /api/v1/agenda': {
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
  },
})
