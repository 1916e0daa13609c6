import { useQuery } from '@tanstack/react-query'
import { CircleCheck, CircleX, TriangleAlert } from 'lucide-react'
import { useEffect, type ReactNode } from 'react'
import { createClient } from '#client/client.ts'
import type { BrokerConnection, Routes } from '#client/types.ts'
import { live } from '../connection/live.ts'
import { noAnswer, problemOf } from '../connection/problem.ts'
import { useStore } from '../connection/store.ts'
import { Loaded } from '../parts/loaded.tsx'
import { Panel } from '../parts/panel.tsx'
import { useBrokers } from '../records/accounts.ts'
import { silenceOf } from '../words/brokers.ts'
import { number } from '../words/figures.ts'
import { age, marketTime } from '../words/times.ts'

export const PARTS = {
  database: 'Database',
  temporal: 'Temporal',
  worker: 'Worker',
  venue: 'Venue server',
} as const

export function Service({ now }: { now: number }) {
  const readiness = useReadiness()
  const brokers = useBrokers()
  const news = useStore(live)
  const isSilent = (brokers.data ?? []).some(({ unansweredSince }) => unansweredSince !== null)
  const { refetch } = readiness
  // The stream reports a broker at once, but no part of the service.
  useEffect(() => {
    if (isSilent) void refetch()
  }, [isSilent, refetch])
  return (
    <Panel title="Service">
      <Loaded query={readiness} name="The service’s health">
        {({ parts, overdue }) => (
          <dl className="grid grid-cols-[1fr_auto] gap-x-4 gap-y-2 px-4 py-3">
            <Line name="Live updates">
              {news.isLive ? (
                <Good>live</Good>
              ) : news.isBeginning ? (
                <Bad>not yet</Bad>
              ) : (
                <Bad>not since {marketTime(news.since)}</Bad>
              )}
            </Line>
            {Object.entries(parts).map(([part, state]) => (
              <Line key={part} name={PARTS[part as keyof typeof PARTS]}>
                {state === 'up' ? <Good>up</Good> : <Down>down</Down>}
              </Line>
            ))}
            <Line name="Overdue work">
              {overdue === null ? (
                <Bad>not known</Bad>
              ) : overdue === 0 ? (
                <Good>none</Good>
              ) : (
                <Down>{number(overdue)}</Down>
              )}
            </Line>
            {(brokers.data ?? []).map((broker) => (
              <Line key={broker.id} name={broker.name}>
                <BrokerState broker={broker} now={now} />
                <span className="block text-right text-xs text-muted">
                  {broker.lastCheckedAt === null
                    ? 'never answered'
                    : `answered ${age(now - Date.parse(broker.lastCheckedAt))}`}
                </span>
              </Line>
            ))}
          </dl>
        )}
      </Loaded>
    </Panel>
  )
}

function BrokerState({ broker, now }: { broker: BrokerConnection; now: number }) {
  const silence = silenceOf(broker, now)
  if (silence !== null) return <Bad>{silence}</Bad>
  return broker.status === 'connected' ? <Good>connected</Good> : <Bad>failing</Bad>
}

const Line = ({ name, children }: { name: string; children: ReactNode }) => (
  <>
    <dt className="min-w-0 text-muted wrap-anywhere">{name}</dt>
    <dd>{children}</dd>
  </>
)

const state = (icon: ReactNode, color: string, children: ReactNode) => (
  <span className={`flex items-center justify-end gap-1.5 [&>svg]:size-4 ${color}`}>
    {icon}
    {children}
  </span>
)
const Good = ({ children }: { children: ReactNode }) =>
  state(<CircleCheck aria-hidden="true" />, 'text-buy', children)
const Bad = ({ children }: { children: ReactNode }) =>
  state(<TriangleAlert aria-hidden="true" />, 'text-warn', children)
const Down = ({ children }: { children: ReactNode }) =>
  state(<CircleX aria-hidden="true" />, 'text-danger', children)

/** Milliseconds between two reads of parts, which no event reports: while all work, and otherwise. */
const HEALTH_READ_EVERY_MS = { well: 20_000, ill: 5_000 }

type Readiness = Routes['GET /readyz']['answers'][200]

/** Health of the service's parts; a part that is down is an answer, not an error. */
export const useReadiness = () =>
  useQuery({
    queryKey: ['readiness'],
    queryFn: async (): Promise<Readiness> => {
      const answer = await createClient(location.origin)('GET /readyz').catch(() => {
        throw noAnswer()
      })
      if (answer.status === 200 || answer.status === 503) return answer.body
      throw problemOf(answer.status, answer.body)
    },
    refetchInterval: ({ state }) =>
      state.data && Object.values(state.data.parts).every((part) => part === 'up')
        ? HEALTH_READ_EVERY_MS.well
        : HEALTH_READ_EVERY_MS.ill,
    retry: false,
  })
