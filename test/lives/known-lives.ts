import type { LifePlan, PlannedEvent, PlannedSignal } from './plan.ts'

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
    'an exit that was refused is sized anew',
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
