import { useState } from 'react'
import type { Account, Order } from '#client/types.ts'
import { ask } from '../connection/ask.ts'
import { useAction } from '../parts/action.ts'
import { ConfirmSheet } from '../parts/confirm-sheet.tsx'
import { Notice } from '../parts/notice.tsx'
import { money, number } from '../words/figures.ts'
import { orderHeadline, priceWords } from '../words/order.ts'
import { readChanged } from '../connection/queries.ts'

interface Props {
  order: Order | undefined
  account: Account | undefined
  close: () => void
}

/** Sheet before a working order is cancelled, with the outcome. */
export const CancelSheet = ({ order, ...rest }: Props) =>
  order && <Question key={order.id} order={order} {...rest} />

function Question({ order: live, account, close }: Props & { order: Order }) {
  const { state, run, reset } = useAction<'cancelled' | 'asked'>()
  // The order when the sheet opened: a question must not change under the finger.
  const [order] = useState(live)
  const confirm = () =>
    void run(async () => {
      const { status } = await ask('DELETE /api/v1/orders/{orderId}', { path: { orderId: order.id } })
      void readChanged('orders')
      return status === 200 ? 'cancelled' : 'asked'
    })
  const left = order.quantity - order.filledQuantity
  const filledSince = live.filledQuantity - order.filledQuantity
  return (
    <ConfirmSheet
      isOpen
      close={() => {
        reset()
        close()
      }}
      title={`Cancel “${orderHeadline(order)}”?`}
      account={account}
      verb="Cancel the order"
      kind="stop"
      state={state}
      confirm={confirm}
      renderOutcome={(result) =>
        result === 'cancelled' ? (
          <Notice kind="info" title="Cancelled" />
        ) : (
          <Notice kind="warn" title="Cancel requested">
            Until it confirms, the order may still fill. The list shows when it is done.
          </Notice>
        )
      }
    >
      <p className="text-muted">
        It works {priceWords(order)}
        {order.limitPrice !== null && `, ${money(left * order.limitPrice)} in all`}
        {order.filledQuantity > 0 && `; ${number(order.filledQuantity)} shares have filled and stay`}.
      </p>
      {filledSince > 0 && (
        <Notice kind="warn" title={`${number(filledSince)} more shares have filled meanwhile`} />
      )}
      {order.role === 'exit' &&
        (order.orderType === 'OCO' || order.orderType === 'TRAILING_STOP' ? (
          <Notice kind="warn" title="It protects a position">
            The stop and target of its signal end with it: the position stays open without a stop.
          </Notice>
        ) : (
          <Notice kind="warn" title="It is the exit of a signal">
            Its shares have no exit until another one is placed.
          </Notice>
        ))}
    </ConfirmSheet>
  )
}
