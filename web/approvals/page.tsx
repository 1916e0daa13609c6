import { Check, ChevronRight, Clock } from 'lucide-react'
import { useCallback, useEffect, useRef, useState } from 'react'
import type { Signal } from '#client/types.ts'
import { useIsLive } from '../connection/live.ts'
import { asProblem } from '../connection/problem.ts'
import { useStore } from '../connection/store.ts'
import { Button, Key } from '../parts/button.tsx'
import { ProblemNotice } from '../parts/notice.tsx'
import { PageHead } from '../parts/page-head.tsx'
import { useShortcuts } from '../parts/shortcuts.ts'
import { useNow } from '../parts/time.ts'
import { useAccounts } from '../records/accounts.ts'
import { useHalts } from '../records/halts.ts'
import { timeLeft } from '../words/times.ts'
import { Announcer } from './announcer.tsx'
import { DecisionCard } from './decision-card.tsx'
import { neighboursOf } from './neighbours.ts'
import { decisions, isOnItsWay, isOpen, noticeDecidedElsewhere, undo } from './decisions.ts'
import { GroupBar } from './group-bar.tsx'
import { DecidedLines } from './decided-lines.tsx'
import { OutcomeLine } from './outcome-line.tsx'
import { PickedBar } from './picked-bar.tsx'
import { useQueuePrices } from './prices.ts'
import { QueueRow } from './queue-row.tsx'
import { useQueue, useSought } from './queue.ts'
import { isLate } from './time-bar.tsx'
import { headline } from '../words/signal.ts'

interface Props {
  selected: string | undefined
  select: (id: string | undefined) => void
}

export function ApprovalsPage({ selected, select }: Props) {
  const queue = useQueue()
  const accounts = useAccounts()
  const halts = useHalts()
  const taken = useStore(decisions)
  const now = useNow()
  const isLive = useIsLive()
  const [picked, setPicked] = useState<ReadonlySet<string> | null>(null)
  // The open card stays while its signal expires or its decision is under way.
  const isSending = (id: string): boolean => id === selected && isOnItsWay(taken.get(id))
  const waiting = (queue.data ?? []).filter(({ id }) => isOpen(taken.get(id)) || isSending(id))
  // Prices of other rows wait for the first card.
  const [hasCard, setHasCard] = useState(false)
  const onChecked = useCallback(() => setHasCard(true), [])
  const prices = useQueuePrices(waiting, isLive && hasCard)
  const [last, setLast] = useState<Signal | undefined>()
  const inQueue =
    waiting.find(({ id }) => id === selected) ?? (selected === undefined ? waiting[0] : undefined)
  const known = selected === undefined ? undefined : taken.get(selected)
  const outcome = isOpen(known) || (selected !== undefined && isSending(selected)) ? undefined : known
  const isShown = outcome !== undefined || inQueue?.id === selected || last?.id === selected
  const isSought = useSought(selected, isShown, queue)
  const first = isSought ? undefined : waiting[0]
  const open = outcome ? undefined : (inQueue ?? (last?.id === selected ? last : first))
  if (outcome ? last !== undefined : open !== last) setLast(outcome ? undefined : open)
  const isGone = queue.data !== undefined && open !== undefined && !waiting.includes(open)
  useEffect(() => {
    if (open && isGone) void noticeDecidedElsewhere(open)
  }, [open, isGone])
  // The address follows the open card, so that a decision stays on it.
  useEffect(() => {
    if (open && open.id !== selected) select(open.id)
  }, [selected, open, select])
  const endsFirst = waiting.find((signal) => signal.id !== open?.id && isLate(signal, now))
  // The card that opened after a decision, until the person chooses another one.
  const [fresh, setFresh] = useState<{ id: string; takesFocus: boolean }>()
  const choose = (id: string): void => {
    setFresh(undefined)
    select(id)
  }
  const move = (by: number): void => {
    const at = waiting.findIndex(({ id }) => id === open?.id)
    const next = waiting[Math.min(waiting.length - 1, Math.max(0, at + by))]
    if (next) choose(next.id)
  }
  const shownNow = useRef({ selected, waiting })
  useEffect(() => {
    shownNow.current = { selected, waiting }
  })
  /**
   * Fixes the successors of a signal at its decision, regardless of events before the answer. The result opens the first
   * that still waits, unless the person has opened another card, or must see the outcome first.
   */
  const decideOn = (id: string): ((takesFocus: boolean) => void) => {
    const queued = neighboursOf(
      id,
      shownNow.current.waiting.map((each) => each.id),
    )
    return (takesFocus) => {
      const { selected: current, waiting: still } = shownNow.current
      const is = decisions.get().get(id)?.outcome.is
      if (current !== id || is === undefined || is === 'refused' || is === 'unknown' || is === 'failed')
        return
      const next = queued.find(
        (each) => isOpen(decisions.get().get(each)) && still.some((signal) => signal.id === each),
      )
      if (next === undefined) return
      setFresh({ id: next, takesFocus })
      select(next)
    }
  }
  useShortcuts({
    j: () => move(1),
    k: () => move(-1),
    u: () => {
      for (const [id, { outcome: each }] of taken) if (each.is === 'undoable') undo(id)
    },
  })
  const comesByItself =
    open !== undefined && (fresh?.id === open.id || (selected !== undefined && open.id !== selected))
  const chosen = waiting.filter(({ id }) => picked?.has(id))
  const isOnCard = (id: string): boolean => id === open?.id || (outcome !== undefined && id === selected)
  const members = waiting.filter((each) => open !== undefined && isOfGroup(each, open))
  const lines = [...taken.values()].filter(({ signal }) => !isOnCard(signal.id)).toReversed()
  const [newest] = lines
  return (
    <>
      <PageHead
        name="Approvals"
        note={
          waiting.length === 0
            ? ''
            : waiting.length === 1
              ? '1 needs approval'
              : `${waiting.length} need approval`
        }
        offline="Last known state. Deciding needs a connection; nothing is sent later automatically."
      >
        {(waiting.length > 1 || picked !== null) && (
          <Button aria-pressed={picked !== null} onClick={() => setPicked(picked ? null : new Set())}>
            <Check aria-hidden="true" className="size-4" /> Select
          </Button>
        )}
        <span className="hidden items-center gap-1 text-xs text-muted desk:flex">
          <Key>J</Key> <Key>K</Key> move
        </span>
      </PageHead>
      {queue.isError && (
        <ProblemNotice
          title="The list could not be read"
          problem={asProblem(queue.error)}
          again={() => void queue.refetch()}
        />
      )}
      {queue.isPending && <Loading />}
      {queue.data && (
        <div className="grid items-start gap-4 wide:grid-cols-[minmax(320px,400px)_minmax(0,880px)]">
          <div className="grid min-w-0 gap-4 max-wide:order-last">
            {waiting.length > 0 && (
              <ul className="grid gap-2" aria-label="Waiting signals">
                {waiting.map((signal) => (
                  <QueueRow
                    key={signal.id}
                    signal={signal}
                    account={accounts.get(signal.accountId)}
                    quote={prices.get(signal.symbol)}
                    now={now}
                    isCurrent={signal.id === open?.id}
                    isPicked={picked && picked.has(signal.id)}
                    halts={halts}
                    select={() => {
                      choose(signal.id)
                      globalThis.scrollTo({ top: 0 })
                    }}
                    pick={() => setPicked((before) => toggled(before, signal.id))}
                  />
                ))}
              </ul>
            )}
            {picked && (
              <PickedBar
                {...{ chosen, waiting, accounts, prices }}
                pickAll={() => setPicked(new Set(waiting.map(({ id }) => id)))}
                done={() => setPicked(null)}
              />
            )}
            {lines.length > 0 && <DecidedLines lines={lines} now={now} />}
          </div>
          {/* On a narrow screen the selection replaces the card. */}
          <div className={`grid min-w-0 grid-cols-1 gap-3 ${picked ? 'max-wide:hidden' : ''}`}>
            {endsFirst && <EndsFirst signal={endsFirst} now={now} select={choose} />}
            {newest && <OutcomeLine decided={newest} now={now} className="wide:hidden" />}
            {outcome && <OutcomeLine decided={outcome} now={now} />}
            {members.length > 1 && (
              <GroupBar key={open?.id} {...{ members, accounts, prices, comesByItself }} />
            )}
            {open && (
              <DecisionCard
                key={open.id}
                signal={open}
                account={accounts.get(open.accountId)}
                quote={prices.get(open.symbol)}
                now={now}
                comesByItself={comesByItself}
                takesFocus={fresh?.id === open.id && fresh.takesFocus}
                onChecked={onChecked}
                decide={() => decideOn(open.id)}
              />
            )}
            {!open && !isSought && waiting.length === 0 && <Nothing />}
          </div>
        </div>
      )}
      <Announcer signals={waiting} now={now} />
    </>
  )
}

