import { Link } from '@tanstack/react-router'
import type { ActionState } from '../parts/action.ts'
import { ConfirmSheet } from '../parts/confirm-sheet.tsx'
import { Notice } from '../parts/notice.tsx'
import { orderSentence } from '../words/order.ts'
import type { Asked } from './asked.ts'
import type { Placed } from './placing.ts'
import type { Account, OrderDetail } from './requests.ts'

interface Props {
  asked: Asked
  account: Account | undefined
  changes: OrderDetail | null
  state: ActionState<Placed>
  confirm: () => void
  close: () => void
}

export const Review = ({ asked, account, changes, state, confirm, close }: Props) => (
  <ConfirmSheet
    isOpen
    close={close}
    title={`${asked.sentence}?`}
    account={account}
    verb={changes ? `Change to ${asked.verb.toLowerCase()}` : asked.verb}
    kind={asked.isBuy ? 'buy' : 'sell'}
    state={state}
    confirm={confirm}
    renderOutcome={(placed) => (
      <Notice kind={placed.isRefused === true ? 'danger' : 'info'} title={placed.message}>
        {placed.as === 'order' ? (
          <Link to="/orders/$order" params={{ order: placed.id }} className="text-sm underline">
            Show the order
          </Link>
        ) : (
          <Link to="/signals/$id" params={{ id: placed.id }} className="text-sm underline">
            Show the signal
          </Link>
        )}
      </Notice>
    )}
  >
    {changes && (
      <Notice kind="warn" title="The working order is cancelled first">
        “{orderSentence(changes)}”. Only once the broker has confirmed that is the new one placed; should it
        have filled by then, none is.
      </Notice>
    )}
    <ul className="grid gap-1">
      {asked.lines.map((line) => (
        <li key={line} className="wrap-anywhere">
          {line}
        </li>
      ))}
    </ul>
  </ConfirmSheet>
)
