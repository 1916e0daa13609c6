import { Link } from '@tanstack/react-router'
import type { Account, OrderDetail } from '#client/types.ts'
import type { ActionState } from '../../parts/action.ts'
import { ConfirmSheet } from '../../parts/confirm-sheet.tsx'
import { Notice } from '../../parts/notice.tsx'
import { orderSentence } from '../../words/order.ts'
import type { Placed } from './placing.ts'
import type { Sent } from './ticket.ts'

/** A ticket as it was when its button was pressed: what is asked about is what is sent. */
export interface Asked {
  sent: Sent
  /** "Sell short 5 TSLA at market". */
  sentence: string
  /** "Sell short". */
  verb: string
  isBuy: boolean
  /** What it means in money and shares, a line each. */
  lines: readonly string[]
}

interface Props {
  asked: Asked
  account: Account | undefined
  /** The order that is cancelled first, where one is changed. */
  changes: OrderDetail | null
  state: ActionState<Placed>
  confirm: () => void
  close: () => void
}

/** Asks before a ticket is sent, and tells what came of it. */
export const PlaceSheet = ({ asked, account, changes, state, confirm, close }: Props) => (
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
