import { useContext, type ReactNode } from 'react'
import { TRIGGER } from '#domain/exit.ts'
import type { PlanPart } from '#domain/protection.ts'
import { isOpening } from '#domain/signal.ts'
import { Checkbox } from '../parts/checkbox.tsx'
import { Disclosure } from '../parts/disclosure.tsx'
import { FaultsOfForm } from '../parts/field.tsx'
import { Segmented } from '../parts/segmented.tsx'
import { ProtectionFields } from '../protection/fields.tsx'
import { namesOf } from '../protection/levels.ts'
import { useAccounts, useStrategies } from '../records/accounts.ts'
import { LIFETIMES } from '../words/order.ts'
import { isRealMoney } from '../words/signal.ts'
import { accountNames, isMadeHere, othersOf, type Draft } from './draft.ts'
import { TimedExitFields } from './exit-fields.tsx'
import { Choice, Text, type FieldsProps } from './fields.tsx'
import { useFormState } from './form-state.ts'
import { actionOf } from './scene.ts'

interface Props extends FieldsProps {
  /** It changes no working order, which is one order of one account, at once. */
  isNew: boolean
  /** All are open from the beginning. */
  isOpen: boolean
}

/** What has a choice already: each folded away until it is needed, with its choice in sight. */
export function Sections({ draft, scene, isNew, isOpen }: Props) {
  const opens = isOpening(actionOf(draft, scene.held))
  return (
    <div className="rounded-card border border-line desk:col-span-2">
      {opens && (
        <Section name="Exit" note={exitNote(draft)} fields={EXIT_FIELDS} isOpen={isOpen || hasExitIn(draft)}>
          <Exit />
        </Section>
      )}
      <Section
        name="When"
        note={whenNote(draft)}
        fields={WHEN_FIELDS}
        isOpen={
          isOpen || draft.executeMode !== 'immediate' || draft.extendedHours || draft.timeInForce !== 'day'
        }
      >
        <When draft={draft} isNew={isNew} />
      </Section>
      {isNew && <Accounts draft={draft} isOpen={isOpen} />}
      {isNew && (
        <Section name="More" note={moreNote(draft)} fields={MORE_FIELDS} isOpen={isOpen}>
          <More />
        </Section>
      )}
    </div>
  )
}

interface SectionProps {
  name: string
  note: string
  /** Their faults open it. */
  fields: readonly string[]
  isOpen: boolean
  children: ReactNode
}

function Section({ name, note, fields, isOpen, children }: SectionProps) {
  const faultOf = useContext(FaultsOfForm)
  const hasFault = fields.some((field) => faultOf(field) !== undefined)
  return (
    <Disclosure name={name} note={note} isOpen={isOpen || hasFault}>
      <div className="grid items-start gap-4 desk:grid-cols-2">{children}</div>
    </Disclosure>
  )
}

const EXIT_FIELDS = [
  'protection',
  'exitTriggerType',
  'exitTriggerMinutes',
  'exitTriggerTime',
  'exitOrderType',
  'exitLimitPrice',
  'exitStopPrice',
  ...['stop', 'stop.limitOffset', 'target', 'trail', 'trail.after', 'breakEven', 'until'].map(
    (part) => `protection.${part}`,
  ),
]

const partsOf = ({ protection }: Draft): PlanPart[] =>
  (['stop', 'target', 'trail', 'breakEven'] as const).filter((part) => protection[part].by !== '')

const hasExitIn = (draft: Draft): boolean => draft.exit.exitTriggerType !== '' || partsOf(draft).length > 0

function exitNote(draft: Draft): string {
  const { exitTriggerType: trigger, exitTriggerMinutes, exitTriggerTime } = draft.exit
  if (!hasExitIn(draft)) return 'None: the position stays until somebody closes it'
  const parts = partsOf(draft)
  return [
    parts.length > 0 && namesOf(parts),
    trigger !== '' &&
      `timed exit ${TRIGGER[trigger].when({ minutes: Number(exitTriggerMinutes), clockTime: `${exitTriggerTime} New York` })}`,
  ]
    .filter(Boolean)
    .join('; ')
}

/** How the position is left again. */
function Exit() {
  const form = useFormState()
  return (
    <>
      <form.Field name="protection">
        {({ state, handleChange }) => (
          <ProtectionFields
            draft={state.value}
            change={(change) => handleChange({ ...state.value, ...change })}
          />
        )}
      </form.Field>
      <form.Field name="exit">
        {({ state, handleChange }) => (
          <TimedExitFields
            draft={state.value}
            change={(change) => handleChange({ ...state.value, ...change })}
          />
        )}
      </form.Field>
    </>
  )
}

const MODES = { immediate: 'Now', scheduled: 'At a time', pending: 'After approval' } as const
/** The times that this device knows by the names of two zones. */
const ZONES: Readonly<Record<string, string>> = {
  'America/New_York': 'New York',
  [Intl.DateTimeFormat().resolvedOptions().timeZone]:
    `here (${Intl.DateTimeFormat().resolvedOptions().timeZone})`,
  UTC: 'UTC',
}

const WHEN_FIELDS = [
  'executeMode',
  'scheduledProcessAt',
  'timeInForce',
  'expiresAt',
  'validUntil',
  'timezone',
]

const whenNote = ({ executeMode, timeInForce, extendedHours }: Draft): string =>
  [MODES[executeMode], LIFETIMES[timeInForce], extendedHours && 'extended hours'].filter(Boolean).join(' · ')

