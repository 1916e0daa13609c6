import type { Routes } from '#client/types.ts'
import { age, bothTimes } from '../words/times.ts'

export type Channel = Routes['GET /api/v1/channels']['answers'][200]['data'][number]
export type Delivery = Routes['GET /api/v1/deliveries']['answers'][200]['data']['deliveries'][number]

export const URGENCIES = {
  alarm: 'Alarms',
  decision: 'Approvals',
  outcome: 'Outcomes',
  letter: 'Letter of the day',
} as const satisfies Record<Channel['urgencies'][number], string>

export const EVENTS = {
  signal: 'Signals',
  approval: 'Approvals',
  order: 'Orders',
  fill: 'Fills',
  trade: 'Trades',
  exit: 'Exits',
  alert: 'Alerts',
  halt: 'Halts',
} as const satisfies Record<Channel['events'][number], string>

export function stateOf(channel: Channel, now: number): { text: string; tone: 'plain' | 'warn' | 'danger' } {
  const { kind, lastDeliveredAt, failingSince, refusedSince, refusal, pausedAt, pauseReason } = channel
  const since = (instant: string, reason: string | null): string =>
    `since ${bothTimes(instant, now)}${reason === null ? '' : ` (${reason})`}`
  if (pausedAt !== null) return { text: `Paused ${since(pausedAt, pauseReason)}`, tone: 'danger' }
  if (refusedSince !== null) {
    const remedy = kind === 'push' ? ': turn notifications off and on again there' : ''
    return { text: `Refuses messages ${since(refusedSince, refusal)}${remedy}`, tone: 'danger' }
  }
  if (failingSince !== null)
    return { text: `Fails ${since(failingSince, null)} and is tried again`, tone: 'warn' }
  return {
    text:
      lastDeliveredAt === null ? 'Nothing sent yet' : `Last sent ${age(now - Date.parse(lastDeliveredAt))}`,
    tone: 'plain',
  }
}

const namesOf = <Name extends string>(names: Record<Name, string>, chosen: readonly Name[]): string =>
  (Object.keys(names) as Name[])
    .filter((each) => chosen.includes(each))
    .map((each) => names[each].toLowerCase())
    .join(', ')

/** "alarms, approvals", "events: orders, fills". */
export function sentWords({ urgencies, events }: Pick<Channel, 'urgencies' | 'events'>): string {
  const ofEvents = events.length === 0 ? '' : `events: ${namesOf(EVENTS, events)}`
  return (
    [namesOf(URGENCIES, urgencies), ofEvents].filter((each) => each !== '').join(' · ') || 'is sent nothing'
  )
}

const ABOUT: Readonly<Record<string, string>> = {
  waiting: 'A signal to approve',
  settled: 'A signal that no longer needs approval',
  filled: 'An order was filled',
  closed: 'A position was closed',
  refused: 'A signal was refused',
  summary: 'Letter of the day',
  alert: 'An alert',
  paused: 'A channel is paused',
  check: 'Check of the browser',
}

/** What a message was about; events keep their type, which programs know. */
export const aboutWords = ({ about }: Pick<Delivery, 'about'>): string => ABOUT[about] ?? `Event ${about}`

export const OUTCOMES = {
  taken: { text: 'sent', tone: 'good' },
  failed: { text: 'failed, tried again', tone: 'warn' },
  refused: { text: 'refused', tone: 'danger' },
  gone: { text: 'address is gone', tone: 'danger' },
  expired: { text: 'expired unsent', tone: 'danger' },
} as const satisfies Record<Delivery['outcome'], { text: string; tone: 'good' | 'warn' | 'danger' }>
