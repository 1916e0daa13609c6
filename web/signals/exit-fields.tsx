import { EXIT_TRIGGERS, TRIGGER, type TriggerField } from '#domain/exit.ts'
import { Choice, Legend, Text, type DraftProps } from './draft-fields.tsx'
import { ProtectionFields } from '../protection/fields.tsx'
import { askedFor, type Draft } from './draft.ts'

const TRIGGERS = {
  '': 'At no set time',
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

/** How the position is left again, under its heading; only signals that open one have an exit. */
export const ExitFields = (form: DraftProps) =>
  askedFor(form.draft).exit ? (
    <>
      <Legend>Exit</Legend>
      <ExitChoices {...form} />
      <Legend>Protection, while the position is open</Legend>
      <ProtectionFields
        draft={form.draft.protection}
        change={(next) => form.change({ protection: { ...form.draft.protection, ...next } })}
      />
    </>
  ) : null

/** How a position is left again. */
export function ExitChoices(form: DraftProps) {
  const { draft } = form
  const asked = askedFor(draft)
  const field = asked.exitTriggerField
  return (
    <>
      <Choice label="When to leave" name="exitTriggerType" options={TRIGGERS} {...form} />
      {field && <Text {...TRIGGER_FIELDS[field]} key={field} name={field} {...form} />}
      {asked.exitOrder && (
        <Choice
          label="Exit order"
          name="exitOrderType"
          options={TYPES}
          {...(draft.exitOrderType === 'moc' && { hint: 'Goes into the closing auction' })}
          {...form}
        />
      )}
      {asked.exitStopPrice && (
        <Text label="Exit stop, $ a share" name="exitStopPrice" inputMode="decimal" {...form} />
      )}
      {asked.exitLimitPrice && (
        <Text label="Exit limit, $ a share" name="exitLimitPrice" inputMode="decimal" {...form} />
      )}
    </>
  )
}
