import { EXIT_TRIGGERS, TRIGGER, type TriggerField } from '#domain/exit/exit.ts'
import { Field, Select, SelectField } from '../parts/field.tsx'
import { askedOfExit, type ExitDraft } from './exit.ts'

interface Props {
  draft: ExitDraft
  change: (change: Partial<ExitDraft>) => void
}

const TRIGGERS = [
  ['', 'none'],
  ...EXIT_TRIGGERS.map((trigger) => [trigger, TRIGGER[trigger].choice] as const),
] as const satisfies (readonly [ExitDraft['exitTriggerType'], string])[]

const TRIGGER_FIELDS = {
  exitTriggerMinutes: { label: 'Minutes', inputMode: 'numeric' },
  exitTriggerTime: { label: 'Time of day, New York', type: 'time' },
} as const satisfies Record<TriggerField, object>

const TYPES = {
  market: 'Market',
  limit: 'Limit',
  stop: 'Stop',
  stopLimit: 'Stop limit',
  moc: 'Market on close (moc)',
} as const satisfies Record<ExitDraft['exitOrderType'], string>

export function TimeExitFields({ draft, change }: Props) {
  const { hasExit, triggerField, limitPrice, stopPrice } = askedOfExit(draft)
  const typed = (name: TriggerField | 'exitLimitPrice' | 'exitStopPrice') => ({
    name,
    autoComplete: 'off',
    value: draft[name],
    onChange: ({ target }: { target: { value: string } }) => change({ [name]: target.value }),
  })
  return (
    <>
      <Select
        label="Time exit"
        value={draft.exitTriggerType}
        options={TRIGGERS}
        choose={(exitTriggerType) => change({ exitTriggerType })}
      />
      {triggerField && (
        <Field key={triggerField} {...TRIGGER_FIELDS[triggerField]} {...typed(triggerField)} />
      )}
      {hasExit && (
        <SelectField
          label="Exit order"
          name="exitOrderType"
          options={TYPES}
          value={draft.exitOrderType}
          onChange={({ target }) => change({ exitOrderType: target.value as ExitDraft['exitOrderType'] })}
          {...(draft.exitOrderType === 'moc' && { hint: 'Goes into the closing auction' })}
        />
      )}
      {stopPrice && <Field label="Exit stop price ($)" inputMode="decimal" {...typed('exitStopPrice')} />}
      {limitPrice && <Field label="Exit limit price ($)" inputMode="decimal" {...typed('exitLimitPrice')} />}
    </>
  )
}