/** When it is sent, and how long it works. */
function When({ draft, isNew }: { draft: Draft; isNew: boolean }) {
  const form = useFormState()
  const { executeMode, timeInForce, timezone } = draft
  const hasTimes = executeMode === 'scheduled' || timeInForce === 'gtd' || draft.validUntil !== ''
  const { gtd: _, ...ofOrders } = LIFETIMES
  return (
    <>
      {isNew && (
        <div className="desk:col-span-2">
          <form.Field name="executeMode">
            {({ state, handleChange }) => (
              <Segmented
                legend="When"
                value={state.value}
                options={MODES}
                choose={(mode) => {
                  handleChange(mode)
                  // An exit that was begun with a stop and names none is one at market, which a time of its own has.
                  if (mode === 'scheduled' && draft.orderType === 'stop' && draft.stopPrice.trim() === '')
                    form.setFieldValue('orderType', 'market')
                }}
              />
            )}
          </form.Field>
        </div>
      )}
      {executeMode === 'scheduled' && (
        <Text label="Sent at" name="scheduledProcessAt" type="datetime-local" />
      )}
      <Choice label="Time in force" name="timeInForce" options={isNew ? LIFETIMES : ofOrders} />
      {timeInForce === 'gtd' && <Text label="Expires" name="expiresAt" type="datetime-local" />}
      <form.Field name="extendedHours">
        {({ state, handleChange }) => (
          <Checkbox
            checked={state.value}
            onChange={({ target }) => handleChange(target.checked)}
            className="min-h-11 items-center gap-2 desk:mt-6 desk:min-h-9"
          >
            Extended hours
          </Checkbox>
        )}
      </form.Field>
      {isNew && (
        <Text
          label="Valid until"
          name="validUntil"
          type="datetime-local"
          hint="Not sent after that; left open, it has no end"
        />
      )}
      {hasTimes && (
        <Choice
          label="Time zone"
          name="timezone"
          options={timezone in ZONES ? ZONES : { ...ZONES, [timezone]: timezone }}
        />
      )}
    </>
  )
}

/** The other accounts that trade the same, and the strategy that it counts for. */
function Accounts({ draft, isOpen }: { draft: Draft; isOpen: boolean }) {
  const form = useFormState()
  const accounts = useAccounts()
  const strategies = useStrategies().data ?? []
  const others = othersOf(draft, accounts)
  const strategy = strategies.find(({ id }) => id === draft.strategyId)
  const names = accountNames(draft, accounts)
  return (
    <Section
      name="Accounts and strategy"
      note={[names, strategy?.name ?? 'no strategy'].filter(Boolean).join(' · ')}
      fields={['strategyId', 'accountIds']}
      isOpen={isOpen || others.length > 0}
    >
      {others.length > 0 && (
        <form.Field name="alsoIn">
          {({ handleChange }) => (
            <fieldset className="flex min-w-0 flex-wrap gap-x-6 desk:col-span-2">
              <legend className="text-xs text-muted">Also in, each by a signal of its own</legend>
              {others.map((account) => (
                <Checkbox
                  key={account.id}
                  checked={draft.alsoIn.includes(account.id)}
                  onChange={({ target }) =>
                    handleChange([
                      ...draft.alsoIn.filter((id) => id !== account.id),
                      ...(target.checked ? [account.id] : []),
                    ])
                  }
                  className="min-h-11 items-center gap-2 desk:min-h-9"
                >
                  {isRealMoney(account) ? `LIVE · ${account.name}` : account.name}
                </Checkbox>
              ))}
            </fieldset>
          )}
        </form.Field>
      )}
      <Choice
        label="Strategy"
        name="strategyId"
        options={{ '': 'None', ...Object.fromEntries(strategies.map(({ id, name }) => [id, name])) }}
      />
    </Section>
  )
}

const EFFECTS = {
  '': 'as the position says',
  open: 'opens a position, or adds to it',
  close: 'closes a position',
} as const

const MORE_FIELDS = ['targetPosition', 'effect', 'sourceId', 'metadata']

function moreNote({ effect, targetPosition, isSignal, sourceId, metadata }: Draft): string {
  const said = [
    effect !== '' && EFFECTS[effect],
    targetPosition.trim() !== '' && `target position ${targetPosition.trim()}`,
    isSignal && 'as a signal',
    !isMadeHere(sourceId) && `named ${sourceId}`,
    metadata.trim() !== '' && 'metadata',
  ].filter(Boolean)
  return said.length === 0 ? 'Target position, name, metadata' : said.join(' · ')
}

/** For those who write signals for programs, and find them again. */
function More() {
  const form = useFormState()
  return (
    <>
      <Choice label="Effect" name="effect" options={EFFECTS} />
      <Text
        label="Target position"
        name="targetPosition"
        hint="Shares to hold, below 0 for short: trades what is missing, whatever side and size say"
      />
      <Text label="sourceId" name="sourceId" hint="Sent twice under one name, it is one signal" />
      <Text label="Metadata, as JSON" name="metadata" placeholder='{"note": "earnings on Thursday"}' />
      <form.Field name="isSignal">
        {({ state, handleChange }) => (
          <Checkbox
            checked={state.value}
            onChange={({ target }) => handleChange(target.checked)}
            className="min-h-11 items-center gap-2 desk:col-span-2 desk:min-h-9"
          >
            Send it as a signal, with a story of its own
          </Checkbox>
        )}
      </form.Field>
    </>
  )
}
