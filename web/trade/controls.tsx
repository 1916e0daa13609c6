import type { InputHTMLAttributes } from 'react'
import { Checkbox } from '../parts/checkbox.tsx'
import { Field, SelectField } from '../parts/field.tsx'
import { Segmented } from '../parts/segmented.tsx'
import { LIFETIMES } from '../words/order.ts'
import type { Draft } from './draft.ts'
import { useFormState } from './form-state.ts'

export const MODES = { immediate: 'Now', scheduled: 'At a time', pending: 'After approval' } as const
export const EFFECTS = {
  '': 'automatic, from the position',
  open: 'opens a position, or adds to it',
  close: 'closes a position',
} as const

const here = Intl.DateTimeFormat().resolvedOptions().timeZone
const ZONES: Readonly<Record<string, string>> = {
  'America/New_York': 'New York',
  [here]: `here (${here})`,
  UTC: 'UTC',
}

interface Look extends Pick<InputHTMLAttributes<HTMLInputElement>, 'type' | 'inputMode' | 'placeholder'> {
  label: string
  hint?: string
  /** Labels by value; a field without options is typed. */
  options?: Readonly<Record<string, string>>
  isInSight?: true
}

const TIME = { type: 'datetime-local' } as const
const FIGURE = { inputMode: 'decimal' } as const

const LOOKS = {
  quantity: { label: 'Shares', ...FIGURE },
  orderType: {
    label: 'Order type',
    options: { market: 'Market', limit: 'Limit', stop: 'Stop', stopLimit: 'Stop limit' },
    isInSight: true,
  },
  stopPrice: { label: 'Stop price ($)', ...FIGURE },
  limitPrice: { label: 'Limit price ($)', ...FIGURE },
  executeMode: { label: 'When', options: MODES, isInSight: true },
  scheduledProcessAt: { label: 'Sent at', ...TIME },
  timeInForce: { label: 'Time in force', options: LIFETIMES },
  expiresAt: { label: 'Expires', ...TIME },
  extendedHours: { label: 'Extended hours' },
  validUntil: { label: 'Valid until', ...TIME, hint: 'Not sent after that; empty: no time limit' },
  timezone: { label: 'Time zone', options: ZONES },
  strategyId: { label: 'Strategy', options: { '': 'None' } },
  effect: { label: 'Effect', options: EFFECTS },
  targetPosition: {
    label: 'Target position',
    hint: 'Shares to hold, below 0 for short. Overrides side and size',
  },
  sourceId: { label: 'sourceId', hint: 'Two signals with the same name count as one' },
  metadata: { label: 'Metadata, as JSON', placeholder: '{"note": "earnings on Thursday"}' },
  isSignal: { label: 'Send it as a signal, with its own timeline' },
} as const satisfies Partial<Record<keyof Draft, Look>>

export type ControlName = keyof typeof LOOKS

export function Control({ name, ...own }: { name: ControlName } & Partial<Look>) {
  const form = useFormState()
  const { options, isInSight, ...look }: Look = { ...LOOKS[name], ...own }
  return (
    <form.Field name={name}>
      {({ state: { value }, handleChange, handleBlur }) => {
        if (typeof value === 'boolean')
          return (
            <Checkbox
              name={name}
              checked={value}
              onChange={({ target }) => handleChange(target.checked)}
              className="min-h-11 items-center gap-2 desk:min-h-9 desk:self-end"
            >
              {look.label}
            </Checkbox>
          )
        if (isInSight && options)
          return (
            <div className="flex desk:col-span-2">
              <Segmented legend={look.label} {...{ options, value }} choose={handleChange} />
            </div>
          )
        const control = {
          ...look,
          name,
          value,
          onBlur: handleBlur,
          onChange: ({ target }: { target: { value: string } }) => handleChange(target.value),
        }
        return options ? (
          // A value from an address or a signal may not be an option.
          <SelectField {...control} options={value in options ? options : { ...options, [value]: value }} />
        ) : (
          <Field autoComplete="off" {...control} />
        )
      }}
    </form.Field>
  )
}
