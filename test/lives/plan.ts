import fc from 'fast-check'
import { anyOddAnswer, type OddAnswer } from './odd.ts'

/** A signal of a life; the first ones open, the others close. */
export interface PlannedSignal {
  does: 'opens' | 'closes'
  /** Shares. */
  quantity: '10' | '10.5' | '4'
  /** Its size is one per cent of the equity, which is as many shares at the price of the beginning. */
  isPercentage: boolean
  orderType: 'market' | 'limit'
  exit: 'none' | 'at once' | 'in a minute' | 'at a limit' | 'at a limit in a minute'
  executeMode: 'immediate' | 'pending'
  /** The exit plan that it asks for; absent for none. */
  plan?: PlanKind | undefined
}

const PLAN_KINDS = [
  'stop',
  'stop and target',
  'trail',
  'trail later',
  'trail and target',
  'target',
  'for the session',
] as const
export type PlanKind = (typeof PLAN_KINDS)[number] | 'stop and target for the session'

/** What may happen to the signal that an event names, to its orders, or to everything. */
export const EVENTS = [
  'arrives',
  'approve',
  'approve 5',
  'withdraw',
  'cancel exit',
  'cancel entry order',
  'cancel exit order',
  'entry fills 3',
  'entry fills 2.5',
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
  'the price moves',
  'trades at 94',
  'trades at 103',
  'trades at 111',
  '3 trade at 94',
  'stays at 94',
  'stays at 99',
  'stays at 103',
  'stays at 111',
  'the plan is changed',
  'the plan is taken away',
  'no news',
  'a moment passes',
  'half a minute passes',
  'timer rings',
] as const
/** What happens at a broker that is odd, beside odd answers. */
const ODD_EVENTS = [
  'entry fills too much',
  'entry is rejected',
  'entry is gone',
  'exit is gone',
  'exit is changed by hand',
  'news comes twice',
  'news comes in disorder',
] as const
/** What people, brokers and sessions do to exit plans. */
const PLAN_EVENTS = [
  'two changes at once',
  'the stop is moved away',
  'a change while trading is stopped',
  'sold at the site',
  'exit is cancelled before the close',
  'exit is cancelled after the close',
] as const
export type LifeEvent = (typeof EVENTS)[number] | (typeof ODD_EVENTS)[number] | (typeof PLAN_EVENTS)[number]

/** A person changes a part of an exit plan. */
const CHANGES: ReadonlySet<LifeEvent> = new Set<LifeEvent>([
  'two changes at once',
  'the stop is moved away',
  'a change while trading is stopped',
])

/** What people ask workflows for. */
const MESSAGES: ReadonlySet<LifeEvent> = new Set<LifeEvent>([
  'approve',
  'approve 5',
  'withdraw',
  'cancel exit',
  'cancel entry order',
  'cancel exit order',
  'the plan is changed',
  'the plan is taken away',
  ...CHANGES,
])

/** What is lost, and rebuilt at once. */
const LOSSES = ['temporal', 'ledger', 'both'] as const
export type Loss = (typeof LOSSES)[number]

export interface PlannedEvent {
  event: LifeEvent
  /** The signal that it is about. */
  who: number
  /** What is lost while the steps are carried out that follow the event, after how many of them. */
  loses?: { what: Loss | 'nothing'; after: number } | undefined
  /** The ledger is copied after the event; a ledger that is lost is the last copy from then on. */
  copies?: boolean | undefined
  /** How the broker answers from this event on. */
  odd?: OddAnswer | undefined
}

export interface LifePlan {
  side: 'LONG' | 'SHORT'
  /** The most shares that may be held; null for any. */
  limit: '15' | null
  /** What a person decides on signals that wait for one at the end. */
  lastWord: 'approve' | 'withdraw'
  signals: readonly PlannedSignal[]
  events: readonly PlannedEvent[]
}

