import { Check, CircleX, Clock, LoaderCircle } from 'lucide-react'
import { useEffect, useState } from 'react'
import { Link } from '@tanstack/react-router'
import type { Account, Flatten } from '#client/types.ts'
import { askOnce } from '../connection/ask.ts'
import { serviceNow } from '../connection/clock.ts'
import { useIsLive } from '../connection/live.ts'
import { asProblem, type Problem } from '../connection/problem.ts'
import { readChanged } from '../connection/queries.ts'
import { randomHex } from '../connection/request-key.ts'
import { useStore } from '../connection/store.ts'
import { mayHaveArrived } from '../parts/action.ts'
import { ActingFor } from '../parts/acting-for.tsx'
import { Button } from '../parts/button.tsx'
import { Sheet } from '../parts/dialog.tsx'
import { SelectField } from '../parts/field.tsx'
import { Gain } from '../parts/gain.tsx'
import { Empty } from '../parts/loaded.tsx'
import { ModePill } from '../parts/mode-pill.tsx'
import { Notice, ProblemNotice } from '../parts/notice.tsx'
import { SheetButtons } from '../parts/sheet-buttons.tsx'
import { useNow } from '../parts/time.ts'
import { flattenSheet } from '../shell/open.ts'
import { useAccounts } from '../records/accounts.ts'
import { useMe } from '../records/person.ts'
import type { ClosedShares } from '../signal/result.ts'
import { money, number } from '../words/figures.ts'
import { isRealMoney } from '../words/signal.ts'
import { Refusal } from './close-parts.tsx'
import { sentFlatten, useClosedTrades, useFlatten, useFlattens, type FlattenBody } from './flatten-data.ts'
import {
  closedBy,
  closeWords,
  flattenWords,
  holdingsOf,
  lineWords,
  underWay,
  type Holding,
} from './flatten.ts'
import { usePositions } from './list.ts'

/** Asks before positions are closed, names them, and follows each line to its end. */
export function FlattenSheet({ asked }: { asked: FlattenBody }) {
  const [begun, setBegun] = useState<Flatten | null>(null)
  /** The person asks again here, so that no older flattening is shown. */
  const [isSecond, setSecond] = useState(false)
  const sent = useStore(sentFlatten)
  const latest = useFlattens(sent !== null && begun === null).data
  const followed = useFlatten(begun?.id ?? null).data
  const found =
    begun === null && latest && !(isSecond && sent === null)
      ? underWay(latest, asked.accountId ?? null, sent?.at ?? null)
      : null
  if (found) setBegun(found)
  const isFound = begun !== null && sent !== null
  useEffect(() => {
    if (isFound) sentFlatten.set(null)
  }, [isFound])
  const close = (): void => flattenSheet.set(null)
  const show = (flatten: Flatten | null): void => {
    setBegun(flatten)
    setSecond(true)
  }
  return begun === null ? (
    <Question asked={asked} close={close} taken={show} />
  ) : (
    <Progress
      flatten={followed ?? begun}
      askForChanged={isSecond ? undefined : () => show(null)}
      close={close}
    />
  )
}

interface QuestionProps {
  asked: FlattenBody
  close: () => void
  taken: (flatten: Flatten) => void
}

