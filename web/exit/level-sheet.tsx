import { Minus, Plus } from 'lucide-react'
import { useState } from 'react'
import { dataOf } from '../connection/ask.ts'
import { confirmed } from '../connection/problem.ts'
import { readChanged } from '../connection/queries.ts'
import { Button } from '../parts/button.tsx'
import { Field, SelectField } from '../parts/field.tsx'
import { FormSheet, useSend } from '../parts/form.tsx'
import { Notice } from '../parts/notice.tsx'
import { Segmented } from '../parts/segmented.tsx'
import { money } from '../words/figures.ts'
import {
  bodyOf,
  BREAK_EVEN_NOW,
  changeOf,
  outlookOf,
  removalBody,
  removalWords,
  saidBy,
  steppedLevel,
  WAYS,
  type Change,
  type ChangeBody,
  type Part,
} from './change.ts'
import type { By } from './draft.ts'
import { PART_NAMES } from './levels.ts'
import type { Planned } from './terms.ts'

interface Props {
  of: Planned
  close: () => void
  /** Receives a sentence about the change. */
  done: (message: string) => void
}

/** A repeated change has one effect, so a press after a lost answer is safe. */
const useChange = (signalId: string, body: () => ChangeBody, done: () => void) =>
  useSend(async () => {
    confirmed(await dataOf('PATCH /api/v1/signals/{id}/protection', { path: { id: signalId }, body: body() }))
    await readChanged('signal', 'signals', 'positions')
    done()
  })

interface LevelProps extends Props {
  part: Part
  /** Dollars a share after a drag in the chart. */
  at?: number
}

export function LevelSheet({ of, part, at, close, done }: LevelProps) {
  const { terms, plan, price } = of
  const [change, write] = useState<Change>(() => changeOf(part, terms, plan, at))
  const name = PART_NAMES[part]
  const outlook = outlookOf(change, plan, price)
  const form = useChange(
    of.signalId,
    () => bodyOf(change, terms),
    () => done(`${name} of ${of.symbol} is changed`),
  )
  const fault = form.problem?.faults.find(({ path }) => path.includes(part))?.message
  const setChange = (next: Change): void => {
    write(next)
    form.clear()
  }
  const { level } = change
  const step = (isUp: boolean) => {
    const next = steppedLevel(level, isUp, plan)
    return (
      <Button
        aria-label={isUp ? 'One step higher' : 'One step lower'}
        className="w-13 shrink-0 max-desk:px-0 desk:h-9"
        disabled={next === null}
        onClick={() => next !== null && setChange({ ...change, level: { ...level, value: next } })}
      >
        {isUp ? (
          <Plus aria-hidden="true" className="size-4" />
        ) : (
          <Minus aria-hidden="true" className="size-4" />
        )}
      </Button>
    )
  }
  return (
    <FormSheet
      close={close}
      title={`${name} of ${of.symbol}`}
      verb={terms[part] == null ? `Set ${name.toLowerCase()}` : `Change ${name.toLowerCase()}`}
      form={form}
      isReal={of.isReal}
      isBlocked={outlook === null || outlook.isSenseless}
    >
      <p className="text-muted">
        {price === null ? 'No price is available' : `Price now ${money(price)}`} · entry {money(plan.average)}
      </p>
      <Segmented
        legend="Said as"
        options={WAYS[part] as Record<By, string>}
        value={level.by === '' ? undefined : level.by}
        choose={(by) => setChange(saidBy(change, by, plan))}
      />
      <Field
        label={
          level.by === 'percent'
            ? 'Percent'
            : level.by === 'price'
              ? 'Dollars a share'
              : 'Dollars a share away'
        }
        name={part}
        value={level.value}
        fault={fault}
        inputMode="decimal"
        autoComplete="off"
        sides={[step(false), step(true)]}
        onChange={({ target }) => setChange({ ...change, level: { ...level, value: target.value } })}
        onKeyDown={(event) => {
          if (event.key !== 'ArrowUp' && event.key !== 'ArrowDown') return
          event.preventDefault()
          const next = steppedLevel(level, event.key === 'ArrowUp', plan)
          if (next !== null) setChange({ ...change, level: { ...level, value: next } })
        }}
      />
      {part === 'trail' && <After change={change} set={setChange} />}
      <div aria-live="polite" className="grid gap-2">
        {outlook ? (
          <>
            {outlook.away.length > 0 && <p className="text-xs text-muted">{outlook.away.join(' · ')}</p>}
            {outlook.isSenseless ? (
              <Notice kind="danger" title={outlook.sentence} />
            ) : (
              <p className="font-medium">{outlook.sentence}</p>
            )}
          </>
        ) : (
          <p className="text-muted">Enter a number above zero.</p>
        )}
      </div>
    </FormSheet>
  )
}

function After({ change, set }: { change: Change; set: (change: Change) => void }) {
  const { after } = change
  return (
    <div className="grid grid-cols-2 items-start gap-2">
      <SelectField
        label="Follows"
        value={after.by}
        options={{ '': 'at once', percent: 'from a profit in %', amount: 'from a profit in $' }}
        onChange={({ target }) =>
          set({ ...change, after: { by: target.value as '' | By, value: after.value || '2' } })
        }
      />
      {after.by !== '' && (
        <Field
          label="Profit"
          name="after"
          value={after.value}
          inputMode="decimal"
          autoComplete="off"
          onChange={({ target }) => set({ ...change, after: { ...after, value: target.value } })}
        />
      )}
    </div>
  )
}

export function RemoveSheet({ of, part, close, done }: Props & { part: Part }) {
  const name = PART_NAMES[part].toLowerCase()
  const form = useChange(
    of.signalId,
    () => removalBody(part, of.terms),
    () => done(`${PART_NAMES[part]} of ${of.symbol} is removed`),
  )
  return (
    <FormSheet
      close={close}
      title={`Remove the ${name} of ${of.symbol}?`}
      verb="Remove it"
      kind="stop"
      form={form}
      isReal={of.isReal}
      isQuestion
    >
      <p>{removalWords(part, of.terms)}</p>
    </FormSheet>
  )
}

export function BreakEvenSheet({ of, close, done }: Props) {
  const { plan, symbol, price } = of
  const form = useChange(
    of.signalId,
    () => BREAK_EVEN_NOW,
    () => done(`The stop of ${symbol} moves to break-even`),
  )
  return (
    <FormSheet
      close={close}
      title={`Stop of ${symbol} to break-even?`}
      verb="Move to break-even"
      form={form}
      isReal={of.isReal}
      isQuestion
    >
      <p>
        The stop moves{plan.stop ? ` from ${money(plan.stop.price)}` : ''} to your entry,{' '}
        {money(plan.average)}, plus fees{price === null ? '' : `; the price is ${money(price)}`}. Where it is
        closer already, it stays.
      </p>
    </FormSheet>
  )
}