const opening: fc.Arbitrary<PlannedSignal> = fc
  .record({
    does: fc.constant('opens' as const),
    quantity: fc.constantFrom('10', '10', '10', '10.5'),
    isPercentage: fc.boolean(),
    orderType: fc.constantFrom('market', 'limit'),
    exit: fc.constantFrom('at once', 'in a minute', 'at a limit', 'none'),
    executeMode: fc.constantFrom('immediate', 'immediate', 'pending'),
    plan: fc.option(fc.constantFrom(...PLAN_KINDS), { nil: undefined, freq: 2 }),
  })
  // Beside an exit at once a plan has nothing to do.
  .map((one) => (one.plan !== undefined && one.exit === 'at once' ? { ...one, exit: 'none' } : one))
const closing: fc.Arbitrary<PlannedSignal> = fc.record({
  does: fc.constant('closes' as const),
  quantity: fc.constantFrom('10', '4'),
  isPercentage: fc.constant(false),
  orderType: fc.constantFrom('market', 'limit'),
  exit: fc.constant('none' as const),
  executeMode: fc.constant('immediate' as const),
})

const lossOf = (losses: readonly Loss[]) =>
  fc.record({ what: fc.constantFrom(...losses), after: fc.nat({ max: 6 }) })

/**
 * A message that is lost with its workflow was not answered: who sent it repeats it. And while the market stays somewhere nothing is
 * lost, so that it is known what has to be done there.
 */
const answered = (one: PlannedEvent): PlannedEvent =>
  MESSAGES.has(one.event) || one.event.startsWith('stays') ? { ...one, loses: undefined } : one

const who = fc.nat({ max: 3 })
const event = (losses: readonly Loss[]): fc.Arbitrary<PlannedEvent> =>
  fc
    .record({
      event: fc.oneof(
        {
          weight: 3,
          arbitrary: fc.constantFrom<LifeEvent>(
            'entry fills all',
            'a moment passes',
            'timer rings',
            'arrives',
          ),
        },
        { weight: 5, arbitrary: fc.constantFrom(...EVENTS) },
        {
          weight: 1,
          arbitrary: fc.constantFrom<LifeEvent>(
            'trades at 94',
            'trades at 103',
            'trades at 111',
            'stays at 103',
          ),
        },
      ),
      who,
      loses: fc.option(lossOf(losses), { nil: undefined, freq: 3 }),
      copies: fc.option(fc.constant(true), { nil: undefined, freq: 4 }),
    })
    .map(answered)

const BEGINNINGS: readonly LifeEvent[][] = [
  ['arrives'],
  ['arrives', 'approve', 'entry fills all', 'a moment passes', 'timer rings'],
  ['arrives', 'approve', 'entry fills 3', 'entry is cancelled', 'a moment passes', 'timer rings'],
  ['arrives', 'approve', 'entry fills all', 'a moment passes', 'trades at 111', 'exit fills 3'],
]

/** Lives in which such things are lost. */
export const anyPlan = (losses: readonly Loss[]): fc.Arbitrary<LifePlan> =>
  fc.record({
    side: fc.constantFrom('LONG', 'SHORT'),
    limit: fc.constantFrom(null, null, '15'),
    lastWord: fc.constantFrom('approve', 'withdraw'),
    signals: fc
      .tuple(fc.array(opening, { minLength: 1, maxLength: 2 }), fc.array(closing, { maxLength: 2 }))
      .map(([first, others]) => [...first, ...others]),
    events: fc
      .tuple(fc.constantFrom(...BEGINNINGS), fc.array(event(losses), { maxLength: 25 }))
      .map(([first, others]) => [...first.map((one) => ({ event: one, who: 0 })), ...others]),
  })

const PLAN_BEGINNINGS: readonly LifeEvent[][] = [
  ['arrives', 'approve', 'entry fills all', 'a moment passes'],
  ['arrives', 'approve', 'entry fills 3', 'a moment passes'],
  ['arrives', 'approve', 'entry fills 3', 'entry is cancelled', 'a moment passes'],
  // Parts of a share, of which no broker keeps a target and a stop in one order.
  ['arrives', 'approve', 'entry fills 2.5', 'entry is cancelled', 'a moment passes'],
]
const OF_MARKET: readonly LifeEvent[] = EVENTS.filter((one) => / at \d+$/.test(one))
const OF_PEOPLE: readonly LifeEvent[] = [
  'cancel exit',
  'cancel exit order',
  'closed by hand 3',
  'person closes 4',
  'trading stops',
  'trading goes on',
  'trading goes on',
  'the plan is changed',
  'the plan is changed',
  'the plan is taken away',
]
const OF_BROKER: readonly LifeEvent[] = EVENTS.filter((one) => /^exit |^entry |^next |^cancels /.test(one))

