import { Link } from '@tanstack/react-router'
import type { SignalDetail, Account, Order } from '#client/types.ts'
import { isReducing } from '#domain/order/order.ts'
import { CodeBlock } from '../parts/code-block.tsx'
import { CopyButton } from '../parts/copy-button.tsx'
import { Direction } from '../parts/direction.tsx'
import { Fact, Facts } from '../parts/facts.tsx'
import { Gain } from '../parts/gain.tsx'
import { Panel } from '../parts/panel.tsx'
import { money, percent, number } from '../words/figures.ts'
import { isBuying, priceWords, sideWord } from '../words/order.ts'
import { lifetime } from '../words/signal.ts'
import { MODE_NAMES } from '../words/status.ts'
import { age, duration, bothTimes } from '../words/times.ts'
import { Continued } from './continued.tsx'
import { phasesOf, totalOf } from './speed.ts'
import { resultOf } from './result.ts'
import { useOpenShares, useSource } from './story-data.ts'
import { Table, type Column } from '../parts/table.tsx'

/** Dollars with sign, arrow and colour; nothing before a fill. */
export function ResultCard({ signal, now }: { signal: SignalDetail; now: number }) {
  const { data = [], dataUpdatedAt } = useOpenShares(signal)
  const result = resultOf(signal, data)
  if (!result) return null
  const { pnl, rate, isSoFar, out, price, fees } = result
  return (
    <Panel title={isSoFar ? 'Result so far' : 'Result'}>
      <div className="p-4">
        <p className="text-2xl font-bold">{pnl === null ? 'not known yet' : <Gain amount={pnl} />}</p>
        <p className="text-xs text-muted">
          {[
            rate === null ? '' : percent(rate),
            signal.avgFillPrice === null ? '' : `in at ${money(signal.avgFillPrice)}`,
            out === null
              ? ''
              : isSoFar
                ? `${number(signal.result.closedQuantity)} of ${number(signal.filledQuantity)} out at ${money(out)}`
                : `out at ${money(out)}`,
            price === null ? '' : `price ${money(price)}`,
            `fees ${money(fees)}`,
            isSoFar && dataUpdatedAt > 0 ? `read ${age(now - dataUpdatedAt)}` : '',
          ]
            .filter(Boolean)
            .join(' · ')}
        </p>
      </div>
    </Panel>
  )
}

export function SpeedCard({ signal }: { signal: SignalDetail }) {
  const phases = phasesOf(signal)
  const total = totalOf(phases)
  if (phases.length === 0) return null
  return (
    <Panel
      title="How fast"
      aside={
        <span className="text-xs text-muted">
          {duration(total)}
          {signal.executeMode === 'immediate' ? '' : ' without the wait'}
        </span>
      }
    >
      <dl className="grid gap-2 p-4">
        {phases.map(({ name, start, took }) => (
          <div key={name} className="grid grid-cols-[minmax(0,1fr)_80px_64px] items-center gap-3">
            <dt className="text-muted">{name}</dt>
            <dd aria-hidden="true" className="relative h-2.5 rounded-control bg-sunken">
              <span
                className="absolute inset-y-0 min-w-0.75 rounded-control bg-accent-fill"
                style={{ left: `${share(start, total)}%`, width: `${share(took, total)}%` }}
              />
            </dd>
            <dd className="text-right">{duration(took)}</dd>
          </div>
        ))}
      </dl>
    </Panel>
  )
}

const share = (part: number, whole: number): number => (whole === 0 ? 0 : Math.min(98, (part / whole) * 100))

/** Body as received, without secrets. */
export function SourceCard({ id }: { id: string }) {
  const { data, isError } = useSource(id)
  const body = data?.body
  const bytes = body == null ? 0 : new TextEncoder().encode(body).length
  return (
    <Panel
      title="Original request"
      aside={
        body != null && (
          <span className="flex items-center gap-3 text-xs text-muted">
            {bytes.toLocaleString('en-US')} bytes <CopyButton text={body} what="the body" />
          </span>
        )
      }
    >
      {body == null ? (
        <p className="p-4 text-muted">
          {isError ? 'It could not be read.' : data ? 'Its body was not kept.' : 'One moment…'}
        </p>
      ) : (
        <CodeBlock label="Body">{pretty(body)}</CodeBlock>
      )}
    </Panel>
  )
}

/** Indents JSON; other text is unchanged. */
function pretty(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2)
  } catch {
    return body
  }
}

