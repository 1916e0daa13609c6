import { useQueries } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { Account, Strategy } from '#client/types.ts'
import { haltAgainst } from '#domain/risk/halt.ts'
import { dataOf } from '../connection/ask.ts'
import { useHooks } from '../hook/data.ts'
import { buttonClass } from '../parts/button.tsx'
import { Loaded } from '../parts/loaded.tsx'
import { Chip, Panel } from '../parts/panel.tsx'
import { useAccounts } from '../records/accounts.ts'
import { useHalts } from '../records/halts.ts'
import { useMarketState } from '../records/market.ts'
import { VIEWS } from '../signal/filters.ts'
import { useSignalPage } from '../signal/list.ts'
import { newYorkDayBegan, newYorkDayHere } from '../today/new-york-day.ts'
import { number } from '../words/figures.ts'
import { useNow } from '../parts/time.ts'
import { filledToday, reasonsOf, todayTitle, type Looked } from './today.ts'

/** Most signals, and most requests of each hook, that are examined. */
const ROWS_LOOKED_AT = 100
/** Milliseconds between two reads of requests: the stream reports only signals. */
const REQUESTS_EVERY_MS = 30_000
const OPENING = { reducing: false, isManual: false }

/** Outcome of today's signals and requests, and the reasons against trades. */
export function TodayPanel({ strategy }: { strategy: Strategy }) {
  const now = useNow()
  const { id, defaultAccountId } = strategy
  const from = newYorkDayBegan(now).toISOString()
  const accounts = useAccounts()
  const halts = useHalts()
  const market = useMarketState(now)
  const signals = useSignalPage({ strategyId: id, from, limit: ROWS_LOOKED_AT })
  const waiting = useSignalPage({
    strategyId: id,
    to: from,
    status: [...VIEWS.waiting.status],
    limit: ROWS_LOOKED_AT,
  })
  const read = useHooks({ isWatched: true })
  const hooks = (read.data ?? []).filter(({ strategyId }) => strategyId === id)
  const requests = useQueries({
    queries: hooks.map((hook) => ({
      queryKey: ['hooks', 'today', hook.id, from],
      queryFn: async () =>
        (
          await dataOf('GET /api/v1/hooks/{hookId}/requests', {
            path: { hookId: hook.id },
            query: { from, limit: ROWS_LOOKED_AT },
          })
        ).requests,
      refetchInterval: REQUESTS_EVERY_MS,
    })),
  })
  const isRead = read.isSuccess && waiting.isSuccess && requests.every(({ isSuccess }) => isSuccess)
  const named = [defaultAccountId ?? [], hooks.map((hook) => hook.accounts.map((one) => one.accountId))].flat(
    2,
  )
  const trades = [...accounts.values()].filter((account) => named.length === 0 || named.includes(account.id))
  return (
    <Loaded query={signals} name="The day" rows={2}>
      {(page) => {
        const day = {
          strategy,
          signals: [...page.signals, ...(waiting.data?.signals ?? [])],
          hooks: hooks.map((hook, index) => ({ hook, requests: requests[index]?.data ?? [] })),
          halts: trades.flatMap(({ id: accountId, name }: Account) => {
            const halt = haltAgainst(halts, accountId, OPENING)
            return halt === null ? [] : [{ account: name, halt }]
          }),
          closed: market === null || market.isOpen ? null : market.words,
        }
        return (
          <Panel
            title={todayTitle(filledToday(page.signals))}
            aside={
              <Link
                to="/signals"
                search={{ strategy: id, from: newYorkDayHere(now) }}
                className={buttonClass()}
              >
                Signals of today
              </Link>
            }
          >
            {page.total > ROWS_LOOKED_AT && (
              <p className="px-4 py-2 text-muted">Of the newest {number(ROWS_LOOKED_AT)} signals.</p>
            )}
            {isRead && (
              <ul aria-label="Why no order came, or not all" className="empty:hidden">
                {reasonsOf(day, now).map(({ key, text, count, kind, at }) => (
                  <li
                    key={key}
                    className="flex flex-wrap items-center gap-x-3 gap-y-1 border-line px-4 py-2 not-last:border-b"
                  >
                    {count !== null && count > 1 && <Chip kind={kind}>{`${number(count)} ×`}</Chip>}
                    <Look at={at}>{text}</Look>
                  </li>
                ))}
              </ul>
            )}
          </Panel>
        )
      }}
    </Loaded>
  )
}

function Look({ at, children }: { at: Looked | null; children: string }) {
  if (at === null) return <span className="min-w-0 grow wrap-anywhere">{children}</span>
  const className = 'inline-flex min-h-11 min-w-0 grow items-center wrap-anywhere underline desk:min-h-6'
  if ('signal' in at)
    return (
      <Link to="/signals/$id" params={{ id: at.signal }} className={className}>
        {children}
      </Link>
    )
  return 'request' in at ? (
    <Link
      to="/set-up/hooks/$hook/requests/$request"
      params={{ hook: at.hook, request: at.request }}
      className={className}
    >
      {children}
    </Link>
  ) : (
    <Link to="/set-up/hooks/$hook" params={{ hook: at.hook }} className={className}>
      {children}
    </Link>
  )
}
