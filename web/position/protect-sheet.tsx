import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import type { Position } from '#client/types.ts'
import { dataOf } from '../connection/ask.ts'
import { asProblem } from '../connection/problem.ts'
import { readChanged } from '../connection/queries.ts'
import { buttonClass } from '../parts/button.tsx'
import { FormSheet, useSend } from '../parts/form.tsx'
import { Notice } from '../parts/notice.tsx'
import { noProtection, protectionBody, protectionIn, type ProtectionDraft } from '../exit/draft.ts'
import { ProtectionFields } from '../exit/fields.tsx'
import { ExpectedLevels } from '../exit/expected-levels.tsx'
import { useAccounts } from '../records/accounts.ts'
import { isRealMoney } from '../words/signal.ts'

/** Shares without an exit; the results of levels are shown if the average is known. */
export type Uncovered = Pick<Position, 'symbol' | 'accountId' | 'side'> &
  Partial<Pick<Position, 'avgCost' | 'quantity'>>

interface Props {
  of: readonly Uncovered[]
  close: () => void
}

const nameOf = ({ symbol, accountId }: Uncovered): string => `${symbol} ${accountId}`

/** Adds levels to shares that no signal owns; several positions get the same distances. */
export function ProtectSheet({ of, close }: Props) {
  const accounts = useAccounts()
  const [draft, write] = useState<ProtectionDraft>(() => ({
    ...noProtection(),
    stop: { by: 'percent', value: '5' },
  }))
  const [refused, setRefused] = useState<ReadonlyMap<string, string>>(new Map())
  const [done, setDone] = useState<ReadonlySet<string>>(new Set())
  const body = protectionBody(draft)
  const terms = body === undefined ? null : protectionIn(JSON.stringify({ protection: body }))
  const isOne = of.length === 1
  const form = useSend(async () => {
    const failed = new Map<string, string>()
    const protectedNow = new Set(done)
    for (const one of of.filter((each) => !done.has(nameOf(each)))) {
      const path = { accountId: one.accountId, symbol: one.symbol }
      const sent = dataOf('POST /api/v1/positions/{accountId}/{symbol}/protection', {
        path,
        body: body ?? {},
      })
      if (isOne) await sent
      else await sent.catch((error: unknown) => void failed.set(nameOf(one), asProblem(error).message))
      if (!failed.has(nameOf(one))) protectedNow.add(nameOf(one))
    }
    await readChanged('signal', 'signals', 'orders', 'positions')
    setDone(protectedNow)
    setRefused(failed)
    if (failed.size === 0) close()
  })
  const [first] = of
  return (
    <FormSheet
      close={close}
      title={isOne ? `Protect ${first!.symbol}` : `Protect ${of.length} positions`}
      verb={isOne ? 'Protect it' : 'Protect them'}
      form={form}
      isReal={of.some(({ accountId }) => isRealMoney(accounts.get(accountId)))}
      isBlocked={body === undefined}
    >
      <p className="text-muted">
        For all shares without an exit, and for later shares that no signal owns. Distances count from the
        average price.
      </p>
      {terms !== null &&
        of.map((one) => (
          <section key={nameOf(one)} aria-label={one.symbol} className="grid gap-1">
            {!isOne && (
              <h3 className="font-medium">
                {one.symbol}
                {done.has(nameOf(one)) && ', protected'}
              </h3>
            )}
            {one.avgCost !== undefined && (
              <ExpectedLevels
                terms={terms}
                expected={{ side: one.side, entry: one.avgCost, by: 'market', shares: one.quantity ?? null }}
              />
            )}
            {refused.has(nameOf(one)) && <Notice kind="danger" title={refused.get(nameOf(one))!} />}
          </section>
        ))}
      <ProtectionFields draft={draft} change={(change) => write((before) => ({ ...before, ...change }))} />
      {isOne && (
        <Link
          to="/orders/new"
          search={{
            symbol: first!.symbol,
            account: first!.accountId,
            side: first!.side === 'LONG' ? 'SELL' : 'BUY',
            ...(first!.quantity !== undefined && { shares: String(first!.quantity) }),
            plan: 'exit',
          }}
          className={buttonClass()}
        >
          By an order instead
        </Link>
      )}
    </FormSheet>
  )
}