function Question({ asked, close, taken }: QuestionProps) {
  const accounts = useAccounts()
  const positions = usePositions()
  const now = useNow()
  const isLive = useIsLive()
  const [chosen, setChosen] = useState(asked.accountId ?? '')
  const [problem, setProblem] = useState<Problem | null>(null)
  const [isBusy, setBusy] = useState(false)
  const sent = useStore(sentFlatten)
  const isLiveMode = useMe().data?.tradingMode === 'LIVE'
  const all = holdingsOf(positions.data?.positions ?? [], accounts, asked.accountId ?? { isLive: isLiveMode })
  const accountId = sent === null ? chosen : (sent.body.accountId ?? '')
  const held = accountId === '' ? all : all.filter(({ account }) => account.id === accountId)
  const count = held.reduce((sum, one) => sum + one.positions.length, 0)
  const value = held.reduce((sum, one) => sum + one.value, 0)
  const gain = held.reduce((sum, one) => sum + one.gain, 0)
  const isReal = held.some(({ account }) => isRealMoney(account))
  const send = async (): Promise<void> => {
    const body: FlattenBody = accountId === '' ? {} : { accountId }
    const open = sentFlatten.get() ?? { key: randomHex(16), body, at: serviceNow() }
    sentFlatten.set(open)
    setBusy(true)
    setProblem(null)
    try {
      const answer = await askOnce(open.key, 'POST /api/v1/positions/flatten', { body: open.body })
      sentFlatten.set(null)
      void readChanged('orders', 'positions', 'signals')
      taken(answer.body.flatten)
    } catch (error) {
      const failed = asProblem(error)
      if (!mayHaveArrived(failed)) sentFlatten.set(null)
      setProblem(failed)
    } finally {
      setBusy(false)
    }
  }
  if (positions.isSuccess && all.length === 0)
    return (
      <Sheet isOpen close={close} title="Close all positions">
        <Empty title="No positions" />
        <Button size="big" onClick={close}>
          Go back
        </Button>
      </Sheet>
    )
  const title = count === 1 ? 'Close the only position?' : `Close all ${number(count)} positions?`
  return (
    <Sheet isOpen close={close} title={positions.isSuccess ? title : 'Close all positions?'}>
      <div data-mode={isReal ? 'live' : 'paper'} className="grid gap-3">
        <ActingFor />
        {all.length > 1 && (
          <SelectField
            label="In"
            value={accountId}
            disabled={sent !== null}
            onChange={({ target }) => setChosen(target.value)}
            options={{
              '': `all ${all.length} accounts`,
              ...Object.fromEntries(all.map(({ account }) => [account.id, nameOf(account)])),
            }}
          />
        )}
        <p>
          At market, <b className="font-bold">about {money(value)}</b> in all, <Gain amount={gain} /> against
          cost. Open entries, stops and targets are cancelled, and waiting signals are withdrawn.
        </p>
        <ul aria-label="What is closed" className="grid gap-2">
          {held.map((one) => (
            <HeldIn key={one.account.id} holding={one} />
          ))}
        </ul>
        <Refusal position={held[0]?.positions[0]} now={now} />
        <div aria-live="polite" className="grid gap-3">
          {sent !== null && !isBusy && (
            <Notice kind="warn" title="Unknown yet: the answer did not arrive">
              It may be in progress; its state is being checked. Trying again is safe: nothing is closed
              twice.
            </Notice>
          )}
          {problem !== null && !mayHaveArrived(problem) && (
            <ProblemNotice title="Nothing was closed" problem={problem} />
          )}
        </div>
        {!isLive && <p className="text-sm text-warn">Without a connection nothing is sent.</p>}
        <SheetButtons
          close={close}
          verb={isReal ? 'Close all with real money' : 'Close all'}
          kind="stop"
          confirm={() => void send()}
          isBusy={isBusy}
          isBlocked={!isLive || !positions.isSuccess || count === 0}
        />
      </div>
    </Sheet>
  )
}

const nameOf = (account: Account): string => (isRealMoney(account) ? `LIVE · ${account.name}` : account.name)

const HeldIn = ({ holding: { account, positions, value, gain } }: { holding: Holding }) => (
  <li
    data-mode={isRealMoney(account) ? 'live' : 'paper'}
    className="rounded-card border border-line px-3 py-2"
  >
    <p className="flex flex-wrap items-center gap-2">
      <ModePill isLive={isRealMoney(account)} />
      <span className="min-w-0 grow font-medium wrap-anywhere">{account.name}</span>
      <span className="text-muted">{money(value)}</span>
    </p>
    <ul className="mt-1 grid gap-0.5">
      {positions.map((position) => (
        <li key={position.id} className="flex flex-wrap justify-between gap-x-3">
          <span className="font-medium">{closeWords(position)}</span>
          <span className="text-right text-sm">
            {money(Math.abs(position.marketValue))} <Gain amount={position.unrealisedPnl} />
          </span>
        </li>
      ))}
    </ul>
    {positions.length > 1 && (
      <p className="mt-1 text-right text-xs text-muted">
        <Gain amount={gain} /> against cost
      </p>
    )}
  </li>
)

