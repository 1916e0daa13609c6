import { Legend, type DraftProps, Choice, Text } from './draft-fields.tsx'
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
export function ExitFields(form: DraftProps) {
  const { draft } = form
  const asked = askedFor(draft)
  if (!asked.exit) return null
  return (
    <>
      <Legend>Exit</Legend>
      <Choice label="When to leave" name="exitTriggerType" options={TRIGGERS} {...form} />
      {asked.exitTriggerMinutes && (
        <Text label="Minutes" name="exitTriggerMinutes" inputMode="numeric" {...form} />
      )}
      {asked.exitTriggerTime && (
        <Text label="Time of day, New York" name="exitTriggerTime" type="time" {...form} />
      )}
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
