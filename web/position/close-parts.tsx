import { useState } from 'react'
import type { Position } from '#client/types.ts'
import { useCheck } from '../trade/check.ts'
import { Button } from '../parts/button.tsx'
import { Gain } from '../parts/gain.tsx'
import { Messages, Notice } from '../parts/notice.tsx'
import { money, number } from '../words/figures.ts'
import { closingVerb } from '../words/order.ts'
import { bothTimes, marketTime } from '../words/times.ts'
import { closedOf, isOtherwise, type Closed } from './closing.ts'
import { worthOf } from './worth.ts'
import type { Cover } from './list.ts'

/** The position when the question was opened, null if it was gone, and whether another one is held by now. */
export function useClosed(
  position: Position | undefined,
  coverOf: ((position: Position) => Cover) | undefined,
  now: number,
): { asked: Closed | null; isOther: boolean; askForChanged: () => void } {
  const look = () => position && closedOf(position, coverOf?.(position), now)
  const [asked, setAsked] = useState(look)
  const isOther = asked !== undefined && isOtherwise(asked, position)
  return { asked: asked ?? null, isOther, askForChanged: () => setAsked(look()) }
}

/** The held position differs from the one in the question: nothing is sent. */
export const ChangedNotice = ({ askForChanged }: { askForChanged: () => void }) => (
  <Notice kind="warn" title="The position has changed">
    <Button className="mt-2" onClick={askForChanged}>
      Use the current position
    </Button>
  </Notice>
)

const atMarket = ({ accountId, symbol, side, quantity }: Position) =>
  ({
    as: 'order',
    body: {
      accountId,
      symbol,
      side: side === 'LONG' ? 'SELL' : 'BUY',
      orderType: 'MARKET',
      quantity,
      reduceOnly: true,
    },
  }) as const

/** Reasons against closing now, by a dry run: a halt, or a closed market. */
export function Refusal({ position, now }: { position: Position | undefined; now: number }) {
  const checked = useCheck(position === undefined ? null : atMarket(position))
  const { dryRun } = checked ?? {}
  if (!dryRun) return null
  const denied = dryRun.verdicts.filter(({ outcome }) => outcome === 'denied')
  return (
    <>
      {dryRun.outcome === 'denied' && (
        <Notice kind="danger" title="It would be refused">
          <Messages of={denied} />
          {denied.length === 0 && dryRun.code}
        </Notice>
      )}
      {!dryRun.session.isOpen && (
        <Notice kind="warn" title="The market is closed">
          It opens {bothTimes(dryRun.session.nextOpen, now)}.
        </Notice>
      )}
    </>
  )
}

export function ExitLine({
  closed: { position, givingWay, exits },
  shares,
  price,
  priced,
}: {
  closed: Closed
  shares: number
  /** Dollars a share, for the estimate. */
  price: number
  /** "at market". */
  priced: string
}) {
  const { value, gain } = worthOf(position, shares, price)
  return (
    <li className="rounded-card border border-line px-3 py-2">
      {givingWay.map((order) => (
        <p key={order} className="text-sm">
          First cancels “{order}”, which holds its shares
        </p>
      ))}
      <p className="font-bold wrap-anywhere">
        {closingVerb(position.side)} {number(shares)} {position.symbol} {priced}
      </p>
      <p className="text-xs text-muted">
        {Number.isFinite(value) && (
          <>
            about {money(value)} at {money(price)}, <Gain amount={gain} />,{' '}
          </>
        )}
        as of {marketTime(position.lastUpdated)}
      </p>
      {exits.length > 0 && (
        <p className="text-xs text-muted">
          The exit planned for {exits.join(' and ')} sells no more than is left
        </p>
      )}
    </li>
  )
}
