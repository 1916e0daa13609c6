import { Check, Clock, LoaderCircle, X } from 'lucide-react'
import { useState } from 'react'
import type { Account } from '#client/types.ts'
import { serviceNow } from '../connection/clock.ts'
import { useWorkingOrders } from '../order/list.ts'
import { ActingFor } from '../parts/acting-for.tsx'
import { mayHaveArrived, useAction } from '../parts/action.ts'
import { Button } from '../parts/button.tsx'
import { Checkbox } from '../parts/checkbox.tsx'
import { Sheet } from '../parts/dialog.tsx'
import { Field } from '../parts/field.tsx'
import { useSettled } from '../parts/settling.ts'
import { Notice, ProblemNotice } from '../parts/notice.tsx'
import { useNow } from '../parts/time.ts'
import { usePositions } from '../position/list.ts'
import { useAccounts } from '../records/accounts.ts'
import { useHalts, useSwitch } from '../records/halts.ts'
import { LEVELS, SCOPES, type Halt } from '../words/halts.ts'
import { useAgenda } from '../today/agenda-line.tsx'
import { underStop, type Met } from '../words/under-stop.ts'
import { bothTimes, marketTime } from '../words/times.ts'
import { cancellingAll, closingAll, useSteps, type Step } from './after-stop.ts'
import { flattenSheet, stopped } from './open.ts'
import { ResumeSheet } from './resume-sheet.tsx'

const WHOM = {
  user: {
    title: 'Stop trading',
    effect: 'For all your accounts, within a second. Orders at the broker stay unless they are ticked.',
  },
  global: {
    title: 'Stop the whole service',
    effect: 'For every user and account, within a second. Orders at the brokers stay.',
  },
} as const

interface Props {
  scope: keyof typeof WHOM
  close: () => void
}

type Level = Halt['level']

/** Stops trading by one press on a level; ticked steps follow, with an outcome for each. */
export function StopSheet({ scope, close }: Props) {
  const { stop } = useSwitch(scope)
  const { state, run } = useAction<Halt>()
  const [reason, setReason] = useState('')
  const [isResuming, setResuming] = useState(false)
  const also = useAlso(scope)
  const steps = useSteps()
  const standing = useHalts().find((halt) => halt.scope === scope)
  // Only this sheet shows running steps, so it stays open until they end.
  const isUnderWay =
    state.is === 'busy' || [...(steps.outcomes?.values() ?? [])].some(({ is }) => is === 'busy')
  const leave = (): void => {
    if (!isUnderWay) close()
  }
  const press = (level: Level): void =>
    void run(async () => {
      const halt = await stop(level, reason.trim() || null)
      stopped.set(`Stopped at ${marketTime(serviceNow())}. ${LEVELS[level].effect}`)
      const more = also.steps()
      if (more.flat().length === 0) close()
      else void steps.run(more)
      return halt
    })
  if (isResuming && standing) return <ResumeSheet halt={standing} scope={scope} close={close} />
  if (steps.outcomes)
    return (
      <Sheet isOpen close={leave} title={state.is === 'done' ? LEVELS[state.result.level].stands : ''}>
        <Outcomes of={steps.outcomes} />
        <Button size="big" disabled={isUnderWay} onClick={leave}>
          Close
        </Button>
      </Sheet>
    )
  return (
    <Sheet isOpen close={leave} title={WHOM[scope].title}>
      <ActingFor />
      <Standing />
      {scope === 'user' && <Ticks also={also} />}
      <p className="text-muted">{WHOM[scope].effect}</p>
      <Levels
        press={press}
        standing={standing}
        isBusy={state.is === 'busy'}
        closes={also.isClosing}
        also={also}
      />
      {state.is === 'failed' && (
        <ProblemNotice
          title={
            mayHaveArrived(state.problem)
              ? 'It is unknown whether trading is stopped: press again, which is safe'
              : 'Not stopped'
          }
          problem={state.problem}
        />
      )}
      <Field
        label="Why, if you like"
        name="reason"
        hint="You can add a reason later: press the same level again"
        maxLength={200}
        value={reason}
        onChange={(event) => setReason(event.target.value)}
      />
      {scope === 'user' && also.held.length > 0 && (
        <Button
          kind="danger"
          onClick={() => {
            close()
            flattenSheet.set({})
          }}
        >
          Close all positions, keep trading on…
        </Button>
      )}
      <div className={`grid gap-2 ${standing ? 'grid-cols-2' : ''}`}>
        {standing && (
          <Button size="big" kind="danger" onClick={() => setResuming(true)}>
            Resume…
          </Button>
        )}
        <Button size="big" disabled={isUnderWay} onClick={leave}>
          Go back
        </Button>
      </div>
    </Sheet>
  )
}

/** The halts in force, of any origin. */
const Standing = () => (
  <>
    {useHalts().map((halt) => (
      <p key={halt.id} className="rounded-card bg-danger-soft px-3 py-2">
        <b className="font-bold">Now: {LEVELS[halt.level].stands.toLowerCase()}</b> for {SCOPES[halt.scope]}{' '}
        since {bothTimes(halt.setAt, serviceNow())}
      </p>
    ))}
  </>
)