/** A change that the broker takes at its second try alone. */
const atBusyBroker = ([one, isBusy]: [PlannedEvent, boolean]): PlannedEvent =>
  isBusy && CHANGES.has(one.event) ? { ...one, odd: { asked: 'a change', answer: 'busy', times: 1 } } : one

/** Two plans on one position: both entries work before the first of them is filled. */
const twoPlans = ({ signals: [first, ...others], ...plan }: LifePlan, second: PlanKind): LifePlan => ({
  ...plan,
  signals: [
    first!,
    { ...first!, plan: second, exit: 'none' },
    ...others.filter(({ does }) => does === 'closes'),
  ],
  events: [
    ...(['arrives', 'approve', 'entry fills all'] as const).flatMap((event) =>
      [0, 1].map((who) => ({ event, who })),
    ),
    ...plan.events.filter(({ event }) => event !== 'arrives'),
  ],
})

/** Lives of positions with exit plans, in which such things are lost. */
export const anyProtectedLife = (losses: readonly Loss[]): fc.Arbitrary<LifePlan> => {
  const often = (events: readonly LifeEvent[]) =>
    fc
      .record({
        event: fc.constantFrom(...events),
        who: fc.constantFrom(0, 0, 0, 1),
        loses: fc.oneof(
          { weight: 6, arbitrary: fc.constant(undefined) },
          { weight: 1, arbitrary: lossOf(losses) },
        ),
        copies: fc.option(fc.constant(true), { nil: undefined, freq: 4 }),
      })
      .map(answered)
  const anyEvent = fc.oneof(
    { weight: 2, arbitrary: fc.tuple(often(PLAN_EVENTS), fc.boolean()).map(atBusyBroker) },
    { weight: 3, arbitrary: often(['a moment passes', 'a moment passes', 'timer rings', 'arrives']) },
    {
      weight: 2,
      arbitrary: often(['stays at 99', 'stays at 103', 'trades at 103', 'trades at 103', 'trades at 111']),
    },
    { weight: 2, arbitrary: often(OF_MARKET) },
    { weight: 2, arbitrary: often(OF_PEOPLE) },
    { weight: 2, arbitrary: often(OF_BROKER) },
    { weight: 1, arbitrary: event(losses) },
  )
  return fc
    .record({
      plan: anyPlan(losses),
      kind: fc.constantFrom<PlanKind>(...PLAN_KINDS, 'stop and target for the session'),
      exit: fc.constantFrom<PlannedSignal['exit']>(
        ...(['none', 'none', 'none', 'in a minute', 'at a limit', 'at a limit in a minute'] as const),
      ),
      beginning: fc.constantFrom(...PLAN_BEGINNINGS),
      events: fc.array(anyEvent, { minLength: 6, maxLength: 18, size: 'max' }),
      second: fc.option(fc.constantFrom(...PLAN_KINDS), { freq: 2 }),
    })
    .map(({ plan, kind, exit, beginning, events, second }) => {
      const life: LifePlan = {
        ...plan,
        limit: null,
        signals: plan.signals.map((signal, index) =>
          index === 0
            ? { ...signal, plan: kind, exit, ...(plan.side === 'SHORT' && { quantity: '10' as const }) }
            : signal,
        ),
        events: [...beginning.map((one) => ({ event: one, who: 0 })), ...events],
      }
      return second === null ? life : twoPlans(life, second)
    })
}

