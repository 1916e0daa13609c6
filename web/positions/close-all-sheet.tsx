import type { Account, Position } from '#client/types.ts'
import { askOnce } from '../connection/ask.ts'
import { readChanged } from '../connection/queries.ts'
import { useAction } from '../parts/action.ts'
import { ConfirmSheet } from '../parts/confirm-sheet.tsx'
import { Gain } from '../parts/gain.tsx'
import { money, number } from '../words/figures.ts'
import { CloseOutcome, type Closing } from './close-outcome.tsx'
import { ChangedNotice, PlanLine, Refusal, useClosed } from './close-parts.tsx'
import { worthOf } from './worth.ts'
import type { Cover } from './list.ts'

interface Props {
  /** All of one account, as they stand now. */
  positions: readonly Position[]
  account: Account
  coverOf: ((position: Position) => Cover) | undefined
  now: number
  close: () => void
}

/** Asks before all positions of an account are closed at market, and tells what came of each. */
export function CloseAllSheet({ positions, account, coverOf, now, close }: Props) {
  const { state, run } = useAction<Closing>()
  const { closed, isOther, askAnew } = useClosed(positions, coverOf, now)
  const held = closed.map(({ position }) => position)
  const worth = held.map((position) => worthOf(position, position.quantity, position.currentPrice))
  const value = worth.reduce((sum, each) => sum + each.value, 0)
  const gain = worth.reduce((sum, each) => sum + each.gain, 0)
  const confirm = () =>
    void run(async (key) => {
      const { body } = await askOnce(key, 'POST /api/v1/positions/{accountId}/close', {
        path: { accountId: account.id },
      })
      void readChanged('orders')
      void readChanged('positions')
      return body
    })
  const isAsking = state.is === 'idle' || state.is === 'failed'
  return (
    <ConfirmSheet
      isOpen
      close={close}
      title={held.length === 1 ? 'Close 1 position?' : `Close all ${number(held.length)} positions?`}
      account={account}
      verb="Close all"
      kind="stop"
      state={state}
      confirm={confirm}
      isBlocked={isAsking && isOther}
      renderOutcome={(result) => <CloseOutcome result={result} positions={held} />}
    >
      <p>
        At market, <b className="font-bold">about {money(value)}</b> in all, <Gain amount={gain} /> against
        cost.
      </p>
      {isAsking && isOther && <ChangedNotice askAnew={askAnew} />}
      <Refusal position={held[0]} now={now} />
      <ol className="grid gap-2" aria-label="What it does">
        {closed.map((each) => (
          <PlanLine
            key={each.position.id}
            closed={each}
            shares={each.position.quantity}
            price={each.position.currentPrice}
            priced="at market"
          />
        ))}
      </ol>
    </ConfirmSheet>
  )
}
