import { Link } from '@tanstack/react-router'
import { CircleCheck, Inbox, PlugZap, ServerCrash, TriangleAlert } from 'lucide-react'
import type { ReactNode } from 'react'
import type { BrokerConnection, Position } from '#client/types.ts'
import { AlertItem } from '../alert/alert-item.tsx'
import { useOpenAlerts } from '../alert/list.ts'
import { weightOf } from '../alert/weight.ts'
import { useQueue } from '../approvals/queue.ts'
import { ask } from '../connection/ask.ts'
import { useAction } from '../parts/action.ts'
import { Button, buttonClass } from '../parts/button.tsx'
import { useAccounts, useBrokers } from '../records/accounts.ts'
import { Count, Item, Panel } from '../parts/panel.tsx'
import { useCovers, usePositions, type Cover } from '../position/list.ts'
import { ProtectButton } from '../position/protect-button.tsx'
import { SymbolLink } from '../parts/symbol-link.tsx'
import { number } from '../words/figures.ts'
import { age, timeLeft } from '../words/times.ts'
import { PARTS, useReadiness } from './service.tsx'
import { readChanged } from '../connection/queries.ts'

const UNCOVERED_NAMED = 4

/** Items that wait for a person, most urgent first. */
export function NeedsYou({ now }: { now: number }) {
  const queue = useQueue()
  const alerts = useOpenAlerts()
  const brokers = useBrokers()
  const readiness = useReadiness()
  const positions = usePositions()
  const coverOf = useCovers()
  const accounts = useAccounts()
  const isKnown = queue.data && alerts.data && brokers.data && positions.data && coverOf

  const open = alerts.data?.alerts ?? []
  const failing = (brokers.data ?? []).filter(({ status }) => status === 'error')
  const alarmed = new Set(
    open
      .filter((alert) => weightOf(alert) === 'money')
      .map(({ accountId, symbol }) => `${accountId} ${symbol}`),
  )
  const uncovered = coverOf
    ? (positions.data?.positions ?? [])
        .map((position) => ({ position, cover: coverOf(position) }))
        .filter(
          ({ position, cover }) =>
            cover.uncovered > 0 && !alarmed.has(`${position.accountId} ${position.symbol}`),
        )
    : []
  const waiting = queue.data?.length ?? 0
  const alertsOf = (weight: ReturnType<typeof weightOf>): ReactNode[] =>
    open
      .filter((alert) => weightOf(alert) === weight)
      .map((alert) => <AlertItem key={alert.id} alert={alert} accounts={accounts} now={now} />)
  const down = readiness.isError
    ? ['the service']
    : (readiness.data?.down ?? []).map((part) => NOT_WORKING[part] ?? part)
  // Counts items that need an action; several may share a row. Notes are not counted.
  const notes = alertsOf('note')
  const count =
    open.length - notes.length + waiting + failing.length + uncovered.length + (down.length > 0 ? 1 : 0)
  const lines: ReactNode[] = [
    ...(down.length > 0 ? [<Down key="down" down={down} overdue={readiness.data?.overdue ?? null} />] : []),
    ...alertsOf('money'),
    ...uncovered.slice(0, UNCOVERED_NAMED).map((each) => <Uncovered key={each.position.id} {...each} />),
    ...(uncovered.length > UNCOVERED_NAMED
      ? [<MoreUncovered key="more" count={uncovered.length - UNCOVERED_NAMED} />]
      : []),
    ...(waiting > 0
      ? [<Approvals key="approvals" count={waiting} first={queue.data?.[0]?.validUntil ?? null} now={now} />]
      : []),
    ...failing.map((broker) => <BrokerLine key={broker.id} broker={broker} now={now} />),
    ...alertsOf('hand'),
    ...notes,
  ]
  return (
    <Panel
      title={
        <>
          Needs you
          {count > 0 && <Count of={count} />}
        </>
      }
    >
      {lines.length > 0 && <ul aria-label="What needs you">{lines}</ul>}
      {lines.length === 0 && (
        <div className="flex items-center gap-3 px-4 py-5">
          {isKnown ? (
            <>
              <CircleCheck aria-hidden="true" className="size-5 shrink-0 text-buy" />
              <p>
                <span className="block font-bold">Nothing needs you</span>
                <span className="text-muted">
                  No signals to approve, no open alerts, and every position has an exit.
                </span>
              </p>
            </>
          ) : (
            <p role="status" className="text-muted">
              Looking…
            </p>
          )}
        </div>
      )}
    </Panel>
  )
}

const Approvals = ({ count, first, now }: { count: number; first: string | null; now: number }) => (
  <Item
    icon={<Inbox className="text-accent" />}
    title={
      count === 1 ? '1 signal waits for your approval' : `${number(count)} signals wait for your approval`
    }
    note={first === null ? 'No time limit' : `The first expires in ${timeLeft(Date.parse(first) - now)}`}
    end={
      <Link to="/approvals" search={{}} className={buttonClass('primary')}>
        Decide
      </Link>
    }
  />
)

function BrokerLine({ broker, now }: { broker: BrokerConnection; now: number }) {
  const { state, run } = useAction<void>()
  const test = () =>
    void run(async () => {
      await ask('POST /api/v1/brokers/{brokerId}/test', { path: { brokerId: broker.id } })
      await readChanged('brokers')
    })
  return (
    <Item
      icon={<PlugZap className="text-warn" />}
      title={`${broker.name} connection is failing`}
      note={
        <>
          {broker.statusDetail ?? 'Reason unknown'}
          {broker.lastCheckedAt !== null && ` · answered ${age(now - Date.parse(broker.lastCheckedAt))}`}. Its
          exits wait and are retried automatically.
          {state.is === 'failed' && ` Tested: ${state.problem.message}`}
        </>
      }
      end={
        <Button disabled={state.is === 'busy'} onClick={test} aria-label={`Test ${broker.name}`}>
          Test
        </Button>
      }
    />
  )
}

const Uncovered = ({ position, cover }: { position: Position; cover: Cover }) => (
  <Item
    icon={<TriangleAlert className="text-warn" />}
    title={
      <>
        <SymbolLink symbol={position.symbol} /> has{' '}
        {cover.uncovered === position.quantity ? 'no exit' : 'shares without an exit'}
      </>
    }
    note={`${number(cover.uncovered)} of ${number(position.quantity)} shares stay open until you close them`}
    end={<ProtectButton position={position} shares={cover.uncovered} className={buttonClass()} />}
  />
)

const MoreUncovered = ({ count }: { count: number }) => (
  <Item
    icon={<TriangleAlert className="text-warn" />}
    title={
      count === 1
        ? '1 more position has shares without an exit'
        : `${number(count)} more positions have shares without an exit`
    }
    end={
      <Link to="/positions" className={buttonClass()}>
        Show them
      </Link>
    }
  />
)

const NOT_WORKING: Record<string, string> = {
  ...PARTS,
  overdue: 'work that is due',
  feed: 'order updates of a broker',
  build: 'a worker of another version',
  workflows: 'some workflows',
  disk: 'space on the disk',
}

const Down = ({ down, overdue }: { down: readonly string[]; overdue: number | null }) => (
  <Item
    icon={<ServerCrash className="text-danger" />}
    title={`Not working: ${down.join(', ')}`}
    note={
      overdue !== null && overdue > 0
        ? `Overdue work: ${number(overdue)}. It is done as soon as the service works again`
        : 'Overdue work is done as soon as the service works again'
    }
  />
)
