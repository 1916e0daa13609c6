/** Message of the service to a device; every field is optional, as worker and service may differ in age. */
export interface PushPayload {
  kind: 'waiting' | 'settled' | 'filled' | 'closed' | 'refused' | 'summary' | 'alert' | 'test' | 'check'
  title: string
  body: string
  /** A later notification with the same tag replaces it. */
  tag: string
  /** An address of the app. */
  url: string
  /** Time at which the message expires; null for never. */
  expiresAt: string | null
}

export interface Notice {
  title: string
  body: string
  tag: string
  url: string
  /** Whether the notification remains until a press or its end, because it waits for a person. */
  staysOpen: boolean
  /** Without sound and vibration. */
  isSilent: boolean
  /** Whether the notification only replaces one that has ended. */
  hasEnded: boolean
}

const NAME = 'Durable Trader'
const HOME = '/approvals'

/** Address within the app, otherwise the start page: a notification leads nowhere else. */
export const ownAddress = (url: unknown): string =>
  typeof url === 'string' && /^\/(?:[a-z]|$)/.test(url) ? url : HOME

/**
 * Browsers require a notification for each message, so an unreadable or late one says so. Null for a check whether the
 * browser still receives, which is rare enough to show nothing.
 *
 * @param text null for an empty message
 * @param now milliseconds since 1970
 */
export function noticeOf(text: string | null, now: number): Notice | null {
  const { kind, title, body, tag, url, expiresAt } = read(text)
  if (kind === 'check') return null
  const isLate = typeof expiresAt === 'string' && Date.parse(expiresAt) <= now
  const hasEnded = kind === 'settled' || (kind === 'waiting' && isLate)
  return {
    title: hasEnded && kind !== 'settled' ? 'No longer needs approval' : textOr(title, NAME),
    body:
      hasEnded && kind !== 'settled'
        ? 'The signal was not decided in time.'
        : textOr(body, 'Something has changed.'),
    tag: textOr(tag, 'news'),
    url: ownAddress(url),
    staysOpen: kind === 'waiting' && !hasEnded,
    isSilent: hasEnded,
    hasEnded,
  }
}

const textOr = (value: unknown, otherwise: string): string =>
  typeof value === 'string' && value !== '' ? value : otherwise

function read(text: string | null): Partial<Record<keyof PushPayload, unknown>> {
  try {
    const value: unknown = JSON.parse(text ?? '')
    return typeof value === 'object' && value !== null ? value : {}
  } catch {
    return {}
  }
}
