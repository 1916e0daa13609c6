import type { Account, Order } from '#client/types.ts'
import { ask } from '../connection/ask.ts'
import { useAction } from '../parts/action.ts'
import { ConfirmSheet } from '../parts/confirm-sheet.tsx'
import { Notice } from '../parts/notice.tsx'
import { number } from '../words/figures.ts'
import { orderHeadline, priceWords } from '../words/order.ts'
import { readChanged } from '../connection/queries.ts'

interface Props {
  /** The order that is asked about; undefined while none is. */
  order: Order | undefined
  account: Account | undefined
  close: () => void
}

/** Asks before an order that works is cancelled, and tells what came of it. */
export function CancelSheet({ order, account, close }: Props) {
  const { state, run, reset } = useAction<'cancelled' | 'asked'>()
  if (!order) return null
  const confirm = () =>
    void run(order.id, async () => {
      const { status } = await ask('DELETE /api/v1/orders/{orderId}', { path: { orderId: order.id } })
      void readChanged('orders')
      return status === 200 ? 'cancelled' : 'asked'
    })
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
          <Notice kind="warn" title="The broker is asked to cancel it">
            Until it confirms, the order may still fill. The list tells when it is done.
          </Notice>
        )
      }
    >
      <p className="text-muted">
        It works {priceWords(order)}
        {order.filledQuantity > 0 && `; ${number(order.filledQuantity)} shares have filled and stay`}.
      </p>
      {order.role === 'exit' && (
        <Notice kind="warn" title="It is the exit of a signal">
          Until another exit works, its shares are open without one.
        </Notice>
      )}
    </ConfirmSheet>
  )
}
