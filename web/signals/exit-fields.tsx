import { EXIT_TRIGGERS, TRIGGER, type TriggerField } from '#domain/exit.ts'
import { Field, SelectField } from '../parts/field.tsx'
import { Legend, Price, type DraftProps } from './draft-fields.tsx'
import { askedFor, type Draft } from './draft.ts'

const TRIGGERS = {
  '': 'No exit: the position stays',
  ...Object.fromEntries(EXIT_TRIGGERS.map((trigger) => [trigger, TRIGGER[trigger].choice])),
} as Record<Draft['exitTriggerType'], string>

const TRIGGER_FIELDS = {
  exitTriggerMinutes: { label: 'Minutes', inputMode: 'numeric', autoComplete: 'off' },
  exitTriggerTime: { label: 'Time of day, New York', type: 'time' },
} as const satisfies Record<TriggerField, object>

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
  const field = asked.exitTriggerField
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
      {field && (
        <Field
          {...TRIGGER_FIELDS[field]}
          key={field}
          name={field}
          value={draft[field]}
          onChange={({ target }) => change({ [field]: target.value })}
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