/** Further steps that a person chose for after the halt. */
function useAlso(scope: Props['scope']) {
  const orders = useWorkingOrders()
  const positions = usePositions()
  const accounts = useAccounts()
  const [isCancelling, setCancelling] = useState(false)
  const [isClosing, setClosing] = useState(false)
  const working = scope === 'user' ? (orders.data ?? []) : []
  const held = scope === 'user' ? (positions.data?.positions ?? []) : []
  /** Steps, one for each account with records. */
  const byAccount = <Of extends { accountId: string }>(
    all: readonly Of[],
    step: (account: Account, here: readonly Of[]) => Step,
  ): Step[] =>
    [...accounts.values()].flatMap((account) => {
      const here = all.filter(({ accountId }) => accountId === account.id)
      return here.length === 0 ? [] : [step(account, here)]
    })
  return {
    working,
    held,
    isUnknown: orders.isError || positions.isError,
    isCancelling,
    setCancelling,
    isClosing,
    setClosing,
    /** Orders that hold shares are cancelled before the shares are sold. */
    steps: () => [
      isCancelling ? byAccount(working, cancellingAll) : [],
      isClosing ? byAccount(held, closingAll) : [],
    ],
  }
}

function Ticks({ also }: { also: ReturnType<typeof useAlso> }) {
  const { working, held, isUnknown, isCancelling, setCancelling, isClosing, setClosing } = also
  const exits = working.filter(({ role }) => role === 'exit').length
  return (
    <>
      {isUnknown && <p className="text-sm text-warn">Orders or positions could not be read.</p>}
      {working.length + held.length > 0 && (
        <fieldset className="grid">
          <legend className="font-medium">And right after that</legend>
          {working.length > 0 && (
            <Checkbox checked={isCancelling} onChange={() => setCancelling(!isCancelling)}>
              <span>
                Cancel {working.length === 1 ? 'the working order' : `${working.length} working orders`}
                {exits > 0 && (
                  <span className="text-muted">, {exits === 1 ? '1 is an exit' : `${exits} are exits`}</span>
                )}
              </span>
            </Checkbox>
          )}
          {held.length > 0 && (
            <Checkbox checked={isClosing} onChange={() => setClosing(!isClosing)}>
              Close{' '}
              {held.length === 1 ? `${held[0]!.symbol}, the only position,` : `all ${held.length} positions`}{' '}
              at market
            </Checkbox>
          )}
        </fieldset>
      )}
    </>
  )
}

interface LevelsProps {
  press: (level: Level) => void
  /** The present halt of this scope. */
  standing: Halt | undefined
  isBusy: boolean
  /** Whether positions will be closed. */
  closes: boolean
  also: Pick<ReturnType<typeof useAlso>, 'working' | 'held' | 'isCancelling'>
}

/** A button for each level, which says its effect on planned orders. A press that came with the sheet does nothing. */
function Levels({ press, standing, isBusy, closes, also }: LevelsProps) {
  const now = useNow()
  const agenda = useAgenda(undefined, 100)
  const isSettled = useSettled()
  const met: Met = {
    items: agenda.data?.items ?? [],
    isCut: (agenda.data?.total ?? 0) > (agenda.data?.items.length ?? 0),
    plans: also.held.flatMap(({ protection }) => protection?.protectedBy ?? []),
    // Ticked orders are cancelled right after the halt.
    orders: also.isCancelling ? [] : also.working,
  }
  return (
    <div className="grid gap-2">
      {(Object.keys(LEVELS) as Level[]).map((level) => {
        const isImpossible = closes && level === 'fullStop'
        return (
          <button
            key={level}
            type="button"
            disabled={isBusy || isImpossible}
            aria-disabled={!isSettled}
            onClick={() => isSettled && press(level)}
            className="grid min-h-11 gap-0.5 rounded-card border border-danger bg-surface px-4 py-2 text-left hover:bg-danger-soft disabled:border-line disabled:bg-sunken disabled:text-muted"
          >
            <span className={`font-bold ${isImpossible ? '' : 'text-danger'}`}>
              {LEVELS[level].name}
              {standing?.level === level && <span className="font-medium"> (current)</span>}
            </span>
            <span className="text-xs">
              {isImpossible
                ? 'Closing is refused at this level: untick it, or choose another level.'
                : [LEVELS[level].effect, ...underStop(level, met, now)].join(' ')}
            </span>
          </button>
        )
      })}
    </div>
  )
}

const ICONS = {
  busy: <LoaderCircle aria-hidden="true" className="mt-0.5 size-4 shrink-0 animate-spin" />,
  done: <Check aria-hidden="true" className="mt-0.5 size-4 shrink-0 text-buy" />,
  asked: <Clock aria-hidden="true" className="mt-0.5 size-4 shrink-0 text-warn" />,
  failed: <X aria-hidden="true" className="mt-0.5 size-4 shrink-0 text-danger" />,
} as const

function Outcomes({ of }: { of: NonNullable<ReturnType<typeof useSteps>['outcomes']> }) {
  const all = [...of.values()]
  const failed = all.filter(({ is }) => is === 'failed').length
  return (
    <div aria-live="polite" className="grid gap-3">
      <ul className="grid gap-2">
        {[...of].map(([{ name }, { is, says }]) => (
          <li key={name} className="flex gap-2">
            {ICONS[is]}
            <span className="min-w-0 wrap-anywhere">
              <b className="font-bold">{name}</b>: {says}
            </span>
          </li>
        ))}
      </ul>
      {failed > 0 && all.every(({ is }) => is !== 'busy') && (
        <Notice
          kind="danger"
          title={failed === 1 ? '1 of these was not done' : `${failed} of these were not done`}
        >
          Trading is stopped anyway. Orders and positions show the rest.
        </Notice>
      )}
    </div>
  )
}
