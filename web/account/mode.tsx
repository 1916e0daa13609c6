import { useState } from 'react'
import type { Account } from '#client/types.ts'
import { useQueue } from '../approvals/queue.ts'
import { useSend, FormSheet } from '../parts/form.tsx'
import { useAppInfo, useMe } from '../records/person.ts'
import { money } from '../words/figures.ts'
import { isRealMoney } from '../words/signal.ts'
import { ask } from '../connection/ask.ts'
import { Button } from '../parts/button.tsx'
import { Notice } from '../parts/notice.tsx'
import { Panel } from '../parts/panel.tsx'
import { ModePill } from '../parts/mode-pill.tsx'
import { readChanged } from '../connection/queries.ts'

type Mode = 'PAPER' | 'LIVE'

export function Mode({ accounts }: { accounts: readonly Account[] }) {
  const { data: me } = useMe()
  const { data: app } = useAppInfo()
  const [asking, setAsking] = useState<Mode | null>(null)
  if (!me) return null
  const isLive = me.tradingMode === 'LIVE'
  const real = accounts.filter(isRealMoney)
  return (
    <Panel title="Mode" aside={<ModePill isLive={isLive} />}>
      <div className="grid gap-3 p-4">
        <p>
          {isLive
            ? 'Orders are sent to live accounts, with real money. Orders for paper accounts are refused.'
            : 'Orders are sent to paper accounts. Orders for live accounts are refused.'}{' '}
          <span className="text-muted">Planned exits continue in every account, in either mode.</span>
        </p>
        {isLive && app?.liveTrading === false && (
          <Notice kind="warn" title="The server does not trade real money">
            Its operator must set LIVE_TRADING=enabled. Until then signals and manual orders are refused.
          </Notice>
        )}
        {isLive ? (
          <Button className="justify-self-start" onClick={() => setAsking('PAPER')}>
            Back to paper…
          </Button>
        ) : (
          <>
            <Button
              // Left-aligned: the question is confirmed at the right.
              className="justify-self-start"
              disabled={app?.liveTrading !== true}
              aria-describedby="live-note"
              onClick={() => setAsking('LIVE')}
            >
              Real money…
            </Button>
            <p id="live-note" className="text-xs text-muted empty:hidden">
              {app?.liveTrading === false
                ? 'Off on this server: its operator must set LIVE_TRADING=enabled.'
                : real.length === 0
                  ? 'No live account is connected yet.'
                  : ''}
            </p>
          </>
        )}
      </div>
      {asking !== null && <Switch to={asking} real={real} close={() => setAsking(null)} />}
    </Panel>
  )
}

function Switch({ to, real, close }: { to: Mode; real: readonly Account[]; close: () => void }) {
  const { data: waiting } = useQueue()
  const form = useSend(async () => {
    await ask('POST /api/v1/accounts/mode', { body: { mode: to } })
    await readChanged('me')
    close()
  })
  const count = waiting?.length ?? 0
  return (
    <FormSheet
      close={close}
      title={to === 'LIVE' ? 'Trade with real money?' : 'Back to paper?'}
      verb={to === 'LIVE' ? 'Switch to real money' : 'Switch to paper'}
      form={form}
      isReal={to === 'LIVE'}
      isQuestion
    >
      <p>
        <ModePill isLive={to === 'LIVE'} />
      </p>
      {to === 'LIVE' ? (
        <>
          {real.length === 0 ? (
            <p>No live account is connected: no order is sent until you connect one.</p>
          ) : (
            <ul className="grid gap-1">
              {real.map(({ id, name, buyingPower }) => (
                <li key={id} className="wrap-anywhere">
                  <b className="font-bold">{name}</b>, buying power {money(buyingPower)}
                </li>
              ))}
            </ul>
          )}
          <p className="text-muted">
            Programs that send signals for these accounts trade with real money from the next signal. Signals
            for paper accounts are refused, including waiting ones.
          </p>
        </>
      ) : (
        <p className="text-muted">
          Signals and manual orders for live accounts are refused, including those that close a position.
          Planned exits continue; orders at the broker stay open.
        </p>
      )}
      {count > 0 && (
        <Notice
          kind="warn"
          title={count === 1 ? '1 signal waits for approval' : `${count} signals wait for approval`}
        >
          The mode at the time of sending applies.
        </Notice>
      )}
    </FormSheet>
  )
}
