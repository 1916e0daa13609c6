import { ShieldOff } from 'lucide-react'
import { useState } from 'react'
import type { Account, SignalDetail } from '#client/types.ts'
import { isOpening } from '#domain/signal/signal.ts'
import { useIsLive } from '../connection/live.ts'
import { Button, buttonClass } from '../parts/button.tsx'
import { Panel } from '../parts/panel.tsx'
import { ProtectButton } from '../position/protect-button.tsx'
import { LevelSheet } from '../exit/level-sheet.tsx'
import { expectedOf } from '../exit/levels.ts'
import { ExitBody } from '../exit/exit-body.tsx'
import { ExpectedLevels } from '../exit/expected-levels.tsx'
import { useQuotes } from '../records/quotes.ts'
import { expectedLevels, unplanned } from '../exit/state.ts'
import { isBuy, isByPosition, isRealMoney } from '../words/signal.ts'
import { isAllClosed, openShares } from './result.ts'

interface Props {
  signal: SignalDetail
  account: Account | undefined
  now: number
}

export function ExitCard({ signal, account, now }: Props) {
  const terms = signal.protection
  const isOpen = isOpening(signal.action) && signal.filledQuantity > 0 && !isAllClosed(signal)
  const quotes = useQuotes(terms !== null || isOpen ? [signal.symbol] : [], signal.accountId)
  const last = quotes.data?.quotes.get(signal.symbol)?.last ?? null
  const planned = expectedLevels(signal, account, last)
  if (planned !== null)
    return (
      <Panel title="Protection">
        <ExitBody of={planned} accountId={signal.accountId} now={now} />
      </Panel>
    )
  if (terms !== null && signal.filledQuantity === 0)
    return (
      <Panel title="Protection, once it is filled">
        <div className="p-4">
          <ExpectedLevels
            terms={terms}
            expected={{
              ...expectedOf(signal, null, last),
              shares: signal.quantityType === 'fixed' && !isByPosition(signal) ? signal.quantity : null,
            }}
          />
        </div>
      </Panel>
    )
  return isOpen ? <Unprotected signal={signal} account={account} price={last} /> : null
}

interface UnprotectedProps {
  signal: SignalDetail
  account: Account | undefined
  price: number | null
}

/** A signal with an exit ahead takes levels itself; otherwise its position gets an exit. */
function Unprotected({ signal, account, price }: UnprotectedProps) {
  const [isAsking, setAsking] = useState(false)
  const isLive = useIsLive()
  const { exit, accountId, symbol } = signal
  const shares = openShares(signal)
  const side = isBuy(signal) ? 'LONG' : 'SHORT'
  const takesExit = exit?.status === 'waiting' || exit?.status === 'scheduled'
  return (
    <Panel title="Protection">
      <div className="flex flex-wrap items-center gap-3 p-4">
        <p className="flex min-w-0 flex-1 basis-40 gap-2 text-warn">
          <ShieldOff aria-hidden="true" className="mt-0.5 size-4 shrink-0" /> No protection: no stop limits
          the loss
        </p>
        {takesExit ? (
          <Button disabled={!isLive} onClick={() => setAsking(true)}>
            Add stop loss…
          </Button>
        ) : (
          <ProtectButton position={{ symbol, accountId, side }} shares={shares} className={buttonClass()} />
        )}
      </div>
      {isAsking && (
        <LevelSheet
          of={{
            signalId: signal.id,
            symbol,
            terms: {},
            plan: unplanned(side, shares, signal.avgFillPrice ?? 0, price),
            price,
            isReal: isRealMoney(account),
          }}
          part="stop"
          close={() => setAsking(false)}
          done={() => setAsking(false)}
        />
      )}
    </Panel>
  )
}
