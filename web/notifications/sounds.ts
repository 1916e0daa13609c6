import type { Alert, Order, Signal } from '#client/types.ts'
import { isFailed, mayBeDecided } from '#domain/signal/signal.ts'
import { MINUTE_MS } from '#domain/time/instants.ts'

export const SOUND_KINDS = ['waiting', 'refused', 'filled', 'closed', 'alert'] as const
export type SoundKind = (typeof SOUND_KINDS)[number]

interface StreamEvent {
  name: string
  data: unknown
}

/** Milliseconds until a record is too old for a sound: the stream repeats it at each change. */
const NEWS_FOR_MS = MINUTE_MS
const REMEMBERED = 1_000

/** Sound of a stream event, with its record and time; null for none. */
function soundIn({ name, data }: StreamEvent): { kind: SoundKind; id: string; since: string } | null {
  if (name === 'signal') {
    const { id, status, statusReason, exit, updatedAt: since } = data as Signal
    if (status === undefined) return null
    if (mayBeDecided(status)) return { kind: 'waiting', id, since }
    if (status !== 'cancelled' && isFailed(status) && statusReason !== 'DECLINED')
      return { kind: 'refused', id, since }
    return exit?.status === 'filled' ? { kind: 'closed', id, since } : null
  }
  if (name === 'order') {
    const { id, status, role, filledAt } = data as Order
    return status === 'FILLED' && role !== 'exit' && filledAt !== null
      ? { kind: 'filled', id, since: filledAt }
      : null
  }
  if (name !== 'alert') return null
  const { id, resolvedAt, acknowledgedAt, raisedAt } = data as Alert
  return resolvedAt === null && acknowledgedAt === null ? { kind: 'alert', id, since: raisedAt } : null
}

/** Creates a function from stream events to sounds, once per event and not for old ones. */
export function createHearing(): (news: StreamEvent, now: number) => SoundKind | null {
  const heard = new Set<string>()
  return (news, now) => {
    const found = soundIn(news)
    if (!found) return null
    const key = `${found.kind} ${found.id}`
    if (heard.has(key)) return null
    heard.add(key)
    const [oldest] = heard
    if (heard.size > REMEMBERED) heard.delete(oldest!)
    return now - Date.parse(found.since) <= NEWS_FOR_MS ? found.kind : null
  }
}

export const readSounds = (stored: string | null): SoundKind[] =>
  SOUND_KINDS.filter((kind) => stored?.split(' ').includes(kind))
