import { useState } from 'react'
import type { Hook } from '#client/types.ts'
import { ask } from '../connection/ask.ts'
import { readChanged } from '../connection/queries.ts'
import { Button } from '../parts/button.tsx'
import { FormSheet, useSend } from '../parts/form.tsx'
import { ModePill } from '../parts/mode-pill.tsx'
import { Notice } from '../parts/notice.tsx'
import { Panel } from '../parts/panel.tsx'
import { useAccounts } from '../records/accounts.ts'
import { useAppInfo, useMe } from '../records/person.ts'
import { money } from '../words/figures.ts'
import { isRealMoney } from '../words/signal.ts'

export function LivePanel({ hook }: { hook: Hook }) {
  const { data: me } = useMe()
  const { data: app } = useAppInfo()
  const [isAsking, setAsking] = useState(false)
  const accounts = useAccounts()
  const real = hook.accounts
    .map(({ accountId }) => accounts.get(accountId))
    .filter((account) => account !== undefined)
    .filter(isRealMoney)
  return (
    <Panel title="Mode" aside={<ModePill isLive={hook.live} />}>
      <div className="grid gap-3 p-4">
        <p>
          {hook.live
            ? 'It opens positions with real money in its live accounts.'
            : 'It opens positions only in paper accounts. Closing orders are sent in every account.'}
        </p>
        {hook.live && me?.tradingMode === 'PAPER' && (
          <Notice kind="info" title="You are on paper">
            Until you switch to real money yourself, under Accounts, signals for live accounts are refused.
          </Notice>
        )}
        <Button
          className="justify-self-start"
          disabled={!hook.live && app?.liveTrading !== true}
          aria-describedby="hook-live-note"
          onClick={() => setAsking(true)}
        >
          {hook.live ? 'Back to paper…' : 'Real money…'}
        </Button>
        <p id="hook-live-note" className="text-xs text-muted empty:hidden">
          {!hook.live && app?.liveTrading === false
            ? 'Off on this server: its operator must set LIVE_TRADING=enabled.'
            : !hook.live && real.length === 0
              ? 'None of its accounts is a live account yet.'
              : ''}
        </p>
      </div>
      {isAsking && <Switch hook={hook} real={real} close={() => setAsking(false)} />}
    </Panel>
  )
}

interface SwitchProps {
  hook: Hook
  real: readonly { id: string; name: string; buyingPower: number }[]
  close: () => void
}

function Switch({ hook, real, close }: SwitchProps) {
  const live = !hook.live
  const form = useSend(async () => {
    await ask('PUT /api/v1/hooks/{hookId}/live', { path: { hookId: hook.id }, body: { live } })
    await readChanged('hooks')
    close()
  })
  return (
    <FormSheet
      close={close}
      title={live ? `Let ${hook.name} trade real money?` : `Take ${hook.name} back to paper?`}
      verb={live ? 'Switch to real money' : 'Switch to paper'}
      form={form}
      isReal={live}
      isQuestion
    >
      <p>
        <ModePill isLive={live} />
      </p>
      {live ? (
        <>
          {real.length > 0 && (
            <ul className="grid gap-1">
              {real.map(({ id, name, buyingPower }) => (
                <li key={id} className="wrap-anywhere">
                  <b className="font-bold">{name}</b>, buying power {money(buyingPower)}
                </li>
              ))}
            </ul>
          )}
          <p className="text-muted">
            Anyone with its address can then trade with real money, from the next message
            {hook.executeMode === 'pending'
              ? ', once you have approved the order.'
              : ', without your approval.'}{' '}
            Your risk limits apply.
          </p>
        </>
      ) : (
        <p className="text-muted">
          From the next message it opens no positions in live accounts. Positions and their exits stay.
        </p>
      )}
    </FormSheet>
  )
}
