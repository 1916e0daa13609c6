import { useContext, type ReactNode } from 'react'
import { TRIGGER } from '#domain/exit/exit.ts'
import { Checkbox } from '../parts/checkbox.tsx'
import { Disclosure } from '../parts/disclosure.tsx'
import { FaultsOfForm } from '../parts/field.tsx'
import { ProtectionFields } from '../exit/fields.tsx'
import { namesOf } from '../exit/levels.ts'
import { useAccounts, useStrategies } from '../records/accounts.ts'
import { LIFETIMES } from '../words/order.ts'
import { isRealMoney } from '../words/signal.ts'
import { Control, EFFECTS, MODES, type ControlName } from './controls.tsx'
import { accountNames, isMadeHere, othersOf, type Draft } from './draft.ts'
import { NO_EXIT } from './exit.ts'
import { TimeExitFields } from './exit-fields.tsx'
import type { FieldsProps } from './fields.tsx'
import { useFormState } from './form-state.ts'
import { isAsked } from './rules.ts'
import { leavesPosition } from './scene.ts'

interface Props extends FieldsProps {
  /** False for a change of a working order, which is one order of one account, at once. */
  isNew: boolean
  isOpen: boolean
}

const WHEN: readonly ControlName[] = [
  'executeMode',
  'scheduledProcessAt',
  'timezone',
  'timeInForce',
  'expiresAt',
  'extendedHours',
  'validUntil',
]
const WHEN_CHANGED: readonly ControlName[] = ['timeInForce', 'expiresAt', 'extendedHours', 'timezone']
const MORE: readonly ControlName[] = ['effect', 'targetPosition', 'sourceId', 'metadata', 'isSignal']

/** Fields with a default, folded until needed. */
export function Sections({ draft, scene, isNew, isOpen }: Props) {
  const { executeMode, timeInForce, extendedHours } = draft
  const isUsual = executeMode === 'immediate' && timeInForce === 'day' && !extendedHours
  return (
    <div className="rounded-card border border-line desk:col-span-2">
      {leavesPosition(draft, scene.held) && (
        <Section name="Exit" note={exitNote(draft)} faults={EXIT_FAULTS} isOpen={isOpen || hasExitIn(draft)}>
          <Exit />
        </Section>
      )}
      <Section
        name="When"
        note={[MODES[executeMode], LIFETIMES[timeInForce], extendedHours && 'extended hours']
          .filter(Boolean)
          .join(' · ')}
        faults={WHEN}
        isOpen={isOpen || !isUsual}
      >
        <Controls of={isNew ? WHEN : WHEN_CHANGED} draft={draft} />
      </Section>
      {isNew && <Accounts {...{ draft, isOpen }} />}
      {isNew && (
        <Section name="More" note={moreNote(draft)} faults={MORE} isOpen={isOpen}>
          <Controls of={MORE} draft={draft} />
        </Section>
      )}
    </div>
  )
}

const Controls = ({ of, draft }: { of: readonly ControlName[]; draft: Draft }) =>
  of.filter((name) => isAsked(name, draft)).map((name) => <Control key={name} name={name} />)

interface SectionProps {
  name: string
  note: string
  /** Fields whose faults open it. */
  faults: readonly string[]
  isOpen: boolean
  children: ReactNode
}

function Section({ name, note, faults, isOpen, children }: SectionProps) {
  const faultOf = useContext(FaultsOfForm)
  return (
    <Disclosure
      name={name}
      note={note}
      isOpen={isOpen || faults.some((field) => faultOf(field) !== undefined)}
    >
      <div className="grid items-start gap-4 desk:grid-cols-2">{children}</div>
    </Disclosure>
  )
}

const LEVELS = ['stop', 'target', 'trail', 'breakEven'] as const
const EXIT_FAULTS = [
  ...[...LEVELS, 'until', 'stop.limitOffset', 'trail.after'].map((part) => `protection.${part}`),
  ...Object.keys(NO_EXIT),
]

const partsOf = ({ protection }: Draft) => LEVELS.filter((part) => protection[part].by !== '')
const hasExitIn = (draft: Draft): boolean => draft.exit.exitTriggerType !== '' || partsOf(draft).length > 0

function exitNote(draft: Draft): string {
  const { exitTriggerType: trigger, exitTriggerMinutes, exitTriggerTime } = draft.exit
  if (!hasExitIn(draft)) return 'None: the position stays open until you close it'
  const when = { minutes: Number(exitTriggerMinutes), clockTime: `${exitTriggerTime} New York` }
  return [
    partsOf(draft).length > 0 && namesOf(partsOf(draft)),
    trigger !== '' && `time exit ${TRIGGER[trigger].when(when)}`,
  ]
    .filter(Boolean)
    .join('; ')
}

function Exit() {
  const form = useFormState()
  return (
    <>
      <form.Field name="protection">
        {({ state: { value }, handleChange }) => (
          <ProtectionFields draft={value} change={(change) => handleChange({ ...value, ...change })} />
        )}
      </form.Field>
      <form.Field name="exit">
        {({ state: { value }, handleChange }) => (
          <TimeExitFields draft={value} change={(change) => handleChange({ ...value, ...change })} />
        )}
      </form.Field>
    </>
  )
}

function Accounts({ draft, isOpen }: Pick<Props, 'draft' | 'isOpen'>) {
  const form = useFormState()
  const accounts = useAccounts()
  const strategies = useStrategies().data ?? []
  const others = othersOf(draft, accounts)
  const names = Object.fromEntries(strategies.map(({ id, name }) => [id, name]))
  const toggle = (id: string): void =>
    form.setFieldValue(
      'alsoIn',
      draft.alsoIn.includes(id) ? draft.alsoIn.filter((each) => each !== id) : [...draft.alsoIn, id],
    )
  return (
    <Section
      name="Accounts and strategy"
      note={[accountNames(draft, accounts), names[draft.strategyId] ?? 'no strategy']
        .filter(Boolean)
        .join(' · ')}
      faults={['strategyId']}
      isOpen={isOpen || others.length > 0}
    >
      {others.length > 0 && (
        <fieldset className="flex min-w-0 flex-wrap gap-x-6 desk:col-span-2">
          <legend className="text-xs text-muted">Also in, one signal each</legend>
          {others.map((account) => (
            <Checkbox
              key={account.id}
              checked={draft.alsoIn.includes(account.id)}
              onChange={() => toggle(account.id)}
              className="min-h-11 items-center gap-2 desk:min-h-9"
            >
              {isRealMoney(account) ? `LIVE · ${account.name}` : account.name}
            </Checkbox>
          ))}
        </fieldset>
      )}
      <Control name="strategyId" options={{ '': 'None', ...names }} />
    </Section>
  )
}

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
