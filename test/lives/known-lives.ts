import type { LifeEvent, LifePlan, PlanKind, PlannedEvent, PlannedSignal } from './plan.ts'

export const opening: PlannedSignal = {
  does: 'opens',
  quantity: '10',
  isPercentage: false,
  orderType: 'market',
  exit: 'at a limit',
  executeMode: 'immediate',
}
const closing: PlannedSignal = { ...opening, does: 'closes', quantity: '4', orderType: 'limit', exit: 'none' }

export const first = (event: PlannedEvent['event']): PlannedEvent => ({ event, who: 0 })
const loss: PlannedEvent = { ...first('a moment passes'), loses: { what: 'temporal', after: 6 } }

export const life = (signals: PlannedSignal[], events: PlannedEvent[]): Omit<LifePlan, 'side'> => ({
  limit: null,
  lastWord: 'withdraw',
  signals,
  events,
})

/** Lives that were rebuilt wrongly once, and what goes on in them. */
export const KNOWN_LIVES: readonly [title: string, life: Omit<LifePlan, 'side'>][] = [
  [
    'an exit that gave way to a close comes again for the rest',
    life(
      [opening, closing],
      [
        first('arrives'),
        first('entry fills all'),
        first('a moment passes'),
        { event: 'arrives', who: 1 },
        loss,
      ],
    ),
  ],
  [
    'an exit that was refused is sized again',
    life(
      [opening],
      [
        first('arrives'),
        first('next order is refused'),
        first('entry fills all'),
        first('exit fills 3'),
        loss,
        loss,
      ],
    ),
  ],
  [
    'a second exit, after a late fill, is followed',
    life(
      [opening],
      [
        first('arrives'),
        first('entry fills 3'),
        first('entry is cancelled'),
        first('exit fills all'),
        first('a moment passes'),
        first('entry fills 3'),
        first('a moment passes'),
        loss,
      ],
    ),
  ],
]

const planned = (plan: PlanKind, exit: PlannedSignal['exit'] = 'none'): PlannedSignal => ({
  ...opening,
  plan,
  exit,
})
const held: LifeEvent[] = ['arrives', 'entry fills all', 'a moment passes']
/** Longer than anything is tried again. */
const quiet = Array<LifeEvent>(4).fill('half a minute passes')
const ofOne = (signal: PlannedSignal, ...events: LifeEvent[]): Omit<LifePlan, 'side'> =>
  life([signal], [...held, ...events, ...quiet].map(first))

/** Lives with exit plans, and what goes on in them. */
export const PLAN_LIVES: readonly [title: string, life: Omit<LifePlan, 'side'>][] = [
  ['two changes of a plan at once are both in it', ofOne(planned('stop and target'), 'two changes at once')],
  [
    'a stop is moved while all trading is stopped and a time exit is due',
    ofOne(planned('stop', 'in a minute'), 'a change while trading is stopped'),
  ],
  [
    'a stop that its broker was too busy to move away is moved once its workflow is rebuilt',
    life(
      [planned('stop')],
      [
        ...held.map(first),
        { ...first('the stop is moved away'), odd: { asked: 'a change', answer: 'busy', times: 1 } },
        loss,
        ...quiet.map(first),
      ],
    ),
  ],
  [
    'a stop is acted upon beside an exit that rests at its limit',
    ofOne(planned('stop', 'at a limit in a minute'), ...quiet, 'stays at 94'),
  ],
  [
    'the order of a plan is cancelled once its signal owns no shares any more',
    life(
      [planned('stop'), planned('stop')],
      [
        ...(['arrives', 'entry fills all', 'a moment passes'] as const).flatMap((event) =>
          [0, 1].map((who) => ({ event, who })),
        ),
        { event: 'sold at the site', who: 1 },
        ...quiet.map(first),
      ],
    ),
  ],
  [
    'a plan for one session ends with it, also where its order was cancelled shortly before',
    ofOne(planned('stop and target for the session'), 'exit is cancelled before the close'),
  ],
  [
    'a plan for one session ends with it, also where its order was cancelled shortly after',
    ofOne(planned('for the session'), 'exit is cancelled after the close'),
  ],
  [
    'a plan for the session of a fill ends with it, though the close ends the entry',
    life(
      [planned('for the session')],
      [
        ...(['arrives', 'approve', 'entry fills 3', 'a moment passes'] as const),
        ...(['exit is cancelled before the close', ...quiet] as const),
      ].map(first),
    ),
  ],
]