/** Whether one message sent both signals. */
const isOfGroup = (one: Signal, other: Signal): boolean =>
  one.groupId !== null && one.groupId === other.groupId

interface EndsProps {
  signal: Signal
  now: number
  select: (id: string) => void
}

/** Signal that is about to end, where the list is below the card. */
const EndsFirst = ({ signal, now, select }: EndsProps) => (
  <button
    type="button"
    onClick={() => select(signal.id)}
    className="flex min-h-11 items-center gap-3 rounded-card bg-warn-soft px-4 py-2 text-left wide:hidden"
  >
    <Clock aria-hidden="true" className="size-4 shrink-0 text-warn" />
    <span className="min-w-0 grow wrap-anywhere">
      <b className="font-medium">{headline(signal)}</b> ends in{' '}
      {timeLeft(Date.parse(signal.validUntil ?? '') - now)}
    </span>
    See
    <ChevronRight aria-hidden="true" className="-ml-2 size-4 shrink-0" />
  </button>
)

function toggled(before: ReadonlySet<string> | null, id: string): ReadonlySet<string> {
  const next = new Set(before)
  if (!next.delete(id)) next.add(id)
  return next
}

const Nothing = () => (
  <section className="grid justify-items-center gap-2 rounded-card border border-line bg-surface px-6 py-16 text-center">
    <Check aria-hidden="true" className="size-6 text-buy" />
    <h2 className="font-bold">Nothing needs approval</h2>
    <p className="text-muted">Signals that need your approval appear here at once.</p>
  </section>
)

const Loading = () => (
  <div role="status" className="grid gap-4 wide:grid-cols-[minmax(320px,400px)_minmax(0,880px)]">
    <span className="sr-only">Loading</span>
    {['h-17', 'h-110'].map((height) => (
      <div
        key={height}
        className={`grid content-start gap-4 rounded-card border border-line bg-surface p-5 ${height}`}
      >
        <span className="waiting-shape h-4 w-1/2" />
        <span className="waiting-shape h-3 w-1/3" />
      </div>
    ))}
  </div>
)
