import fc from 'fast-check'

/** A signal of a life; the first ones open, the others close. */
export interface PlannedSignal {
  does: 'opens' | 'closes'
  /** Shares. */
  quantity: '10' | '4'
  orderType: 'market' | 'limit'
  exit: 'none' | 'at once' | 'in a minute' | 'at a limit'
  executeMode: 'immediate' | 'pending'
}

/** What may happen to the signal that an event names, to its orders, or to everything. */
export const EVENTS = [
  'arrives',
  'approve',
  'withdraw',
  'cancel exit',
  'cancel entry order',
  'cancel exit order',
  'entry fills 3',
  'entry fills all',
  'exit fills 3',
  'exit fills all',
  'entry ends',
  'entry is cancelled',
  'exit ends',
  'exit is cancelled',
  'exit is rejected',
  'closed by hand 3',
  'person closes 4',
  'trading stops',
  'trading goes on',
  'next order is refused',
  'next order is lost',
  'next answer is lost',
  'cancels take their time',
  'no news',
  'a moment passes',
  'half a minute passes',
  'timer rings',
] as const
export type LifeEvent = (typeof EVENTS)[number]

/** What is lost, and rebuilt at once. */
export const LOSSES = ['temporal', 'ledger', 'both'] as const
export type Loss = (typeof LOSSES)[number]

export interface PlannedEvent {
  event: LifeEvent
  /** The signal that it is about. */
  who: number
  /** What is lost while the steps are carried out that follow the event, after how many of them. */
  loses?: { what: Loss; after: number } | undefined
  /** The ledger is copied after the event; a ledger that is lost is the last copy from then on. */
  copies?: boolean | undefined
}

export interface LifePlan {
  side: 'LONG' | 'SHORT'
  signals: readonly PlannedSignal[]
  events: readonly PlannedEvent[]
}

const opening: fc.Arbitrary<PlannedSignal> = fc.record({
  does: fc.constant('opens' as const),
  quantity: fc.constant('10' as const),
  orderType: fc.constantFrom('market', 'limit'),
  exit: fc.constantFrom('at once', 'in a minute', 'at a limit', 'none'),
  executeMode: fc.constantFrom('immediate', 'immediate', 'pending'),
})
const closing: fc.Arbitrary<PlannedSignal> = fc.record({
  does: fc.constant('closes' as const),
  quantity: fc.constantFrom('10', '4'),
  orderType: fc.constantFrom('market', 'limit'),
  exit: fc.constant('none' as const),
  executeMode: fc.constant('immediate' as const),
})

const loses = (losses: readonly Loss[]) =>
  fc.record({ what: fc.constantFrom(...losses), after: fc.nat({ max: 6 }) })

const who = fc.nat({ max: 3 })
const event = (losses: readonly Loss[]): fc.Arbitrary<PlannedEvent> =>
  fc.record({
    event: fc.oneof(
      { weight: 3, arbitrary: fc.constantFrom<LifeEvent>('entry fills all', 'a moment passes', 'timer rings', 'arrives') },
      { weight: 5, arbitrary: fc.constantFrom(...EVENTS) },
    ),
    who,
    loses: fc.option(loses(losses), { nil: undefined, freq: 5 }),
    copies: fc.option(fc.constant(true), { nil: undefined, freq: 4 }),
  })

const BEGINNINGS: readonly LifeEvent[][] = [
  ['arrives'],
  ['arrives', 'approve', 'entry fills all', 'a moment passes', 'timer rings'],
  ['arrives', 'approve', 'entry fills 3', 'entry is cancelled', 'a moment passes', 'timer rings'],
]

/** Lives in which such things are lost. */
export const anyPlan = (losses: readonly Loss[]): fc.Arbitrary<LifePlan> =>
  fc.record({
    side: fc.constantFrom('LONG', 'SHORT'),
    signals: fc
      .tuple(fc.array(opening, { minLength: 1, maxLength: 2 }), fc.array(closing, { maxLength: 2 }))
      .map(([first, others]) => [...first, ...others]),
    events: fc
      .tuple(fc.constantFrom(...BEGINNINGS), fc.array(event(losses), { maxLength: 25 }))
      .map(([first, others]) => [...first.map((one) => ({ event: one, who: 0 })), ...others]),
  })

/** The same life, in which nothing is lost. */
export const withoutLosses = (plan: LifePlan): LifePlan => ({
  ...plan,
  events: plan.events.map(({ event: happens, who: about }) => ({ event: happens, who: about })),
})
