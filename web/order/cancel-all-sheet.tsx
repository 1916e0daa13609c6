import { useState } from 'react'
import type { Account, Order, Routes } from '#client/types.ts'
import { ask } from '../connection/ask.ts'
import { readChanged } from '../connection/queries.ts'
import { useAction } from '../parts/action.ts'
import { Checkbox } from '../parts/checkbox.tsx'
import { ConfirmSheet } from '../parts/confirm-sheet.tsx'
import { Notice } from '../parts/notice.tsx'
import { money, number } from '../words/figures.ts'
import { isBuying, orderSentence } from '../words/order.ts'

type Cancelled = Routes['POST /api/v1/orders/cancel-all']['answers'][200]

interface Props {
  /** Working orders when the sheet opened. */
  orders: readonly Order[]
  /** Account and symbol that narrow the list. */
  part: { accountId?: string; symbol?: string }
  account: Account | undefined
  close: () => void
}

const EXITS_NAMED = 3
const ORDERS_NAMED = 12

const open = ({ quantity, filledQuantity }: Order): number => quantity - filledQuantity
const worth = (orders: readonly Order[]): number =>
  orders.reduce((sum, order) => sum + open(order) * (order.limitPrice ?? 0), 0)
const counted = (count: number): string =>
  count === 1 ? '1 working order' : `${number(count)} working orders`

/** Sheet before all working orders are cancelled, with each outcome. */
export function CancelAllSheet({ orders: now, part, account, close }: Props) {
  const { state, run } = useAction<Cancelled>()
  const [all] = useState(now)
  const [keepExits, setKeepExits] = useState(true)
  const exits = all.filter(({ role }) => role === 'exit')
  const orders = keepExits ? all.filter(({ role }) => role !== 'exit') : all
  const buys = worth(orders.filter(isBuying))
  const sells = worth(orders.filter((order) => !isBuying(order)))
  const confirm = () =>
    void run(async () => {
      const { body } = await ask('POST /api/v1/orders/cancel-all', { body: { ...part, keepExits } })
      void readChanged('orders')
      return body
    })
  return (
    <ConfirmSheet
      isOpen
      close={close}
      title={`Cancel ${counted(orders.length)}?`}
      account={account}
      verb={orders.length === 1 ? 'Cancel the order' : `Cancel ${number(orders.length)} orders`}
      kind="stop"
      state={state}
      confirm={confirm}
      isBlocked={orders.length === 0}
      renderOutcome={(result) => <Outcome result={result} />}
    >
      <p>
        {[buys > 0 && `${money(buys)} of buying`, sells > 0 && `${money(sells)} of selling`]
          .filter(Boolean)
          .join(' and ') || 'At market or at a stop'}{' '}
        is cancelled{part.symbol === undefined ? '' : ` in ${part.symbol}`}. Filled shares stay.
      </p>
      {exits.length > 0 && (
        <Checkbox checked={keepExits} onChange={() => setKeepExits(!keepExits)}>
          {`Keep ${exits.length === 1 ? 'the exit' : `the ${number(exits.length)} exits`} of signals (${exits
            .slice(0, EXITS_NAMED)
            .map(({ symbol }) => symbol)
            .join(', ')}${exits.length > EXITS_NAMED ? ', …' : ''})`}
        </Checkbox>
      )}
      {exits.length > 0 && !keepExits && (
        <Notice kind="warn" title="Positions lose their exits">
          Their shares stay open until another exit is placed.
        </Notice>
      )}
      <ul className="grid gap-1 text-sm" aria-label="What is cancelled">
        {orders.slice(0, ORDERS_NAMED).map((order) => (
          <li key={order.id}>{orderSentence(order)}</li>
        ))}
        {orders.length > ORDERS_NAMED && <li>and {number(orders.length - ORDERS_NAMED)} more</li>}
      </ul>
    </ConfirmSheet>
  )
}

function Outcome({ result: { orders, left } }: { result: Cancelled }) {
  const count = (outcome: Cancelled['orders'][number]['outcome']): number =>
    orders.filter((order) => order.outcome === outcome).length
  const failed = orders.filter(({ outcome }) => outcome === 'failed')
  return (
    <>
      {orders.length === 0 && <Notice kind="info" title="No order was working any more" />}
      {count('cancelled') > 0 && <Notice kind="info" title={`${number(count('cancelled'))} cancelled`} />}
      {count('over') > 0 && <Notice kind="info" title={`${number(count('over'))} had ended before`} />}
      {count('asked') > 0 && (
        <Notice
          kind="warn"
          title={`${number(count('asked'))} ${count('asked') === 1 ? 'is' : 'are'} being cancelled`}
        >
          Until the broker confirms, they may still fill. The list shows when it is done.
        </Notice>
      )}
      {failed.length > 0 && (
        <Notice kind="danger" title={`${number(failed.length)} could not be cancelled`}>
          {failed[0]!.message}. They may still work.
        </Notice>
      )}
      {left > 0 && (
        <Notice kind="warn" title={`${number(left)} more are working`}>
          Ask again to cancel them.
        </Notice>
      )}
    </>
  )
}
