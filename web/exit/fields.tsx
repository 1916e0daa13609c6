import { Field, SelectField } from '../parts/field.tsx'
import type { By, LevelDraft, ProtectionDraft } from './draft.ts'
import { PART_NAMES } from './levels.ts'

interface Props {
  draft: ProtectionDraft
  change: (change: Partial<ProtectionDraft>) => void
}

const WITH_PRICE = { price: 'at a price', percent: '% from entry', amount: '$ from entry' }
const BEHIND = { percent: '% behind', amount: '$ behind' }
const PROFIT = { percent: '% profit', amount: '$ profit' }
const UNTIL = {
  closed: 'until the position closes',
  session: 'until the session ends',
} as const

const LEVELS = [
  { part: 'stop', name: 'stop', label: PART_NAMES.stop, none: 'none', ways: WITH_PRICE },
  { part: 'target', name: 'target', label: PART_NAMES.target, none: 'none', ways: WITH_PRICE },
  { part: 'trail', name: 'trail', label: PART_NAMES.trail, none: 'none', ways: BEHIND },
  { part: 'trailAfter', name: 'trail.after', label: 'Trails from', none: 'the fill', ways: PROFIT },
  {
    part: 'breakEven',
    name: 'breakEven',
    label: PART_NAMES.breakEven,
    none: 'none',
    ways: PROFIT,
    hint: 'From that profit on the stop is the entry, plus fees',
  },
] as const

export function ProtectionFields({ draft, change }: Props) {
  const shown = LEVELS.filter(({ part }) => part !== 'trailAfter' || draft.trail.by !== '')
  return (
    <>
      {shown.map(({ part, name, none, ways, ...rest }) => (
        <LevelField
          key={part}
          {...rest}
          name={`protection.${name}`}
          options={{ '': none, ...ways }}
          level={draft[part]}
          change={(next) => change({ [part]: next })}
        />
      ))}
      {draft.stop.by !== '' && (
        <Field
          label="Stop-limit offset ($)"
          name="protection.stop.limitOffset"
          value={draft.limitOffset}
          onChange={({ target }) => change({ limitOffset: target.value })}
          hint="Empty: the stop sells at market, which always fills"
          inputMode="decimal"
          autoComplete="off"
        />
      )}
      {LEVELS.some(({ part }) => part !== 'trailAfter' && draft[part].by !== '') && (
        <SelectField
          label="Holds"
          name="protection.until"
          options={UNTIL}
          value={draft.until}
          onChange={({ target }) => change({ until: target.value === 'session' ? 'session' : 'closed' })}
        />
      )}
    </>
  )
}

interface LevelProps {
  label: string
  /** Name of the field in the body, which its faults carry. */
  name: string
  options: Readonly<Record<string, string>>
  level: LevelDraft
  change: (level: LevelDraft) => void
  hint?: string
}

function LevelField({ label, name, options, level, change, hint }: LevelProps) {
  const isNone = level.by === ''
  return (
    <div className="grid grid-cols-[minmax(0,1fr)_minmax(0,1.2fr)] items-start gap-x-2">
      <Field
        label={label}
        {...(!isNone && { name })}
        value={isNone ? '' : level.value}
        disabled={isNone}
        placeholder={isNone ? '–' : ''}
        onChange={({ target }) => change({ ...level, value: target.value })}
        inputMode="decimal"
        autoComplete="off"
      />
      <SelectField
        label="as"
        aria-label={`${label}: how it is said`}
        // A disabled field takes no focus, and so no fault.
        {...(isNone && { name })}
        options={options}
        value={level.by}
        // A price is no percentage: another unit empties the value.
        onChange={({ target }) => change({ by: target.value as '' | By, value: '' })}
      />
      {hint !== undefined && <p className="col-span-2 text-xs text-muted">{hint}</p>}
    </div>
  )
}
