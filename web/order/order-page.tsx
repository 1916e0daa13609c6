import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { useState, type ReactNode } from 'react'
import type { OrderDetail } from '#client/types.ts'
import { withInstants } from '#domain/time/instants.ts'
import { isWorking, parseClientOrderId } from '#domain/order/order.ts'
import { ask } from '../connection/ask.ts'
import { Button, buttonClass } from '../parts/button.tsx'
import { useAccounts } from '../records/accounts.ts'
import { Loaded } from '../parts/loaded.tsx'
import { PageHead, BackLink } from '../parts/page-head.tsx'
import { Chip, Panel } from '../parts/panel.tsx'
import { useNow } from '../parts/time.ts'
import { WorkflowLink } from '../parts/workflow-link.tsx'
import { money, number } from '../words/figures.ts'
import { bothTimes, marketTime } from '../words/times.ts'
import { CancelSheet } from './cancel-sheet.tsx'
import { lifetimeOf, orderHeadline, priceWords, roleWords, statusKind, STATUSES } from '../words/order.ts'

export function OrderPage({ id }: { id: string }) {
  const order = useQuery({
    queryKey: ['orders', 'one', id],
    queryFn: async () => (await ask('GET /api/v1/orders/{orderId}', { path: { orderId: id } })).body,
  })
  const accounts = useAccounts()
  const [isAsking, setAsking] = useState(false)
  const { data } = order
  return (
    <div className="max-w-220">
      <BackLink to="/orders" name="Orders" />
      <PageHead
        name={data ? orderHeadline(data) : 'Order'}
        note={data && <Chip kind={statusKind(data)}>{STATUSES[data.status]}</Chip>}
      >
        {data && <StoryLink order={data} />}
        {data && <WorkflowLink workflow={data.workflow} name="Workflow in Temporal" />}
        {data && isWorking(data.status) && data.role === 'manual' && (
          <Link to="/orders/new" search={{ change: data.id }} className={buttonClass()}>
            Change
          </Link>
        )}
        {data && isWorking(data.status) && (
          <Button kind="danger" onClick={() => setAsking(true)}>
            Cancel…
          </Button>
        )}
      </PageHead>
      <div className="grid gap-4">
        <Panel title="Order">
          <Loaded query={order} name="The order">
            {(it) => <Facts order={it} />}
          </Loaded>
        </Panel>
        <Panel title="What happened">
          <Life id={id} />
        </Panel>
      </div>
      <CancelSheet
        order={isAsking ? data : undefined}
        account={data && accounts.get(data.accountId)}
        close={() => setAsking(false)}
      />
    </div>
  )
}

/** Every order of this service has a signal, also one by hand. */
function StoryLink({ order: { clientOrderId } }: { order: OrderDetail }) {
  const signal = parseClientOrderId(clientOrderId)?.signalId
  return signal === undefined ? null : (
    <Link to="/signals/$id" params={{ id: signal }} className={buttonClass()}>
      Its signal
    </Link>
  )
}

function Facts({ order }: { order: OrderDetail }) {
  const now = useNow()
  const { filledQuantity: filled, avgFillPrice } = order
  return (
    <dl className="grid gap-x-6 gap-y-3 p-4 desk:grid-cols-3">
      <Fact name="Price">{priceWords(order)}</Fact>
      <Fact name="Filled">
        {number(filled)} of {number(order.quantity)}
        {avgFillPrice !== null && ` at ${money(avgFillPrice)}`}
      </Fact>
      <Fact name="Time in force">
        {lifetimeOf(order)}
        {order.expiresAt !== null && ` until ${bothTimes(order.expiresAt, now)}`}
        {order.extendedHours && ', extended hours'}
      </Fact>
      <Fact name="Account">{order.account.name}</Fact>
      <Fact name="From">{roleWords(order)}</Fact>
      <Fact name="Symbol">
        <Link to="/symbols/$symbol" params={{ symbol: order.symbol }} className="underline">
          {order.symbol}
        </Link>
      </Fact>
      <Fact name="Placed">{bothTimes(order.createdAt, now)}</Fact>
      {order.filledAt !== null && <Fact name="Last fill">{bothTimes(order.filledAt, now)}</Fact>}
      {order.reason !== null && <Fact name="Reason">{order.reason}</Fact>}
      <Fact name="Client order id">
        <span className="font-mono text-xs">{order.clientOrderId}</span>
      </Fact>
      {order.brokerOrderId !== null && (
        <Fact name="Broker order id">
          <span className="font-mono text-xs">{order.brokerOrderId}</span>
        </Fact>
      )}
    </dl>
  )
}

const Fact = ({ name, children }: { name: string; children: ReactNode }) => (
  <div className="min-w-0">
    <dt className="text-xs text-muted">{name}</dt>
    <dd className="wrap-anywhere">{children}</dd>
  </div>
)

function Life({ id }: { id: string }) {
  const events = useQuery({
    queryKey: ['orders', 'life', id],
    queryFn: async () =>
      (await ask('GET /api/v1/orders/{orderId}/events', { path: { orderId: id }, query: { limit: 100 } }))
        .body.events,
  })
  return (
    <Loaded query={events} name="What happened">
      {(all) => (
        <ol className="grid">
          {all.map(({ at, message }, index) => (
            <li
              key={`${at} ${index}`}
              className="grid gap-x-4 border-line px-4 py-2 not-last:border-b desk:grid-cols-[10rem_1fr]"
            >
              <time dateTime={at} className="text-xs text-muted desk:pt-0.5">
                {marketTime(at)}
              </time>
              <span className="wrap-anywhere">
                {withInstants(message, (instant) => marketTime(instant.toISOString()))}
              </span>
            </li>
          ))}
        </ol>
      )}
    </Loaded>
  )
}

const route = getRouteApi('/gate/shell/orders/$order')

export function OrderRoute() {
  const { order } = route.useParams()
  return <OrderPage key={order} id={order} />
}
