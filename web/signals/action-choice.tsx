import { Direction } from '../parts/direction.tsx'
import type { Draft } from './draft.ts'

const ACTIONS = {
  openLong: { name: 'Buy to open', isBuy: true },
  closeLong: { name: 'Sell to close', isBuy: false },
  openShort: { name: 'Sell short', isBuy: false },
  closeShort: { name: 'Buy to cover', isBuy: true },
} as const satisfies Record<Draft['action'], { name: string; isBuy: boolean }>

interface Props {
  value: Draft['action']
  choose: (action: Draft['action']) => void
}

/** Which of the four things a signal can do. */
export const ActionChoice = ({ value, choose }: Props) => (
  <fieldset className="grid grid-cols-2 gap-2 desk:col-span-2 wide:grid-cols-4">
    <legend className="mb-1 font-medium">What</legend>
    {(Object.keys(ACTIONS) as Draft['action'][]).map((action) => (
      <label
        key={action}
        className="relative flex min-h-11 items-center justify-center gap-2 rounded-control border border-edge px-2 py-1 text-center font-medium text-muted has-checked:border-accent has-checked:bg-accent-soft has-checked:text-text has-checked:ring-1 has-checked:ring-accent has-focus-visible:outline-2 has-focus-visible:outline-offset-2 has-focus-visible:outline-text desk:min-h-9"
      >
        <input
          type="radio"
          name="action"
          checked={action === value}
          onChange={() => choose(action)}
          className="absolute inset-0 cursor-pointer opacity-0"
        />
        <Direction isBuy={ACTIONS[action].isBuy} />
        {ACTIONS[action].name}
      </label>
    ))}
  </fieldset>
)
