import { Field, SelectField } from '../parts/field.tsx'
import { Legend, Price, type DraftProps } from './draft-fields.tsx'
import { askedFor, type Draft } from './draft.ts'

const TRIGGERS = {
  '': 'No exit: the position stays',
  minutesBeforeClose: 'Minutes before the close',
  minutesAfterEntry: 'Minutes after the entry',
  atClockTime: 'At a time of day',
  immediate: 'As soon as the entry has ended',
} as const satisfies Record<Draft['exitTriggerType'], string>

const TYPES = {
  market: 'Market',
  limit: 'Limit',
  stop: 'Stop',
  stopLimit: 'Stop, then limit',
  moc: 'Market on close (moc)',
} as const satisfies Record<Draft['exitOrderType'], string>

/** How the position is left again; only signals that open one have an exit. */
export function ExitFields({ draft, change }: DraftProps) {
  const asked = askedFor(draft)
  if (!asked.exit) return null
  return (
    <>
      <Legend>Exit</Legend>
      <SelectField
        label="When to leave"
        name="exitTriggerType"
        value={draft.exitTriggerType}
        options={TRIGGERS}
        onChange={({ target }) => change({ exitTriggerType: target.value as Draft['exitTriggerType'] })}
      />
      {asked.exitTriggerMinutes && (
        <Field
          label="Minutes"
          name="exitTriggerMinutes"
          inputMode="numeric"
          autoComplete="off"
          value={draft.exitTriggerMinutes}
          onChange={({ target }) => change({ exitTriggerMinutes: target.value })}
        />
      )}
      {asked.exitTriggerTime && (
        <Field
          label="Time of day, New York"
          name="exitTriggerTime"
          type="time"
          value={draft.exitTriggerTime}
          onChange={({ target }) => change({ exitTriggerTime: target.value })}
        />
      )}
      {asked.exitOrder && (
        <SelectField
          label="Exit order"
          name="exitOrderType"
          value={draft.exitOrderType}
          options={TYPES}
          {...(draft.exitOrderType === 'moc' && { hint: 'Goes into the closing auction' })}
          onChange={({ target }) => change({ exitOrderType: target.value as Draft['exitOrderType'] })}
        />
      )}
      {asked.exitStopPrice && (
        <Price label="Exit stop, $ a share" name="exitStopPrice" {...{ draft, change }} />
      )}
      {asked.exitLimitPrice && (
        <Price label="Exit limit, $ a share" name="exitLimitPrice" {...{ draft, change }} />
      )}
    </>
  )
}
