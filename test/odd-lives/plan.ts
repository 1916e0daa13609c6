import fc from 'fast-check'

/** Requests that an odd answer may be for. */
export const ASKED = {
  'an order': 'POST /v2/orders',
  'a cancel': 'DELETE /v2/orders/*',
  'a look-up by its id': 'GET /v2/orders:by_client_order_id',
  'an order by the broker’s id': 'GET /v2/orders/*',
  'the list of orders': 'GET /v2/orders',
  'the account': 'GET /v2/account',
  'the positions': 'GET /v2/positions*',
  'the executions': 'GET /v2/account/activities',
  'the calendar': 'GET /v2/calendar',
  'the clock': 'GET /v2/clock',
  'the asset': 'GET /v2/assets/*',
  'a price': 'GET /v2/stocks*',
  anything: '*',
} as const

export const ANSWERS = [
  'not carried out, 500',
  'carried out, 504',
  'not carried out, cut',
  'carried out, cut',
  '401',
  '403 forbidden',
  '404',
  '429',
  'an empty list',
  'no JSON',
  'late',
  'too late',
] as const
export type OddAnswering = (typeof ANSWERS)[number]

/** One short life of a signal, and what the broker does to it meanwhile. */
export interface OddLife {
  size: 'fixed' | 'dollars' | 'percent'
  entry: 'market' | 'limit'
  exit: 'none' | 'at once' | 'at a limit'
  fills:
    'at once' | 'in parts' | 'in part, then it ends' | 'too much' | 'after its end' | 'rejected' | 'never'
  stream: 'as it is' | 'twice' | 'in disorder' | 'silent' | 'cut' | 'unreadable' | 'not authorised'
  afterwards:
    | 'nothing'
    | 'closed by a signal'
    | 'closed by a person'
    | 'sold by hand'
    | 'replaced by hand'
    | 'withdrawn'
  odd: readonly { asked: keyof typeof ASKED; answer: OddAnswering; times: number }[]
}

const odd = fc.record({
  asked: fc.oneof(
    { weight: 2, arbitrary: fc.constantFrom('an order' as const, 'the positions' as const) },
    { weight: 3, arbitrary: fc.constantFrom(...(Object.keys(ASKED) as (keyof typeof ASKED)[])) },
  ),
  answer: fc.constantFrom(...ANSWERS),
  times: fc.constantFrom(1, 1, 2, 3),
})

export const anyOddLife: fc.Arbitrary<OddLife> = fc.record({
  size: fc.constantFrom('fixed', 'fixed', 'dollars', 'percent'),
  entry: fc.constantFrom('market', 'market', 'limit'),
  exit: fc.constantFrom('at once', 'at once', 'at a limit', 'none'),
  fills: fc.constantFrom(
    'at once',
    'at once',
    'in parts',
    'in part, then it ends',
    'too much',
    'after its end',
    'rejected',
    'never',
  ),
  stream: fc.constantFrom(
    'as it is',
    'as it is',
    'twice',
    'in disorder',
    'silent',
    'cut',
    'unreadable',
    'not authorised',
  ),
  afterwards: fc.constantFrom(
    'nothing',
    'nothing',
    'closed by a signal',
    'closed by a person',
    'sold by hand',
    'replaced by hand',
    'withdrawn',
  ),
  odd: fc.array(odd, { maxLength: 3 }),
})