interface Props {
  signal: SignalDetail
  account: Account | undefined
  strategy: string | undefined
  now: number
}

export const TermsCard = ({ signal, account, strategy, now }: Props) => (
  <Panel title="Terms">
    <Facts>
      <Fact name="Account">{account?.name ?? 'unknown account'}</Fact>
      {signal.strategyId !== null && <Fact name="Strategy">{strategy ?? 'unknown strategy'}</Fact>}
      {signal.targetPosition !== null && (
        <Fact name="Target">
          {number(signal.targetPosition)} {signal.symbol}
        </Fact>
      )}
      {signal.wish !== null && <Fact name="Requested">{signal.wish}</Fact>}
      {signal.continues !== null && (
        <Fact name="Continues">
          <Link to="/signals/$id" params={{ id: signal.continues }} className="underline">
            the signal that closed the other side
          </Link>
        </Fact>
      )}
      {signal.continuedBy != null && (
        <Fact name="Then">
          <Continued id={signal.continuedBy} />
        </Fact>
      )}
      <Fact name="Order">
        {priceWords(signal)}, {lifetime(signal)}
        {signal.extendedHours && ', extended hours'}
      </Fact>
      <Fact name="Sent">{MODE_NAMES[signal.executeMode]}</Fact>
      {signal.sentBy !== null && <Fact name="Sent by">{signal.sentBy}</Fact>}
      {signal.heldPrice !== null && <Fact name="Price at arrival">{money(signal.heldPrice)}</Fact>}
      {signal.validUntil !== null && <Fact name="Valid until">{bothTimes(signal.validUntil, now)}</Fact>}
      {signal.expiresAt !== null && <Fact name="Order ends">{bothTimes(signal.expiresAt, now)}</Fact>}
      {signal.sourceId !== null && <Fact name="sourceId">{signal.sourceId}</Fact>}
      <Fact name="Signal">
        <span className="font-mono text-xs">{signal.id}</span>
      </Fact>
    </Facts>
    <div className="flex justify-end px-4 pb-4">
      <CopyButton text={signal.id} what="the signal’s id" />
    </div>
    {Object.keys(signal.metadata ?? {}).length > 0 && <Metadata metadata={signal.metadata ?? {}} />}
  </Panel>
)

/** Metadata, only ever shown as text. */
const Metadata = ({ metadata }: { metadata: Record<string, unknown> }) => (
  <div className="border-t border-line">
    <h3 className="px-4 pt-3 text-xs text-muted">From the sender</h3>
    <Facts>
      {Object.entries(metadata).map(([name, value]) => (
        <Fact key={name} name={name}>
          {typeof value === 'string' ? value : JSON.stringify(value)}
        </Fact>
      ))}
    </Facts>
  </div>
)

const ROLES = { entry: 'Entry', exit: 'Exit', manual: 'Manual' } as const
const roleOf = ({ role, side }: Order): string =>
  role === 'entry' && isReducing(side) ? 'Close' : ROLES[role]

export const OrdersCard = ({ orders }: { orders: readonly Order[] }) => (
  <Panel title="Orders">
    <Table
      label="Orders"
      columns={ORDER_COLUMNS}
      rows={orders}
      keyOf={({ id }) => id}
      empty={<p className="p-4 text-muted">No order has been sent.</p>}
    />
  </Panel>
)

const ORDER_COLUMNS: readonly Column<Order>[] = [
  { name: 'Role', place: 'first', of: roleOf },
  {
    name: 'Side',
    place: 'lead',
    of: (order) => (
      <span className="inline-flex items-center gap-2 font-medium">
        <Direction isBuy={isBuying(order)} /> {sideWord(order)}
      </span>
    ),
  },
  {
    name: 'Filled',
    isFigure: true,
    place: 'second',
    of: ({ filledQuantity, quantity }) => `${number(filledQuantity)} / ${number(quantity)}`,
  },
  {
    name: 'Type',
    place: 'tail',
    of: (order) => `${priceWords(order)} · ${order.timeInForce.toLowerCase()}`,
  },
  {
    name: 'Fill price',
    isFigure: true,
    isDefault: ({ avgFillPrice }) => avgFillPrice === null,
    of: ({ avgFillPrice }) => (avgFillPrice === null ? '–' : money(avgFillPrice)),
  },
  { name: 'Status', of: ({ status }) => status.toLowerCase().replace('_', ' ') },
]
