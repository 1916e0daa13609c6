import { Power } from 'lucide-react'
import { useState } from 'react'
import { Button } from '../parts/button.tsx'
import { Field } from '../parts/field.tsx'
import { textOf, useSend, FormSheet } from '../parts/form.tsx'
import { ActingFor } from '../parts/acting-for.tsx'
import { useMe } from '../records/person.ts'
import { serviceNow } from '../connection/clock.ts'
import { useStore } from '../connection/store.ts'
import { LEVELS, useHalts, useSwitch, type Halt } from '../records/halts.ts'
import { bothTimes } from '../words/times.ts'
import { stopSheet } from './open.ts'

/** The kill switch, on every page. */
export function StopTrading() {
  const isOpen = useStore(stopSheet)
  return (
    <>
      <Button
        kind="danger"
        onClick={() => stopSheet.set(true)}
        aria-label="Stop trading"
        className="max-desk:w-11 max-desk:px-0"
      >
        <Power aria-hidden="true" className="size-4" />
        <span className="hidden desk:inline">Stop trading</span>
      </Button>
      {isOpen && <StopSheet scope="user" close={() => stopSheet.set(false)} />}
    </>
  )
}

const WHOM = {
  user: {
    title: 'Stop trading',
    effect: 'For all accounts of this person, within a second. Orders at the broker stay.',
  },
  global: {
    title: 'Stop the whole service',
    effect: 'For every user and account, within a second. Orders at the brokers stay.',
  },
} as const

interface StopProps {
  scope: keyof typeof WHOM
  close: () => void
}

/** Asks how much is to be stopped, and why, in words of the effect. */
export function StopSheet({ scope, close }: StopProps) {
  const [level, setLevel] = useState<Halt['level']>('pauseEntries')
  const { stop } = useSwitch(scope)
  const form = useSend(async (data) => {
    await stop(level, textOf(data, 'reason'))
    close()
  })
  return (
    <FormSheet
      close={close}
      title={WHOM[scope].title}
      verb={LEVELS[level].name}
      kind="stop"
      form={form}
      needsNoNews
    >
      <ActingFor />
      <p className="text-muted">{WHOM[scope].effect}</p>
      <fieldset className="grid gap-2">
        <legend className="sr-only">How much</legend>
        {(Object.keys(LEVELS) as Halt['level'][]).map((each) => (
          <label
            key={each}
            className={`flex gap-3 rounded-card border p-3 ${each === level ? 'border-danger bg-danger-soft' : 'border-edge'}`}
          >
            <input
              type="radio"
              name="level"
              checked={each === level}
              onChange={() => setLevel(each)}
              className="mt-1 size-4 shrink-0 accent-danger"
            />
            <span>
              <span className="block font-bold">{LEVELS[each].name}</span>
              <span className="block text-xs text-muted">{LEVELS[each].effect}</span>
            </span>
          </label>
        ))}
      </fieldset>
      <Field label="Why" name="reason" hint="For the log, such as “earnings day”" required />
    </FormSheet>
  )
}

const SCOPES = {
  global: 'the whole service',
  operator: 'you, by an administrator,',
  user: 'all your accounts',
  account: 'one account',
} as const

/** What stands, on every page; lifting asks again. */
export function StandingHalts() {
  const halts = useHalts()
  const { data: me } = useMe()
  return halts.map((halt) => (
    <div
      key={halt.id}
      role="status"
      className="mb-4 flex flex-wrap items-center gap-3 rounded-card bg-danger-soft px-4 py-3"
    >
      <Power aria-hidden="true" className="size-4 shrink-0 text-danger" />
      <p className="min-w-0 grow wrap-anywhere">
        <b className="font-bold">{LEVELS[halt.level].stands}</b> for {SCOPES[halt.scope]} since{' '}
        {bothTimes(halt.setAt, serviceNow())}
        <span className="block text-xs">“{halt.reason}”</span>
      </p>
      {halt.scope === 'user' && <Resume scope="user" />}
      {halt.scope === 'global' && me?.role === 'admin' && <Resume scope="global" />}
    </div>
  ))
}

/** Lets trading go on, after a question. */
export function Resume({ scope }: Pick<StopProps, 'scope'>) {
  const [isOpen, setOpen] = useState(false)
  const { resume } = useSwitch(scope)
  const form = useSend(async () => {
    await resume()
    setOpen(false)
  })
  return (
    <>
      <Button kind="danger" onClick={() => setOpen(true)}>
        Resume…
      </Button>
      {isOpen && (
        <FormSheet
          close={() => setOpen(false)}
          title={scope === 'user' ? 'Resume trading?' : 'Resume for everybody?'}
          verb="Resume"
          kind="stop"
          form={form}
          isQuestion
          needsNoNews
        >
          <ActingFor />
          <p className="text-muted">
            {scope === 'user'
              ? 'Signals may open positions again, for all your accounts.'
              : 'Signals of every user may open positions again. What users have stopped themselves stays stopped.'}
          </p>
        </FormSheet>
      )}
    </>
  )
}
