import { endpoints, idOf } from '../endpoint.ts'
import { z } from 'zod'
import { decidedAnswer } from './answers.ts'
import { EXAMPLE_SIGNAL } from './examples.ts'
import { protectionFields } from './protection-schema.ts'

export const protectionEndpoints = endpoints({
  'PATCH /api/v1/signals/:id/protection': {
    tag: 'Signals',
    summary: 'Change how a position is protected',
    description:
      'Parts that are given take the place of those of the exit plan, null takes one away, and the others stay: where nothing is left, the plan ends and the position stays. So `stop`, `target`, `trail` and `breakEven`, each null, take the whole plan away; a body that changes nothing, such as `{}`, is a fault and leaves the plan as it is. A signal whose order has not been sent is changed too; one that waits for a person, by a person alone. Other prices are changed where the order lies at the broker, also while all trading is stopped; another kind of order takes its place once its end is confirmed. A level that the price has passed is refused, because it would close the position at once; a level by price while no price is known is answered 409 `WOULD_BE_REFUSED` with `PRICE_UNKNOWN` as its detail. An access token changes the plans of what it has sent itself. Distances count from the average fill. The stop of a signal that is sized by risk stays while its entry is being sent. A change that is not confirmed in time is answered 202 with the advisory `decision_unconfirmed`; sending it again is harmless.',
    path: { id: idOf('SIGNAL_NOT_FOUND') },
    body: {
      schema: z.strictObject(protectionFields),
      examples: {
        'move the stop, and leave the rest': { stop: { price: 186.5 } },
        'let profits run': { target: null, trail: { percent: 3 } },
        'end the plan': { stop: null, target: null, trail: null, breakEven: null },
      },
    },
    answers: {
      200: {
        description: 'The plan is changed',
        schema: decidedAnswer,
        examples: { changed: { signal: EXAMPLE_SIGNAL } },
      },
      202: {
        description: 'Handed on, and not confirmed yet',
        schema: decidedAnswer,
        examples: { 'not confirmed yet': { signal: EXAMPLE_SIGNAL } },
      },
    },
    errors: ['SIGNAL_NOT_FOUND', 'PROTECTION_NOT_CHANGEABLE', 'WOULD_BE_REFUSED', 'TEMPORAL_UNAVAILABLE'],
  },
})
