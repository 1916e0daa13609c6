import { useContext } from 'react'
import { Field, FaultsOfForm, SelectField } from '../parts/field.tsx'
import type { By, LevelDraft, ProtectionDraft } from './draft.ts'
import { PART_NAMES } from './levels.ts'

interface Props {
  draft: ProtectionDraft
  change: (change: Partial<ProtectionDraft>) => void
}

const WITH_PRICE = {
  '': 'none',
  price: 'at a price',
  percent: '% from the entry',
  amount: '$ from the entry',
} as const
const TRAIL = { '': 'none', percent: '% behind the best price', amount: '$ behind the best price' } as const
const PROFIT = { '': 'none', percent: 'from a profit in %', amount: 'from a profit in $ a share' } as const
const AFTER = {
  '': 'from the fill on',
  percent: 'from a profit in %',
  amount: 'from a profit in $ a share',
} as const
const UNTIL = {
  closed: 'as long as the position is open',
  session: 'to the end of the session of the fill',
} as const

/** How a position is protected while it is open: each level with how it is said, and its fault beside it. */
export function ProtectionFields({ draft, change }: Props) {
  const { stop, target, trail, trailAfter, breakEven, limitOffset, until } = draft
  const hasAny = [stop, target, trail, breakEven].some(({ by }) => by !== '')
  return (
    <>
      <LevelField
        label={PART_NAMES.stop}
        name="protection.stop"
        options={WITH_PRICE}
        level={stop}
        change={(next) => change({ stop: next })}
      />
      <LevelField
        label={PART_NAMES.target}
        name="protection.target"
        options={WITH_PRICE}
        level={target}
        change={(next) => change({ target: next })}
      />
      <LevelField
        label={PART_NAMES.trail}
        name="protection.trail"
        options={TRAIL}
        level={trail}
        change={(next) => change({ trail: next })}
      />
      {trail.by !== '' && (
        <LevelField
          label="Trails"
          name="protection.trail.after"
          options={AFTER}
          level={trailAfter}
          change={(next) => change({ trailAfter: next })}
        />
      )}
      <LevelField
        label={PART_NAMES.breakEven}
        name="protection.breakEven"
        options={PROFIT}
        level={breakEven}
        change={(next) => change({ breakEven: next })}
        hint="The stop then moves to the entry, plus fees"
      />
      {stop.by !== '' && (
        <Field
          label="Stop-limit offset ($)"
          name="protection.stop.limitOffset"
          value={limitOffset}
          onChange={({ target: field }) => change({ limitOffset: field.value })}
          hint="Empty: the stop sells at market, which always fills"
          inputMode="decimal"
          autoComplete="off"
        />
      )}
      {hasAny && (
        <SelectField
          label="Holds"
          name="protection.until"
          options={UNTIL}
          value={until}
          onChange={({ target: field }) =>
            change({ until: field.value === 'session' ? 'session' : 'closed' })
          }
        />
      )}
    </>
  )
}

interface LevelProps {
  label: string
  /** Of its field in the body, under which its faults are told. */
  name: string
  options: Readonly<Record<string, string>>
  level: LevelDraft
  change: (level: LevelDraft) => void
  hint?: string
}

/** A level: how it is said, and the figure. */
function LevelField({ label, name, options, level, change, hint }: LevelProps) {
  const faultOf = useContext(FaultsOfForm)
  // What is wrong with a part of it that has a field of its own stands there.
  const elsewhere = [faultOf(`${name}.limitOffset`), faultOf(`${name}.after`)]
  const whole = faultOf(name)
  const fault = faultOf(`${name}.${level.by}`) ?? (elsewhere.includes(whole) ? undefined : whole)
  const isNone = level.by === ''
  return (
    <div className="grid grid-cols-[minmax(0,1fr)_minmax(0,1.4fr)] items-start gap-2">
      <Field
        label={label}
        name={name}
        value={isNone ? '' : level.value}
        disabled={isNone}
        placeholder={isNone ? '–' : ''}
        onChange={({ target }) => change({ ...level, value: target.value })}
        fault={fault}
        {...(hint !== undefined && { hint })}
        inputMode="decimal"
        autoComplete="off"
      />
      <SelectField
        label="as"
        aria-label={`${label}: how it is said`}
        options={options}
        value={level.by}
        onChange={({ target }) => change({ ...level, by: target.value as '' | By })}
      />
    </div>
  )
}