const ICONS = {
  closing: <LoaderCircle aria-hidden="true" className="mt-0.5 size-4 shrink-0 animate-spin" />,
  closed: <Check aria-hidden="true" className="mt-0.5 size-4 shrink-0 text-buy" />,
  held: <Clock aria-hidden="true" className="mt-0.5 size-4 shrink-0 text-warn" />,
  failed: <CircleX aria-hidden="true" className="mt-0.5 size-4 shrink-0 text-danger" />,
} as const

interface ProgressProps {
  flatten: Flatten
  /** Undefined for a flattening that was requested just now. */
  askForChanged: (() => void) | undefined
  close: () => void
}

/** The flattening continues when the sheet closes, and shows when it opens again. */
function Progress({ flatten, askForChanged, close }: ProgressProps) {
  const accounts = useAccounts()
  const names = new Set(flatten.lines.map(({ accountId }) => accountId))
  const isWorking = flatten.status === 'working'
  const failed = flatten.lines.some(({ status }) => status === 'failed')
  const closings = closedBy(flatten.lines, useClosedTrades(flatten.lines).data ?? [])
  const gain = [...closings.values()].reduce((sum, one) => sum + one.realisedPnl, 0)
  return (
    <Sheet isOpen close={close} title={isWorking ? 'Positions are being closed' : flattenWords(flatten)}>
      <div aria-live="polite" className="grid gap-3">
        {isWorking && <p>{flattenWords(flatten)}</p>}
        <ul aria-label="Outcome" className="grid gap-2">
          {flatten.lines.map((line) => (
            <li key={`${line.accountId} ${line.symbol}`} className="flex gap-2">
              {ICONS[line.status]}
              <span className="min-w-0 wrap-anywhere">
                <b className="font-bold">
                  {number(line.quantity)} {line.symbol}
                </b>
                {names.size > 1 && (
                  <span className="text-muted"> in {accounts.get(line.accountId)?.name ?? 'an account'}</span>
                )}
                : {lineWords(line)}
                <Brought closing={closings.get(line.orderId ?? '')} />{' '}
                {line.orderId !== null && (
                  <Link
                    to="/orders/$order"
                    params={{ order: line.orderId }}
                    onClick={close}
                    className="inline-flex min-h-11 items-center text-sm underline desk:min-h-6"
                  >
                    order<span className="sr-only"> of {line.symbol}</span>
                  </Link>
                )}
              </span>
            </li>
          ))}
          {flatten.left.map(({ detail }) => (
            <li key={detail} className="flex gap-2">
              {ICONS[isWorking ? 'held' : 'failed']}
              <span className="min-w-0 wrap-anywhere">May still open a position: {detail}</span>
            </li>
          ))}
        </ul>
        {closings.size > 1 && (
          <p>
            <Gain amount={gain} /> in all, after fees
          </p>
        )}
        {!isWorking && failed && (
          <Notice kind="danger" title="Some positions are not closed">
            The rest is listed under Positions.
          </Notice>
        )}
        {isWorking && (
          <p className="text-xs text-muted">
            It continues if you close this, and is shown when you come back. Positions opened since then stay.
          </p>
        )}
        {isWorking && askForChanged && <Button onClick={askForChanged}>Close the current positions…</Button>}
      </div>
      <Button size="big" onClick={close}>
        Close
      </Button>
    </Sheet>
  )
}

const Brought = ({ closing }: { closing: ClosedShares | undefined }) =>
  closing && (
    <>
      {' '}
      at {money(closing.price)}, <Gain amount={closing.realisedPnl} />
    </>
  )