/** Lives in which a position with an exit plan is added to at market, so that its own orders are in the way. */
export const anyAddition = (losses: readonly Loss[]): fc.Arbitrary<LifePlan> =>
  fc
    .record({
      life: anyProtectedLife(losses),
      before: fc.array(
        fc.constantFrom<LifeEvent>(
          'cancels take their time',
          'next order is refused',
          'next order is lost',
          'next answer is lost',
          'exit fills 3',
          'closed by hand 3',
        ),
        { maxLength: 2 },
      ),
      after: fc.array(
        fc.constantFrom<LifeEvent>(
          'entry fills 3',
          'entry fills all',
          'entry ends',
          'entry is cancelled',
          'a moment passes',
          'exit fills 3',
          'stays at 94',
        ),
        { minLength: 1, maxLength: 6 },
      ),
      loses: fc.option(lossOf(losses), { nil: undefined, freq: 3 }),
      plan: fc.option(fc.constantFrom(...PLAN_KINDS), { nil: undefined, freq: 2 }),
    })
    .map(
      ({
        life: {
          signals: [first, ...others],
          events,
          ...life
        },
        before,
        after,
        loses,
        plan,
      }) => ({
        ...life,
        signals: [
          { ...first!, executeMode: 'immediate', orderType: 'market', quantity: '10' },
          { ...first!, executeMode: 'immediate', orderType: 'market', quantity: '10', exit: 'none', plan },
          ...others.filter(({ does }) => does === 'closes'),
        ],
        events: [
          ...(['arrives', 'entry fills all', 'a moment passes'] as const).map((event) => ({ event, who: 0 })),
          ...before.map((event) => ({ event, who: 0 })),
          { event: 'arrives', who: 1, ...(loses && { loses }) },
          ...after.map((event) => ({ event, who: event.startsWith('exit') ? 0 : 1 })),
          ...events.filter(({ event }) => event !== 'arrives'),
        ],
      }),
    )

/** Lives at a broker that is odd at any point, with and without exit plans. */
export const anyOddLife = (losses: readonly Loss[]): fc.Arbitrary<LifePlan> =>
  fc
    .record({
      plan: fc.oneof(anyPlan(losses), anyProtectedLife(losses)),
      odd: fc.array(
        fc.record({
          place: fc.nat({ max: 20 }),
          event: fc.constantFrom<LifeEvent>('a moment passes', 'no news', ...ODD_EVENTS),
          who: fc.constantFrom(0, 0, 1),
          odd: fc.option(anyOddAnswer, { nil: undefined, freq: 3 }),
        }),
        { minLength: 1, maxLength: 6, size: 'max' },
      ),
    })
    .map(({ plan, odd }) => ({
      ...plan,
      events: odd.reduce((events, { place, ...one }) => events.toSpliced(place, 0, one), plan.events),
    }))

/** The same life, in which nothing is lost; as much time passes. */
export const withoutLosses = (plan: LifePlan): LifePlan => ({
  ...plan,
  events: plan.events.map(({ event: happens, who: about, loses: lost }) => ({
    event: happens,
    who: about,
    loses: lost && { ...lost, what: 'nothing' },
  })),
})

/** Others than its own exits may close shares in this life: then it depends on the moment whose order comes first. */
const hasClosers = ({ signals, events }: LifePlan): boolean =>
  events.some(
    ({ event: happens, who: about }) =>
      happens === 'person closes 4' ||
      happens === 'closed by hand 3' ||
      (happens === 'arrives' && signals[about % signals.length]!.does === 'closes'),
  )

const losesLedger = ({ events }: LifePlan): boolean =>
  events.some(({ loses: lost }) => lost?.what === 'ledger' || lost?.what === 'both')

/** Whether the life comes to the same end whatever is lost in it. */
export const isDetermined = (plan: LifePlan): boolean =>
  !plan.signals.some(({ plan: asked }) => asked !== undefined) &&
  !losesLedger(plan) &&
  !hasClosers(plan) &&
  !isCompetition(plan)

/** A limit has room for one of two entries, and which of them is decided first may change with a loss. */
const isCompetition = ({ limit, signals }: LifePlan): boolean =>
  limit !== null && signals.filter(({ does }) => does === 'opens').length > 1

/** Whether what its entries fill is the same whatever is lost; what people have said since the copy is lost with a ledger. */
export const entriesAreDetermined = (plan: LifePlan): boolean =>
  !plan.signals.some(({ plan: asked }) => asked !== undefined) &&
  !hasClosers(plan) &&
  !isCompetition(plan) &&
  plan.lastWord === 'withdraw' &&
  !plan.events.some(({ event: happens }) => MESSAGES.has(happens) || happens.startsWith('trading'))
